// Which places of a part's surface can be seen from outside: not the mouth, the nostrils, the folds of an ear.
#pragma once

#include <span>
#include <vector>

#include "field/part_patch.h"
#include "geometry/triangle_bvh.h"

namespace cutis {

class Exposure {
 public:
  /// Keeps its own copy of what it needs of the patch.
  explicit Exposure(const PartPatch& patch);

  /// Whether most rays into the hemisphere around the unit normal n leave the part without meeting its surface again.
  [[nodiscard]] bool is_exposed(const Vec3d& p, const Vec3d& n) const;

 private:
  [[nodiscard]] bool is_hit(const Vec3d& origin, const Vec3d& direction) const;

  std::vector<Vec3f> positions_;
  std::vector<Triangle> triangles_;
  TriangleBvh bvh_;
  double offset_ = 0;  // metres above the surface at which rays start
};

}  // namespace cutis
