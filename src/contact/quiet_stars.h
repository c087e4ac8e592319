// Vertices around which skin is so flat, and moves so little, that no two elements of its star can meet.
//
// Most pairs of triangles whose boxes overlap share a vertex, and hardly any of their elements come near each other.
// Seen along its mean normal, the star of a vertex (its triangles) is a fan: if all its triangles face the viewer and
// go around the vertex once, it covers no place twice. Then two of its elements without a common vertex are at least as
// far apart as the shortest height of its triangles, as they appear: a vertex of the rim is at least its height over
// the spokes beside it away from all that lies beyond these, edges that do not cross are nearest to each other at an
// end of one of them, and nothing appears farther apart than it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_surface.h"
#include "cutis/context.h"

namespace cutis {

class QuietStars {
 public:
  explicit QuietStars(const ContactSurface& surface);

  /// Of a step from `last` to `to`, seen from the parts, whose motions are `frame`; vertices may end within `pad` of
  /// `to`. Only parts that are `wanted` are looked at; the others have no quiet stars. `rounding`: of coordinates.
  void update(std::span<const Vec3f> last, std::span<const Vec3d> to, std::span<const float> pad,
              std::span<const Affine3d> frame, std::span<const char> wanted, double rounding, const Context& context);
  void clear();

  /// No two elements of the triangles at this vertex, seen from its part, come as near to each other as their ways and
  /// pads are long.
  [[nodiscard]] bool is_quiet(std::uint32_t vertex) const { return quiet_[vertex] != 0; }

 private:
  const ContactSurface& surface_;
  std::vector<float> way_;  // per vertex, metres, seen from its part
  std::vector<char> quiet_;
  std::vector<char> rigid_;  // per part: wanted, and its motion keeps distances
};

}  // namespace cutis
