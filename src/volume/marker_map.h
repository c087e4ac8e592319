// Where markers are on a character: the usual places of the 39-marker set, and fitting to a static trial.
#pragma once

#include <span>
#include <vector>

#include "cutis/marker_solver.h"
#include "volume/body_roles.h"
#include "volume/pose_fit.h"
#include "volume/solid.h"

namespace cutis {

/// The bone that a place moves with, and the place at rest.
struct PlacedMarker {
  BoneMarker on_bone;
  Vec3d p_rest;
};

/// Throws Error(bad_argument) when a bone or vertex is not there.
[[nodiscard]] PlacedMarker place_marker(const Character& character, const DrivenSkeleton& skeleton,
                                        const MarkerPlace& place);

}  // namespace cutis
