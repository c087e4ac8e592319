// A take: named points over time, as a motion capture system saw them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/types.h"

namespace cutis {

enum class PointKind {
  marker,      ///< a point in space
  model,       ///< output of a model, as the file itself says: angles, forces, moments, powers
  unlabelled,  ///< a trajectory that nobody named ("*115")
};

/// Named points over time, in metres, +Y up. A point that was not seen is NaN.
struct MarkerTake {
  std::string source;
  double rate = 0;  ///< frames a second, positive
  std::vector<std::string> names;
  std::vector<PointKind> kinds;  ///< as names
  std::size_t frames = 0;
  std::vector<Vec3d> positions;  ///< frame by frame, a position a name
  std::vector<float> residuals;  ///< as positions, metres; 0 where the file knows none
  std::string unit;              ///< as the file has it: "mm"
  char up = 'y';                 ///< the file's vertical axis, before it was turned: 'x', 'y' or 'z'

  [[nodiscard]] const Vec3d& at(std::size_t frame, std::size_t point) const {
    return positions[frame * names.size() + point];
  }
  [[nodiscard]] Vec3d& at(std::size_t frame, std::size_t point) { return positions[frame * names.size() + point]; }
  [[nodiscard]] bool seen(std::size_t frame, std::size_t point) const;
  [[nodiscard]] double seconds() const { return frames > 1 ? static_cast<double>(frames - 1) / rate : 0; }
  /// Index of a name, -1 when there is none. Subject prefixes ("Anna:LFHD") may be left out, case does not matter.
  [[nodiscard]] int find(std::string_view name) const;
};

/// The name without the subject in front of it: "Anna:LFHD" is "LFHD".
[[nodiscard]] std::string_view without_subject(std::string_view name);

}  // namespace cutis
