// The back end that the caller's Context names.
#include "backends/engine.h"

#include <algorithm>

#include "backends/scalar/skin.h"
#include "backends/simd/skin.h"
#include "base/math.h"
#include "base/parallel_for.h"

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

void shift_all(std::span<Vec3f> positions, const Vec3d& way, const Context& context) {
  parallel_for(context, positions.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) positions[i] = static_cast<Vec3f>(static_cast<Vec3d>(positions[i]) + way);
  });
}

void scale_all(std::span<Vec3f> positions, float scale, const Context& context) {
  parallel_for(context, positions.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) positions[i] *= scale;
  });
}

void report_residuals(std::vector<float>& sizes, FrameReport& report) {
  report.residual_mean = report.residual_p95 = report.residual_max = 0;
  if (sizes.empty()) return;
  double sum = 0;
  for (const float size : sizes) sum += size;
  report.residual_mean = sum / static_cast<double>(sizes.size());
  report.residual_max = *std::ranges::max_element(sizes);
  const auto p95 = sizes.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), p95, sizes.end());
  report.residual_p95 = *p95;
}

std::size_t count_followers(const Rig& rig, std::span<const char> bones) {
  std::size_t count = 0;
  for (std::size_t v = 0; v < rig.vertex_count(); ++v) {
    const std::size_t begin = rig.block_begin.empty() ? v : rig.block_begin[v];
    const std::size_t end = rig.block_begin.empty() ? v + 1 : rig.block_begin[v + 1];
    bool any = false;
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t k = 0; k < 4; ++k) any = any || (rig.blocks[b].weight[k] > 0 && bones[rig.blocks[b].bone[k]]);
    count += any;
  }
  return count;
}

}  // namespace cutis
