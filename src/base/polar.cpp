// Polar decomposition by the eigen-decomposition of M^T M (cyclic Jacobi on a 3x3), which, unlike Newton's
// iteration, has an answer for singular matrices.
#include "base/polar.h"

#include <algorithm>
#include <array>

namespace cutis {
namespace {

// M J, J the rotation in the plane of p and q.
void turn_columns(Mat3d& m, int p, int q, double c, double s) {
  const Vec3d at_p = m.col[p], at_q = m.col[q];
  m.col[p] = at_p * c + at_q * -s;
  m.col[q] = at_p * s + at_q * c;
}

// Eigenvectors (columns) and eigenvalues of a symmetric matrix, by cyclic Jacobi rotations.
void eigen_symmetric(Mat3d a, Mat3d& vectors, Vec3d& values) {
  vectors = {};
  const double scale = frobenius(a);
  for (int sweep = 0; sweep < 32; ++sweep) {
    const double off = std::abs(a.col[1].x) + std::abs(a.col[2].x) + std::abs(a.col[2].y);
    if (off <= 1e-16 * scale) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        const double apq = a.col[q][p];
        if (apq == 0.0) continue;
        const double theta = (a.col[q][q] - a.col[p][p]) / (2 * apq);
        const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (Vec3d& column : a.col) {  // J^T A
          const double at_p = column[p], at_q = column[q];
          column[p] = c * at_p + -s * at_q;
          column[q] = s * at_p + c * at_q;
        }
        turn_columns(a, p, q, c, s);
        turn_columns(vectors, p, q, c, s);
      }
    }
  }
  values = {a.col[0].x, a.col[1].y, a.col[2].z};
}

}  // namespace

SymmetricEigen eigen_decompose(const Mat3d& symmetric) {
  SymmetricEigen result;
  eigen_symmetric(symmetric, result.vectors, result.values);
  if (determinant(result.vectors) < 0) result.vectors.col[2] = -result.vectors.col[2];
  return result;
}

namespace {

// U V^T of M = U Sigma V^T, with the sign of the smallest singular value chosen so that it is proper; `scale`: of M.
Mat3d proper_factor(const Mat3d& m, double scale) {
  const Mat3d n = m * (1 / scale);
  Mat3d v;
  Vec3d values;
  eigen_symmetric(transpose(n) * n, v, values);

  // Singular triplets, largest first: n * v_i = sigma_i * u_i.
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return values[a] > values[b]; });
  Mat3d vs, u;
  for (int i = 0; i < 3; ++i) vs.col[i] = v.col[order[i]];
  if (determinant(vs) < 0) vs.col[2] = -vs.col[2];
  u.col[0] = normalized(n * vs.col[0], vs.col[0]);
  Vec3d second = n * vs.col[1];
  second -= u.col[0] * dot(u.col[0], second);
  u.col[1] = length(second) > 1e-12 ? normalized(second) : any_perpendicular(u.col[0]);
  u.col[2] = cross(u.col[0], u.col[1]);  // right-handed, so that R = U V^T is proper
  return u * transpose(vs);
}

}  // namespace

Quatd nearest_rotation(const Mat3d& m) {
  const double scale = frobenius(m);
  return scale > 0 && std::isfinite(scale) ? to_quaternion(proper_factor(m, scale)) : Quatd{};
}

Polar polar_decompose(const Mat3d& m) {
  const double scale = frobenius(m);
  if (!(scale > 0) || !std::isfinite(scale)) return {{}, diagonal_matrix(Vec3d{0, 0, 0})};
  const Mat3d r = proper_factor(m, scale);

  // With R proper, S = R^T M is symmetric; a mirroring M leaves one negative eigenvalue in S.
  Mat3d s = transpose(r) * m;
  s = (s + transpose(s)) * 0.5;
  if (determinant(m) >= 0) return {to_quaternion(r), s};
  // Mirror through the point rather than along an arbitrary smallest axis: M = (-R') (-S').
  const Mat3d mirrored = m * -1.0;
  const Polar p = polar_decompose(mirrored);
  return {p.rotation, p.stretch * -1.0};
}

TrsDecomposition decompose_trs(const Affine3d& m) {
  // glTF's convention: scale along the columns, the rotation is what remains of them.
  TrsDecomposition d;
  d.trs.translation = m.translation;
  Vec3d s{length(m.linear.col[0]), length(m.linear.col[1]), length(m.linear.col[2])};
  if (determinant(m.linear) < 0) s.x = -s.x;
  d.trs.scale = s;
  const double largest = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
  Mat3d r = m.linear;
  bool regular = largest > 0;
  for (int i = 0; i < 3 && regular; ++i) {
    if (std::abs(s[i]) > 1e-9 * largest) {
      r.col[i] = r.col[i] / s[i];
    } else {
      regular = false;
    }
  }
  d.trs.rotation = polar_decompose(regular ? r : m.linear).rotation;
  const Mat3d rebuilt = to_matrix(d.trs.rotation) * diagonal_matrix(s);
  Mat3d difference = m.linear + rebuilt * -1.0;
  if (frobenius(difference) <= 1e-6 * (largest + 1e-300)) return d;
  d.exact = false;
  if (regular) {
    d.residual.linear = inverse(rebuilt) * m.linear;
  } else {  // no inverse: keep everything in the residual
    d.trs.rotation = {};
    d.trs.scale = {1, 1, 1};
    d.residual.linear = m.linear;
  }
  return d;
}

}  // namespace cutis
