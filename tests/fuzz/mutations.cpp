#include "fuzz/mutations.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace cutis::fuzz {
namespace {

using Json = nlohmann::ordered_json;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

// Numbers that counts, indices and coordinates do not expect.
constexpr std::array<const char*, 20> kNumbers{"-1",
                                               "0",
                                               "1",
                                               "2",
                                               "65535",
                                               "65536",
                                               "2147483647",
                                               "2147483648",
                                               "4294967295",
                                               "4294967296",
                                               "9007199254740993",
                                               "1e39",
                                               "1e-39",
                                               "-1e308",
                                               "1e309",
                                               "nan",
                                               "-inf",
                                               "0.5",
                                               "-0.0",
                                               "18446744073709551615"};

const char* odd_number(Random& random) { return kNumbers[below(random, kNumbers.size())]; }

Json odd_value(Random& random) {
  switch (below(random, 9)) {
    case 0:
      return nullptr;
    case 1:
      return below(random, 2) == 0;
    case 2:
      return std::string();
    case 3:
      return std::string(below(random, 40), 'a');
    case 4:
      return Json::array();
    case 5:
      return Json::object();
    case 6:
      return static_cast<std::int64_t>(random()) - 2147483648;
    case 7:
      return below(random, 300);
    default: {
      Json number = Json::parse(odd_number(random), nullptr, false);
      return number.is_discarded() ? Json(1e300) : number;
    }
  }
}

// All values in it, the outermost first; parents beside them, since arrays and objects change by their parents.
struct Place {
  Json* parent = nullptr;
  Json* value = nullptr;
  std::string key;        // in an object
  std::size_t index = 0;  // in an array
};
void collect(Json& value, std::vector<Place>& places) {
  constexpr std::size_t kMost = 4000;
  if (places.size() > kMost) return;
  if (value.is_object()) {
    for (auto& [key, child] : value.items()) places.push_back({&value, &child, key, 0}), collect(child, places);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      places.push_back({&value, &value[i], {}, i}), collect(value[i], places);
  }
}

void change_number(Json& value, Random& random) {
  const double x = value.get<double>();
  switch (below(random, 4)) {
    case 0:
      value = Json(value.is_number_integer() ? Json(value.get<std::int64_t>() + 1) : Json(-x));
      break;
    case 1:
      value = Json(value.is_number_integer() ? Json(value.get<std::int64_t>() - 1) : Json(x * 1e6));
      break;
    case 2:
      value = below(random, 16);
      break;
    default:
      value = odd_value(random);
  }
}

void change_json(Json& root, Random& random) {
  std::vector<Place> places;
  collect(root, places);
  if (places.empty()) {
    root = odd_value(random);
    return;
  }
  const Place place = places[below(random, places.size())];
  const Json other = *places[below(random, places.size())].value;
  switch (below(random, 8)) {
    case 0:  // gone
      if (place.parent->is_object())
        place.parent->erase(place.key);
      else
        place.parent->erase(place.index);
      break;
    case 1:
      *place.value = odd_value(random);
      break;
    case 2:
      *place.value = other;
      break;
    case 3:  // once more
      if (place.parent->is_array()) {
        const Json copy = *place.value;
        for (std::size_t i = 1 + below(random, 4); i > 0; --i) place.parent->push_back(copy);
      } else {
        (*place.parent)[places[below(random, places.size())].key] = other;
      }
      break;
    case 4:  // wrapped
      *place.value = below(random, 2) == 0 ? Json::array({*place.value}) : Json{{"a", *place.value}};
      break;
    case 5:  // under another name
      if (place.parent->is_object()) {
        const std::string name = places[below(random, places.size())].key;
        const Json copy = *place.value;
        place.parent->erase(place.key);
        (*place.parent)[name] = copy;
      }
      break;
    default:
      if (place.value->is_number())
        change_number(*place.value, random);
      else if (place.value->is_array() && place.value->size() > 1)
        std::swap((*place.value)[below(random, place.value->size())],
                  (*place.value)[below(random, place.value->size())]);
      else
        *place.value = other;
  }
}

std::string mutated_json(std::string_view text, Random& random) {
  Json root = Json::parse(text, nullptr, false, true);
  if (root.is_discarded()) return std::string(text);
  for (std::size_t times = 1 + below(random, 4); times > 0; --times) change_json(root, random);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::pair<std::size_t, std::size_t> a_word(const std::string& text, Random& random) {
  constexpr const char* kSpace = " \t\r\n/,{}()";
  std::size_t begin = text.find_first_not_of(kSpace, below(random, text.size()));
  if (begin == std::string::npos) return {0, 0};
  while (begin > 0 && std::string_view(kSpace).find(text[begin - 1]) == std::string_view::npos) --begin;
  return {begin, std::min(text.find_first_of(kSpace, begin), text.size()) - begin};
}
std::pair<std::size_t, std::size_t> a_line(const std::string& text, Random& random) {
  const std::size_t at = below(random, text.size());
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1, end = text.find('\n', begin);
  return {begin, (end == std::string::npos ? text.size() : end + 1) - begin};
}

std::string mutated_text(std::string text, Random& random) {
  constexpr std::size_t kMostCopies = 12;
  for (std::size_t times = 1 + below(random, 4); times > 0 && !text.empty(); --times) {
    const auto [word, word_length] = a_word(text, random);
    const auto [line, line_length] = a_line(text, random);
    const auto [from, from_length] = a_line(text, random);
    const auto [other, other_length] = a_word(text, random);
    switch (below(random, 8)) {
      case 0:
        text.replace(word, word_length, odd_number(random));
        break;
      case 1:
        text.replace(word, word_length, std::to_string(below(random, 20)));
        break;
      case 2:
        text.replace(word, word_length, text.substr(other, other_length));
        break;
      case 3:
        text.erase(word, word_length);
        break;
      case 4:
        text.erase(line, line_length);
        break;
      case 5:
        text.insert(line, text.substr(from, from_length));
        break;
      case 6: {
        std::string copies;
        for (std::size_t i = 1 + below(random, kMostCopies); i > 0; --i) copies += text.substr(line, line_length);
        text.insert(line, copies);
        break;
      }
      default:
        text.insert(word, std::string(odd_number(random)) + ' ');
    }
  }
  return text;
}

}  // namespace

std::string mutate_structure(Shape shape, std::string_view input, Random& random) {
  switch (shape) {
    case Shape::text:
      return mutated_text(std::string(input), random);
    case Shape::json:
      return mutated_json(input, random);
    case Shape::json_bytes: {
      const std::size_t end = std::min(input.find('\0'), input.size());
      return mutated_json(input.substr(0, end), random).append(input.substr(end));
    }
    case Shape::bytes:
      break;
  }
  return std::string(input);
}

}  // namespace cutis::fuzz
