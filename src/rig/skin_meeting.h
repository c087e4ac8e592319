// What contact tells relief.
#pragma once

#include <cstdint>

#include "cutis/types.h"

namespace cutis {

/// Skins of two parts that are in each other, as posed.
struct SkinMeeting {
  std::uint32_t a = 0, b = 0;
  Vec3d at;    ///< the middle of the triangles that meet, metres
  Vec3d away;  ///< where `a` has to go: the more skin says so, the longer; square metres
};

}  // namespace cutis
