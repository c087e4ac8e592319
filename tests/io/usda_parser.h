// A strict parser for the part of the USDA grammar that the writer uses. Anything else is a syntax error.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cutis::test {

/// A value, flattened: all numbers in order, or a string.
struct UsdaValue {
  std::vector<double> numbers;
  std::string text;
  std::size_t items = 0;  ///< elements of a list
};

struct UsdaAttribute {
  std::string type;  ///< "uniform token", "point3f[]", …
  UsdaValue value;
  std::map<double, UsdaValue> samples;
  std::map<std::string, UsdaValue> metadata;
};

struct UsdaPrim {
  std::string type, name;
  std::map<std::string, UsdaValue> metadata;
  std::map<std::string, UsdaAttribute> attributes;  ///< "points" holds both the default and the samples
  std::vector<UsdaPrim> children;
};

struct UsdaLayer {
  std::map<std::string, UsdaValue> metadata;
  std::vector<UsdaPrim> prims;
};

/// Throws std::runtime_error with the line of the first syntax error.
[[nodiscard]] UsdaLayer parse_usda(const std::string& text);

}  // namespace cutis::test
