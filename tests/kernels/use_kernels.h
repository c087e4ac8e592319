// Calls one function of every kernel, so that compilers make code of them: templates and what a device may not call are
// not seen otherwise.
#pragma once

#include "kernels/compact.h"
#include "kernels/compose.h"
#include "kernels/delta_mush.h"
#include "kernels/element_pair.h"
#include "kernels/eval_field.h"
#include "kernels/eval_tree.h"
#include "kernels/fair.h"
#include "kernels/field_rules.h"
#include "kernels/give_way.h"
#include "kernels/mean_value.h"
#include "kernels/muscle.h"
#include "kernels/project.h"
#include "kernels/shared_gain.h"
#include "kernels/skin.h"
#include "kernels/skin_line.h"
#include "kernels/skin_residual.h"
#include "kernels/smooth.h"
#include "kernels/track.h"
#include "kernels/turn.h"
#include "kernels/whole.h"

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
  const SkinMatrix* matrices = nullptr;
  const SkinDualQuat* turns = nullptr;
  struct Block {
    std::uint16_t bone[4];
    float weight[4];
  } block{};
  const DualQuat<float>* rigid = nullptr;
  const Mat3f* stretches = nullptr;
  const Affine3f* motions = nullptr;
  const std::int32_t* slots = nullptr;
};

CUTIS_HD inline float rules(const Input& in, float x) {
  using namespace field_rules;
  const auto risen = [x] { return x; };
  const float contact = contact_of_rise(x, x) * left_of_contact(x) + contact_with(x > 0, x, x, risen, risen, risen);
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

CUTIS_HD inline Vec3f skinned(const Input& in) {
  SkinMatrix linear{};
  SkinDualQuat turn{};
  accumulate(linear, in.block, in.matrices);
  accumulate(turn, in.block, in.turns);
  const SkinMatrix stretch = stretch_of(turn.real, linear);
  const auto quat = [](const Float4& q) { return Quatf{q[0], q[1], q[2], q[3]}; };
  const SkinStretches stretches{{in.matrices, in.count}, true};
  const VertexTurn blended = blend_turn(in.turns, stretches, in.ring, in.weights, in.count);
  return blended.linear() * transform_point(blended.motion, in.p) +
         apply_normal(linear, apply_point(rigid_motion(quat(turn.real), quat(turn.dual)), apply_point(stretch, in.p)));
}

CUTIS_HD inline float given_way(const Input& in) {
  Vec3f place;
  if (flew_off(in.p, in.p, in.p, 1, in.positions, in.positions, in.positions, in.ring, in.count))
    return length(among_neighbours(in.p, in.positions, in.positions, in.ring, in.count));
  if (!blend_turns(in.rigid, in.stretches, in.ring, in.weights, in.count, in.p, place)) return 0;
  const GentleStart<float> start = start_gently(
      place, in.p, gentle_gain(0.1F, 0.1F, in.p, shared_gain(0, in.positions, in.ring, in.count)), 0.2F, 1.0F);
  const Vec3f give = settled_give(in.positions, in.ring, in.weights, in.count, 0.1F);
  const FairRow row_of = fair_row(in.p, 0, in.positions, in.stretches, in.ring, in.weights, in.count, 0.1F);
  const Vec3f fair = fair_place(row_of, in.positions, in.ring, in.weights, in.count);
  float touch = pressed_in(in.p, give, *in.motions, start.drift + fair);
  follow(touch, 1.0F, 0.5F, release_of(0.5F) + linger_of(0.5F));
  const float diagonal = swell_diagonal(touch, 1.0F, in.weights, in.count);
  const float row = swell_row(diagonal, 1.0F, in.weights, in.slots, in.ring, in.weights, in.count);
  const Vec3f lift = swell_direction(give, in.motions, in.ring, in.weights, in.count) * swell_height(row, 1.0F, touch);
  return length(smoothed_fold(lift, in.positions, in.ring, in.weights, in.count, fold_weight(row, touch)));
}

CUTIS_HD inline float blended(const Input& in) {
  const VertexTurn turn = blend_turn(in.turns, SkinStretches{{in.matrices, 1}, true}, in.ring, in.weights, 1);
  return dot(turn.place(in.p), turn.linear() * in.p) + (PartBox{}.holds(in.p, 1) ? 1.0F : 0.0F);
}

CUTIS_HD inline float mushed(const Input& in) {
  MushSum sum;
  accumulate(sum, MushItem{0, 1, in.p, {}}, Affine3d{}, static_cast<Vec3d>(in.p), Vec3d{});
  return static_cast<float>(dot(sum.center, sum.turn.col[0]));
}

CUTIS_HD inline float everything(const Input& in) {
  const ResidualSample tracked = track_residual(in.parts, 0, in.others, in.count, 0.5F, 0.01F, in.p);
  const VertexSkin skin{in.parts, in.slopes, in.joints, in.near, in.count, 0, 0.5F, 0.01F, in.p};
  const Projected found = project_vertex([&](const Vec3f& p) { return skin_residual(skin, p); }, in.p, ProjectLimits{});
  const Vec3f relaxed = relax_towards_ring(in.p, found.at.gradient, in.positions, in.ring, in.weights, in.count,
                                           relaxation_strength(found.at.value));
  const Vec3f smoothed =
      smooth_towards_ring(relaxed, in.positions, in.ring, in.count, mean_with_ring(1, in.weights, in.ring, in.count));
  const OfFour<Vec3f> x0{{in.p, relaxed, smoothed, found.position}}, x1{{relaxed, in.p, found.position, smoothed}};
  return pairs(x0, x1) + static_cast<float>(pairs(OfFour<Vec3d>{}, OfFour<Vec3d>{})) + tracked.value +
         dot(smoothed, found.position) + skin_line(in.joints->view, 0.3F, in.joints->parameter) +
         rules(in, tracked.free) + given_way(in) + skinned(in).x + blended(in) + mushed(in) +
         eval_tree(in.tree, in.p, AngleController{}).value;
}

}  // namespace cutis::use_kernels
