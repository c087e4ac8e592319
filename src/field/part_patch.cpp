#include "field/part_patch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/math.h"
#include "geometry/topology.h"

namespace cutis {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
constexpr double kWindow = 0.4;        // mean cosine towards the centre of a loop that makes it a gap
constexpr double kOthersReach = 0.75;  // how far around a part the rest matters, in extents of the part

}  // namespace

PartPatch cut_patch(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                    std::span<const Triangle> triangles, std::span<const std::uint32_t> part_of_vertex,
                    std::uint32_t part) {
  // Area of the surface with three, at least two, at least one of the part's corners; and the part's own share.
  std::array<double, 4> area{};
  double share = 0;
  const auto own_corners = [&](const Triangle& t) {
    std::size_t own = 0;
    for (const std::uint32_t v : t) own += part_of_vertex[v] == part ? 1U : 0U;
    return own;
  };
  for (const Triangle& t : triangles) {
    const std::size_t own = own_corners(t);
    if (own == 0) continue;
    const Vec3d a = static_cast<Vec3d>(positions[t[0]]), b = static_cast<Vec3d>(positions[t[1]]),
                c = static_cast<Vec3d>(positions[t[2]]);
    const double size = length(cross(b - a, c - a)) / 2;
    share += size * static_cast<double>(own) / 3;
    for (std::size_t k = 1; k <= own; ++k) area[k] += size;
  }
  std::size_t needed = 3;
  while (needed > 1 && area[needed] < 0.5 * share) --needed;

  PartPatch patch;
  std::vector<std::uint32_t> place(positions.size(), kNone);
  const auto add = [&](std::uint32_t v) {
    if (place[v] != kNone) return;
    place[v] = static_cast<std::uint32_t>(patch.points.size());
    patch.points.push_back(static_cast<Vec3d>(positions[v]));
    patch.normals.push_back(static_cast<Vec3d>(normals[v]));
  };
  for (std::uint32_t v = 0; v < positions.size(); ++v)
    if (part_of_vertex[v] == part) add(v);
  patch.own_points = patch.points.size();
  for (const Triangle& t : triangles) {
    if (own_corners(t) < needed) continue;
    for (const std::uint32_t v : t) add(v);
    patch.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  }
  Box box;
  for (std::size_t i = 0; i < patch.own_points; ++i) box.add(patch.points[i]);
  const double reach = kOthersReach * diagonal(box);
  for (std::uint32_t v = 0; v < positions.size() && !box.empty(); ++v) {
    const Vec3d p = static_cast<Vec3d>(positions[v]);
    if (place[v] != kNone || !(distance(p, center(box)) < reach + diagonal(box) / 2)) continue;
    patch.other_points.push_back(p);
    patch.other_normals.push_back(static_cast<Vec3d>(normals[v]));
  }
  return patch;
}

std::vector<PatchEnd> find_ends(const PartPatch& patch) {
  std::vector<PatchEnd> ends;
  if (patch.triangles.empty()) return ends;
  const Topology topology = build_topology(patch.points.size(), patch.triangles);
  for (const std::vector<std::uint32_t>& loop : topology.boundary_loops) {
    if (loop.size() < 3) continue;
    PatchEnd end;
    end.loop = loop;
    const std::size_t n = loop.size();
    double total = 0;
    Vec3d conormal;                               // sum of what points from each border triangle across its border edge
    std::vector<std::pair<Vec3d, Vec3d>> across;  // the same edge by edge, with the edge's middle
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t u = loop[i], v = loop[(i + 1) % n];
      const Vec3d &a = patch.points[u], &b = patch.points[v];
      const double edge_length = distance(a, b);
      end.center += (a + b) * (0.5 * edge_length);
      total += edge_length;
      const std::int64_t edge = topology.find_edge(u, v);
      if (edge < 0) continue;
      for (const std::uint32_t f : topology.edge_faces.row(static_cast<std::size_t>(edge)))
        for (const std::uint32_t w : topology.triangles[f])
          if (w != u && w != v) {
            across.emplace_back((a + b) * 0.5 - patch.points[w], (a + b) * 0.5);
            conormal += across.back().first;
          }
    }
    if (!(total > 0)) continue;
    end.center = end.center / total;
    Vec3d normal;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3d a = patch.points[loop[i]] - end.center, b = patch.points[loop[(i + 1) % n]] - end.center;
      normal += cross(a, b);
      end.radius += length(a) / static_cast<double>(n);
    }
    end.outward = normalized(normal);
    if (dot(end.outward, end.outward) == 0) continue;
    if (dot(end.outward, conormal) < 0) end.outward = -end.outward;
    // Around a gap in the surface all triangles look to its centre.
    double inward = 0, all = 0;
    for (const auto& [way, middle] : across) {
      inward += dot(way, end.center - middle);
      all += length(way) * distance(end.center, middle);
    }
    end.window = inward > kWindow * all;
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace cutis
