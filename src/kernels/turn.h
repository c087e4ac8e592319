// ONE VERTEX: how it turns with its bones. Dual quaternions: what relaxation wants its edges to turn by, and where
// smooth skinning puts it.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/dual_quat.h"
#include "base/float4.h"
#include "base/math.h"
#include "kernels/field_constants.h"
#include "kernels/skin.h"

namespace cutis {

/// Not yet of unit length.
CUTIS_HD inline SkinDualQuat sum_of_turns(const SkinDualQuat* bones, const std::uint32_t* items, const float* weights,
                                          std::uint32_t count) {
  SkinDualQuat sum{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const SkinDualQuat& bone = bones[items[i]];
    sum.real += bone.real * Float4(weights[i]);
    sum.dual += bone.dual * Float4(weights[i]);
  }
  return sum;
}

/// p goes to motion (stretch p).
struct VertexTurn {
  DualQuat<float> motion;
  Mat3f stretch;
  bool stretched = false;

  [[nodiscard]] CUTIS_HD Vec3f place(const Vec3f& p) const {
    return transform_point(motion, stretched ? stretch * p : p);
  }
  /// Of edges.
  [[nodiscard]] CUTIS_HD Mat3f linear() const {
    const Mat3f turn = to_matrix(motion.real);
    return stretched ? turn * stretch : turn;
  }
};

/// In float: what it places is relative to the first bone with skin, and a character's size away from it at most.
/// `items`: its bones, the heaviest first, which turns it alone where rotations cancel; none: it stays.
CUTIS_HD inline VertexTurn blend_turn(const SkinDualQuat* bones, const SkinStretches& stretches,
                                      const std::uint32_t* items, const float* weights, std::uint32_t count) {
  VertexTurn turn;
  if (count == 0) return turn;
  const auto quat = [](const Float4& q) { return Quatf{q[0], q[1], q[2], q[3]}; };
  SkinDualQuat sum = sum_of_turns(bones, items, weights, count);
  float size = std::sqrt(dot(quat(sum.real), quat(sum.real)));
  const bool cancels = !(size > field_constants::kOpposite);
  if (cancels) {
    sum = bones[items[0]];
    size = 1;
  }
  turn.motion = {quat(sum.real / Float4(size)), quat(sum.dual / Float4(size))};
  if (stretches.empty()) return turn;
  SkinMatrix blend{};
  for (std::uint32_t i = 0; i < (cancels ? 1 : count); ++i)
    for (int c = 0; c < 3; ++c)
      blend.col[c] += stretches.bones[items[i]].col[c] * Float4(cancels || count == 1 ? 1.0F : weights[i]);
  const SkinMatrix columns = stretches.turned ? stretch_of(sum.real, blend) : blend;
  const auto column = [&](int c) { return Vec3f{columns.col[c][0], columns.col[c][1], columns.col[c][2]}; };
  turn.stretch = {{column(0), column(1), column(2)}};
  turn.stretched = true;
  return turn;
}

}  // namespace cutis
