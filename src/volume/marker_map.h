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

/// A character scaled and posed to one frame of a take.
struct FittedFrame {
  BonePose pose;
  double scale = 1, rms = 0;           ///< of the take; metres of the character
  std::size_t frame = 0, markers = 0;  ///< the frame that shows most, of those the first; how many it shows
};
/// `point`: of the take, of each marker, -1: none. Throws Error when no frame shows three.
[[nodiscard]] FittedFrame fit_to_take(const Character& character, const DrivenSkeleton& skeleton,
                                      std::span<const BoneMarker> markers, std::span<const int> point,
                                      std::span<const double> weights, const MarkerTake& take);

}  // namespace cutis
