// Green coordinates of the control mesh's boundary.
//
// Lipman, Levin, Cohen-Or, "Green coordinates", SIGGRAPH 2008:  x' = sum_i phi_i v'_i + sum_j psi_j s_j n'_j, where s_j
// is the stretch of the DEFORMED face j (the Markers paper calls it constant; it is not), so it is computed every
// frame.
#pragma once

#include <span>
#include <vector>

#include "base/float4.h"
#include "cutis/context.h"
#include "volume/control_mesh.h"

namespace cutis {

class GreenCoordinates {
 public:
  /// Faces that count for a point, nearest along the cage; the others are left out.
  static constexpr std::size_t kFaces = 64;

  /// Points that `skip` marks (outside the boundary, where the coordinates do not reproduce) are left alone.
  GreenCoordinates(const ControlMesh& mesh, std::span<const Vec3f> points, std::span<const char> skip,
                   const Context& context, std::size_t faces_a_point = kFaces);
  /// Overwrites the points that have coordinates.
  void move(std::span<const Vec3f> positions, std::span<Vec3f> out, const Context& context);
  [[nodiscard]] std::size_t terms() const { return weight_.size(); }

 private:
  /// What the stretch of a face needs of its rest shape.
  struct RestFace {
    float uu = 0, uv = 0, vv = 0;  // dot products of two edges
    float scale = 0;               // 1 / (sqrt(2) * twice the area)
  };
  const ControlMesh& mesh_;
  std::vector<std::uint32_t> point_, begin_;
  std::vector<std::uint32_t> index_;  // vertex, or vertices + face
  std::vector<float> weight_;
  std::vector<RestFace> rest_face_;
  std::vector<Float4> sources_;  // vertices, then s_j n'_j of the faces
};

}  // namespace cutis
