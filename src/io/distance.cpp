#include "io/distance.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {

// Float coordinates are placed to 6e-8 of their distance from the origin: far away a shape becomes coarse, then a
// point.
void check_distance(const Character& character, const Context& context) {
  constexpr double kFarInSizes = 1e4, kFloatSpacing = 6e-8;
  const Box box = character.bounds();
  if (box.empty()) return;
  const Vec3d extent = box.hi - box.lo;
  const double size = std::max({extent.x, extent.y, extent.z});
  const double away = std::max({std::abs(box.lo.x), std::abs(box.lo.y), std::abs(box.lo.z), std::abs(box.hi.x),
                                std::abs(box.hi.y), std::abs(box.hi.z)});
  if (size > 0 && kFloatSpacing * away > size)
    throw Error(ErrorCode::bad_character, character.source,
                fmt::format("lies {:.3g} times its size away from the origin, where float coordinates cannot hold its "
                            "shape; move it nearer",
                            away / size));
  if (size > 0 && away > kFarInSizes * size)
    context.warn(
        fmt::format("{}: lies {:.3g} times its size away from the origin, where its vertices have places only "
                    "to {:.2g}% of its size; move it nearer",
                    character.source, away / size, 100 * kFloatSpacing * away / size));
}

}  // namespace cutis
