// Conjugate gradients with a preconditioner: the order of the steps. What a step does to the vertices is the back
// end's.
#pragma once

#include "kernels/field_constants.h"

namespace cutis {

/// set_up() -> r z of the start; apply() -> d q, with q the image of the direction d; reduce(alpha) takes alpha q from
/// r and gives r z; go_on(alpha, beta) goes alpha d further (unless reduce() did) and makes z + beta d the direction.
/// Returns how often apply() was called, at most `steps`.
template <class SetUp, class Apply, class Reduce, class GoOn>
int conjugate_gradients(int steps, const SetUp& set_up, const Apply& apply, const Reduce& reduce, const GoOn& go_on) {
  double rz = set_up();
  const double enough = field_constants::kReduction * rz;
  for (int step = 0; step < steps; ++step) {
    if (!(rz > enough && rz > 0)) return step;
    const double dq = apply();
    if (!(dq > 0)) return step + 1;
    const auto alpha = static_cast<float>(rz / dq);
    const double next = reduce(alpha);
    const auto beta = static_cast<float>(next / rz);
    rz = next;
    go_on(alpha, beta);
  }
  return steps;
}

}  // namespace cutis
