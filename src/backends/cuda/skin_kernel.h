// What skin.cpp hands to the kernels of skin.cu.
#pragma once

#include <cstdint>

#include "backends/cuda/runtime.h"
#include "kernels/skin.h"
#include "rig/rig.h"

namespace cutis::cuda {

/// Of the device.
struct SkinArguments {
  std::uint32_t count = 0;
  const Vec3f *rest_positions = nullptr, *rest_normals = nullptr;
  const std::uint32_t* block_begin = nullptr;  ///< none: one block a vertex
  const InfluenceBlock* blocks = nullptr;
  const SkinMatrix* matrices = nullptr;   ///< linear
  const SkinDualQuat* rigid = nullptr;    ///< dual quaternions
  const SkinMatrix* stretches = nullptr;  ///< none: no bone scales
  bool turned = false;                    ///< SkinStretches
  Vec3f *positions = nullptr, *normals = nullptr;
};

void launch_skin_linear(const SkinArguments& arguments, const Stream& stream);
void launch_skin_dual_quaternion(const SkinArguments& arguments, const Stream& stream);

}  // namespace cutis::cuda
