// Calls one function of every kernel, so that compilers make code of them: templates and what a device may not call are
// not seen otherwise. kernels/skin.h is left out: it takes four floats at a time by vectors of the host.
#pragma once

#include "kernels/compact.h"
#include "kernels/compose.h"
#include "kernels/element_pair.h"
#include "kernels/eval_field.h"
#include "kernels/eval_tree.h"
#include "kernels/field_rules.h"
#include "kernels/mean_value.h"
#include "kernels/muscle.h"
#include "kernels/project.h"
#include "kernels/skin_residual.h"
#include "kernels/smooth.h"
#include "kernels/track.h"

namespace cutis::use_kernels {

struct Input {
  const GridView* parts = nullptr;
  const float* slopes = nullptr;
  const NearPart* near = nullptr;
  const TrackOther* others = nullptr;
  const JointOperator* joints = nullptr;
  const Vec3f* positions = nullptr;
  const std::uint32_t* ring = nullptr;
  const float* weights = nullptr;
  TreeView tree;
  std::uint32_t count = 0;
  Vec3f p;
};

CUTIS_HD inline float rules(const Input& in, float x) {
  using namespace field_rules;
  const float contact = contact_of_rise(x, x) * left_of_contact(x);
  const float level = level_of_other(x, contact) + offset_of_other(x, contact) + lead_of_other(x, x, contact, x);
  const float sound = soundness(strain_of_edge(x, level));
  const float shift = level_shift(x, trust_of(x, sound, contact));
  const float loose = looseness(x, x, 1, 2);
  const float hold = hold_of(x, loose, shift, x, contact, sound) + hold_far_away(x, contact);
  const Vec3f step = newton_step(x, in.p, hold, level);
  const float weight = weight_of_edge(x, hold, level);
  const Vec3f force = precondition(in.p, x, weight, step);
  return dot(with_spring(in.p, x, spring_of(x, weight), force, step), tangent(in.p, force));
}

template <class T>
CUTIS_HD inline T pairs(const OfFour<Vec3<T>>& x0, const OfFour<Vec3<T>>& x1) {
  return first_impact(ElementPair::edge_edge, x0, x1, separation(ElementPair::vertex_face, x0).distance, T(1e-6)).time;
}

CUTIS_HD inline float everything(const Input& in) {
  const TrackSample tracked = track_residual(in.parts, 0, in.others, in.count, 0.5F, 0.01F, in.p);
  const VertexSkin skin{in.parts, in.slopes, in.joints, in.near, in.count, 0, 0.5F, 0, 0.01F, in.p};
  const Projected found = project_vertex([&](const Vec3f& p) { return skin_residual(skin, p); }, in.p, ProjectLimits{});
  const Vec3f relaxed = relax_towards_ring(in.p, found.gradient, in.positions, in.ring, in.weights, in.count,
                                           relaxation_strength(found.residual));
  const Vec3f smoothed =
      smooth_towards_ring(relaxed, in.positions, in.ring, in.count, mean_with_ring(1, in.weights, in.ring, in.count));
  const OfFour<Vec3f> x0{{in.p, relaxed, smoothed, found.position}}, x1{{relaxed, in.p, found.position, smoothed}};
  return pairs(x0, x1) + static_cast<float>(pairs(OfFour<Vec3d>{}, OfFour<Vec3d>{})) + tracked.residual +
         dot(smoothed, found.position) + rules(in, tracked.free) + eval_tree(in.tree, in.p, AngleController{}).value;
}

}  // namespace cutis::use_kernels
