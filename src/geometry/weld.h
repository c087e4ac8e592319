// Welding: vertices that a file splits at UV and normal seams become one again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

struct Weld {
  std::vector<std::uint32_t> welded_of;  ///< per input vertex: its welded vertex
  std::vector<std::uint32_t> first_of;   ///< per welded vertex: the first input vertex that it stands for
};

/// Merges vertices of equal position (-0 equals 0; no tolerance: seam copies are exact) for which `compatible(a, b)`
/// holds, a being the first vertex of the group. Welded vertices are numbered by first appearance.
[[nodiscard]] Weld weld(std::span<const Vec3f> positions,
                        const std::function<bool(std::uint32_t, std::uint32_t)>& compatible = {});

/// Triangles in welded numbering, in the input's order, with a repeated vertex where welding collapsed one.
[[nodiscard]] std::vector<Triangle> weld_triangles(const Weld& weld, std::span<const Triangle> triangles);

}  // namespace cutis
