// Vertices that a file binds to no bone.
#pragma once

#include <span>
#include <string>

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// Rows of the meshes' weights that are empty become those of the nearest skin, be it another mesh's: of the nearest
/// triangle that has weights at a corner, the nearest such corner's. Copies of one vertex get the same. A warning says
/// how many. Meshes without weights are left alone. Throws Error when no triangle has any. `place`: the file.
void bind_unbound(std::span<Mesh* const> meshes, const std::string& place, const Context& context);

/// What a reader says of meshes that hang on bones and are not asked for.
[[nodiscard]] std::string attached_left_out(const std::string& file, std::size_t count);

/// All vertices follow one joint.
[[nodiscard]] Weights rigid_weights(std::size_t vertices, std::uint32_t joint);

}  // namespace cutis
