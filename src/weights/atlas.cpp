#include "cutis/error.h"
#include "weights/method.h"

namespace cutis {

WeightMatrix atlas_weights(const WeightProblem&, Fallbacks&, const Context&) {
  throw Error(ErrorCode::bad_argument, "weights", "the method 'atlas' is not built into this version; use 'heat'");
}

}  // namespace cutis
