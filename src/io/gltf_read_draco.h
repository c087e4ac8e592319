// KHR_draco_mesh_compression: one primitive's indices and attributes from one compressed stream.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/gltf_read_data.h"

namespace cutis::gltf {

struct DracoMesh {
  struct Attribute {
    int components = 0;
    std::vector<double> values;  ///< integers are kept as they are stored unless the stream normalises them
    bool is_normalized = false;  ///< already in [0,1] or [-1,1]
  };
  std::size_t vertex_count = 0;
  std::vector<std::uint32_t> indices;
  std::map<std::string, Attribute> attributes;
};

[[nodiscard]] DracoMesh decode_draco(const DracoSource& source, Data& data, const std::string& place);

}  // namespace cutis::gltf
