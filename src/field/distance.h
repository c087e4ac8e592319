// What every shape of a part answers: a distance, negative inside, with its gradient, which points outward.
#pragma once

#include "cutis/types.h"

namespace cutis {

struct DistanceSample {
  double value = 0;  ///< metres; for an HRBF a distance near its samples only
  Vec3d gradient;
};

}  // namespace cutis
