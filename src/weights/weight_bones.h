// The bones that may take vertices, as segments.
#pragma once

#include "weights/bone_visibility.h"
#include "weights/method.h"

namespace cutis {

/// Parents before children; at least one bone. Bones that own nothing are left out: copies of joints for a second skin,
/// helpers, zero-length bones, a root that stands outside the mesh (on the ground) and leads into it. Throws Error when
/// the skeleton has no joint, or lies nowhere near the mesh.
[[nodiscard]] std::vector<WeightBone> make_bones(const WeightProblem& problem, const BoneVisibility& visibility,
                                                 bool keep_helpers, Fallbacks& fallbacks);

struct NearestOnBone {
  Vec3d point;
  double distance = 0;
};
[[nodiscard]] NearestOnBone nearest_on_bone(const WeightBone& bone, const Vec3d& p);

}  // namespace cutis
