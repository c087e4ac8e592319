// Which triangles of a mesh intersect; exact.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/work_meter.h"
#include "contact/contact_surface.h"
#include "cutis/context.h"
#include "geometry/triangle_bvh.h"

namespace cutis {

/// Pairs of triangles without a common vertex that intersect, lower number in the upper half; per chunk of the tree's
/// leaves. The tree must fit the positions, which must be finite. When the meter stops: so far.
void find_intersections(const TriangleBvh& tree, std::span<const Triangle> triangles, std::span<const Vec3f> positions,
                        std::vector<std::vector<std::uint64_t>>& found, WorkMeter* meter, const Context& context);

/// How many pairs of triangles of two parts (lower number first) intersect.
struct MeetingParts {
  std::array<std::uint32_t, 2> parts;
  std::size_t pairs = 0;
};

/// Parts that intersect, in meshes of one surface.
class MeetingSearch {
 public:
  /// The surface must outlive this.
  explicit MeetingSearch(const ContactSurface& surface) : surface_(surface) {}

  using PartsPredicate = std::function<bool(std::uint32_t part_a, std::uint32_t part_b)>;
  /// In the order of their numbers, without what intersects at rest and without parts that are ignored. Positions must
  /// be finite. Valid until the next call; nothing is when the meter stops.
  [[nodiscard]] std::span<const MeetingParts> find(std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                                   const Context& context, WorkMeter* meter = nullptr);

 private:
  const ContactSurface& surface_;
  TriangleBvh tree_;                               // the surface's, around the mesh
  std::vector<std::vector<std::uint64_t>> found_;  // per chunk of its leaves
  std::vector<MeetingParts> meeting_;
};

}  // namespace cutis
