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
/// leaves. The tree must fit the positions, which must be finite. When the meter stops: so far. `among` (per node of
/// the tree): only pairs of which one is below a node that is marked; all without.
void find_intersections(const TriangleBvh& tree, std::span<const Triangle> triangles, std::span<const Vec3f> positions,
                        std::vector<std::vector<std::uint64_t>>& found, WorkMeter* meter, const Context& context,
                        std::span<const std::uint8_t> among = {});

/// How many pairs of triangles of two parts (lower number first) intersect.
struct MeetingParts {
  std::array<std::uint32_t, 2> parts;
  std::size_t pairs = 0;
};

/// Two triangles of a surface.
using MeetingTriangles = std::array<std::uint32_t, 2>;

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
  /// The same, of triangles near one with a vertex that is marked: of a mesh in which the others are known not to
  /// intersect, all that is to be known.
  [[nodiscard]] std::span<const MeetingParts> find_near(std::span<const std::uint8_t> marked,
                                                        std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                                        const Context& context, WorkMeter* meter = nullptr);
  /// What the last call found, and its triangles.
  [[nodiscard]] std::span<const MeetingParts> meeting() const { return meeting_; }
  [[nodiscard]] std::span<const MeetingTriangles> triangles() const { return triangles_; }

 private:
  std::span<const MeetingParts> search(std::span<const Vec3f> positions, const PartsPredicate& ignored,
                                       std::span<const std::uint8_t> among, const Context& context, WorkMeter* meter);

  const ContactSurface& surface_;
  TriangleBvh tree_;                               // the surface's, around the mesh
  std::vector<std::vector<std::uint64_t>> found_;  // per chunk of its leaves
  std::vector<MeetingParts> meeting_;
  std::vector<MeetingTriangles> triangles_;
  std::vector<std::uint8_t> among_;  // per node of the tree: a triangle below has a marked vertex
};

}  // namespace cutis
