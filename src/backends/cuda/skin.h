// Skinning on the device, a thread a vertex: backends/engine.h.
#pragma once

#include "backends/engine.h"

namespace cutis::cuda {

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context);
void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context);

}  // namespace cutis::cuda
