#include "backends/posed_parts.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

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

}  // namespace

void BoxRows::clear() {
  blocks.clear();
  begin.assign(1, 0);
  lanes_ = 4;
}

void BoxRows::add(std::uint32_t bone, const PartBox& box) {
  if (lanes_ == 4) {
    blocks.emplace_back();
    lanes_ = 0;
  }
  for (int axis = 0; axis < 3; ++axis) {
    blocks.back().lo[axis].v[lanes_] = box.lo[axis];
    blocks.back().hi[axis].v[lanes_] = box.hi[axis];
  }
  blocks.back().bone[lanes_++] = bone;
}

void BoxRows::end_row() {
  begin.push_back(static_cast<std::uint32_t>(blocks.size()));
  lanes_ = 4;
}

Box grid_box(const GridView& grid) {
  return {{0, 0, 0},
          {static_cast<double>(grid.nx - 1), static_cast<double>(grid.ny - 1), static_cast<double>(grid.nz - 1)}};
}

void pose_parts(const Rig& rig, const TrackRest& rest, std::span<const Affine3d> motion, std::span<const Mat3d> stretch,
                PosedParts& parts) {
  const std::size_t bones = rig.bones.size();
  parts.fields.resize(bones);
  parts.boxes.assign(bones, {});
  parts.motion.resize(bones);
  parts.steepest.assign(bones, 0);
  for (std::size_t b = 0; b < bones; ++b) {
    parts.motion[b] = convert<float>(motion[b]);
    parts.fields[b] = rig.fields[b].view();
    if (rig.fields[b].empty() || rest.flat[b] != 0) {
      parts.fields[b].nodes = nullptr;
      continue;
    }
    parts.fields[b] = posed(parts.fields[b], motion[b]);
    parts.steepest[b] = rest.steepest[b] * steepening(stretch[b]);
    const Box box = moved_box(grid_box(parts.fields[b]), convert<double>(inverse(parts.fields[b].grid_from_rest)));
    for (int axis = 0; axis < 3; ++axis) {
      parts.boxes[b].lo.v[axis] = std::nextafter(static_cast<float>(box.lo[axis]), -1e30F);
      parts.boxes[b].hi.v[axis] = std::nextafter(static_cast<float>(box.hi[axis]), 1e30F);
    }
  }
  parts.all_boxes.clear();
  for (std::uint32_t b = 0; b < bones; ++b) parts.all_boxes.add(b, parts.boxes[b]);
  parts.all_boxes.end_row();
}

}  // namespace cutis
