// The TRC reader on damaged files: finite or missing points, or cutis::Error.
#include <cmath>
#include <cstdlib>

#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/trc_read.h"

namespace cutis::fuzz {

Shape shape() { return Shape::text; }

std::vector<std::string> seeds() {
  return {
      "PathFileType\t4\t(X/Y/Z)\ttake.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\t"
      "OrigDataStartFrame\tOrigNumFrames\n100\t100\t2\t2\tmm\t100\t1\t2\nFrame#"
      "\tTime\tLFHD\t\t\tRFHD\t\t\n\t\tX1\tY1\tZ1\t"
      "X2\tY2\tZ2\n\n1\t0.00\t1\t2\t3\t4\t5\t6\n2\t0.01\t1.5\t2.5\t3.5\t\t\t\n"};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  try {
    const MarkerTake take = read_trc_memory(bytes, "fuzz.trc", context, {});
    if (take.positions.size() != take.frames * take.names.size()) std::abort();
    for (const Vec3d& p : take.positions)
      for (int k = 0; k < 3; ++k)
        if (std::isinf(p[k]) || std::isnan(p[k]) != std::isnan(p.x)) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
