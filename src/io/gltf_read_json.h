// Typed access to glTF JSON: every getter throws an Error that names the element when the type or range is wrong.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cutis/error.h"

namespace cutis::gltf {

using Json = nlohmann::json;

/// An element of the document; becomes text ("meshes[3].primitives[0]") only when something is wrong with it.
struct Element {
  const std::string* file = nullptr;
  const char* list = nullptr;
  std::size_t index = 0;
  const char* sub_list = nullptr;
  std::size_t sub_index = 0;

  [[nodiscard]] Element sub(const char* name, std::size_t i) const { return {file, list, index, name, i}; }
  [[nodiscard]] std::string text() const {
    std::string t = list == nullptr ? *file : fmt::format("{} › {}[{}]", *file, list, index);
    if (sub_list != nullptr) t += fmt::format(".{}[{}]", sub_list, sub_index);
    return t;
  }
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(ErrorCode::bad_file, text(), sentence); }
};

inline const Json* find_member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

/// The array under `key`, or an empty one.
inline const Json& get_array(const Json& object, const char* key, const Element& where) {
  static const Json kEmpty = Json::array();
  const Json* found = find_member(object, key);
  if (found == nullptr) return kEmpty;
  if (!found->is_array()) where.fail(fmt::format("'{}' is not an array", key));
  return *found;
}

inline const Json& require_object(const Json& value, const Element& where) {
  if (!value.is_object()) where.fail("the element is not a JSON object");
  return value;
}

inline std::string get_text(const Json& object, const char* key, const Element& where) {
  const Json* found = find_member(object, key);
  if (found == nullptr) return {};
  if (!found->is_string()) where.fail(fmt::format("'{}' is not a string", key));
  return found->get<std::string>();
}

/// A mesh's name is its primitives' too, and names go into every message: beyond this they are cut.
inline constexpr std::size_t kLongestName = 1024;

inline std::string get_name(const Json& object, const Element& where) {
  std::string name = get_text(object, "name", where);
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  name.resize(end);
  return name;
}

inline bool get_flag(const Json& object, const char* key, const Element& where) {
  const Json* found = find_member(object, key);
  if (found == nullptr) return false;
  if (!found->is_boolean()) where.fail(fmt::format("'{}' is neither true nor false", key));
  return found->get<bool>();
}

/// A whole number from 0 to 2^53; also when it is written as 5.0.
inline std::optional<std::uint64_t> as_count(const Json& value) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 53;
  if (value.is_number_unsigned()) {
    const auto n = value.get<std::uint64_t>();
    return n <= kLimit ? std::optional(n) : std::nullopt;
  }
  if (value.is_number_float()) {
    const auto d = value.get<double>();
    if (d >= 0 && d <= static_cast<double>(kLimit) && d == std::floor(d)) return static_cast<std::uint64_t>(d);
  }
  return std::nullopt;
}

inline std::optional<std::uint64_t> get_count(const Json& object, const char* key, const Element& where) {
  const Json* found = find_member(object, key);
  if (found == nullptr) return std::nullopt;
  const auto n = as_count(*found);
  if (!n) where.fail(fmt::format("'{}' is not a whole number of zero or more", key));
  return n;
}

inline std::uint64_t require_count(const Json& object, const char* key, const Element& where) {
  const auto n = get_count(object, key, where);
  if (!n) where.fail(fmt::format("'{}' is missing", key));
  return *n;
}

inline std::size_t check_index(const Json& value, std::size_t size, const char* key, const Element& where) {
  const auto n = as_count(value);
  if (!n) where.fail(fmt::format("'{}' is not an index", key));
  if (*n >= size) where.fail(fmt::format("'{}' is {}, but there are only {} of them", key, *n, size));
  return static_cast<std::size_t>(*n);
}

/// An index below `size`, or -1 when the key is absent.
inline int get_index(const Json& object, const char* key, std::size_t size, const Element& where) {
  const Json* found = find_member(object, key);
  return found == nullptr ? -1 : static_cast<int>(check_index(*found, size, key, where));
}

inline std::size_t require_index(const Json& object, const char* key, std::size_t size, const Element& where) {
  const Json* found = find_member(object, key);
  if (found == nullptr) where.fail(fmt::format("'{}' is missing", key));
  return check_index(*found, size, key, where);
}

/// Numbers under `key`: none when absent, otherwise exactly `size` of them (any number when `size` is 0).
inline std::vector<double> get_numbers(const Json& object, const char* key, std::size_t size, const Element& where) {
  std::vector<double> numbers;
  const Json& array = get_array(object, key, where);
  if (find_member(object, key) != nullptr && size != 0 && array.size() != size)
    where.fail(fmt::format("'{}' has {} numbers instead of {}", key, array.size(), size));
  numbers.reserve(array.size());
  for (const Json& value : array) {
    if (!value.is_number()) where.fail(fmt::format("'{}' holds something other than numbers", key));
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

}  // namespace cutis::gltf
