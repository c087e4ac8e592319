// ONE VERTEX of what is shown of a tracked skin: how it follows skin that jumps, and how it is made fair.
// docs/algorithms/tracking.md, "What is shown".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/math.h"

namespace cutis {

// ---- gentle starts ----

/// How a vertex goes to where the tracked skin has it, in the frame of its part, against smooth skinning.
template <class T>
struct GentleStart {
  Vec3<T> drift;      ///< a frame
  bool late = false;  ///< it does not get there now
};

/// `way`: to go; `drift`: the last one's; `gain`: speed that it may gain in a frame; `speed`: of the part there;
/// `frames`: of a frame that pass now. It follows at once while its speed changes little, else with bounded
/// acceleration.
template <class T>
CUTIS_HD GentleStart<T> start_gently(const Vec3<T>& way, const Vec3<T>& drift, T gain, T speed, T frames) {
  constexpr T kUnseen = T(0.05);  // changes of speed by this part of the speed itself are not seen
  // What is far behind comes faster: speed gained a frame, of the way to go.
  constexpr T kCatchUp = T(0.1), kBrake = T(0.5);
  const T far = length(way);
  const T steady = gain + kUnseen * speed, most = steady + kCatchUp * far;  // gained a frame
  GentleStart<T> start{way / frames};
  if (length(start.drift - drift) <= most * frames || !is_finite(way)) return start;
  // No faster than it can stop there with half of that; what catches up brakes long before, or it would overshoot.
  const T steady_stop = std::sqrt(steady * far), brake = kBrake * std::sqrt(most * far);
  const T fastest = steady_stop < brake ? brake : steady_stop;
  const T part = fastest / far < 1 / frames ? fastest / far : 1 / frames;
  const Vec3<T> change = way * part - drift;
  const T size = length(change);
  start.drift = drift + change * (size > most * frames ? most * frames / size : 1);
  start.late = true;
  return start;
}

// ---- fairing: minimise sum w_ij |(x_i - x_j) - (R_i + R_j)/2 (p_i0 - p_j0)|^2 + sum k_i W_i |x_i - p_i|^2 ----

/// A vertex's equation: x = pull + share * (sum of w_ij x_j).
struct FairRow {
  Vec3f pull;
  float share = 0;  ///< 0: it stays at `pull`
};

/// `p`: where it is; `attached`: k, how firmly it stays there against the pull of all its neighbours.
CUTIS_HD inline FairRow fair_row(const Vec3f& p, std::uint32_t v, const Vec3f* rest, const Mat3f* turn,
                                 const std::uint32_t* ring, const float* weights, std::size_t count, float attached) {
  Vec3f pull;
  float sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t u = ring[k];
    const Vec3f edge = rest[v] - rest[u];
    pull += (turn[v] * edge + turn[u] * edge) * (0.5F * weights[k]);
    sum += weights[k];
  }
  const float share = 1 / ((1 + attached) * sum);
  if (!(sum > 0) || !std::isfinite(share)) return {p, 0};
  return {(pull + p * (attached * sum)) * share, share};
}

/// Where that equation has it, given its neighbours.
CUTIS_HD inline Vec3f fair_place(const FairRow& row, const Vec3f* at, const std::uint32_t* ring, const float* weights,
                                 std::size_t count) {
  if (!(row.share > 0)) return row.pull;
  Vec3f sum;
  for (std::size_t k = 0; k < count; ++k) sum += at[ring[k]] * weights[k];
  return row.pull + sum * row.share;
}

}  // namespace cutis
