// Animations as clips of the skeleton.
#pragma once

#include <span>
#include <vector>

#include "cutis/character.h"
#include "io/gltf_read_data.h"

namespace cutis::gltf {

/// Channels of nodes outside the skeleton are ignored; a clip that moves no joint is left out with a warning, and so
/// are morph weights. Throws Error naming clip and node when keys are not increasing, finite and complete.
[[nodiscard]] std::vector<Clip> read_clips(const File& file, std::span<const int> joint_of_node, Data& data,
                                           const Context& context);

}  // namespace cutis::gltf
