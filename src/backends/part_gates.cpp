#include "backends/part_gates.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "kernels/field_constants.h"

namespace cutis {

using namespace field_constants;

void open_gates(const Rig& rig, const TrackRest& rest, std::span<const Quatd> rotations, SharedBends shared,
                std::vector<double>& bends, std::vector<float>& gates) {
  const std::size_t bones = rig.bones.size();
  gates.assign(bones * bones, 1.0F);
  // About the child's axis: twist does not count.
  const auto swing = [&](std::size_t a, std::size_t b, std::size_t child) {
    const Vec3d& u = rest.axis[child];
    const double c = dot(rotate(rotations[a], u), rotate(rotations[b], u));
    return std::acos(std::clamp(c, -1.0, 1.0)) * 180 / kPi;
  };
  bends.resize(bones);  // of the joint above each
  for (std::size_t b = 0; b < bones; ++b)
    bends[b] = rig.bones[b].parent < 0 ? 180.0 : swing(b, static_cast<std::size_t>(rig.bones[b].parent), b);
  // The sharpest bend of a single joint on the way from one part to the other.
  const auto sharpest = [&](std::size_t a, std::size_t b) {
    double most = 0;
    for (auto x = static_cast<int>(a), y = static_cast<int>(b); x != y;) {
      int& deeper = rest.depth[static_cast<std::size_t>(x)] >= rest.depth[static_cast<std::size_t>(y)] ? x : y;
      const int parent = rig.bones[static_cast<std::size_t>(deeper)].parent;
      if (parent < 0) return 180.0;  // no way
      most = std::max(most, bends[static_cast<std::size_t>(deeper)]);
      deeper = parent;
    }
    return most;
  };
  for (std::size_t a = 0; a < bones; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (rest.joined[a * bones + b] == 0) continue;
      double angle = 0;
      if (rest.depth[a] >= rest.depth[b]) angle = std::max(angle, swing(a, b, a));
      if (rest.depth[b] >= rest.depth[a]) angle = std::max(angle, swing(a, b, b));
      if (shared == SharedBends::no_fold) angle = std::min(angle, sharpest(a, b));
      gates[a * bones + b] = gates[b * bones + a] = smooth_step(static_cast<float>(angle), kSwingFrom, kSwingTo);
    }
}

Fold fold_between(const RigBone& lower, const Quatd& rotation, const Quatd& upper_rotation) {
  const Vec3d u = normalized(lower.rest_end - lower.rest_origin, {0, 1, 0});
  // Where the lower part's axis points, seen from the upper part at rest.
  const Vec3d bent = rotate(conjugate(upper_rotation), rotate(rotation, u));
  return {static_cast<Vec3f>(lower.rest_origin), static_cast<Vec3f>(u),
          static_cast<Vec3f>(normalized(bent - u * dot(u, bent), any_perpendicular(u)))};
}

void find_folds(const Rig& rig, const TrackRest& rest, std::span<const Quatd> rotations, std::vector<Fold>& folds) {
  folds.clear();
  for (const TrackRest::FoldParts& parts : rest.folds)
    folds.push_back(fold_between(rig.bones[parts.lower], rotations[parts.lower], rotations[parts.upper]));
}

}  // namespace cutis
