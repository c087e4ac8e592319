// Boxes that are compared four numbers at a time.
#pragma once

#include <array>
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
  void add(const Vec3f& p) {
    lo = least(lo, {p.x, p.y, p.z, 0});
    hi = greatest(hi, {p.x, p.y, p.z, 0});
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
  return bits(less_equal(a.lo, b.hi) & less_equal(b.lo, a.hi)) == 0xFU;
}

/// One box, each number in all four lanes.
struct SpreadBox {
  std::array<Float4, 3> lo, hi;
};
[[nodiscard]] inline SpreadBox spread(const PathBox& box) {
  return {{Float4(box.lo[0]), Float4(box.lo[1]), Float4(box.lo[2])},
          {Float4(box.hi[0]), Float4(box.hi[1]), Float4(box.hi[2])}};
}

/// Four boxes, a lane each.
struct FourBoxes {
  std::array<Float4, 3> lo, hi;
};
[[nodiscard]] inline FourBoxes four_boxes(const PathBox& a, const PathBox& b, const PathBox& c, const PathBox& d) {
  FourBoxes four;
  const auto columns = [](Float4 x, Float4 y, Float4 z, Float4 w, std::array<Float4, 3>& out) {
    transpose(x, y, z, w);
    out = {x, y, z};
  };
  columns(a.lo, b.lo, c.lo, d.lo, four.lo);
  columns(a.hi, b.hi, c.hi, d.hi, four.hi);
  return four;
}
[[nodiscard]] inline SpreadBox spread(const FourBoxes& four, int lane) {
  return {{Float4(four.lo[0][lane]), Float4(four.lo[1][lane]), Float4(four.lo[2][lane])},
          {Float4(four.hi[0][lane]), Float4(four.hi[1][lane]), Float4(four.hi[2][lane])}};
}
/// Bit i is set where the box in lane i overlaps.
[[nodiscard]] inline unsigned overlapping(const FourBoxes& four, const SpreadBox& box) {
  Mask4 mask = less_equal(four.lo[0], box.hi[0]) & less_equal(box.lo[0], four.hi[0]);
  mask = mask & less_equal(four.lo[1], box.hi[1]) & less_equal(box.lo[1], four.hi[1]);
  return bits(mask & less_equal(four.lo[2], box.hi[2]) & less_equal(box.lo[2], four.hi[2]));
}

}  // namespace cutis
