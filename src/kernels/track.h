// ONE VERTEX of iso-surface tracking: its residual on its own side of every contact (kernels/field_rules.h), and where
// smooth skinning puts it.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/dual_quat.h"
#include "base/float4.h"
#include "kernels/eval_field.h"
#include "kernels/field_rules.h"
#include "kernels/skin.h"

namespace cutis {

/// Another part that may meet the vertex.
struct alignas(16) TrackOther {
  float contact = 0;       ///< c in [0,1]
  float level = 0;         ///< where its surface is for this vertex: its field at rest, at least the own one
  float offset = 0;        ///< o = min(0, f_b - f_k) at rest
  std::uint32_t part = 0;  ///< twice the bone; one more: joined

  static constexpr std::uint32_t kNoPart = 0x7fffffffU;  ///< behind the last of a row

  /// The two parts grow out of each other: their union is one surface.
  [[nodiscard]] CUTIS_HD bool is_joined() const { return (part & 1U) != 0; }
  [[nodiscard]] CUTIS_HD std::uint32_t bone() const { return part >> 1U; }
};

struct TrackSample {
  float residual = 0;
  Vec3f gradient;
  float free = 0;         ///< the residual without contact
  bool touching = false;  ///< contact holds it
};

/// From the own field and `field(k)`, that of other part k, where the vertex is. `gap` is a length.
template <class Field>
CUTIS_HD inline TrackSample track_combine(const FieldSample<float>& own, const TrackOther* others, std::size_t count,
                                          float level, float gap, const Field& field) {
  field_rules::Added<float, Vec3f> added{};
  for (std::size_t k = 0; k < count; ++k) {
    const TrackOther& other = others[k];
    const FieldSample<float> f = field(k);
    field_rules::unite(other.is_joined(), other.contact, f.value, f.gradient, other.level, own.value, own.gradient,
                       level, added);
    field_rules::press(true, other.contact, f.value, f.gradient, other.offset, gap, own.gradient, level, added);
  }
  const float free = own.value + added.rise - level;
  return {free - added.hold, own.gradient + added.rise_gradient - added.hold_gradient, free, added.hold > 0};
}

/// `fields`: posed, by bone; without nodes for bones that have none.
CUTIS_HD inline TrackSample track_residual(const GridView* fields, std::uint32_t bone, const TrackOther* others,
                                           std::size_t count, float level, float gap, const Vec3f& p) {
  const FieldSample<float> own = fields[bone].nodes != nullptr ? eval_field(fields[bone], p) : FieldSample<float>{};
  return track_combine(own, others, count, level, gap,
                       [&](std::size_t k) { return eval_field(fields[others[k].bone()], p); });
}

/// Around the field of a part, in the pose; until it is set it holds nothing.
struct TrackBox {
  Float4 lo{1e30F}, hi{-1e30F};

  /// Whether the point is in the box or within `margin` of it along every axis.
  [[nodiscard]] CUTIS_HD bool holds(const Vec3f& p, float margin) const {
    const Float4 at(p.x, p.y, p.z, 0);
    return (mask_less_equal(lo - Float4(margin), at) & mask_less_equal(at, hi + Float4(margin)) & 7U) == 7U;
  }
};

/// The rigid part of a bone's motion.
struct TrackRigid {
  Float4 real, dual;
};

/// A joint at rest, how far it is bent, and the distances up to which and from which on that matters.
struct TrackBend {
  float gate = 0;
  Vec3f at;
  float near = 0, far = 0;
};

/// Where smooth skinning puts a vertex, and how the edges there should turn (and stretch).
struct TrackBlend {
  Mat3f turn;
  Vec3f at;
};

/// Dual quaternions, in float: what they place is relative to the first bone with skin, and a character's size away
/// from it at most. `bones`, `weights`: of the vertex; `stretches`: per bone, skin_stretch(), or none.
CUTIS_HD inline TrackBlend track_blend(const Vec3f& rest, const std::uint32_t* bones, const float* weights,
                                       std::uint32_t count, const TrackRigid* rigid, const SkinMatrix* stretches) {
  const auto quat = [](const Float4& q) { return Quatf{q[0], q[1], q[2], q[3]}; };
  Float4 real, dual;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TrackRigid& bone = rigid[bones[i]];
    real += bone.real * Float4(weights[i]);
    dual += bone.dual * Float4(weights[i]);
  }
  float size = std::sqrt(dot(quat(real), quat(real)));
  const bool cancelled = !(size > field_constants::kOpposite) && count > 0;
  if (cancelled) {  // opposite rotations: the heaviest bone's
    real = rigid[bones[0]].real;
    dual = rigid[bones[0]].dual;
    size = 1;
  }
  const DualQuat<float> motion{quat(real / Float4(size)), quat(dual / Float4(size))};
  TrackBlend blend{to_matrix(motion.real), rest};
  if (stretches != nullptr) {  // kernels/skin.h
    SkinMatrix bent{};
    for (std::uint32_t i = 0; i < (cancelled ? 1 : count); ++i)
      for (int c = 0; c < 3; ++c)
        bent.col[c] += stretches[bones[i]].col[c] * Float4(cancelled || count == 1 ? 1.0F : weights[i]);
    const SkinMatrix columns = stretch_of(real, bent);
    const auto column = [&](int c) { return Vec3f{columns.col[c][0], columns.col[c][1], columns.col[c][2]}; };
    const Mat3f stretch{{column(0), column(1), column(2)}};
    blend.turn = blend.turn * stretch;
    blend.at = stretch * rest;
  }
  blend.at = transform_point(motion, blend.at);
  return blend;
}

}  // namespace cutis
