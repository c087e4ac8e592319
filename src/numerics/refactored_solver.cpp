#include "numerics/refactored_solver.h"

#include <vector>

#include <Eigen/SparseCholesky>

namespace cutis {

struct RefactoredSolver::Impl {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix, shifted;
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> factor;
};

RefactoredSolver::RefactoredSolver(std::size_t n, std::span<const MatrixEntry> lower)
    : impl_(std::make_unique<Impl>()) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(lower.size());
  for (const MatrixEntry& e : lower)
    if (e.row >= e.col) triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.col), e.value);
  impl_->matrix.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  impl_->matrix.setFromTriplets(triplets.begin(), triplets.end());
  impl_->shifted = impl_->matrix;
  impl_->factor.analyzePattern(impl_->matrix);
}

RefactoredSolver::~RefactoredSolver() = default;
RefactoredSolver::RefactoredSolver(RefactoredSolver&&) noexcept = default;
RefactoredSolver& RefactoredSolver::operator=(RefactoredSolver&&) noexcept = default;

bool RefactoredSolver::factor(std::span<const double> extra) {
  Impl& f = *impl_;
  // Compressed, lower triangle, rows in order: the diagonal comes first in each column.
  for (Eigen::Index j = 0; j < f.matrix.outerSize(); ++j) {
    const auto at = f.matrix.outerIndexPtr()[j];
    f.shifted.valuePtr()[at] = f.matrix.valuePtr()[at] + extra[static_cast<std::size_t>(j)];
  }
  f.factor.factorize(f.shifted);
  return f.factor.info() == Eigen::Success && (f.factor.vectorD().size() == 0 || f.factor.vectorD().minCoeff() > 0);
}

void RefactoredSolver::solve(std::span<double> x) const {
  Eigen::Map<Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
  const Eigen::VectorXd solution = impl_->factor.solve(v);
  v = solution;
}

void RefactoredSolver::multiply(std::span<const double> x, std::span<double> y) const {
  const Eigen::Map<const Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
  Eigen::Map<Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size())) =
      impl_->matrix.selfadjointView<Eigen::Lower>() * v;
}

}  // namespace cutis
