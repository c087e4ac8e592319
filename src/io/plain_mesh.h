// What OBJ, PLY and OFF have in common: one mesh without skin, one vertex per vertex of the file.
#pragma once

#include <string>
#include <vector>

#include "cutis/character.h"

namespace cutis {

/// Attributes are per vertex or empty. A normal without length (or not finite) stands for "none".
struct PlainMesh {
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;
  std::vector<Vec2f> uvs;     ///< as in glTF: the origin is the upper left corner of the image
  std::vector<float> colors;  ///< 4 per vertex, in [0,1] as the file has them
  std::vector<Triangle> triangles;
};

/// The character of one mesh. Vertices without a normal get the angle-weighted one; `had_normals` is true when the
/// file gave one to every vertex that a triangle uses.
[[nodiscard]] Character make_plain_character(PlainMesh plain, const std::string& source, const std::string& mesh_name);

}  // namespace cutis
