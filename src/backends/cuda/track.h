// Tracking on the device: backends/track.h.
#pragma once

#include <memory>
#include <string_view>

#include "backends/track.h"

namespace cutis::cuda {

/// What the rig and the options ask for that is not here; empty: nothing.
[[nodiscard]] std::string_view missing(const Rig& rig, const TrackingOptions& options, const Context& context);
/// Throws Error(io) where there is no device.
[[nodiscard]] std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options,
                                                          const Context& context);

}  // namespace cutis::cuda
