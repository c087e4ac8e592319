// kernels/skin.h over all vertices.
#include "backends/cuda/launch.cuh"
#include "backends/cuda/skin_kernel.h"

namespace cutis::cuda {
namespace {

struct Blocks {
  const InfluenceBlock *first, *last;
};

__device__ Blocks blocks_of(const SkinArguments& a, std::uint32_t v) {
  if (a.block_begin == nullptr) return {a.blocks + v, a.blocks + v + 1};
  return {a.blocks + a.block_begin[v], a.blocks + a.block_begin[v + 1]};
}

template <class Sum>
__device__ Sum blend(const Blocks& range, const Sum* palette) {
  Sum sum{};
  for (const InfluenceBlock* b = range.first; b != range.last; ++b) accumulate(sum, *b, palette);
  return sum;
}

__device__ Quatf quat(const Float4& q) { return {q[0], q[1], q[2], q[3]}; }

__global__ void skin_linear_kernel(const __grid_constant__ SkinArguments a) {
  const std::uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= a.count) return;
  const SkinMatrix m = blend(blocks_of(a, v), a.matrices);
  a.positions[v] = apply_point(m, a.rest_positions[v]);
  if (a.normals != nullptr) a.normals[v] = apply_normal(m, a.rest_normals[v]);
}

__global__ void skin_dual_quaternion_kernel(const __grid_constant__ SkinArguments a) {
  const std::uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= a.count) return;
  const Blocks range = blocks_of(a, v);
  SkinDualQuat motion = blend(range, a.rigid);
  const Float4 squares = motion.real * motion.real;
  const bool cancelled = squares[0] + squares[1] + squares[2] + squares[3] <= kCancelled;
  const std::uint32_t heaviest = range.first->bone[0];
  if (cancelled) motion = a.rigid[heaviest];
  Vec3f p = a.rest_positions[v], n;
  if (a.normals != nullptr) n = a.rest_normals[v];
  if (a.stretches != nullptr) {
    SkinMatrix s = cancelled && a.turned ? a.stretches[heaviest] : blend(range, a.stretches);
    if (a.turned) s = stretch_of(motion.real, s);
    p = apply_point(s, p);
    if (a.normals != nullptr) n = apply_normal(s, n);
  }
  const RigidMotion<float> m = rigid_motion(quat(motion.real), quat(motion.dual));
  a.positions[v] = apply_point(m, p);
  if (a.normals != nullptr) a.normals[v] = rotate(m.rotation, n);
}

}  // namespace

void launch_skin_linear(const SkinArguments& arguments, const Stream& stream) {
  launch(skin_linear_kernel, arguments.count, arguments, stream);
}

void launch_skin_dual_quaternion(const SkinArguments& arguments, const Stream& stream) {
  launch(skin_dual_quaternion_kernel, arguments.count, arguments, stream);
}

}  // namespace cutis::cuda
