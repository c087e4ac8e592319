// From an implicit shape and a skeleton to a skinned mesh.
#pragma once

#include <string>

#include "character/builtin/shape.h"
#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis::builtin {

struct SkinOptions {
  std::string name;
  double coarse_cell = 0.009;  ///< grid that finds the surface
  double fine_cell = 0.003;    ///< the same inside `fine`, where parts lie close together
  Box fine;
  Vec3d inside;  ///< some point inside the shape
};

/// A closed mesh on the zero set of `shape`, with normals and weights. Every bone the tubes name must be in the
/// skeleton. A symmetric shape gives vertices, weights and triangles that mirror bit by bit in x.
[[nodiscard]] Mesh make_skin(const Shape& shape, const Skeleton& skeleton, const SkinOptions& options,
                             const Context& context);

}  // namespace cutis::builtin
