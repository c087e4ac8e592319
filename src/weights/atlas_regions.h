// The pieces that the cuts leave, and which bones they belong to (Lu 2008, section 3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "weights/atlas_cut.h"

namespace cutis {

/// A connected piece of the surface between cuts.
struct AtlasPatch {
  std::uint32_t component = 0;  ///< of the topology
  std::size_t vertices = 0;
  bool cut = false;         ///< some curve borders on it
  std::uint32_t group = 0;  ///< of bones
};

/// Two patches with these cuts between them: one, or more where no vertex lies between neighbouring curves.
struct AtlasLink {
  std::uint32_t a = 0, b = 0;       ///< patches, a < b
  std::vector<std::uint32_t> cuts;  ///< ascending
};

struct AtlasRegions {
  static constexpr std::uint32_t kNoPatch = 0xffffffffU;

  std::vector<std::uint32_t> patch_of;                 ///< per vertex; kNoPatch without triangles
  std::vector<AtlasPatch> patches;                     ///< numbered by first vertex
  std::vector<AtlasLink> links;                        ///< sorted
  std::vector<std::vector<std::uint32_t>> groups;      ///< bones with no cut between them; a group is never empty
  std::vector<std::uint32_t> group_of;                 ///< per bone of the problem
  std::vector<std::vector<std::uint32_t>> cuts_above;  ///< per patch: the cuts below which it lies
  std::vector<std::vector<std::uint32_t>> siblings;    ///< per cut: others that border on the same patch from below

  [[nodiscard]] bool is_below(std::uint32_t patch, std::uint32_t cut) const;
};

/// `cuts` as find_cuts() gives them. Patches grow over edges that no curve crosses; pieces that only touch at a vertex
/// stay apart, and the vertex goes to the one with more triangles at it.
[[nodiscard]] AtlasRegions find_regions(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton,
                                        const std::vector<AtlasCut>& cuts);

}  // namespace cutis
