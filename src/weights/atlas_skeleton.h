// The skeleton as the atlas sees it.
#pragma once

#include <vector>

#include "weights/method.h"

namespace cutis {

struct AtlasBone {
  bool active = false;      ///< has a length; others own nothing
  int parent = -1;          ///< nearest active ancestor
  double upper_length = 0;  ///< from the parent's joint to this one; 0 for a root, or where both coincide
  Vec3d upper, lower;       ///< unit: from the parent's joint to this one; from this joint along the bone
};

/// One per WeightProblem::bones. At least one is active when there are bones at all. The end of a leaf is a guess: its
/// lower direction is the upper one.
[[nodiscard]] std::vector<AtlasBone> atlas_skeleton(const WeightProblem& problem);

/// A straight piece of the skeleton: from the joint of `owner` to that of `child`, or to the end of a leaf (child -1).
struct Strut {
  int owner = -1, child = -1;
  Vec3d a, b;
};
[[nodiscard]] std::vector<Strut> struts_of(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton);

/// Siblings that are mirror images of each other, as far as the lengths of their bones tell: per bone the other one, or
/// -1. Two hips, not two fingers: there is just one such sibling.
[[nodiscard]] std::vector<int> twins_of(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton);

}  // namespace cutis
