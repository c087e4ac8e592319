#include "numerics/dense_solve.h"

#include <Eigen/LU>
#include <cmath>

namespace cutis {

namespace {

/// A solution whose residual is larger than this times |A| |x| + |b| is none: the matrix is singular.
constexpr double kAccepted = 1e-8;

}  // namespace

DenseSolution solve_dense(std::size_t n, std::span<const double> matrix, std::span<const double> rhs) {
  DenseSolution result;
  if (n == 0) {
    result.ok = true;
    return result;
  }
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::Map<const Eigen::MatrixXd> a(matrix.data(), size, size);
  const Eigen::Map<const Eigen::VectorXd> b(rhs.data(), size);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(a);
  Eigen::VectorXd x = lu.solve(b);
  if (x.allFinite()) {
    x += lu.solve(b - a * x);
    const double scale = a.lpNorm<Eigen::Infinity>() * x.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>();
    result.ok = x.allFinite() && (b - a * x).lpNorm<Eigen::Infinity>() <= kAccepted * scale;
  }
  result.x.assign(x.data(), x.data() + size);
  return result;
}

bool solve_positive(std::span<double> a, std::span<double> x) {
  const std::size_t n = x.size();
  for (std::size_t j = 0; j < n; ++j) {
    double d = a[j * n + j];
    for (std::size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k];
    if (!(d > 0)) return false;
    d = std::sqrt(d);
    a[j * n + j] = d;
    for (std::size_t i = j + 1; i < n; ++i) {
      double s = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = s / d;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
  return true;
}

}  // namespace cutis
