// Virtual captures: markers put on a character and moved by its own clips.
#pragma once

#include <string>
#include <vector>

#include "cutis/cutis.h"

namespace cutis::test {

/// A take with the 39 names of the Plug-in Gait set and no frames.
[[nodiscard]] MarkerTake plug_in_gait_names();

/// The usual places, moved to the nearest vertices.
[[nodiscard]] MarkerMap markers_on_vertices(const Character& character, const Context& context);

/// Where the markers of the map are over a clip, by dual quaternion skinning, at `frames` times.
[[nodiscard]] MarkerTake capture(const Character& character, const MarkerMap& map, const std::string& clip, int frames,
                                 const Context& context);

/// A take as a laboratory has it: markers of a set on the skin of somebody, each a little off its site (`habit`,
/// metres) and a centimetre above the skin, and `more` anywhere on it; noise of a millimetre, dropouts in bursts,
/// turned about the vertical, of a person of another size. Names are those of the set; the others are "X0", ...
struct TakeMaking {
  std::string set;
  double habit = 0.015, seconds = 3.3, rate = 120;
  int more = 0;
  std::uint64_t seed = 1;
};
[[nodiscard]] MarkerTake lab_take(const Character& character, const Clip& clip, const TakeMaking& making,
                                  const Context& context);
/// The same without names, in another order; `order`: which point of the take each is.
[[nodiscard]] MarkerTake without_names(const MarkerTake& take, std::uint64_t seed, std::vector<std::size_t>& order);

}  // namespace cutis::test
