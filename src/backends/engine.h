// ALL VERTICES: what a back end offers to the solver.
#pragma once

#include <cstddef>
#include <span>

#include "backends/delta_mush.h"
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

/// Throws Error(bad_argument) where the back end that the context names cannot run: why_unusable().
void check_backend(const Context& context);
void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context);
void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context);

/// Moves all by the same way, rounded once.
void shift_all(std::span<Vec3f> positions, const Vec3d& way, const Context& context);
/// Makes all so many times as large.
void scale_all(std::span<Vec3f> positions, float scale, const Context& context);
/// Mean, 95th percentile and largest of sizes of residuals, not negative, which are put in another order and left out.
void report_residuals(std::vector<float>& sizes, FrameReport& report);
/// Input vertices that follow one of the bones whose flag is set.
[[nodiscard]] std::size_t count_followers(const Rig& rig, std::span<const char> bones);

}  // namespace cutis
