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

}  // namespace cutis::test
