// Each constraint c = (volume - least) >= 0 moves its four vertices along its gradient, weighted by their mobility, as
// in position-based dynamics: a linear step that is exact when the others stand still. The volume is signed, so that a
// tetrahedron that turned over is pushed back through flat. Only those at fault and their neighbours are visited again.
#include "volume/untangle.h"

#include <algorithm>

#include "base/math.h"

namespace cutis {
namespace {

/// Share of the rest volume that a tetrahedron keeps at least, and what a repair aims at.
constexpr double kLeast = 0.02, kAim = 0.06;
constexpr int kSweeps = 400;
/// Beyond so many sweeps markers and bones give way like everything else.
constexpr int kPatience = 40;

}  // namespace

Untangler::Untangler(const ControlMesh& mesh)
    : mesh_(mesh), mobility_(mesh.rest.size(), 1.0), tets_of_(mesh.rest.size()) {
  for (std::uint32_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    const Tetrahedron& t = mesh.tetrahedra[i];
    rest_.push_back(six_volumes(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]));
    total_ += rest_.back();
    for (const std::uint32_t v : t) tets_of_[v].push_back(i);
  }
  for (const std::uint32_t v : mesh.marker_vertex) mobility_[v] = 0.3;
  for (const SkeletonSample& s : mesh.samples) mobility_[s.vertex] = 0.02;
}

double Untangler::volume_error(std::span<const Vec3d> p) const {
  double sum = 0;
  for (const Tetrahedron& t : mesh_.tetrahedra) sum += six_volumes(p[t[0]], p[t[1]], p[t[2]], p[t[3]]);
  return sum / total_ - 1;
}

UntangleReport Untangler::run(std::span<Vec3d> p) const {
  UntangleReport report;
  const auto volume = [&](std::uint32_t i) {
    const Tetrahedron& t = mesh_.tetrahedra[i];
    return six_volumes(p[t[0]], p[t[1]], p[t[2]], p[t[3]]);
  };
  std::vector<std::uint32_t> queue;
  for (std::uint32_t i = 0; i < rest_.size(); ++i)
    if (volume(i) < kLeast * rest_[i]) queue.push_back(i);
  report.found = queue.size();
  std::vector<char> listed(queue.empty() ? 0 : rest_.size(), 0);
  for (; !queue.empty() && report.sweeps < kSweeps; ++report.sweeps) {
    std::vector<std::uint32_t> touched;
    for (const std::uint32_t i : queue) {
      const double lack = kAim * rest_[i] - volume(i);
      if (lack <= (kAim - kLeast) * rest_[i]) continue;
      const Tetrahedron& t = mesh_.tetrahedra[i];
      const Vec3d &a = p[t[0]], &b = p[t[1]], &c = p[t[2]], &d = p[t[3]];
      const Vec3d gb = cross(c - a, d - a), gc = cross(d - a, b - a), gd = cross(b - a, c - a);
      const Vec3d gradient[4] = {-(gb + gc + gd), gb, gc, gd};
      const auto mobility = [&](std::size_t k) {
        return report.sweeps < kPatience ? mobility_[t[k]] : std::max(mobility_[t[k]], 0.3);
      };
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += mobility(k) * dot(gradient[k], gradient[k]);
      if (!(sum > 0)) continue;
      for (std::size_t k = 0; k < 4; ++k) p[t[k]] += gradient[k] * (mobility(k) * lack / sum);
      for (const std::uint32_t v : t)
        for (const std::uint32_t j : tets_of_[v])
          if (!listed[j]) listed[j] = 1, touched.push_back(j);
    }
    queue.clear();
    std::sort(touched.begin(), touched.end());
    for (const std::uint32_t j : touched) {
      listed[j] = 0;
      if (volume(j) < kLeast * rest_[j]) queue.push_back(j);
    }
  }
  for (std::uint32_t i = 0; i < rest_.size() && report.found > 0; ++i)
    if (!(volume(i) > 0)) ++report.left;
  return report;
}

}  // namespace cutis
