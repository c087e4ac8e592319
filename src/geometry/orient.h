// Which side is out: triangles turned alike over each patch, and outward where the patch bounds a volume.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/types.h"
#include "geometry/topology.h"

namespace cutis {

struct Orientation {
  std::vector<std::uint8_t> turned;     ///< per triangle: its direction has to be reversed
  std::vector<std::uint8_t> two_sided;  ///< per triangle: part of a sheet or of a surface with one side only
  std::vector<std::uint32_t> patch;     ///< per triangle; triangles that repeat a vertex have kNoPatch
  struct Patch {
    std::uint32_t first_triangle = 0;
    std::size_t triangles = 0, turned = 0;
    bool closed = false, orientable = true, two_sided = false;
  };
  std::vector<Patch> patches;  ///< triangles joined by edges with exactly two of them

  static constexpr std::uint32_t kNoPatch = 0xffffffffU;
};

/// Works on any soup. A closed patch is turned so that its volume is positive; an open one too, unless it is flat or
/// otherwise undecided, in which case it keeps the direction of most of its triangles.
[[nodiscard]] Orientation find_orientation(std::span<const Vec3d> positions, const Topology& topology);

}  // namespace cutis
