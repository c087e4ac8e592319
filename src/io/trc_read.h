// TRC (Track Row Column): marker positions as a table of tab-separated text, as Motion Analysis and OpenSim write it.
#pragma once

#include <string>
#include <string_view>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

/// Throws Error with the line number. Empty cells and NaN are points that were not seen. Y is up unless told otherwise.
[[nodiscard]] MarkerTake read_trc(const std::string& path, const Context& context, const TakeOptions& options);
[[nodiscard]] MarkerTake read_trc_memory(std::string_view text, const std::string& name, const Context& context,
                                         const TakeOptions& options);

}  // namespace cutis
