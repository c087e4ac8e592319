// The tracking iteration vertex by vertex: backends/track.h.
#pragma once

#include "backends/track.h"

namespace cutis::scalar {

void track_control(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context);
void track_awake(TrackStep& step);
void track_narrow(const Rig& rig, float least, TrackStep& step);
void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                   TrackStep& step, const Context& context);
void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context);

}  // namespace cutis::scalar
