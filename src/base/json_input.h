// Reading JSON that people write: every complaint names the place and the key.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cutis/error.h"
#include "cutis/text.h"

namespace cutis::json_input {

using Json = nlohmann::ordered_json;

[[noreturn]] inline void fail(const std::string& place, const std::string& sentence) {
  throw Error(ErrorCode::bad_file, place, sentence);
}

inline void need_object(const Json& json, const std::string& place) {
  if (!json.is_object()) fail(place, "must be a JSON object {...}");
}

/// The text as an object. Two members of one name are an error: one of them would be lost.
inline Json parse_object(std::string_view text, const std::string& place) {
  std::vector<std::vector<std::string>> open;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key) {
      auto& keys = open.back();
      const auto key = value.get<std::string>();
      if (std::ranges::find(keys, key) != keys.end() && twice.empty()) twice = key;
      keys.push_back(key);
    }
    return true;
  };
  if (const std::string fault = json_fault(text); !fault.empty()) fail(place, "is not JSON: " + fault);
  Json json = Json::parse(text, watch, false);
  if (!twice.empty()) fail(place, fmt::format("\"{}\" is given twice; keep one", twice));
  need_object(json, place);
  return json;
}

/// The member of that name; it must be there.
inline const Json& member(const Json& json, const char* key, const std::string& place) {
  if (!json.is_object() || !json.contains(key)) fail(place, fmt::format("has no \"{}\"; add it", key));
  return json[key];
}

/// Members other than these are an error.
inline void allow_only(const Json& json, const std::vector<std::string>& keys, const std::string& place) {
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(keys, key) == keys.end())
      fail(place, fmt::format("\"{}\" is not known; there are {}", key, fmt::join(keys, ", ")));
}

/// Empty when it is absent.
inline std::string text_of(const Json& json, const char* key, const std::string& place) {
  if (!json.contains(key)) return {};
  if (!json[key].is_string()) fail(place, fmt::format("\"{}\" must be text", key));
  return json[key].get<std::string>();
}

/// Leaves `value` alone when the member is absent; it must be in [lo, hi].
inline void read_number(const Json& json, const char* key, double lo, double hi, const std::string& place,
                        double& value) {
  if (!json.contains(key)) return;
  if (!json[key].is_number()) fail(place, fmt::format("\"{}\" must be a number", key));
  const auto x = json[key].get<double>();
  if (!(x >= lo && x <= hi))
    fail(place, fmt::format("\"{}\" is {:g}; it must be between {:g} and {:g}", key, x, lo, hi));
  value = x;
}
inline void read_number(const Json& json, const char* key, int lo, int hi, const std::string& place, int& value) {
  if (!json.contains(key)) return;
  double x = value;
  read_number(json, key, static_cast<double>(lo), static_cast<double>(hi), place, x);
  if (x != static_cast<double>(static_cast<int>(x))) fail(place, fmt::format("\"{}\" must be a whole number", key));
  value = static_cast<int>(x);
}

inline std::vector<std::pair<double, double>> pairs_of(const Json& json, const std::string& place) {
  std::vector<std::pair<double, double>> pairs;
  if (!json.is_array()) fail(place, "must be a list of pairs of numbers");
  for (const Json& entry : json) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number() || !entry[1].is_number())
      fail(place, fmt::format("entry {} must be a pair of numbers", pairs.size() + 1));
    pairs.emplace_back(entry[0].get<double>(), entry[1].get<double>());
  }
  return pairs;
}

}  // namespace cutis::json_input
