#include "backends/joint_shapes.h"

#include <algorithm>
#include <cmath>

#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"
#include "kernels/skin_residual.h"
#include "rig/parts.h"
#include "rig/rig_tree.h"

namespace cutis {
namespace {

// Levels stay within what fields are fitted for: far out a field is flat, deep inside it belongs to the axis.
constexpr float kLeastLevel = 0.15F, kMostLevel = 0.85F;
// Rise of the other's field over its value at rest: none below the first (noise of fits), all of it from the second on,
// a quarter of a part's thickness: wider than contact's, for a bulge must run out smoothly along the sides of a bend.
constexpr float kFadeFrom = field_constants::kRiseFrom, kFadeTo = 0.25F;

}  // namespace

JointShapes::JointShapes(const Rig& rig) : rig_(&rig) {
  std::vector<char> shaping;
  for (const RigOperator& op : rig.tree.operators) shaping.push_back(shapes_skin(op.view().view) ? 1 : 0);
  if (std::ranges::find(shaping, 1) == shaping.end()) return;
  for (std::uint32_t b = 0; b < rig.bones.size(); ++b) {
    const TreeNode* const node = joint_node(rig, b);
    if (node == nullptr || shaping[node->op] == 0) continue;
    const auto parent = static_cast<std::uint32_t>(parent_part(rig, b));
    for (const auto& [bone, other] : {std::pair{b, parent}, std::pair{parent, b}})
      shapes_.push_back({bone, other, b, rig.tree.operators[node->op].view().view, rig.tree.knots.data() + node->knots,
                         static_cast<int>(node->knot_count)});
  }
  std::ranges::stable_sort(shapes_, {}, &Shape::bone);
  for (std::uint32_t b = 0; b <= rig.bones.size(); ++b)
    begin_.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(shapes_, b, {}, &Shape::bone) - shapes_.begin()));
}

float JointShapes::drop(const TrackRest& rest, const TrackStep& step, std::uint32_t v) const {
  const RigSurface& s = rig_->surface;
  const std::uint32_t bone = s.owner[v];
  float most = 0;
  if (step.fields[bone].nodes == nullptr) return most;
  for (std::uint32_t i = begin_[bone]; i < begin_[bone + 1]; ++i) {
    const Shape& shape = shapes_[i];
    if (step.fields[shape.other].nodes == nullptr) continue;
    const float value = part_value(step.fields[shape.other], transform_point(step.motion[bone], s.positions[v]));
    const std::ptrdiff_t place = rest.place(v, shape.other);
    const float at_rest = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
    const float fades = smooth_step(value - at_rest, kFadeFrom, kFadeTo);
    if (!(fades > 0)) continue;
    const auto bend = static_cast<float>(step.bend[shape.joint] * kPi / 180);
    const bool blends = shape.op.form == OperatorForm::blend;
    const float controlled = evaluate_controller(shape.knots, shape.knot_count, bend);
    const float parameter = blends ? std::tan(controlled) : controlled;
    if (blends ? parameter >= 1 : parameter <= 0) continue;  // the union, the clean union: each part's own skin
    const float weight = blends ? s.blend(v, 1.0F) : 1.0F;
    const float drop = fades * weight * (0.5F - skin_line(shape.op, value, parameter));
    if (std::abs(drop) > std::abs(most)) most = drop;
  }
  return most;
}

void shape_levels(const Rig& rig, const TrackRest& rest, const JointShapes& shapes, TrackStep& step,
                  const Context& context) {
  if (shapes.empty()) return;
  const RigSurface& s = rig.surface;
  step.lift.assign(s.size(), Vec3f{});
  parallel_for(context, step.active.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a];
      if (rest.tracked[v] == 0) continue;
      const float drop = shapes.drop(rest, step, v);
      if (drop == 0) continue;
      const float soft = rest.stiffness.empty() ? 1.0F : 1 - rest.stiffness[v];
      // No farther than a level may be, and none that is there already is taken back.
      const float before = step.level[a], wanted = before - soft * drop;
      step.level[a] =
          drop > 0 ? std::max(wanted, std::min(before, kLeastLevel)) : std::min(wanted, std::max(before, kMostLevel));
      if (rest.slope[v] > 0)
        step.lift[v] =
            normalized(step.motion[s.owner[v]].linear * rest.normals[v]) * ((before - step.level[a]) / rest.slope[v]);
    }
  });
}

}  // namespace cutis
