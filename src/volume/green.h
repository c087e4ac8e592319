// Green coordinates of the control mesh's boundary.
//
// Lipman, Levin, Cohen-Or, "Green coordinates", SIGGRAPH 2008:  x' = sum_i phi_i v'_i + sum_j psi_j s_j n'_j, where s_j
// is the stretch of the DEFORMED face j (the Markers paper calls it constant; it is not), so it is computed every
// frame.
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "volume/control_mesh.h"

namespace cutis {

class GreenCoordinates {
 public:
  /// Points that `skip` marks (outside the boundary, where the coordinates do not reproduce) are left alone.
  GreenCoordinates(const ControlMesh& mesh, std::span<const Vec3f> points, std::span<const char> skip,
                   const Context& context);
  /// Overwrites the points that have coordinates.
  void move(std::span<const Vec3f> positions, std::span<Vec3f> out, const Context& context);

 private:
  struct Term {
    std::uint32_t index = 0;  // vertex, or vertices + face
    float weight = 0;
  };
  const ControlMesh& mesh_;
  std::vector<std::uint32_t> point_, begin_;
  std::vector<Term> terms_;
  std::vector<Vec3f> sources_;  // vertices, then s_j n'_j of the faces
};

}  // namespace cutis
