// Barycentric coordinates of the tetrahedron that holds the point; points outside take the nearest one's, extended.
// With `smooth` the cells' rotations join in, x' = sum b_k (v'_k + R_k (x - v_k)): the barycentric map wherever the
// rotations agree, and without its creases where they differ. Points far outside follow their nearest vertex rigidly.
#include "volume/embedding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/parallel_for.h"
#include "volume/point_grid.h"

namespace cutis {
namespace {

/// Coordinates lower than this are an extension too far.
constexpr double kFarthest = -2.0;

std::array<double, 4> barycentric(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d, const Vec3d& p) {
  const double all = six_volumes(a, b, c, d);
  return {six_volumes(p, b, c, d) / all, six_volumes(a, p, c, d) / all, six_volumes(a, b, p, d) / all,
          six_volumes(a, b, c, p) / all};
}

}  // namespace

Embedded::Embedded(const ControlMesh& mesh, std::span<const Vec3f> points, Embedding embedding, const Context& context)
    : mesh_(mesh),
      embedding_(embedding),
      bindings_(points.size()),
      positions_(mesh.rest.size()),
      matrices_(mesh.rest.size()) {
  std::vector<std::vector<std::uint32_t>> tets_of(mesh.rest.size());
  for (std::uint32_t i = 0; i < mesh.tetrahedra.size(); ++i)
    for (const std::uint32_t v : mesh.tetrahedra[i]) tets_of[v].push_back(i);
  PointGrid near(2 * mesh.mean_edge);
  for (const Vec3d& p : mesh.rest) near.add(p);
  // Boxes of the tetrahedra in a grid of their own would be faster; this is done once.
  std::vector<Vec3d> middle;
  std::vector<double> radius;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    Vec3d m;
    for (const std::uint32_t v : t) m += mesh.rest[v] * 0.25;
    double r = 0;
    for (const std::uint32_t v : t) r = std::max(r, distance(mesh.rest[v], m));
    middle.push_back(m);
    radius.push_back(r);
  }
  double largest = 0;
  for (const double r : radius) largest = std::max(largest, r);
  PointGrid tets(std::max(largest, 1e-12));
  for (const Vec3d& m : middle) tets.add(m);

  std::vector<char> is_outside(points.size(), 0);
  parallel_for(context, points.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto p = static_cast<Vec3d>(points[i]);
      // The tetrahedron whose least coordinate is largest: inside when it is not negative, else the least extension.
      double best = -std::numeric_limits<double>::max();
      std::uint32_t chosen = 0;
      std::array<double, 4> weight{};
      tets.visit_near(p, largest, [&](std::uint32_t t) {
        if (best >= 0 || distance(middle[t], p) > 2 * radius[t]) return;
        const Tetrahedron& tet = mesh.tetrahedra[t];
        const auto b = barycentric(mesh.rest[tet[0]], mesh.rest[tet[1]], mesh.rest[tet[2]], mesh.rest[tet[3]], p);
        // Outside, how far counts in metres: times the height over the face.
        double least = std::numeric_limits<double>::max();
        for (std::size_t k = 0; k < 4; ++k) {
          double score = b[k];
          if (score < 0) {
            const Vec3d &x = mesh.rest[tet[(k + 1) % 4]], &y = mesh.rest[tet[(k + 2) % 4]],
                        &z = mesh.rest[tet[(k + 3) % 4]];
            const double area2 = length(cross(y - x, z - x));
            const double height =
                std::abs(six_volumes(mesh.rest[tet[0]], mesh.rest[tet[1]], mesh.rest[tet[2]], mesh.rest[tet[3]])) /
                area2;
            score *= height;
          }
          least = std::min(least, score);
        }
        if (least > best || (least == best && t < chosen)) best = least, chosen = t, weight = b;
      });
      Binding& binding = bindings_[i];
      is_outside[i] = best < 0;
      if (best == -std::numeric_limits<double>::max() || *std::min_element(weight.begin(), weight.end()) < kFarthest) {
        const auto v = static_cast<std::uint32_t>(near.nearest(p));
        binding.vertex.fill(v);
        binding.weight = {1, 0, 0, 0};
      } else {
        for (std::size_t k = 0; k < 4; ++k) {
          binding.vertex[k] = mesh.tetrahedra[chosen][k];
          binding.weight[k] = static_cast<float>(weight[k]);
        }
      }
      for (std::size_t k = 0; k < 4; ++k)
        binding.offset[k] =
            static_cast<Vec3f>((p - mesh.rest[binding.vertex[k]]) * static_cast<double>(binding.weight[k]));
    }
  });
  outside_ = static_cast<std::size_t>(std::count(is_outside.begin(), is_outside.end(), 1));
  if (embedding == Embedding::green) green_ = std::make_unique<GreenCoordinates>(mesh, points, is_outside, context);
}

void Embedded::move(std::span<const Vec3d> positions, std::span<const Quatd> rotations, std::span<Vec3f> out,
                    const Context& context) {
  for (std::size_t v = 0; v < positions.size(); ++v) {
    positions_[v] = static_cast<Vec3f>(positions[v]);
    const Quatd& q = rotations[v];
    matrices_[v] = to_matrix(
        Quatf{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)});
  }
  const bool smooth = embedding_ != Embedding::tetrahedra;
  parallel_for(context, bindings_.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Binding& b = bindings_[i];
      const bool single = b.weight[0] == 1.0F && b.vertex[0] == b.vertex[1];
      Vec3f p;
      if (single) {
        p = positions_[b.vertex[0]] + matrices_[b.vertex[0]] * b.offset[0];
      } else {
        for (std::size_t k = 0; k < 4; ++k) {
          p += positions_[b.vertex[k]] * b.weight[k];
          if (smooth) p += matrices_[b.vertex[k]] * b.offset[k];
        }
      }
      out[i] = p;
    }
  });
  if (green_) green_->move(positions_, out, context);
}

}  // namespace cutis
