// ONE VERTEX: direct delta mush (Le and Lewis 2019, "Direct Delta Mush Skinning and Variants", section 3).
//
// Delta mush smooths the linearly blended mesh and puts each vertex back at its offset from the smoothed one, in a
// frame that turns with it. Since smoothing is linear, what it needs of a bone j at a vertex i is gathered at rest:
// with a_k the share of vertex k in the smoothed vertex i, w_kj its weight on j and u_k its rest position,
//   Omega_ij = sum_k a_k w_kj [u u^T, u; u^T, 1].
// Here positions are taken from the smoothed vertex p_i, at which the paper's Q - q p^T is the first block alone: no
// difference of large numbers is left for float.
#pragma once

#include <array>
#include <cstdint>

#include "base/math.h"

namespace cutis {

/// Omega of one bone at one vertex.
struct MushItem {
  std::uint32_t bone = 0;
  float weight = 0;               ///< sums to 1 over the bones
  Vec3f first;                    ///< metres; sums to 0
  std::array<float, 6> second{};  ///< square metres: xx xy xz yy yz zz
};

/// Where the smoothed vertex goes, and the matrix whose nearest rotation turns its offset.
struct MushSum {
  Vec3d center;
  Mat3d turn{{Vec3d{}, Vec3d{}, Vec3d{}}};
};

CUTIS_HD inline void accumulate(MushSum& sum, const MushItem& item, const Affine3d& motion, const Vec3d& center,
                                const Vec3d& about) {
  const Vec3d to = transform_point(motion, center), away = to - about;
  const auto m = static_cast<Vec3d>(item.first);
  const auto& s = item.second;
  const Mat3d second{{Vec3d{s[0], s[1], s[2]}, Vec3d{s[1], s[3], s[4]}, Vec3d{s[2], s[4], s[5]}}};
  sum.center += motion.linear * m + to * static_cast<double>(item.weight);
  for (int c = 0; c < 3; ++c) sum.turn.col[c] += motion.linear * second.col[c] + away * m[c];
}

}  // namespace cutis
