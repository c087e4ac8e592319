// One slice of an operator: bi-harmonic interpolation of boundary values and a profile curve (Tracking 4.2).
#pragma once

#include <vector>

#include "compose/profile.h"

namespace cutis {

/// Value and derivatives at a node, times the cell's side for each derivative.
struct SliceNode {
  double g = 0, g1 = 0, g2 = 0, g12 = 0;
};

struct SliceOptions {
  int cells = 32;        ///< along each side; a multiple of 32, so that 0.5 and the contact ends are nodes
  bool monotone = true;  ///< bounds on the slopes; false: the plain bi-harmonic solution
};

struct Slice {
  std::vector<SliceNode> nodes;  ///< (cells + 1)^2, [i * (cells + 1) + j] at f1 = i / cells, f2 = j / cells
  int rounds = 0;                ///< of the active-set method
  int bounded = 0;               ///< slopes held at their bound
};

/// Minimises the integral of (laplacian g)^2 over C1 bicubic cells under the conditions of
/// docs/algorithms/operators.md.
[[nodiscard]] Slice solve_slice(const ProfileCurve& curve, const SliceOptions& options);

}  // namespace cutis
