// The surface around each joint, closed by caps, so that its volume can be watched.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cutis/metrics.h"
#include "metrics/posed_surface.h"

namespace cutis {

/// Triangles around a joint and the loops that bound them. Any set of triangles has a boundary of closed loops (edges
/// counted with their direction), so that with a fan from each loop to its centroid it always encloses a volume, on
/// open and non-manifold meshes too.
struct CappedPatch {
  std::vector<std::uint32_t> triangles;
  std::vector<std::vector<std::uint32_t>> loops;  ///< welded vertices along the boundary, as the triangles run
};

[[nodiscard]] CappedPatch make_capped_patch(const Topology& topology, std::vector<std::uint32_t> triangles);

/// Signed; empty when a vertex is not finite.
[[nodiscard]] std::optional<double> volume(const CappedPatch& patch, const PosedSurface& surface,
                                           const Topology& topology);

struct JointRegions {
  std::vector<JointRegion> regions;
  std::vector<CappedPatch> patches;  ///< one per region
};

/// One per bone with a parent bone and a surface between them: the triangles at vertices whose two largest influences
/// are the two bones (the smaller at least a tenth), and those whose vertices belong to both. Regions that enclose next
/// to nothing at rest are left out. Empty without weights.
[[nodiscard]] JointRegions find_joint_regions(const Character& character, const WeldedCharacter& welded,
                                              const PosedSurface& rest);

}  // namespace cutis
