// Tetrahedra that turned over are turned back: volume constraints, one after the other.
#pragma once

#include <span>
#include <vector>

#include "volume/control_mesh.h"

namespace cutis {

struct UntangleReport {
  std::size_t found = 0;  ///< below the least volume at the start
  std::size_t left = 0;   ///< turned over at the end
  int sweeps = 0;
};

class Untangler {
 public:
  explicit Untangler(const ControlMesh& mesh);
  /// Moves vertices, the skeleton's least, until every tetrahedron keeps a small share of its rest volume.
  UntangleReport run(std::span<Vec3d> positions) const;
  /// Sum of all, over rest, minus 1.
  [[nodiscard]] double volume_error(std::span<const Vec3d> positions) const;

 private:
  const ControlMesh& mesh_;
  std::vector<double> rest_;      // six volumes
  std::vector<double> mobility_;  // per vertex
  std::vector<std::vector<std::uint32_t>> tets_of_;
  double total_ = 0;
};

}  // namespace cutis
