// Fields, gates and pairs of parts in a pose: all that is decided bone by bone, before any vertex is looked at.
#include <algorithm>
#include <cmath>

#include "backends/part_gates.h"
#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "rig/muscles.h"

namespace cutis {
namespace {

using namespace field_constants;

void pose_fields(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step) {
  pose_parts(rig, rest, pose.motion, pose.stretch, step);
  pose_muscles(rig, pose.motion, step.muscles);
  for (std::uint32_t b = 0; b < rig.bones.size(); ++b)
    if (step.fields[b].nodes != nullptr) attach_muscles(rig, b, step.muscles, step.fields[b]);
  if (rig.muscles.empty()) return;
  pose_calm_muscles(rig, pose.motion, step.calm_muscles);
  step.calm = step.fields;
  for (std::uint32_t b = 0; b < rig.bones.size(); ++b) attach_muscles(rig, b, step.calm_muscles, step.calm[b]);
}

// How far a motion takes the points of a box, at most: its centre's way, and what the linear part adds on the way to a
// corner.
double farthest(const Box& box, const Affine3d& from, const Affine3d& to) {
  const Affine3d way{to.linear + from.linear * -1.0, to.translation - from.translation};
  const Vec3d half = (box.hi - box.lo) * 0.5;
  return length(transform_point(way, center(box))) + length(way.linear.col[0]) * half.x +
         length(way.linear.col[1]) * half.y + length(way.linear.col[2]) * half.z;
}

// Whether part k may wake up skin of part b: its field is not, at that skin, what it was at rest. `way`: between where
// the two bones carry that skin, at most. It reached that skin at rest, or comes near it now.
bool may_wake(const Rig& rig, const TrackRest& rest, const PosedBones& pose, const TrackStep& step, std::size_t b,
              std::size_t k, double way) {
  if (step.fields[k].muscle_count == 0 && way * static_cast<double>(step.steepest[k]) <= kStillField) return false;
  if (rest.reaches[b * rig.bones.size() + k] != 0) return true;
  const Box& part = rest.parts[b];
  const Affine3d relative = step.from_world[k] * pose.motion[b];
  // What has come near; the boxes overlap seen from both sides.
  const GridView grid = rig.fields[k].view();
  const Affine3d grid_from_rest = convert<double>(grid.grid_from_rest);
  return overlap(grid_box(grid), moved_box(part, grid_from_rest * relative)) &&
         overlap(part, moved_box(grid_box(grid), inverse(relative) * inverse(grid_from_rest)));
}

void pair_parts(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                const Context& context) {
  constexpr std::size_t kBonesAtOnce = 4;
  const std::size_t bones = rig.bones.size();
  step.turns.assign(bones * bones, 0);
  step.wakes.assign(bones * bones, 0);
  step.from_world.resize(bones);
  step.part_boxes.resize(bones);
  for (std::size_t k = 0; k < bones; ++k) {
    step.from_world[k] = inverse(pose.motion[k]);
    if (!rest.parts[k].empty()) step.part_boxes[k] = moved_box(rest.parts[k], pose.motion[k]);
  }
  parallel_for(context, bones, kBonesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t k = 0; k < bones && !rest.parts[b].empty(); ++k) {
        const std::size_t pair = b * bones + k;
        if (k == b) continue;
        const bool near = rest.reaches[pair] != 0 || step.boxes[k].overlaps(step.part_boxes[b], 0);  // most are not
        const bool felt = step.fields[k].nodes != nullptr && near;
        if (rest.mates[pair] == 0 && !felt) continue;
        const double way = farthest(rest.parts[b], pose.motion[b], pose.motion[k]);
        step.turns[pair] = rest.mates[pair] != 0 && way > static_cast<double>(kStillEdges * rest.least_edge[b]) ? 1 : 0;
        step.wakes[pair] = felt && may_wake(rig, rest, pose, step, b, k, way) ? 1 : 0;
      }
  });
  step.wakers.begin.assign(1, 0);
  step.wakers.items.clear();
  step.stirred.assign(bones, 0);
  for (std::size_t b = 0; b < bones; ++b) {
    for (std::uint32_t k = 0; k < bones; ++k) {
      if (step.wakes[b * bones + k] != 0) step.wakers.items.push_back(k);
      if (step.wakes[b * bones + k] != 0 || step.turns[b * bones + k] != 0) step.stirred[b] = 1;
    }
    if (step.fields[b].muscle_count > 0) step.stirred[b] = 1;
    step.wakers.begin.push_back(static_cast<std::uint32_t>(step.wakers.items.size()));
  }
}

}  // namespace

void track_pose(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                const Context& context) {
  pose_fields(rig, rest, pose, step);
  open_gates(rig, rest, pose.rotation, SharedBends::no_fold, step.bend, step.gate);
  find_folds(rig, rest, pose.rotation, step.folds);
  pair_parts(rig, rest, pose, step, context);
}

}  // namespace cutis
