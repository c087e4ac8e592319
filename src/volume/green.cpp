// Only the faces around a point count for it. What lies farther along the cage is nearly a closed surface that moves as
// one (an arm seen from the chest), and such a surface adds nothing: the sum of its phi and psi n is zero by Green's
// identity, at rest and after any similarity. So the nearest faces along the cage are kept, faded out towards the last,
// and the little that is lost at rest is given back to them: the least change, weighted, that makes phi sum to 1 and
// reproduces the point. Similarities are then reproduced exactly, as by the whole sum.
#include "volume/green.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/closest_point.h"
#include "geometry/triangle_bvh.h"

namespace cutis {
namespace {

/// Faces beyond this share of the reach fade out.
constexpr double kFadeFrom = 0.5;

/// The integral of Lipman's appendix for one edge of the triangle; p is the foot of the point on the face's plane.
double edge_integral(const Vec3d& p, const Vec3d& v1, const Vec3d& v2, const Vec3d& eta) {
  const Vec3d a = v2 - v1, b = p - v1, c = p - v2;
  const double la = length(a), lb = length(b), lc = length(c);
  if (la < 1e-14 || lb < 1e-14 || lc < 1e-14) return 0;
  const double alpha = std::acos(std::clamp(dot(a, b) / (la * lb), -1.0, 1.0));
  const double beta = std::acos(std::clamp(dot(-b, -c) / (lb * lc), -1.0, 1.0));
  const double lambda = lb * lb * std::sin(alpha) * std::sin(alpha);
  const Vec3d h = p - eta;
  const double cc = dot(h, h);
  const auto part = [&](double theta) {
    const double s = std::sin(theta), co = std::cos(theta);
    const double s2 = s * s;
    if (s2 < 1e-16) return 0.0;
    const double sign = s > 0 ? -0.5 : 0.5;
    const double root = std::sqrt(cc);
    const double at = cc > 1e-24 ? 2 * root * std::atan2(root * co, std::sqrt(lambda + s2 * cc)) : 0.0;
    const double q = 1 - co, w = 1 + co;
    const double inner = 1 - 2 * cc * co / (cc * w + lambda + std::sqrt(lambda * lambda + lambda * cc * s2));
    const double log_part =
        lambda > 1e-24 ? std::sqrt(lambda) * std::log(std::max(2 * std::sqrt(lambda) * s2 / (q * q) * inner, 1e-300))
                       : 0.0;
    return sign * (at + log_part);
  };
  return -std::abs(part(kPi - alpha) - part(kPi - alpha - beta) - std::sqrt(cc) * beta) / (4 * kPi);
}

struct FaceTerms {
  double psi = 0;
  double phi[3]{};
};

FaceTerms face_terms(const Vec3d& eta, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  FaceTerms terms;
  const Vec3d v[3] = {a - eta, b - eta, c - eta};
  const Vec3d n = normalized(cross(v[1] - v[0], v[2] - v[0]));
  const Vec3d p = n * dot(v[0], n);
  double s[3], integral[3], own[3];
  Vec3d q[3], across[3];
  for (int l = 0; l < 3; ++l) {
    const Vec3d &x = v[l], &y = v[(l + 1) % 3];
    s[l] = dot(cross(x - p, y - p), n) >= 0 ? 1 : -1;
    integral[l] = edge_integral(p, x, y, {});
    own[l] = edge_integral({}, y, x, {});
    q[l] = cross(y, x);
    across[l] = normalized(q[l]);
  }
  const double total = -std::abs(s[0] * integral[0] + s[1] * integral[1] + s[2] * integral[2]);
  terms.psi = -total;
  const Vec3d w = n * total + across[0] * own[0] + across[1] * own[1] + across[2] * own[2];
  // Farther in the plane than any length: no share.
  if (length(w) > 1e-10 * std::max({length(v[0]), length(v[1]), length(v[2])})) {
    for (int l = 0; l < 3; ++l) {
      const Vec3d& next = across[(l + 1) % 3];
      const double d = dot(next, v[l]);
      if (std::abs(d) > 1e-300) terms.phi[l] = dot(next, w) / d;
    }
  }
  return terms;
}

/// Faces of the cage, their neighbours over edges, and the way between their middles.
struct CageGraph {
  std::vector<Vec3d> middle;
  std::vector<std::vector<std::uint32_t>> around;

  explicit CageGraph(const ControlMesh& mesh) : middle(mesh.boundary.size()), around(mesh.boundary.size()) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> faces_of;
    for (std::uint32_t j = 0; j < mesh.boundary.size(); ++j) {
      const Triangle& f = mesh.boundary[j];
      middle[j] = (mesh.rest[f[0]] + mesh.rest[f[1]] + mesh.rest[f[2]]) / 3.0;
      for (std::size_t k = 0; k < 3; ++k) faces_of[std::minmax(f[k], f[(k + 1) % 3])].push_back(j);
    }
    for (const auto& [edge, faces] : faces_of)
      for (const std::uint32_t a : faces)
        for (const std::uint32_t b : faces)
          if (a != b) around[a].push_back(b);
  }

  struct Reached {
    std::uint32_t face = 0;
    double way = 0;
  };
  /// The `count` faces nearest to p along the cage, from `first` on, in order of the way.
  void nearest(const Vec3d& p, std::uint32_t first, std::size_t count, std::vector<Reached>& result,
               std::vector<double>& way) const {
    const auto farther = [](const Reached& a, const Reached& b) {
      return a.way != b.way ? a.way > b.way : a.face > b.face;
    };
    std::priority_queue<Reached, std::vector<Reached>, decltype(farther)> queue(farther);
    std::vector<std::uint32_t> touched{first};
    way[first] = distance(p, middle[first]);
    queue.push({first, way[first]});
    result.clear();
    while (!queue.empty() && result.size() < count) {
      const Reached at = queue.top();
      queue.pop();
      if (at.way > way[at.face]) continue;
      result.push_back(at);
      for (const std::uint32_t next : around[at.face]) {
        // Straight lines to p where the cage is flat; around limbs the way is what counts.
        const double w = std::max(
            at.way, std::max(distance(p, middle[next]), 0.7 * (at.way + distance(middle[at.face], middle[next]))));
        if (w >= way[next]) continue;
        if (way[next] == kUnreached) touched.push_back(next);
        way[next] = w;
        queue.push({next, w});
      }
    }
    for (const std::uint32_t face : touched) way[face] = kUnreached;
  }
  static constexpr double kUnreached = 1e300;
};

/// Solves the symmetric 4 x 4 system by elimination with pivots; false when it is singular.
bool solve4(std::array<std::array<double, 5>, 4>& m, std::array<double, 4>& x) {
  for (std::size_t c = 0; c < 4; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < 4; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    std::swap(m[c], m[pivot]);
    if (std::abs(m[c][c]) < 1e-14) return false;
    for (std::size_t r = 0; r < 4; ++r) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (std::size_t k = c; k < 5; ++k) m[r][k] -= f * m[c][k];
    }
  }
  for (std::size_t c = 0; c < 4; ++c) x[c] = m[c][4] / m[c][c];
  return true;
}

struct Row {
  std::vector<std::uint32_t> vertex, face;
  std::vector<double> phi, psi;
};

/// Makes phi sum to 1 and the row reproduce `eta` at rest. The unknown change is W C^T x, the least one in the norm of
/// W^-1: W is the size of the weights themselves, so that small ones change little. All in units of `unit`.
void reproduce(const ControlMesh& mesh, std::span<const Vec3d> normals, const Vec3d& eta, double unit, Row& row) {
  std::array<std::array<double, 5>, 4> m{};
  const auto add = [&](double weight, double value, const std::array<double, 4>& c) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) m[a][b] += weight * c[a] * c[b];
      m[a][4] -= value * c[a];
    }
  };
  const auto of_vertex = [&](std::size_t k) {
    const Vec3d d = (mesh.rest[row.vertex[k]] - eta) / unit;
    return std::array<double, 4>{1, d.x, d.y, d.z};
  };
  const auto of_face = [&](std::size_t k) {
    const Vec3d& n = normals[row.face[k]];
    return std::array<double, 4>{0, n.x, n.y, n.z};
  };
  m[0][4] = 1;
  for (std::size_t k = 0; k < row.vertex.size(); ++k) add(std::abs(row.phi[k]), row.phi[k], of_vertex(k));
  for (std::size_t k = 0; k < row.face.size(); ++k) add(row.psi[k] / unit, row.psi[k] / unit, of_face(k));
  std::array<double, 4> x{};
  if (!solve4(m, x)) return;
  const auto along = [&](const std::array<double, 4>& c) {
    return c[0] * x[0] + c[1] * x[1] + c[2] * x[2] + c[3] * x[3];
  };
  for (std::size_t k = 0; k < row.vertex.size(); ++k) row.phi[k] += std::abs(row.phi[k]) * along(of_vertex(k));
  for (std::size_t k = 0; k < row.face.size(); ++k) row.psi[k] += row.psi[k] * along(of_face(k));
}

}  // namespace

GreenCoordinates::GreenCoordinates(const ControlMesh& mesh, std::span<const Vec3f> points, std::span<const char> skip,
                                   const Context& context, std::size_t faces_a_point)
    : mesh_(mesh), sources_(mesh.rest.size() + mesh.boundary.size()) {
  for (std::uint32_t i = 0; i < points.size(); ++i)
    if (!skip[i]) point_.push_back(i);
  const std::size_t n = mesh.rest.size(), faces = mesh.boundary.size();
  const bool all = faces_a_point >= faces;
  std::vector<Vec3d> normals(faces);
  for (std::size_t j = 0; j < faces; ++j) {
    const Triangle& f = mesh.boundary[j];
    const Vec3d u = mesh.rest[f[1]] - mesh.rest[f[0]], v = mesh.rest[f[2]] - mesh.rest[f[0]], across = cross(u, v);
    normals[j] = normalized(across);
    rest_face_.push_back({static_cast<float>(dot(u, u)), static_cast<float>(dot(u, v)), static_cast<float>(dot(v, v)),
                          static_cast<float>(1 / (std::sqrt(2.0) * std::max(length(across), 1e-300)))});
  }
  const CageGraph graph(mesh);
  std::vector<Vec3f> cage;
  for (const Vec3d& p : mesh.rest) cage.push_back(static_cast<Vec3f>(p));
  std::vector<std::uint32_t> use(faces);
  std::iota(use.begin(), use.end(), 0U);
  const TriangleBvh bvh(cage, mesh.boundary, use);
  const ClosestPoint closest(bvh, cage, mesh.boundary);

  std::vector<Row> rows(point_.size());
  parallel_for(context, point_.size(), 32, [&](std::size_t begin, std::size_t end) {
    std::vector<double> phi(n, 0), way(faces, CageGraph::kUnreached);
    std::vector<CageGraph::Reached> near;
    for (std::size_t k = begin; k < end; ++k) {
      const auto eta = static_cast<Vec3d>(points[point_[k]]);
      graph.nearest(eta, closest.nearest(eta).triangle, all ? faces : faces_a_point, near, way);
      Row& row = rows[k];
      const double reach = near.back().way;
      for (const CageGraph::Reached& at : near) {
        const double beyond = all ? 0 : std::clamp((at.way / reach - kFadeFrom) / (1 - kFadeFrom), 0.0, 1.0);
        const double fade = 1 - beyond * beyond * (3 - 2 * beyond);
        if (fade <= 0) continue;
        const Triangle& f = mesh.boundary[at.face];
        const FaceTerms t = face_terms(eta, mesh.rest[f[0]], mesh.rest[f[1]], mesh.rest[f[2]]);
        row.face.push_back(at.face);
        row.psi.push_back(t.psi * fade);
        for (std::size_t c = 0; c < 3; ++c) {
          if (phi[f[c]] == 0) row.vertex.push_back(f[c]);
          phi[f[c]] += t.phi[c] * fade + 1e-300;
        }
      }
      std::sort(row.vertex.begin(), row.vertex.end());
      row.vertex.erase(std::unique(row.vertex.begin(), row.vertex.end()), row.vertex.end());
      for (const std::uint32_t v : row.vertex) {
        row.phi.push_back(phi[v]);
        phi[v] = 0;
      }
      reproduce(mesh, normals, eta, mesh.mean_edge, row);
    }
  });
  begin_.push_back(0);
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < row.vertex.size(); ++k) {
      index_.push_back(row.vertex[k]);
      weight_.push_back(static_cast<float>(row.phi[k]));
    }
    for (std::size_t k = 0; k < row.face.size(); ++k) {
      index_.push_back(static_cast<std::uint32_t>(n) + row.face[k]);
      weight_.push_back(static_cast<float>(row.psi[k]));
    }
    begin_.push_back(static_cast<std::uint32_t>(index_.size()));
  }
}

void GreenCoordinates::move(std::span<const Vec3f> positions, std::span<Vec3f> out, const Context& context) {
  const std::size_t n = mesh_.rest.size();
  // Weights that sum to 1 to rounding only: near the origin the rounding is least.
  Vec3f middle;
  for (const Vec3f& p : positions) middle += p / static_cast<float>(n);
  for (std::size_t v = 0; v < n; ++v) {
    const Vec3f p = positions[v] - middle;
    sources_[v] = Float4(p.x, p.y, p.z, 0);
  }
  parallel_for(context, mesh_.boundary.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const Triangle& f = mesh_.boundary[j];
      const RestFace& rest = rest_face_[j];
      const Vec3f u = positions[f[1]] - positions[f[0]], v = positions[f[2]] - positions[f[0]];
      const float stretch =
          std::sqrt(std::max(0.0F, dot(u, u) * rest.vv - 2 * dot(u, v) * rest.uv + dot(v, v) * rest.uu)) * rest.scale;
      const Vec3f normal = normalized(cross(u, v)) * stretch;
      sources_[n + j] = Float4(normal.x, normal.y, normal.z, 0);
    }
  });
  parallel_for(context, point_.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Float4 even, odd;
      std::uint32_t t = begin_[k];
      for (; t + 1 < begin_[k + 1]; t += 2) {
        even += sources_[index_[t]] * Float4(weight_[t]);
        odd += sources_[index_[t + 1]] * Float4(weight_[t + 1]);
      }
      if (t < begin_[k + 1]) even += sources_[index_[t]] * Float4(weight_[t]);
      const Float4 p = even + odd;
      out[point_[k]] = Vec3f{p[0], p[1], p[2]} + middle;
    }
  });
}

}  // namespace cutis
