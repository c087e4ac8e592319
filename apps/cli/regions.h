// Parts with clean borders: each point has the colour of the bone whose weight, interpolated, is largest there; where that
// changes, triangles are cut along a dark band.
#pragma once

#include <span>
#include <vector>

#include "cutis/render.h"

namespace cutis::cli {

struct RegionMesh {
  Character character;
  std::vector<Color> colors;
  [[nodiscard]] Drawable drawable() const {
    return {&character, character.meshes.front().positions, character.meshes.front().normals, colors};
  }
};

[[nodiscard]] RegionMesh cut_regions(const Character& character, std::span<const Vec3f> positions,
                                     std::span<const Vec3f> normals);

}  // namespace cutis::cli
