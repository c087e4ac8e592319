#include "contact/part_intersection.h"

#include "geometry/predicates.h"
#include "geometry/tri_tri.h"

namespace cutis {

PathBox PartIntersection::gather(std::span<const Vec3f> positions, std::uint32_t part,
                                 std::vector<BoxedTriangle>& out) const {
  const TriangleBvh& tree = surface_.parts()[part].tree;
  out.clear();
  PathBox all;
  for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) {
    BoxedTriangle& t = out.emplace_back(BoxedTriangle{{}, tree.triangle(slot)});
    for (const std::uint32_t v : surface_.triangles()[t.triangle]) t.box.add(positions[v]);
    all.add(t.box);
  }
  return all;
}

// Each triangle within the other part's box against each such: few, when parts have nearly come apart.
bool PartIntersection::test(std::span<const Vec3f> positions, std::uint32_t a, std::uint32_t b, WorkMeter* meter) {
  const auto triangles = surface_.triangles();
  const PathBox box_a = gather(positions, a, of_a_), box_b = gather(positions, b, of_b_);
  if (!overlap(box_a, box_b)) return false;
  std::erase_if(of_a_, [&](const BoxedTriangle& t) { return !overlap(t.box, box_b); });
  std::erase_if(of_b_, [&](const BoxedTriangle& t) { return !overlap(t.box, box_a); });

  const auto corners = [&](const Triangle& t) -> TriangleCorners {
    return {positions[t[0]], positions[t[1]], positions[t[2]]};
  };
  const auto flat = [&](const Triangle& t) { return has_zero_area(positions[t[0]], positions[t[1]], positions[t[2]]); };
  WorkCount work(meter);
  for (const BoxedTriangle& s : of_a_)
    for (const BoxedTriangle& t : of_b_) {
      if (!work.spend(1)) return true;
      if (!overlap(s.box, t.box)) continue;
      const Triangle &x = triangles[s.triangle], &y = triangles[t.triangle];
      bool shared = false;
      for (const std::uint32_t v : x) shared = shared || v == y[0] || v == y[1] || v == y[2];
      if (shared || flat(x) || flat(y)) continue;
      if (triangles_intersect(corners(x), corners(y))) return true;
    }
  return false;
}

}  // namespace cutis
