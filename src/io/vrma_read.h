// VRM animation (.vrma): a binary glTF without meshes whose nodes a humanoid map names.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cutis/context.h"
#include "io/bvh_read.h"

namespace cutis {

/// The first animation, as motion_of_clip() has it. Throws Error.
[[nodiscard]] BvhMotion read_vrma(const std::string& path, const Context& context);
[[nodiscard]] BvhMotion read_vrma_memory(std::span<const std::byte> bytes, const std::string& name,
                                         const Context& context);

}  // namespace cutis
