// The bones that markers drive, and their poses as rigid motions from rest.
#pragma once

#include <vector>

#include "cutis/character.h"

namespace cutis {

/// A straight piece of a rigid bone at rest.
struct DrivenSegment {
  int bone = -1;   ///< that carries it
  int child = -1;  ///< the bone at its end; -1: the tip of a leaf
  Vec3d from, to;
};

/// The skeleton without helpers above the body and without aliases. Parents come before children.
struct DrivenSkeleton {
  struct Bone {
    int joint = -1;
    int parent = -1;  ///< bone index
    Vec3d rest;       ///< its joint, scene space
    Vec3d end;        ///< mean of its children, or the tip of a leaf; `rest` when it has neither
    std::vector<int> children;
  };
  std::vector<Bone> bones;
  std::vector<int> bone_of_joint;  ///< -1: not driven
  std::vector<DrivenSegment> segments;
};

/// Throws Error(bad_character) when there is no bone.
[[nodiscard]] DrivenSkeleton make_driven_skeleton(const Character& character);

/// Of every bone: rotation from rest in scene space, and where its joint is.
struct BonePose {
  std::vector<Quatd> rotation;
  std::vector<Vec3d> position;

  [[nodiscard]] Vec3d move(const DrivenSkeleton& skeleton, int bone, const Vec3d& p_rest) const;
};

[[nodiscard]] BonePose rest_bone_pose(const DrivenSkeleton& skeleton);
/// Positions of all joints below the roots from their rotations: lengths as at rest.
void restore_lengths(const DrivenSkeleton& skeleton, BonePose& pose);

/// Local transforms: driven joints stand where `pose` has them, the others keep their default transforms.
[[nodiscard]] Pose to_pose(const Skeleton& skeleton, const DrivenSkeleton& driven, const BonePose& pose);
/// The other way: rotation and place of every driven joint at a pose (scale is dropped).
[[nodiscard]] BonePose to_bone_pose(const Skeleton& skeleton, const DrivenSkeleton& driven, const Pose& pose);

}  // namespace cutis
