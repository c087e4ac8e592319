// ONE VERTEX: how far a point is from where the implicit skin wants a vertex of part b.
//
// The residual of iso-surface tracking (kernels/track.h), with the operators of the joints in it:
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
#include "kernels/track.h"

namespace cutis {

/// The operator between the two parts of a joint, in this pose.
struct JointOperator {
  OperatorView view;
  float parameter = 1;
};

/// Another part that may meet a vertex, and what is known of it there.
struct NearPart {
  TrackOther other;
  float value = 0;          ///< f_k at VertexSkin::start, at most
  float bend = 0;           ///< how far the two are bent towards the vertex's side, 0 to 1
  float weight = 1;         ///< blending weight: 0 the union, 1 the operator
  std::int16_t joint = -1;  ///< its operator with the vertex's own part; -1: the union
};

struct VertexSkin {
  const GridView* parts = nullptr;        ///< per bone, posed
  const float* slopes = nullptr;          ///< per bone: the steepest of its field, 1/m
  const JointOperator* joints = nullptr;  ///< none: unions alone
  const NearPart* others = nullptr;
  std::uint32_t count = 0;
  std::uint32_t own = 0;
  float level = 0.5F;  ///< l
  float gap = 0;       ///< between skins in contact, metres
  Vec3f start;
};

/// The value alone, for less.
CUTIS_HD inline float part_value(const GridView& part, const Vec3f& p_posed) {
  if (part.nodes == nullptr) return 0;
  const auto p = grid_place(part, p_posed);
  if (!inside_grid(part, p)) return 0;
  return compact(part.map, grid_distance(part, p).value, part.radius).value;
}

/// Those that may be felt at p, joints with their operators.
struct ComposedParts {
  const VertexSkin& v;
  Vec3f p;
  float moved;  // from the start

  [[nodiscard]] CUTIS_HD const TrackOther& other(std::size_t k) const { return v.others[k].other; }
  [[nodiscard]] CUTIS_HD bool blends(const NearPart& near) const {
    return v.joints != nullptr && near.joint >= 0 && near.weight > 0;
  }
  CUTIS_HD bool look_up(std::size_t k, const FieldSample<float>& own, bool reached, FieldSample<float>& f) const {
    constexpr float kWeak = 0.3F;  // of the level: not even a blend feels a part below
    const NearPart& near = v.others[k];
    const std::uint32_t bone = near.other.bone();
    const float most = near.value + v.slopes[bone] * moved, gap = v.gap * (v.slopes[bone] + v.slopes[v.own]);
    const bool may_rise = near.other.is_joined() &&
                          (blends(near) ? most > kWeak * v.level : most - near.other.level > own.value - v.level);
    const bool may_hold = near.other.contact > 0 && most + near.other.offset + gap > v.level;
    if (!may_rise && !may_hold && reached) return false;
    f = eval_part(v.parts[bone], p);
    return f.value > 0;
  }
  CUTIS_HD bool compose(std::size_t k, const FieldSample<float>& own, const FieldSample<float>& f,
                        field_rules::Added<float, Vec3f>& added) const {
    const NearPart& near = v.others[k];
    if (!near.other.is_joined() || !blends(near)) return false;
    const JointOperator& joint = v.joints[near.joint];
    const float seen = f.value - near.other.level + v.level;
    const Composed g =
        mix(compose_union(own.value, seen), compose_fields(joint.view, own.value, seen, joint.parameter), near.weight);
    const float apart = 1 - near.other.contact, above = apart * (g.value - own.value);
    if (!(above > added.rise)) return true;
    added.rise = above;
    added.rise_gradient = ((g.d1 - 1) * own.gradient + g.d2 * f.gradient) * apart;
    return true;
  }
};

CUTIS_HD inline ResidualSample skin_residual(const VertexSkin& v, const Vec3f& p) {
  return combine_parts(eval_part(v.parts[v.own], p), ComposedParts{v, p, distance(p, v.start)}, v.count, v.level,
                       v.gap);
}

}  // namespace cutis
