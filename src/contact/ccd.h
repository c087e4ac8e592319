// Two elements of a surface, vertex and face or edge and edge: how far apart, and whether they meet on the way.
//
// Four points stand for a pair: vertex_face: the vertex, then the face's corners; edge_edge: the ends of one, then of
// the other. Continuous detection is the additive scheme of Li, Kaufman, Jiang, "Codimensional Incremental Potential
// Contact" (2021), section 5: it advances by what the distance allows, hence never passes through.
#pragma once

#include <array>
#include <cstdint>

#include "cutis/types.h"

namespace cutis {

enum class ElementPair : std::uint8_t { vertex_face, edge_edge };

using FourPoints = std::array<Vec3d, 4>;

/// The nearest points of the two elements: `delta` = sum of weight[i] * point[i] leads from the second to the first.
struct Separation {
  double distance = 0;
  Vec3d delta;
  std::array<double, 4> weight{};  ///< of the first element they sum to 1, of the second to -1
};
[[nodiscard]] Separation separation(ElementPair kind, const FourPoints& x);

/// An upper bound of how much the distance can change while the points move along straight lines from x0 to x1.
[[nodiscard]] double motion_bound(ElementPair kind, const FourPoints& x0, const FourPoints& x1);

/// When the points move on straight lines from x0 to x1 at constant speed.
struct Impact {
  bool hit = false;
  double time = 1;     ///< in [0,1]: up to here the distance stays at or above what must be kept
  Separation at_time;  ///< with a hit: there; its distance is not 0
  int steps = 0;       ///< that it took to find out
};
/// Keeps a tenth of the initial distance and at least `keep` (or half the initial distance, when that is less).
/// `distance0`: of x0, greater than 0. Conservative: no answer "no hit" for a pair that meets.
[[nodiscard]] Impact first_impact(ElementPair kind, const FourPoints& x0, const FourPoints& x1, double distance0,
                                  double keep);

}  // namespace cutis
