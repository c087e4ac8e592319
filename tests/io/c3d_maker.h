// C3D files of every kind, made byte by byte, independently of the reader.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cutis/types.h"

namespace cutis::test {

enum class Processor { intel = 84, dec = 85, mips = 86 };

struct C3dPoint {
  Vec3d position;    ///< in the file's unit
  int residual = 0;  ///< negative: not seen
};

struct C3dSpec {
  Processor processor = Processor::intel;
  bool as_float = true;
  double scale = 0.1;  ///< positive; its sign in the file says whether points are floats
  double rate = 100;
  std::string unit = "mm";
  std::string y_screen = "+Z";  ///< empty: no such parameter
  std::vector<std::string> labels;
  std::vector<std::string> angles;  ///< names listed as model output
  std::vector<std::vector<C3dPoint>> frames;
  int analogue = 0;          ///< values a frame
  bool wide_frames = false;  ///< frame numbers beyond 16 bits in TRIAL, garbage in the header
  /// More parameters of one float, after all others (the last of a name counts): "USED" in POINT, "TRIAL:NAME" in
  /// TRIAL.
  std::vector<std::pair<std::string, double>> reals;
};

[[nodiscard]] std::string make_c3d(const C3dSpec& spec);

}  // namespace cutis::test
