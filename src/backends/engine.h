// ALL VERTICES: what a back end offers to the solver.
#pragma once

#include <cstddef>
#include <span>

#include "backends/implicit_engine.h"
#include "cutis/context.h"
#include "cutis/types.h"
#include "kernels/skin.h"
#include "rig/rig.h"

namespace cutis {

/// Motions of all bones relative to rest, in the forms that the skinning kernels take.
struct BonePalette {
  std::span<const SkinMatrix> matrices;  ///< posed from rest, affine
  std::span<const SkinDualQuat> rigid;   ///< rotations and translations; signs agree along shared skin
  SkinStretches stretches;               ///< empty when no bone scales
};

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context);
void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context);

}  // namespace cutis
