// From a laboratory's axes and units to metres with +Y up.
#pragma once

#include <string>
#include <string_view>

#include "cutis/context.h"
#include "cutis/types.h"

namespace cutis {

/// Metres a unit; millimetres, with a warning, when `unit` is empty or not known.
[[nodiscard]] double metres_of_unit(std::string_view unit, const std::string& file, const Context& context);

/// Turns axis `up` ('x', 'y', 'z') into +Y; handedness is kept.
[[nodiscard]] inline Vec3d to_scene(const Vec3d& p, char up) {
  if (up == 'z') return {p.x, p.z, -p.y};
  if (up == 'x') return {-p.y, p.x, p.z};
  return p;
}

}  // namespace cutis
