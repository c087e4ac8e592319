// Included first in every source of a build for WebAssembly: what libc++ 13 (Debian's emscripten 3.1.6) lacks of C++20,
// as far as this project uses it.
#pragma once

#ifdef __cplusplus
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace std {

// Of fractions: digits, a point, an exponent, inf and nan; no blanks, no plus, no hexadecimal numbers.
template <class Fraction>
enable_if_t<is_floating_point_v<Fraction>, from_chars_result> from_chars(const char* first, const char* last,
                                                                         Fraction& value) {
  const auto digits = [last](const char* at) {
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at;
  };
  const char* const start = first != last && *first == '-' ? first + 1 : first;
  const char* end = digits(start);
  bool is_number = end != start;
  if (end != last && *end == '.') {
    const char* const after = digits(end + 1);
    is_number = is_number || after != end + 1;
    end = after;
  }
  if (is_number && end != last && (*end == 'e' || *end == 'E')) {
    const char* const sign = end + 1 != last && (end[1] == '-' || end[1] == '+') ? end + 2 : end + 1;
    const char* const after = digits(sign);
    if (after != sign) end = after;
  }
  if (!is_number) {
    constexpr const char* kWords[] = {"infinity", "inf", "nan"};
    for (const char* word : kWords) {
      const size_t size = strlen(word);
      if (static_cast<size_t>(last - start) < size) continue;
      is_number = std::equal(word, word + size, start, [](char a, char b) { return a == (b | 0x20); });
      end = start + size;
      if (is_number) break;
    }
  }
  if (!is_number) return {first, errc::invalid_argument};
  const string text(first, end);
  const Fraction read = sizeof(Fraction) == sizeof(float) ? static_cast<Fraction>(strtof(text.c_str(), nullptr))
                                                          : static_cast<Fraction>(strtod(text.c_str(), nullptr));
  const bool is_word = *start == 'i' || *start == 'I' || *start == 'n' || *start == 'N';
  if (!is_word && (read > 1e308 || read < -1e308) && read == read * 2) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc{}};
}

// Of fractions: the fewest digits that are read back as the same number.
template <class Fraction>
enable_if_t<is_floating_point_v<Fraction>, to_chars_result> to_chars(char* first, char* last, Fraction value) {
  char digits[40];
  int size = 0;
  for (int precision = 1; precision <= 17; ++precision) {
    size = snprintf(digits, sizeof digits, "%.*g", precision, static_cast<double>(value));
    const Fraction read = sizeof(Fraction) == sizeof(float) ? static_cast<Fraction>(strtof(digits, nullptr))
                                                            : static_cast<Fraction>(strtod(digits, nullptr));
    if (read == value) break;
  }
  if (last - first < size) return {last, errc::value_too_large};
  memcpy(first, digits, static_cast<size_t>(size));
  return {first + size, errc{}};
}

// libc++'s stable_sort and sort are some 2 KB of code for every type and order, a twentieth of all there was. These take
// their place in calls with random access, being the more constrained: runs of a few by insertion, then merged.
template <class Iterator, class Compare>
  requires is_base_of_v<random_access_iterator_tag, typename iterator_traits<Iterator>::iterator_category>
void stable_sort(Iterator first, Iterator last, Compare compare) {
  using Item = typename iterator_traits<Iterator>::value_type;
  constexpr ptrdiff_t kRun = 16;
  const ptrdiff_t size = last - first;
  for (ptrdiff_t run = 0; run < size; run += kRun)
    for (ptrdiff_t i = run + 1; i < min(run + kRun, size); ++i) {
      Item item = std::move(first[i]);
      ptrdiff_t to = i;
      for (; to > run && compare(item, first[to - 1]); --to) first[to] = std::move(first[to - 1]);
      first[to] = std::move(item);
    }
  vector<Item> left;
  for (ptrdiff_t run = kRun; run < size; run *= 2)
    for (ptrdiff_t begin = 0; begin + run < size; begin += 2 * run) {
      ptrdiff_t to = begin, next = begin + run;
      const ptrdiff_t end = min(next + run, size);
      if (!compare(first[next], first[next - 1])) continue;
      left.clear();
      for (ptrdiff_t i = begin; i < next; ++i) left.push_back(std::move(first[i]));
      for (Item& item : left) {
        while (next < end && compare(first[next], item)) first[to++] = std::move(first[next++]);
        first[to++] = std::move(item);
      }
    }
}
template <class Iterator>
  requires is_base_of_v<random_access_iterator_tag, typename iterator_traits<Iterator>::iterator_category>
void stable_sort(Iterator first, Iterator last) {
  std::stable_sort(first, last, less<>());
}
template <class Iterator, class Compare>
  requires is_base_of_v<random_access_iterator_tag, typename iterator_traits<Iterator>::iterator_category>
void sort(Iterator first, Iterator last, Compare compare) {
  std::stable_sort(first, last, compare);
}
template <class Iterator>
  requires is_base_of_v<random_access_iterator_tag, typename iterator_traits<Iterator>::iterator_category>
void sort(Iterator first, Iterator last) {
  std::stable_sort(first, last, less<>());
}

#if !defined(__cpp_lib_bit_cast)
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<From> && is_trivially_copyable_v<To>);
  return __builtin_bit_cast(To, from);
}
#endif

#if !defined(__cpp_lib_ranges)
namespace ranges {

namespace cutis_detail {
template <class Compare, class Projection>
auto projected(Compare& compare, Projection& projection) {
  return [&](const auto& a, const auto& b) -> bool {
    return invoke(compare, invoke(projection, a), invoke(projection, b));
  };
}
template <class Predicate, class Projection>
auto tested(Predicate& predicate, Projection& projection) {
  return [&](const auto& a) -> bool { return invoke(predicate, invoke(projection, a)); };
}
template <class Projection, class Value>
auto is_value(const Value& value, Projection& projection) {
  return [&](const auto& a) -> bool { return invoke(projection, a) == value; };
}
template <class Iterator>
struct Found {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
  bool empty() const { return first == last; }
  auto size() const { return static_cast<std::size_t>(last - first); }
};
}  // namespace cutis_detail

#define CUTIS_WITH_COMPARE(name)                                                   \
  template <class Range, class Compare = std::less<>, class Projection = identity> \
  constexpr auto name(Range&& range, Compare compare = {}, Projection projection = {}) { \
    return std::name(std::begin(range), std::end(range), cutis_detail::projected(compare, projection)); \
  }
CUTIS_WITH_COMPARE(sort)
CUTIS_WITH_COMPARE(stable_sort)
CUTIS_WITH_COMPARE(is_sorted)
CUTIS_WITH_COMPARE(min_element)
CUTIS_WITH_COMPARE(max_element)
#undef CUTIS_WITH_COMPARE

template <class Range, class Compare = std::equal_to<>, class Projection = identity>
constexpr auto adjacent_find(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::adjacent_find(std::begin(range), std::end(range), cutis_detail::projected(compare, projection));
}

#define CUTIS_WITH_PREDICATE(name)                                                  \
  template <class Range, class Predicate, class Projection = identity>              \
  constexpr auto name(Range&& range, Predicate predicate, Projection projection = {}) { \
    return std::name(std::begin(range), std::end(range), cutis_detail::tested(predicate, projection)); \
  }
CUTIS_WITH_PREDICATE(all_of)
CUTIS_WITH_PREDICATE(any_of)
CUTIS_WITH_PREDICATE(none_of)
CUTIS_WITH_PREDICATE(count_if)
CUTIS_WITH_PREDICATE(find_if)
#undef CUTIS_WITH_PREDICATE

template <class Range, class Value, class Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), cutis_detail::is_value(value, projection));
}
template <class Range, class Value, class Projection = identity>
constexpr auto count(Range&& range, const Value& value, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range), cutis_detail::is_value(value, projection));
}
template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& item, const Value& v) -> bool {
    return invoke(compare, invoke(projection, item), v);
  });
}
template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](const Value& v, const auto& item) -> bool {
    return invoke(compare, v, invoke(projection, item));
  });
}
template <class Range, class Value>
constexpr bool binary_search(Range&& range, const Value& value) {
  return std::binary_search(std::begin(range), std::end(range), value);
}
template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto equal_range(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  using Iterator = decltype(std::begin(range));
  return cutis_detail::Found<Iterator>{ranges::lower_bound(range, value, compare, projection),
                                       ranges::upper_bound(range, value, compare, projection)};
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Out>
constexpr auto copy(Range&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Out, class Function>
constexpr auto transform(Range&& range, Out out, Function function) {
  return std::transform(std::begin(range), std::end(range), out,
                        [&](auto&& item) { return invoke(function, std::forward<decltype(item)>(item)); });
}
template <class RangeA, class RangeB, class Compare = std::equal_to<>, class ProjectA = identity,
          class ProjectB = identity>
constexpr bool equal(const RangeA& a, const RangeB& b, Compare compare = {}, ProjectA of_a = {}, ProjectB of_b = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), [&](const auto& x, const auto& y) -> bool {
    return invoke(compare, invoke(of_a, x), invoke(of_b, y));
  });
}
template <class RangeA, class RangeB, class Out>
constexpr auto set_intersection(const RangeA& a, const RangeB& b, Out out) {
  return std::set_intersection(std::begin(a), std::end(a), std::begin(b), std::end(b), out);
}

}  // namespace ranges
#endif

}  // namespace std
#endif
