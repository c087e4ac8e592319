// The back end that the caller's Context names.
#include "backends/engine.h"

#include "backends/scalar/skin.h"
#include "backends/simd/skin.h"

namespace cutis {

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context) {
  const auto skin = context.backend() == Backend::simd ? simd::skin_linear : scalar::skin_linear;
  skin(rig, palette, positions, normals, context);
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  const auto skin = context.backend() == Backend::simd ? simd::skin_dual_quaternion : scalar::skin_dual_quaternion;
  skin(rig, palette, positions, normals, context);
}

}  // namespace cutis
