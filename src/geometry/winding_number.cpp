// w(q) = 1/(4 pi) * integral of n . G(x - q), G(r) = r / |r|^3. With x = c + d and R = c - q,
//   n . G(R + d) = n.R/R^3  +  (n.d/R^3 - 3 (n.R)(d.R)/R^5)
//                + (1/2) (-3 (2 (n.d)(d.R) + (n.R) d.d)/R^5 + 15 (n.R)(d.R)^2/R^7)  +  remainder;
// the integrals of n, n d, n d d over a group of triangles are its moments. G is the gradient of a harmonic function,
// whose Taylor terms are Legendre polynomials: the term of degree k is at most (k+1) |d|^k / R^(k+2) long (Bernstein
// and Szego's inequality). With rho = radius / R and |d|^k <= |d|^2 radius^(k-2) the remainder is hence at most
//   S / R^2 * sum_{k>=3} (k+1) rho^k = S / R^2 * (1/(1-rho)^2 - 1 - 2 rho - 3 rho^2),
// where S is the integral of |d|^2 over radius^2.
#include "geometry/winding_number.h"

#include <cmath>
#include <cstddef>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

// Full moments, which can be moved to another centre: M[i][j], T[i][jk] with jk in xx yy zz xy xz yz.
struct FullMoments {
  Vec3d center;
  double area = 0, radius = 0;
  double square = 0;  // integral of |d|^2
  Vec3d first;
  double second[3][3]{};
  double third[3][6]{};
};

// Up to this many triangles a node's radius is taken from its vertices; above, from its children: hardly looser there.
constexpr std::uint32_t kTightRadius = 128;

constexpr int kJ[6] = {0, 1, 2, 0, 0, 1};
constexpr int kK[6] = {0, 1, 2, 1, 2, 2};

// Adds the moments of `part`, moved to the centre of `sum`.
void add_moved(FullMoments& sum, const FullMoments& part) {
  const Vec3d s = part.center - sum.center;
  sum.first += part.first;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum.second[i][j] += part.second[i][j] + part.first[i] * s[j];
    for (int m = 0; m < 6; ++m) {
      const int j = kJ[m], k = kK[m];
      sum.third[i][m] +=
          part.third[i][m] + part.second[i][j] * s[k] + part.second[i][k] * s[j] + part.first[i] * s[j] * s[k];
    }
  }
}

FullMoments triangle_moments(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  FullMoments m;
  const Vec3d p[3] = {static_cast<Vec3d>(a), static_cast<Vec3d>(b), static_cast<Vec3d>(c)};
  m.center = (p[0] + p[1] + p[2]) / 3.0;
  m.first = area_vector(a, b, c);
  m.area = length(m.first);
  for (int n = 0; n < 6; ++n) {
    double spread = 0;  // integral of d_j d_k over the triangle, over its area
    for (const Vec3d& corner : p) spread += (corner - m.center)[kJ[n]] * (corner - m.center)[kK[n]] / 12;
    for (int i = 0; i < 3; ++i) m.third[i][n] = m.first[i] * spread;
  }
  for (const Vec3d& corner : p) {
    m.radius = std::max(m.radius, distance(corner, m.center));
    m.square += m.area * dot(corner - m.center, corner - m.center) / 12;
  }
  return m;
}

// Centre of area; of the box where there is no area.
template <class Parts>
FullMoments unite(const Parts& parts, const Boxf& box) {
  FullMoments sum;
  for (const FullMoments& part : parts) {
    sum.area += part.area;
    sum.center += part.center * part.area;
  }
  const auto lo = static_cast<Vec3d>(box.lo), hi = static_cast<Vec3d>(box.hi);
  sum.center = sum.area > 0 ? sum.center / sum.area : (lo + hi) * 0.5;
  for (const FullMoments& part : parts) {
    add_moved(sum, part);
    const double far = distance(part.center, sum.center);
    sum.radius = std::max(sum.radius, part.radius + far);
    sum.square += part.square + part.area * far * far;  // centres are centres of area
  }
  Vec3d corner;
  for (int k = 0; k < 3; ++k) corner[k] = std::max(hi[k] - sum.center[k], sum.center[k] - lo[k]);
  sum.radius = std::min(sum.radius, length(corner));
  return sum;
}

}  // namespace

double winding_number(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3d& q) {
  // Van Oosterom and Strackee 1983.
  const Vec3d u = static_cast<Vec3d>(a) - q, v = static_cast<Vec3d>(b) - q, w = static_cast<Vec3d>(c) - q;
  const double det = dot(u, cross(v, w));
  if (det == 0) return 0;
  const double lu = length(u), lv = length(v), lw = length(w);
  return std::atan2(det, lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv) / (2 * kPi);
}

WindingNumber::WindingNumber(const TriangleBvh& bvh, std::span<const Vec3f> positions,
                             std::span<const Triangle> triangles)
    : bvh_(bvh), positions_(positions), triangles_(triangles), moments_(bvh.nodes().size()) {
  const auto nodes = bvh.nodes();
  std::vector<FullMoments> full(nodes.size());
  std::vector<FullMoments> parts;
  const auto exact_radius = [&](const TriangleBvh::Node& node, const Vec3d& c) {
    double squared = 0;
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      for (const std::uint32_t v : triangles[bvh.triangle(slot)]) {
        const Vec3d d = static_cast<Vec3d>(positions[v]) - c;
        squared = std::max(squared, dot(d, d));
      }
    }
    return std::sqrt(squared);
  };
  for (std::size_t n = nodes.size(); n-- > 0;) {  // children come after their parents
    const TriangleBvh::Node& node = nodes[n];
    parts.clear();
    if (node.is_leaf()) {
      for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
        const Triangle& t = triangles[bvh.triangle(slot)];
        parts.push_back(triangle_moments(positions[t[0]], positions[t[1]], positions[t[2]]));
      }
    } else {
      parts.push_back(full[n + 1]);
      parts.push_back(full[node.right]);
    }
    full[n] = unite(parts, node.box);
    FullMoments& m = full[n];
    if (node.end - node.begin <= kTightRadius) m.radius = exact_radius(node, m.center);

    Moments& out = moments_[n];
    out.center = m.center;
    out.radius = m.radius;
    out.spread = m.radius > 0 ? m.square / (m.radius * m.radius) : 0;
    out.first = m.first;
    const auto& s = m.second;
    out.trace = s[0][0] + s[1][1] + s[2][2];
    for (int i = 0; i < 3; ++i) out.second[i] = s[i][i];
    out.second[3] = s[0][1] + s[1][0];
    out.second[4] = s[0][2] + s[2][0];
    out.second[5] = s[1][2] + s[2][1];
    const auto& t = m.third;  // columns xx yy zz xy xz yz
    const Vec3d inner{t[0][0] + t[1][3] + t[2][4], t[0][3] + t[1][1] + t[2][5], t[0][4] + t[1][5] + t[2][2]};
    const Vec3d outer{t[0][0] + t[0][1] + t[0][2], t[1][0] + t[1][1] + t[1][2], t[2][0] + t[2][1] + t[2][2]};
    out.contracted = inner * 2.0 + outer;
    out.third[0] = t[0][0];
    out.third[1] = t[1][1];
    out.third[2] = t[2][2];
    out.third[3] = t[1][0] + 2 * t[0][3];
    out.third[4] = t[2][0] + 2 * t[0][4];
    out.third[5] = t[0][1] + 2 * t[1][3];
    out.third[6] = t[2][1] + 2 * t[1][5];
    out.third[7] = t[0][2] + 2 * t[2][4];
    out.third[8] = t[1][2] + 2 * t[2][5];
    out.third[9] = 2 * (t[0][5] + t[1][4] + t[2][3]);
  }
}

double WindingNumber::exact(const Vec3d& q) const {
  if (bvh_.empty()) return 0;
  double sum = 0;
  for (std::uint32_t slot = 0; slot < bvh_.nodes()[0].end; ++slot) {
    const Triangle& t = triangles_[bvh_.triangle(slot)];
    sum += winding_number(positions_[t[0]], positions_[t[1]], positions_[t[2]], q);
  }
  return sum;
}

WindingNumber::Estimate WindingNumber::estimate(const Vec3d& q, double beta) const {
  if (bvh_.empty()) return {};
  const auto nodes = bvh_.nodes();
  double near = 0, far = 0, error = 0;
  std::array<std::uint32_t, TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t n = stack[--size];
    const Moments& m = moments_[n];
    const Vec3d r = m.center - q;
    const double r2 = dot(r, r);
    if (r2 > beta * beta * m.radius * m.radius) {
      const double i1 = 1 / std::sqrt(r2), i2 = i1 * i1, i3 = i1 * i2, i5 = i3 * i2, i7 = i5 * i2;
      const double x = r.x, y = r.y, z = r.z, xx = x * x, yy = y * y, zz = z * z;
      const double* s = m.second;
      const double* t = m.third;
      const double rmr = s[0] * xx + s[1] * yy + s[2] * zz + s[3] * x * y + s[4] * x * z + s[5] * y * z;
      const double trrr = xx * (t[0] * x + t[3] * y + t[4] * z) + yy * (t[5] * x + t[1] * y + t[6] * z) +
                          zz * (t[7] * x + t[8] * y + t[2] * z) + t[9] * x * y * z;
      far += (dot(m.first, r) + m.trace) * i3 - 3 * rmr * i5 - 1.5 * dot(m.contracted, r) * i5 + 7.5 * trrr * i7;
      const double rho = m.radius * i1, gap = 1 - rho;
      error += m.spread * i2 * (1 / (gap * gap) - 1 - rho * (2 + 3 * rho));
      continue;
    }
    const TriangleBvh::Node& node = nodes[n];
    if (!node.is_leaf()) {
      stack[size++] = node.right;
      stack[size++] = n + 1;
      continue;
    }
    for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
      const Triangle& tri = triangles_[bvh_.triangle(slot)];
      near += winding_number(positions_[tri[0]], positions_[tri[1]], positions_[tri[2]], q);
    }
  }
  return {near + far / (4 * kPi), error / (4 * kPi)};
}

bool WindingNumber::exceeds(const Vec3d& q, double threshold) const {
  // Rounding of the sums: far below this for any mesh that fits in memory.
  constexpr double kRounding = 1e-9;
  for (const double beta : {2.0, 3.0, 6.0}) {
    const Estimate e = estimate(q, beta);
    if (std::abs(e.value - threshold) > e.error + kRounding) return e.value > threshold;
  }
  return exact(q) > threshold;
}

}  // namespace cutis
