// What bending squeezes out of a part comes back as thickness of that part.
//
// As-rigid-as-possible cells resist shear and stretch but not the loss of volume that both together make at a joint
// (the paper reports 1 to 6 percent). Parts are the tetrahedra nearest to one bone. The skin of a part moves along its
// normals by what restores the part's volume, evenly, faded into its neighbours; a few millimetres in practice.
#pragma once

#include <span>
#include <vector>

#include "volume/control_mesh.h"

namespace cutis {

class VolumeKeeper {
 public:
  explicit VolumeKeeper(const ControlMesh& mesh);
  /// Moves the vertices of the boundary.
  void run(std::span<Vec3d> positions);

 private:
  const ControlMesh& mesh_;
  std::size_t parts_ = 0;
  std::vector<int> part_of_tet_;
  std::vector<double> rest_;                        // six volumes, per part
  std::vector<std::uint32_t> skin_;                 // vertices of the boundary
  std::vector<std::int64_t> place_;                 // in skin_, -1
  std::vector<std::vector<std::uint32_t>> around_;  // neighbours in skin_
  std::vector<double> reach_;                       // most that a vertex may move, metres
  std::vector<Vec3d> normal_;                       // scratch
  std::vector<double> need_, volume_, shift_, next_;
};

}  // namespace cutis
