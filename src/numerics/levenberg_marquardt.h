// Levenberg-Marquardt: least squares by damped Gauss-Newton steps on small dense normal equations.
//
// A step that lowers the cost is taken, and the damping falls. Any other is dropped and tried again with more damping.
// A problem may bound its steps; they are then the best within the bounds, not cut off at them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "numerics/box_solve.h"
#include "numerics/dense_solve.h"

namespace cutis {

struct DampedFitOptions {
  int iterations = 20;           ///< >= 0
  int attempts = 6;              ///< at a step that lowers the cost, > 0; without one the fit ends
  double damping = 1e-3;         ///< at first; of the diagonal
  double least_damping = 1e-9;   ///< > 0
  double easier = 0.125;         ///< factor on the damping after a step that was taken
  double harder = 8;             ///< after one that was not
  double least_diagonal = 1e-9;  ///< what damping adds to it: unknowns that nothing holds stay where they are
  double settled = 1e-7;         ///< the fit ends with a step that lowers the cost by less than this part of it
};

/// Improves `state`; returns how many times it was linearised. Problem has
///   std::size_t unknowns() const;
///   double cost(const State&) const;
///   void linearise(const State&, std::span<double> matrix, std::span<double> rhs);
///     adds J^T J (row after row, both triangles) and -J^T r to what is 0 before
///   State moved(const State&, std::span<const double> step) const;
///     of the state that was linearised last
/// and may have
///   void bounds(std::span<double> lower, std::span<double> upper) const;
///     of a step from the state that was linearised last; 0 lies between them
template <class State, class Problem>
int levenberg_marquardt(Problem& problem, const DampedFitOptions& options, State& state) {
  const std::size_t n = problem.unknowns();
  std::vector<double> matrix(n * n), rhs(n), damped, step;
  constexpr bool bounded = requires(std::vector<double>& v) { problem.bounds(v, v); };
  std::vector<double> lower(bounded ? n : 0), upper(bounded ? n : 0);
  double cost = problem.cost(state), damping = options.damping;
  int count = 0;
  for (bool going = true; going && count < options.iterations; ++count) {
    std::ranges::fill(matrix, 0.0);
    std::ranges::fill(rhs, 0.0);
    problem.linearise(state, matrix, rhs);
    if constexpr (bounded) problem.bounds(lower, upper);
    going = false;
    for (int attempt = 0; attempt < options.attempts; ++attempt, damping *= options.harder) {
      damped = matrix;
      step = rhs;
      for (std::size_t i = 0; i < n; ++i) damped[i * n + i] += damping * (matrix[i * n + i] + options.least_diagonal);
      if constexpr (bounded) {
        if (!solve_within(damped, step, lower, upper)) continue;
      } else {
        if (!solve_positive(damped, step)) continue;
      }
      State next = problem.moved(state, step);
      const double next_cost = problem.cost(next);
      if (!(next_cost < cost)) continue;
      going = !(cost - next_cost < options.settled * cost);
      state = std::move(next);
      cost = next_cost;
      damping = std::max(damping * options.easier, options.least_damping);
      break;
    }
  }
  return count;
}

}  // namespace cutis
