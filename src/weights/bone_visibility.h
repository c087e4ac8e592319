// What a vertex sees from inside the mesh.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weights/method.h"

namespace cutis {

class BoneVisibility {
 public:
  /// A component hides bones from itself and from components of smaller area, never from larger ones: a loose triangle
  /// changes nothing for the body, and clothes do not look through the body.
  explicit BoneVisibility(const WeightProblem& problem);
  ~BoneVisibility();

  /// Whether the segment from just below the surface at `vertex` to `target` meets no triangle. Where outward is not
  /// known, the side of the target counts as below.
  [[nodiscard]] bool sees(std::uint32_t vertex, const Vec3d& target) const;

  /// Distance along the unit vector `direction` from `origin` to the first triangle, or infinity. Components with less
  /// than a hundredth of the whole area do not count.
  [[nodiscard]] double first_hit(const Vec3d& origin, const Vec3d& direction) const;

  [[nodiscard]] const std::vector<double>& component_areas() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
