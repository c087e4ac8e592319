// Reads glTF outputs back through tinygltf, which shares nothing with the writer.
#pragma once

#include "io/tinygltf.h"

#include <string>
#include <vector>

#include "cutis/types.h"

namespace cutis::test {

/// Fails the running test on any error or warning. Images are not decoded.
[[nodiscard]] tinygltf::Model load_gltf(const std::string& file);
/// The numbers of a float accessor.
[[nodiscard]] std::vector<float> floats(const tinygltf::Model& model, int accessor);
[[nodiscard]] std::vector<Vec3f> vectors(const tinygltf::Model& model, int accessor);

}  // namespace cutis::test
