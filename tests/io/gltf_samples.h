// Small glTF files with known answers, one per feature of the format; tests and the fuzzer start from them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/gltf_maker.h"

namespace cutis::test {

/// A unit square of two triangles in the xy plane, facing +z: node 0 with mesh 0, no skin.
[[nodiscard]] GltfBuilder square_file();

/// The square bound to two joints: node 0 "skinned" (mesh 0, skin 0), node 1 "lower" at the origin, its child node 2
/// "upper" at (0, 0.5, 0). Vertices at y = 0 belong to "lower", those at y = 1 to both by 1/4 and 3/4.
/// One clip "turn": "upper" by 90 degrees about +z in one second.
[[nodiscard]] GltfBuilder skinned_file();
/// That, and on its upper joint a handle with a hat, which has no skin: moved by (1, 2, 3) in all.
[[nodiscard]] GltfBuilder attached_file();

/// The square through KHR_draco_mesh_compression, all attributes of the skinned file included.
[[nodiscard]] GltfBuilder draco_file();
/// The square's positions, normals and indices through EXT_meshopt_compression.
[[nodiscard]] GltfBuilder meshopt_file();
/// The square from sparse accessors, morph targets, several clips kinds, textures: a bit of everything.
[[nodiscard]] GltfBuilder mixed_file();

/// All of the above by name.
[[nodiscard]] std::vector<std::pair<std::string, GltfBuilder>> all_samples();

}  // namespace cutis::test
