// Conjugate gradients with a preconditioner: the order of the steps. What a step does to the unknowns is the caller's.
#pragma once

namespace cutis {

/// `enough(r z of the start)`: r z at which it stops. set_up() -> r z of the start; apply() -> d q, with q the image of
/// the direction d; reduce(alpha) takes alpha q from r and gives r z; go_on(alpha, beta) goes alpha d further (unless
/// reduce() did) and makes z + beta d the direction. T: of alpha and beta. Returns how often apply() was called, at
/// most `steps`.
template <class T, class Enough, class SetUp, class Apply, class Reduce, class GoOn>
int conjugate_gradients(int steps, const Enough& enough, const SetUp& set_up, const Apply& apply, const Reduce& reduce,
                        const GoOn& go_on) {
  double rz = set_up();
  const double least = enough(rz);
  for (int step = 0; step < steps; ++step) {
    if (!(rz > least && rz > 0)) return step;
    const double dq = apply();
    if (!(dq > 0)) return step + 1;
    const auto alpha = static_cast<T>(rz / dq);
    const double next = reduce(alpha);
    const auto beta = static_cast<T>(next / rz);
    rz = next;
    go_on(alpha, beta);
  }
  return steps;
}

}  // namespace cutis
