#include "volume/tetrahedra.h"

#include <cmath>
#include <map>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/closest_point.h"
#include "geometry/disjoint_sets.h"
#include "geometry/predicates.h"
#include "geometry/tri_tri.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"

namespace cutis {
namespace {

std::vector<Vec3f> in_single_precision(std::span<const Vec3d> points) {
  std::vector<Vec3f> result;
  result.reserve(points.size());
  for (const Vec3d& p : points) result.push_back(static_cast<Vec3f>(p));
  return result;
}

}  // namespace

double tetrahedron_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const double volume = std::abs(six_volumes(a, b, c, d)) / 6;
  const auto area = [](const Vec3d& p, const Vec3d& q, const Vec3d& r) { return 0.5 * length(cross(q - p, r - p)); };
  const double surface = area(a, b, c) + area(a, b, d) + area(a, c, d) + area(b, c, d);
  if (!(surface > 0) || !(volume > 0)) return 0;
  const double inner = 3 * volume / surface;
  // Circumscribed radius from the products of opposite edges (Crelle).
  const double p = distance(a, b) * distance(c, d), q = distance(a, c) * distance(b, d),
               r = distance(a, d) * distance(b, c);
  const double product = (p + q + r) * (p + q - r) * (p - q + r) * (-p + q + r);
  if (!(product > 0)) return 0;
  return 3 * inner * 24 * volume / std::sqrt(product);
}
double tetrahedron_quality(std::span<const Vec3d> points, const Tetrahedron& t) {
  return tetrahedron_quality(points[t[0]], points[t[1]], points[t[2]], points[t[3]]);
}

std::vector<std::int64_t> face_neighbours(std::span<const Tetrahedron> tetrahedra) {
  struct Face {
    Triangle key{};
    std::uint32_t slot = 0;
  };
  std::vector<Face> faces;
  faces.reserve(4 * tetrahedra.size());
  for (const Tetrahedron& t : tetrahedra)
    for_each_face(t, [&](Triangle f) {
      std::sort(f.begin(), f.end());
      faces.push_back({f, static_cast<std::uint32_t>(faces.size())});
    });
  std::sort(faces.begin(), faces.end(),
            [](const Face& a, const Face& b) { return a.key != b.key ? a.key < b.key : a.slot < b.slot; });
  std::vector<std::int64_t> neighbours(faces.size(), -1);
  for (std::size_t i = 1; i < faces.size(); ++i)
    if (faces[i].key == faces[i - 1].key) {
      neighbours[faces[i].slot] = faces[i - 1].slot / 4;
      neighbours[faces[i - 1].slot] = faces[i].slot / 4;
    }
  return neighbours;
}

std::vector<Triangle> boundary_of(std::span<const Tetrahedron> tetrahedra) {
  const std::vector<std::int64_t> neighbours = face_neighbours(tetrahedra);
  std::vector<Triangle> boundary;
  std::size_t slot = 0;
  for (const Tetrahedron& t : tetrahedra)
    for_each_face(t, [&](const Triangle& f) {
      if (neighbours[slot++] < 0) boundary.push_back(f);
    });
  return boundary;
}

std::vector<Tetrahedron> largest_piece(std::span<const Tetrahedron> tetrahedra, std::size_t& pieces) {
  const std::vector<std::int64_t> neighbours = face_neighbours(tetrahedra);
  DisjointSets sets(tetrahedra.size());
  for (std::size_t slot = 0; slot < neighbours.size(); ++slot)
    if (neighbours[slot] >= 0)
      sets.join(static_cast<std::uint32_t>(slot / 4), static_cast<std::uint32_t>(neighbours[slot]));
  std::map<std::uint32_t, std::size_t> count;
  for (std::uint32_t i = 0; i < tetrahedra.size(); ++i) ++count[sets.find(i)];
  pieces = count.size();
  std::uint32_t largest = 0;
  std::size_t most = 0;
  for (const auto& [root, n] : count)
    if (n > most) most = n, largest = root;
  std::vector<Tetrahedron> body;
  for (std::uint32_t i = 0; i < tetrahedra.size(); ++i)
    if (sets.find(i) == largest) body.push_back(tetrahedra[i]);
  return body;
}

std::vector<std::array<std::uint32_t, 2>> find_intersecting_pairs(std::span<const Vec3d> at,
                                                                  std::span<const Triangle> triangles) {
  const std::vector<Vec3f> points = in_single_precision(at);
  std::vector<std::uint32_t> use;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const Triangle& f = triangles[t];
    if (!has_zero_area(points[f[0]], points[f[1]], points[f[2]])) use.push_back(t);
  }
  const TriangleBvh bvh(points, triangles, use);
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (const std::uint32_t leaf : bvh.leaves())
    bvh.visit_overlaps(leaf, [&](std::uint32_t a, std::uint32_t b) {
      const Triangle &p = triangles[bvh.triangle(a)], &q = triangles[bvh.triangle(b)];
      for (const std::uint32_t v : p)
        if (v == q[0] || v == q[1] || v == q[2]) return;
      if (triangles_intersect({points[p[0]], points[p[1]], points[p[2]]}, {points[q[0]], points[q[1]], points[q[2]]}))
        pairs.push_back({std::min(bvh.triangle(a), bvh.triangle(b)), std::max(bvh.triangle(a), bvh.triangle(b))});
    });
  std::ranges::sort(pairs);
  return pairs;
}

std::size_t intersecting_pairs(std::span<const Vec3d> at, std::span<const Triangle> triangles) {
  return find_intersecting_pairs(at, triangles).size();
}

std::vector<Outside> find_outside(std::span<const Vec3d> at, std::span<const Triangle> triangles,
                                  std::span<const Vec3d> queries, const Context& context) {
  const std::vector<Vec3f> points = in_single_precision(at);
  std::vector<std::uint32_t> use(triangles.size());
  std::iota(use.begin(), use.end(), 0U);
  const TriangleBvh bvh(points, triangles, use);
  const WindingNumber inside(bvh, points, triangles);
  const ClosestPoint near(bvh, points, triangles);
  std::vector<Outside> result(queries.size());
  parallel_for(context, queries.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (inside.exceeds(queries[i], 0.5)) continue;
      const ClosestPoint::Hit hit = near.nearest(queries[i]);
      Vec3d foot;
      for (std::size_t k = 0; k < 3; ++k) foot += at[triangles[hit.triangle][k]] * hit.barycentric[k];
      result[i] = {std::max(hit.distance, 1e-300), normalized(queries[i] - foot, Vec3d{})};
    }
  });
  return result;
}

}  // namespace cutis
