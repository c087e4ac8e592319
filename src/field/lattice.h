// A shape sampled on a regular lattice in an oriented box: where its support is, and in how many pieces its inside
// comes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cutis/types.h"
#include "field/part_shape.h"

namespace cutis {

/// Box with axes of its own; `corner` is its lowest point along all three.
struct OrientedBox {
  Vec3d corner;
  Mat3d axes;  ///< columns are unit vectors, right-handed
  Vec3d size;
};

/// Cubic cells; x runs fastest; the last nodes lie on or beyond the box.
struct Lattice {
  OrientedBox box;
  double cell = 0;
  int nx = 0, ny = 0, nz = 0;
  std::vector<float> values;
  std::vector<Vec3f> gradients;  ///< rest space

  [[nodiscard]] std::size_t size() const { return values.size(); }
  [[nodiscard]] Vec3d node(int i, int j, int k) const {
    return box.corner + box.axes.col[0] * (cell * i) + box.axes.col[1] * (cell * j) + box.axes.col[2] * (cell * k);
  }
};
[[nodiscard]] Lattice sample_lattice(const PartShape& shape, const OrientedBox& box, double cell, bool precise = false);
/// Nodes that such a lattice has.
[[nodiscard]] double lattice_nodes(const OrientedBox& box, double cell);

/// `cell`, or what keeps the number of nodes near `max_nodes`.
[[nodiscard]] double bounded_cell(const OrientedBox& box, double cell, double max_nodes);

/// Pieces of the inside {d < 0} (nodes that touch, diagonals included) and of its outside.
struct Pieces {
  std::size_t inside_nodes = 0;  ///< of the largest piece
  std::size_t stray_nodes = 0;   ///< of all other pieces: second sheets of the zero set
  std::size_t stray_pieces = 0;
  std::size_t voids = 0;  ///< holes in the inside that do not reach the border: sheets within
  std::size_t void_nodes = 0;
  std::vector<Vec3d> void_centers;       ///< a node in the middle of each
  std::vector<std::uint8_t> in_support;  ///< per node: connected within {d < radius} to the largest piece
};
[[nodiscard]] Pieces find_pieces(const Lattice& lattice, double radius);

/// The smallest box, oriented like `start` (which should hold the surface), that holds the part of {d < radius}
/// connected to the inside. None when that set does not end within `reach` (metres) of `start`.
[[nodiscard]] std::optional<OrientedBox> find_support_box(const PartShape& shape, const OrientedBox& start,
                                                          double radius, double reach);

}  // namespace cutis
