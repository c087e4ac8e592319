// Eigen orders and factors; the triangular solves are ours, with eight right-hand sides side by side: the factor, which
// does not fit a cache, is then read once for eight of them, and the inner loop has no gathers. Four lanes when there
// are no more than four (positions of vertices: three).
#include "numerics/prefactored_solver.h"

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/SparseCholesky>

#include "base/parallel_for.h"

namespace cutis {

struct PrefactoredSolver::Impl {
  std::size_t n = 0;
  bool ok = false;
  std::vector<int> column_begin, row;  // strictly lower part of L, column by column
  std::vector<double> value;
  std::vector<double> inverse_diagonal;
  std::vector<int> place;  // unknown -> its place in the order of elimination
};

namespace {

constexpr std::size_t kWide = 8, kNarrow = 4;

/// Columns [begin, end) of the block, at most `Width`.
template <std::size_t Width, class Factor>
void solve_columns(const Factor& f, std::span<double> block, std::size_t columns, std::size_t begin, std::size_t end) {
  using Lane = std::array<double, Width>;
  std::vector<Lane> x(f.n, Lane{});
  for (std::size_t i = 0; i < f.n; ++i)
    for (std::size_t c = begin; c < end; ++c)
      x[static_cast<std::size_t>(f.place[i])][c - begin] = block[i * columns + c];
  for (std::size_t j = 0; j < f.n; ++j) {
    const Lane xj = x[j];
    for (int k = f.column_begin[j]; k < f.column_begin[j + 1]; ++k) {
      Lane& xi = x[static_cast<std::size_t>(f.row[static_cast<std::size_t>(k)])];
      const double l = f.value[static_cast<std::size_t>(k)];
      for (std::size_t c = 0; c < Width; ++c) xi[c] -= l * xj[c];
    }
  }
  for (std::size_t j = 0; j < f.n; ++j)
    for (double& v : x[j]) v *= f.inverse_diagonal[j];
  for (std::size_t j = f.n; j-- > 0;) {
    Lane xj = x[j];
    for (int k = f.column_begin[j]; k < f.column_begin[j + 1]; ++k) {
      const Lane& xi = x[static_cast<std::size_t>(f.row[static_cast<std::size_t>(k)])];
      const double l = f.value[static_cast<std::size_t>(k)];
      for (std::size_t c = 0; c < Width; ++c) xj[c] -= l * xi[c];
    }
    x[j] = xj;
  }
  for (std::size_t i = 0; i < f.n; ++i)
    for (std::size_t c = begin; c < end; ++c)
      block[i * columns + c] = x[static_cast<std::size_t>(f.place[i])][c - begin];
}

}  // namespace

PrefactoredSolver::PrefactoredSolver(std::size_t n, std::span<const MatrixEntry> lower, const Context* context)
    : impl_(std::make_unique<Impl>()) {
  impl_->n = n;
  impl_->ok = true;
  if (n == 0) return;
  using Matrix = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(lower.size());
  for (const MatrixEntry& e : lower)
    if (e.row >= e.col) triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.col), e.value);
  Matrix matrix(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  const auto ask = [&] {
    if (context != nullptr) context->check_cancelled();
  };
  ask();
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> factor;
  factor.analyzePattern(matrix);
  ask();
  factor.factorize(matrix);
  ask();
  if (factor.info() != Eigen::Success) {
    impl_->ok = false;
    return;
  }
  const auto diagonal = factor.vectorD();
  impl_->inverse_diagonal.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double d = diagonal[static_cast<Eigen::Index>(i)];
    if (!(d > 0) || !std::isfinite(d)) impl_->ok = false;
    impl_->inverse_diagonal[i] = 1 / d;
  }
  const auto& l = factor.matrixL().nestedExpression();
  impl_->column_begin.push_back(0);
  for (Eigen::Index j = 0; j < l.outerSize(); ++j) {
    for (std::decay_t<decltype(l)>::InnerIterator it(l, j); it; ++it) {
      if (it.row() <= j) continue;  // unit diagonal
      impl_->row.push_back(static_cast<int>(it.row()));
      impl_->value.push_back(it.value());
    }
    impl_->column_begin.push_back(static_cast<int>(impl_->row.size()));
  }
  const auto& permutation = factor.permutationP().indices();
  impl_->place.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    impl_->place[i] = permutation.size() == 0 ? static_cast<int>(i) : permutation[static_cast<Eigen::Index>(i)];
}

PrefactoredSolver::~PrefactoredSolver() = default;
PrefactoredSolver::PrefactoredSolver(PrefactoredSolver&&) noexcept = default;
PrefactoredSolver& PrefactoredSolver::operator=(PrefactoredSolver&&) noexcept = default;

bool PrefactoredSolver::ok() const { return impl_->ok; }
std::size_t PrefactoredSolver::size() const { return impl_->n; }

void PrefactoredSolver::solve(std::span<double> block, std::size_t columns, const Context& context) const {
  if (columns <= kNarrow) {
    solve_columns<kNarrow>(*impl_, block, columns, 0, columns);
    return;
  }
  parallel_for(context, columns, kWide,
               [&](std::size_t begin, std::size_t end) { solve_columns<kWide>(*impl_, block, columns, begin, end); });
}

}  // namespace cutis
