// The C3D reader on damaged files: finite or missing points, or cutis::Error.
#include <cmath>
#include <cstdlib>

#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/c3d_maker.h"
#include "io/c3d_read.h"

namespace cutis::fuzz {

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() {
  std::vector<std::string> files;
  for (const test::Processor processor : {test::Processor::intel, test::Processor::dec, test::Processor::mips})
    for (const bool as_float : {true, false}) {
      test::C3dSpec spec;
      spec.processor = processor;
      spec.as_float = as_float;
      spec.labels = {"A:LFHD", "RFHD", "LKneeAngles"};
      spec.angles = {"LKneeAngles"};
      spec.frames = {{{{1, 2, 3}, 0}, {{4, 5, 6}, -1}, {{7, 8, 9}, 2}},
                     {{{1, 2, 3}, 0}, {{4, 5, 6}, 1}, {{7, 8, 9}, 2}}};
      spec.analogue = as_float ? 2 : 0;
      spec.wide_frames = processor == test::Processor::dec;
      files.push_back(make_c3d(spec));
    }
  return files;
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  try {
    const MarkerTake take = read_c3d_memory(bytes, "fuzz.c3d", context, {});
    if (take.positions.size() != take.frames * take.names.size() || take.kinds.size() != take.names.size())
      std::abort();
    for (const Vec3d& p : take.positions)
      for (int k = 0; k < 3; ++k)
        if (std::isinf(p[k]) || std::isnan(p[k]) != std::isnan(p.x)) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
