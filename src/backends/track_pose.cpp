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

// In node numbers.
Box grid_box(const GridView& grid) {
  return {{0, 0, 0},
          {static_cast<double>(grid.nx - 1), static_cast<double>(grid.ny - 1), static_cast<double>(grid.nz - 1)}};
}

// By how much a stretch lengthens or shortens anything at most, as a factor on slopes: the row sums of its inverse.
float steepening(const Mat3d& stretch) {
  const Mat3d back = inverse(stretch);
  double most = 0;
  for (int c = 0; c < 3; ++c) {
    const Vec3d& column = back.col[c];
    most = std::max(most, std::abs(column.x) + std::abs(column.y) + std::abs(column.z));
  }
  return static_cast<float>(most);
}

void pose_fields(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step) {
  const std::size_t bones = rig.bones.size();
  step.fields.resize(bones);
  step.boxes.assign(bones, {});
  step.motion.resize(bones);
  step.steepest.assign(bones, 0);
  pose_muscles(rig, pose.motion, step.muscles);
  for (std::size_t b = 0; b < bones; ++b) {
    step.motion[b] = convert<float>(pose.motion[b]);
    step.fields[b] = rig.fields[b].view();
    if (rig.fields[b].empty() || rest.flat[b] != 0) {
      step.fields[b].nodes = nullptr;
      continue;
    }
    step.fields[b] = posed(step.fields[b], pose.motion[b]);
    attach_muscles(rig, static_cast<std::uint32_t>(b), step.muscles, step.fields[b]);
    step.steepest[b] = rest.steepest[b] * steepening(pose.stretch[b]);
    const Box box = moved_box(grid_box(step.fields[b]), convert<double>(inverse(step.fields[b].grid_from_rest)));
    for (int axis = 0; axis < 3; ++axis) {
      step.boxes[b].lo.v[axis] = std::nextafter(static_cast<float>(box.lo[axis]), -1e30F);
      step.boxes[b].hi.v[axis] = std::nextafter(static_cast<float>(box.hi[axis]), 1e30F);
    }
  }
  if (!rig.muscles.empty()) {
    pose_calm_muscles(rig, pose.motion, step.calm_muscles);
    step.calm = step.fields;
    for (std::uint32_t b = 0; b < bones; ++b) attach_muscles(rig, b, step.calm_muscles, step.calm[b]);
  }
}

// How far a motion takes the points of a box, at most: its centre's way, and what the linear part adds on the way to a
// corner.
double farthest(const Box& box, const Affine3d& from, const Affine3d& to) {
  const Affine3d way{to.linear + from.linear * -1.0, to.translation - from.translation};
  const Vec3d half = (box.hi - box.lo) * 0.5;
  return length(transform_point(way, center(box))) + length(way.linear.col[0]) * half.x +
         length(way.linear.col[1]) * half.y + length(way.linear.col[2]) * half.z;
}

// Whether the field of part k comes near skin of part b; most are far from each other.
bool come_near(const TrackStep& step, std::size_t b, std::size_t k) {
  const TrackBox& reach = step.boxes[k];
  const Box& moved = step.part_boxes[b];
  for (int axis = 0; axis < 3; ++axis)
    if (moved.lo[axis] > static_cast<double>(reach.hi.v[axis]) ||
        moved.hi[axis] < static_cast<double>(reach.lo.v[axis]))
      return false;
  return true;
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
        const bool felt = step.fields[k].nodes != nullptr && (rest.reaches[pair] != 0 || come_near(step, b, k));
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
  pair_parts(rig, rest, pose, step, context);
}

}  // namespace cutis
