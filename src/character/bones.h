// Skeleton queries: the tree of bones and the segment that each bone moves.
#pragma once

#include <vector>

#include "cutis/character.h"

namespace cutis {

/// Joint numbers below each joint.
[[nodiscard]] std::vector<std::vector<int>> children_of(const Skeleton& skeleton);

/// The nearest ancestor that is a bone, or -1. Helper nodes in between are passed over.
[[nodiscard]] int parent_bone(const Skeleton& skeleton, int joint);

/// From the joint to what it moves, at the rest pose, scene space.
struct BoneSegment {
  int joint = -1;
  Vec3d from, to;
  bool owns_vertices = false;                        ///< it has the largest weight of at least one vertex
  [[nodiscard]] bool degenerate(double size) const;  ///< no longer than a millionth of `size`
};

/// One per joint that is a bone. The end is the child bone's joint; the mean of the children when there are several;
/// for a leaf, the farthest that its own vertices reach along the direction of their centroid (the joint itself when
/// it owns none).
[[nodiscard]] std::vector<BoneSegment> bone_segments(const Character& character);

}  // namespace cutis
