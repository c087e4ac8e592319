// Skinning over packs of vertices: backends/engine.h.
#pragma once

#include "backends/engine.h"

namespace cutis::simd {

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context);
void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context);

}  // namespace cutis::simd
