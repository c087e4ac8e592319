#include "cutis/error.h"
#include "weights/method.h"

namespace cutis {

WeightMatrix heat_weights(const WeightProblem&, Fallbacks&, const Context&) {
  throw Error(ErrorCode::bad_argument, "weights", "the method 'heat' is not built into this version");
}

}  // namespace cutis
