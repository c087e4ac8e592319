// The character's vertices in the control mesh.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "cutis/marker_solver.h"
#include "volume/control_mesh.h"
#include "volume/green.h"

namespace cutis {

class Embedded {
 public:
  /// `points`: the welded vertices at rest.
  Embedded(const ControlMesh& mesh, std::span<const Vec3f> points, Embedding embedding, const Context& context);

  /// All points for a state of the control mesh.
  void move(std::span<const Vec3d> positions, std::span<const Quatd> rotations, std::span<Vec3f> out,
            const Context& context);
  [[nodiscard]] std::size_t outside() const { return outside_; }

 private:
  struct Binding {
    std::array<std::uint32_t, 4> vertex{};
    std::array<float, 4> weight{};
    std::array<Vec3f, 4> offset{};  // point - vertex, at rest, times the weight
  };
  const ControlMesh& mesh_;
  Embedding embedding_;
  std::vector<Binding> bindings_;
  std::vector<Vec3f> positions_;
  std::vector<Mat3f> matrices_;
  std::unique_ptr<GreenCoordinates> green_;
  std::size_t outside_ = 0;
};

}  // namespace cutis
