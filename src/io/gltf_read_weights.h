// JOINTS_n and WEIGHTS_n of a primitive as weights of the skeleton's joints.
#pragma once

#include <span>
#include <vector>

#include "io/gltf_read_primitive.h"

namespace cutis::gltf {

/// `joint_of`: the skeleton's joint for each entry of the skin. Rows are merged, normalised in double and sorted,
/// largest first; those of vertices that are bound to nothing are empty. Throws Error when a weighted index is out of
/// the skin's range.
[[nodiscard]] Weights read_weights(PrimitiveSource& source, std::size_t vertices,
                                   std::span<const std::uint32_t> joint_of, const Context& context);

/// Marks the entries of the skin that some vertex follows; entries beyond `used` are left to read_weights().
void mark_used_entries(PrimitiveSource& source, std::size_t vertices, std::vector<char>& used);

}  // namespace cutis::gltf
