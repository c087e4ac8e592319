// Grids of field pairs and derivatives by differences, for the properties that every operator has.
#pragma once

#include <functional>

#include "cutis/compose.h"

namespace cutis::test {

/// fn(f1, f2) over a (count + 1)^2 grid of the unit square.
inline void for_each_pair(int count, const std::function<void(float, float)>& fn) {
  for (int i = 0; i <= count; ++i)
    for (int j = 0; j <= count; ++j)
      fn(static_cast<float>(i) / static_cast<float>(count), static_cast<float>(j) / static_cast<float>(count));
}

inline Context& context() {
  static Context context(2);
  return context;
}

/// Without a cache: what is tested is what this code builds. Built once a process.
inline const CompositionOperator& table_of(OperatorKind kind, bool monotone = true) {
  static const auto make = [](OperatorKind k, bool m) {
    return make_operator(k, context(), {.monotone = m, .cache_folder = std::string()});
  };
  static const auto contact = make(OperatorKind::contact, true);
  static const auto plain = make(OperatorKind::contact, false);
  static const auto bulge = make(OperatorKind::bulge, true);
  return kind == OperatorKind::bulge ? *bulge : monotone ? *contact : *plain;
}

}  // namespace cutis::test
