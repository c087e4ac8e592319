// Pieces of the skin whose edges span their parts, and how rough a shape of them is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rig/rig.h"

namespace cutis {

class CoarseSkin {
 public:
  CoarseSkin() = default;
  /// `piece`: per welded vertex, coarse_pieces().
  CoarseSkin(const RigSurface& surface, std::span<const std::uint32_t> piece);

  /// Number of pieces.
  [[nodiscard]] std::size_t size() const { return vertices_.begin.empty() ? 0 : vertices_.begin.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> vertices(std::size_t piece) const { return vertices_.row(piece); }
  /// Of the surface at these positions: root mean square of what angles between faces differ from those at rest by,
  /// edges weighted by their length at rest, degrees; as the metric of that name. Edges with an end in `leave_out` (per
  /// vertex) do not count; empty without any that do.
  [[nodiscard]] std::optional<float> roughness(std::size_t piece, std::span<const Vec3f> positions,
                                               std::span<const char> leave_out) const;
  /// The longest edge, in those at rest; edges shorter than a quarter of those around them count as that long.
  [[nodiscard]] float longest(std::size_t piece, std::span<const Vec3f> positions) const;

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0, left = 0, right = 0;  ///< its ends, and the third corners of its triangles
    float angle = 0, length = 0;                      ///< at rest
    float counts = 0;                                 ///< length, or what a short one counts as
  };
  RigRows vertices_;                      // per piece
  std::vector<Edge> edges_;               // piece by piece
  std::vector<std::size_t> edges_begin_;  // per piece and one more
};

}  // namespace cutis
