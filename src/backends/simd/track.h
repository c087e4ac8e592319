// The tracking iteration over packs of vertices: backends/track.h. In the fields of the parts, by conjugate gradients.
#pragma once

#include "backends/track.h"

namespace cutis::simd {

/// What a pass over blocks of places gets.
struct TrackPass {
  const Rig& rig;
  const TrackRest& rest;
  TrackStep& step;
};

/// Target rotations and smooth skinning of all wanted vertices, by vertex and by place.
void blend_all(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context);
void track_control(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context);
/// Brings what the iteration takes to its places.
void track_awake(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context);
void track_narrow(const TrackRest& rest, float least, TrackStep& step);
void track_settle(const TrackRest& rest, TrackStep& step, const Context& context);
void track_project(const TrackRest& rest, int steps, float limit, TrackStep& step, const Context& context);
/// At most `inner` steps of conjugate gradients.
void track_relax(const Rig& rig, const TrackRest& rest, int inner, TrackStep& step, const Context& context);

}  // namespace cutis::simd
