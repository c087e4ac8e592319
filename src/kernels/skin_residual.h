// ONE VERTEX: how far a point is from where the implicit skin wants a vertex of part b.
//
//   U = f_b + max_k (G_bk - f_b)  over parts that are not in contact   what the parts make together, seen from b
//   C = max(iso, f_k + m_k)       over parts that are                  the iso-value, or b's own side of the contact
//   r = U - C
//
// G_bk is the union, or, for the two parts of a joint, its operator mixed with the union by the vertex's blending
// weight (Implicit §3.4: pairs first, then the union of all). In contact r is signed and well conditioned exactly where
// the papers' composed field has no gradient: opposed gradients add up. m_k keeps two skins apart by a gap, and never
// asks for more than the rest pose has, so that rest is a fixed point.
#pragma once

#include <cstdint>

#include "kernels/compose.h"
#include "kernels/eval_field.h"
#include "kernels/project.h"

namespace cutis {

/// The operator between the two parts of a joint, in this pose.
struct JointOperator {
  OperatorView view;
  float parameter = 1;
};

/// Another part that may touch a vertex.
struct NearPart {
  std::uint16_t bone = 0;
  std::int16_t joint = -1;  ///< its operator with the vertex's own part; -1: the union
  float control = 0;        ///< c_k
  float margin = 0;         ///< f_b - f_k at rest
  float weight = 1;         ///< blending weight: 0 the union, 1 the operator
};

inline constexpr float kNoContact = 2;  ///< as `contact_from`: no part is in contact

struct VertexSkin {
  const GridView* parts = nullptr;  ///< per bone, posed
  const JointOperator* joints = nullptr;
  const NearPart* others = nullptr;
  int count = 0;
  std::uint32_t own = 0;
  float iso = 0.5F;
  float gap = 0;  ///< between skins in contact, metres
};

/// 0 for a part without a grid.
CUTIS_HD inline FieldSample<float> eval_part(const GridView& part, const Vec3f& p) {
  return part.nodes == nullptr ? FieldSample<float>{} : eval_field(part, p);
}

/// Parts whose control is at least `contact_from` are in contact, the others are not.
CUTIS_HD inline ResidualSample skin_residual(const VertexSkin& v, float contact_from, const Vec3f& p) {
  const FieldSample<float> own = eval_part(v.parts[v.own], p);
  float most = 0, least = 0, target = v.iso;  // above b alone, below it, and C
  Vec3f most_gradient, least_gradient, target_gradient;
  ResidualSample r;
  r.reached = own.value > 0;
  for (int i = 0; i < v.count; ++i) {
    const NearPart& near = v.others[i];
    const FieldSample<float> other = eval_part(v.parts[near.bone], p);
    if (!(other.value > 0)) continue;
    r.reached = true;
    if (near.control >= contact_from) {
      const Vec3f apart = own.gradient - other.gradient;
      const float gap = v.gap * std::sqrt(dot(apart, apart));
      const float side = other.value + (near.margin < gap ? near.margin : gap);
      if (side > target) {
        target = side;
        target_gradient = other.gradient;
        r.contact = true;
      }
      continue;
    }
    Composed g = compose_union(own.value, other.value);
    if (near.joint >= 0 && near.weight > 0) {
      const JointOperator& joint = v.joints[near.joint];
      g = mix(g, compose_fields(joint.view, own.value, other.value, joint.parameter), near.weight);
    }
    const float above = g.value - own.value;
    if (above > most || above < least) {
      (above > 0 ? most : least) = above;
      (above > 0 ? most_gradient : least_gradient) = (g.d1 - 1) * own.gradient + g.d2 * other.gradient;
    }
  }
  r.value = own.value + (most > 0 ? most : least) - target;
  r.gradient = own.gradient + (most > 0 ? most_gradient : least_gradient) - target_gradient;
  return r;
}

}  // namespace cutis
