#include "numerics/dense_solve.h"

#include <Eigen/LU>

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

}  // namespace cutis
