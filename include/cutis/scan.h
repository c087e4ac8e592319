// A scan: points on the surface of something real, with or without triangles between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// In the unit and the axes of its file. All positions are finite.
struct Scan {
  std::string source;
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;       ///< as positions, or none; 0: not known there
  std::vector<Triangle> triangles;  ///< none: a cloud
  std::size_t left_out = 0;         ///< points of the file whose places are no finite numbers
};

}  // namespace cutis
