// From raw weights to weights that can be used: filled, smoothed, pruned.
#pragma once

#include "weights/method.h"

namespace cutis {

/// Gives vertices without weights those of the nearest point of the weighted surface (clothes, eyes, loose vertices);
/// the rigid components one common row. Without any weighted surface, the nearest bone.
void transfer_weights(const WeightProblem& problem, WeightMatrix& matrix, const Context& context);

/// Moves every row half of the way to the mean of its neighbours', `steps` times.
void smooth_weights(const WeightProblem& problem, WeightMatrix& matrix, int steps, const Context& context);

struct PruneReport {
  double mean = 0, max = 0;  ///< weight taken away per vertex, in [0,1]
};
/// At most `max_influences` weights per row, none that fell below `min_weight`, sums of 1. Continuous: a weight that is
/// about to be cut has already faded out, w -> w - t^2 / w where t is the limit below which weights go.
PruneReport prune_weights(WeightMatrix& matrix, int max_influences, double min_weight);

}  // namespace cutis
