// Boxes that are compared four numbers at a time.
#pragma once

#include <limits>

#include "base/float4.h"
#include "cutis/types.h"

namespace cutis {

/// Closed box of float points; its fourth lane is 0. Empty: overlaps nothing.
struct PathBox {
  Float4 lo{kInf, kInf, kInf, 0}, hi{-kInf, -kInf, -kInf, 0};

  void add(const PathBox& b) {
    lo = least(lo, b.lo);
    hi = greatest(hi, b.hi);
  }
  /// The ball of radius `pad` about p.
  void add(const Vec3d& p, double pad) {
    lo = least(lo, {static_cast<float>(p.x - pad), static_cast<float>(p.y - pad), static_cast<float>(p.z - pad), 0});
    hi = greatest(hi, {static_cast<float>(p.x + pad), static_cast<float>(p.y + pad), static_cast<float>(p.z + pad), 0});
  }

 private:
  static constexpr float kInf = std::numeric_limits<float>::infinity();
};

[[nodiscard]] inline bool overlap(const PathBox& a, const PathBox& b) {
  return (mask_less_equal(a.lo, b.hi) & mask_less_equal(b.lo, a.hi)) == 0xFU;
}

}  // namespace cutis
