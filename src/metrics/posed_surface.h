// The welded surface of one frame, with what no metric can use taken out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "character/welded_character.h"
#include "cutis/types.h"

namespace cutis {

struct PosedSurface {
  std::vector<Vec3f> positions;       ///< per welded vertex; 0 where it is not finite
  std::vector<std::uint8_t> finite;   ///< per welded vertex
  std::vector<std::uint32_t> usable;  ///< triangles with three different, finite corners and an area (exactly) > 0
  std::size_t nonfinite_inputs = 0;
  double seam_gap = 0;  ///< largest distance between finite copies of one welded vertex
};

/// `positions` in the input's order; a welded vertex is where its first copy is.
[[nodiscard]] PosedSurface pose_surface(const WeldedCharacter& welded, std::span<const Vec3f> positions);

}  // namespace cutis
