// The back end that the caller's Context names.
#include "backends/engine.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "backends/scalar/skin.h"
#include "backends/simd/skin.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/device.h"
#include "cutis/error.h"
#if defined(CUTIS_CUDA)
#include "backends/cuda/runtime.h"
#include "backends/cuda/skin.h"
#endif

namespace cutis {

std::string why_unusable(Backend backend) {
  if (backend != Backend::cuda) return {};
#if defined(CUTIS_CUDA)
  return cuda::missing_device();
#else
  return "this program was built without it; build it with CUTIS_CUDA";
#endif
}

void check_backend(const Context& context) {
  const std::string why = why_unusable(context.backend());
  if (!why.empty()) throw Error(ErrorCode::bad_argument, fmt::format("back end {}", to_string(context.backend())), why);
}

namespace {

using Skin = void (*)(const Rig&, const BonePalette&, std::span<Vec3f>, std::span<Vec3f>, const Context&);

Skin choose(const Context& context, Skin scalar, Skin simd, [[maybe_unused]] Skin cuda) {
  check_backend(context);
  return context.backend() == Backend::scalar ? scalar : context.backend() == Backend::simd ? simd : cuda;
}

#if defined(CUTIS_CUDA)
constexpr Skin kLinearOnDevice = cuda::skin_linear, kDualOnDevice = cuda::skin_dual_quaternion;
#else
constexpr Skin kLinearOnDevice = nullptr, kDualOnDevice = nullptr;
#endif

}  // namespace

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context) {
  choose(context, scalar::skin_linear, simd::skin_linear, kLinearOnDevice)(rig, palette, positions, normals, context);
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  choose(context, scalar::skin_dual_quaternion, simd::skin_dual_quaternion, kDualOnDevice)(rig, palette, positions,
                                                                                           normals, context);
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
  // By their first bits, then in order those that share them with the one that is looked for: sizes are not negative,
  // so that their bits rise as they do.
  constexpr int kFirstBits = 11;
  const auto bin = [](float size) { return std::bit_cast<std::uint32_t>(size) >> (32 - kFirstBits); };
  std::array<std::size_t, std::size_t{1} << kFirstBits> bins{};
  double sum = 0;
  float most = 0;
  for (const float size : sizes) {
    sum += static_cast<double>(size);
    most = std::max(most, size);
    ++bins[bin(size)];
  }
  report.residual_mean = sum / static_cast<double>(sizes.size());
  report.residual_max = most;
  auto rank = static_cast<std::size_t>(0.95 * static_cast<double>(sizes.size() - 1));
  std::uint32_t wanted = 0;
  for (; rank >= bins[wanted]; ++wanted) rank -= bins[wanted];
  std::erase_if(sizes, [&](float size) { return bin(size) != wanted; });
  const auto p95 = sizes.begin() + static_cast<std::ptrdiff_t>(rank);
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
