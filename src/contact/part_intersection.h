// Whether two parts intersect: asked of those that were let go, after every step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/work_meter.h"
#include "contact/contact_surface.h"
#include "contact/path_box.h"

namespace cutis {

class PartIntersection {
 public:
  explicit PartIntersection(const ContactSurface& surface) : surface_(surface) {}

  /// Whether triangles of two parts intersect in this mesh (exact); true when the meter stops before it is known.
  [[nodiscard]] bool test(std::span<const Vec3f> positions, std::uint32_t a, std::uint32_t b,
                          WorkMeter* meter = nullptr);

 private:
  struct BoxedTriangle {
    PathBox box;
    std::uint32_t triangle;
  };
  PathBox gather(std::span<const Vec3f> positions, std::uint32_t part, std::vector<BoxedTriangle>& out) const;

  const ContactSurface& surface_;
  std::vector<BoxedTriangle> of_a_, of_b_;
};

}  // namespace cutis
