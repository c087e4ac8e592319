// Weights from an atlas: the surface is cut at the joints into regions that overlap around the cuts, and blended there
// by the distance along the surface. Lu, Hétroy, Gérot, Thibert, "Atlas-based character skinning with automatic mesh
// decomposition", INRIA RR-6406, 2008. What differs and why: docs/algorithms/weights-atlas.md.
#pragma once

#include <cstdint>
#include <vector>

#include "weights/atlas_cut.h"
#include "weights/atlas_regions.h"
#include "weights/method.h"

namespace cutis {

/// A vertex that a cut's overlap reaches.
struct OverlapVertex {
  std::uint32_t cut = 0;
  double distance = 0;  ///< along the surface, metres; less than half the cut's width
};

struct Atlas {
  std::vector<AtlasBone> skeleton;
  std::vector<AtlasCut> cuts;
  AtlasRegions regions;
  std::vector<double> widths;                       ///< per cut: of the overlap across it, metres
  std::vector<std::vector<OverlapVertex>> overlap;  ///< per vertex

  /// How much each patch takes part at a vertex: (patch, share), shares > 0 with sum 1, patches ascending.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, double>> shares(std::uint32_t vertex) const;
};

/// `overlap`: per bone of the problem, the width of the overlap at its joint in diameters of the curve there (1: as in
/// the paper).
[[nodiscard]] Atlas make_atlas(const WeightProblem& problem, const std::vector<double>& overlap,
                               const Context& context);

/// The cubic transition of section 4: 0 at 0, 1 at 1, level at both.
[[nodiscard]] constexpr double transition(double l) { return l <= 0 ? 0 : l >= 1 ? 1 : l * l * (3 - 2 * l); }

}  // namespace cutis
