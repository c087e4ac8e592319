// The tracking iteration over packs of vertices, bit for bit the scalar one: backends/track.h.
#pragma once

#include "backends/track.h"

namespace cutis::simd {

/// In the fields of the parts.
void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, TrackStep& step,
                   const Context& context);
/// By conjugate gradients, options.inner steps at most.
void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context);

}  // namespace cutis::simd
