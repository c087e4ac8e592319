// ONE VERTEX: how far a point is from where the implicit skin wants a vertex of part b.
//
// The residual of iso-surface tracking (kernels/field_rules.h), with the operators of the joints in it:
//   U = f_b + max over joined k of (1 - c_k) (G_bk(f_b, f_k - l_k + l) - f_b)   what the parts make together
//   C = l + max_k c_k max(0, f_k + o_k + gap - l)                               b's own side of every contact
//   r = U - C
// G_bk is the union, or, for the two parts of a joint, its operator mixed with the union by the vertex's blending
// weight (Implicit §3.4: pairs first, then the union of all). In contact r is signed and well conditioned exactly where
// the papers' composed field has no gradient: opposed gradients add up.
//
// A field cannot rise faster than its steepest slope: parts that are too weak where the vertex starts to be felt where
// it is now are not looked up.
#pragma once

#include <cstdint>

#include "kernels/compose.h"
#include "kernels/eval_field.h"
#include "kernels/field_rules.h"
#include "kernels/project.h"

namespace cutis {

/// The operator between the two parts of a joint, in this pose.
struct JointOperator {
  OperatorView view;
  float parameter = 1;
};

/// Another part that may meet a vertex.
struct NearPart {
  std::uint16_t bone = 0;
  std::int16_t joint = -1;  ///< its operator with the vertex's own part; -1: the union
  bool joined = false;      ///< the two parts grow out of each other: their union is one surface
  float contact = 0;        ///< c_k in [0,1]
  float bend = 0;           ///< how far the two are bent towards the vertex's side, 0 to 1
  float level = 0;          ///< l_k: where its surface is for this vertex
  float offset = 0;         ///< o_k = min(0, f_b - f_k) at rest
  float weight = 1;         ///< blending weight: 0 the union, 1 the operator
  float value = 0;          ///< f_k at VertexSkin::start
};

struct VertexSkin {
  const GridView* parts = nullptr;        ///< per bone, posed
  const float* slopes = nullptr;          ///< per bone: the steepest of its field, 1/m
  const JointOperator* joints = nullptr;  ///< none: unions alone
  const NearPart* others = nullptr;
  std::uint32_t count = 0;
  std::uint32_t own = 0;
  float level = 0.5F;  ///< l
  float shift = 0;     ///< that l and all l_k are raised by
  float gap = 0;       ///< between skins in contact, metres
  Vec3f start;
};

/// 0 for a part without a grid.
CUTIS_HD inline FieldSample<float> eval_part(const GridView& part, const Vec3f& p) {
  return part.nodes == nullptr ? FieldSample<float>{} : eval_field(part, p);
}

/// The value alone, for less.
CUTIS_HD inline float part_value(const GridView& part, const Vec3f& p_posed) {
  if (part.nodes == nullptr) return 0;
  const auto p = grid_place(part, p_posed);
  if (!inside_grid(part, p)) return 0;
  return compact(part.map, grid_distance(part, p).value, part.radius).value;
}

/// `free`, when given, gets the residual without contact.
CUTIS_HD inline ResidualSample skin_residual(const VertexSkin& v, const Vec3f& p, float* free = nullptr) {
  constexpr float kWeak = 0.3F;  // of the level: not even a blend feels a part below
  const FieldSample<float> own = eval_part(v.parts[v.own], p);
  const float level = v.level + v.shift, moved = distance(p, v.start);
  field_rules::Added<float, Vec3f> added{};
  ResidualSample r;
  r.reached = own.value > 0;
  for (std::uint32_t i = 0; i < v.count; ++i) {
    const NearPart& near = v.others[i];
    const float most = near.value + v.slopes[near.bone] * moved, least = near.level + v.shift;
    const bool blends = v.joints != nullptr && near.joint >= 0 && near.weight > 0;
    const float gap = v.gap * (v.slopes[near.bone] + v.slopes[v.own]);
    const bool may_rise = near.joined && (blends ? most > kWeak * level : most - least > own.value - level);
    const bool may_hold = near.contact > 0 && most + near.offset + gap > level;
    if (!may_rise && !may_hold && r.reached) continue;
    const FieldSample<float> other = eval_part(v.parts[near.bone], p);
    if (!(other.value > 0)) continue;
    r.reached = true;
    if (may_rise && blends) {
      const JointOperator& joint = v.joints[near.joint];
      const float seen = other.value - near.level + v.level;
      const Composed g = mix(compose_union(own.value, seen),
                             compose_fields(joint.view, own.value, seen, joint.parameter), near.weight);
      const float apart = 1 - near.contact, above = apart * (g.value - own.value);
      if (above > added.rise) {
        added.rise = above;
        added.rise_gradient = ((g.d1 - 1) * own.gradient + g.d2 * other.gradient) * apart;
      }
    } else if (may_rise) {
      field_rules::unite(true, near.contact, other.value, other.gradient, near.level, own.value, own.gradient, v.level,
                         added);
    }
    if (may_hold)
      field_rules::press(true, near.contact, other.value, other.gradient, near.offset, v.gap, own.gradient, level,
                         added);
  }
  const float without = own.value + added.rise - level;
  r.contact = added.hold > 0;
  r.value = without - added.hold;
  r.gradient = own.gradient + added.rise_gradient - added.hold_gradient;
  if (free != nullptr) *free = without;
  return r;
}

}  // namespace cutis
