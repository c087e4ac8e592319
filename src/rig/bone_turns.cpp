// What a blend needs of R is that it differs little between bones that share skin and changes little from frame to
// frame; any R is exact for a vertex of one bone (kernels/skin.h). The polar decomposition's is the best one for
// motions that are near rigid. As a bone is flattened its rotation becomes arbitrary, and for mirrors it is always:
// there a pull towards the neighbour's rotation decides, which grows with how far the motion is from keeping its
// handedness:
//   R = nearest rotation to  sqrt(3) M / |M| + pull R_neighbour.
// A pull above 1 outweighs every reflection. Bones below a mirrored one are mirrored too: they turn against it as their
// mirror images do.
#include "rig/bone_turns.h"

#include <cmath>

#include "base/math.h"
#include "base/polar.h"

namespace cutis {
namespace {

// Handedness: det M over that of a uniform scaling of M's size, from -1 to 1. A bone squeezed to a hundredth of its
// length has 0.02.
constexpr double kClearHand = 0.02;
constexpr double kMirrorPull = 1.5;

double handedness(const Mat3d& m) {
  const double size = frobenius(m) / std::sqrt(3.0);
  const double hand = determinant(m * (1 / size));
  return std::isfinite(hand) ? hand : 0.0;
}

Mat3d stretch_after(const Quatd& rotation, const Mat3d& m) { return transpose(to_matrix(rotation)) * m; }

}  // namespace

void find_turns(const Rig& rig, std::span<const Affine3d> motions, std::span<Quatd> rotations,
                std::span<Mat3d> stretches) {
  bool open = false;
  for (std::size_t b = 0; b < motions.size(); ++b) {
    const Polar polar = polar_decompose(motions[b].linear);
    rotations[b] = polar.rotation;
    stretches[b] = polar.stretch;
    open = open || !(handedness(motions[b].linear) > kClearHand);
  }
  if (!open) return;
  for (const SkinLink& link : rig.links) {
    const Mat3d &own = motions[link.bone].linear, &other = motions[link.to].linear;
    const double hand = handedness(own);
    if (hand > kClearHand) continue;
    Quatd& rotation = rotations[link.bone];
    if (hand < -kClearHand && handedness(other) < -kClearHand) {
      rotation = rotation * conjugate(polar_decompose(other).rotation) * rotations[link.to];
    } else {
      const double size = frobenius(own) / std::sqrt(3.0),
                   pull = kMirrorPull * (1 - smooth_step(hand, -kClearHand, kClearHand));
      const Mat3d unit = size > 0 && std::isfinite(1 / size) ? own * (1 / size) : own;
      rotation = nearest_rotation(unit + to_matrix(rotations[link.to]) * pull);
    }
    stretches[link.bone] = stretch_after(rotation, own);
  }
}

std::vector<Mat3d> bound_stretches(const Rig& rig) {
  std::vector<Mat3d> stretches;
  for (const RigBone& bone : rig.bones) stretches.push_back(polar_decompose(bone.rest_from_world.linear).stretch);
  return stretches;
}

void agree_on_signs(const Rig& rig, std::span<Quatd> rotations) {
  for (const SkinLink& link : rig.links)
    if (dot(rotations[link.bone], rotations[link.to]) < 0) rotations[link.bone] = negated(rotations[link.bone]);
}

}  // namespace cutis
