// Where markers without names are on a body, from the take itself.
//
// One frame in which the body stands upright is explained first: pose, scale and who is who are fitted together (rounds
// of least-cost assignment of points to anatomical sites, and of fitting the skeleton), from many facings and arm
// poses. Frames from the whole take then decide between the best explanations, and which bone each point is rigid with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cutis/marker_solver.h"
#include "volume/driven_skeleton.h"

namespace cutis {

struct NamelessMap {
  MarkerMap map;                      ///< `marker` is the name in the take; places are the usual ones of their sites
  std::string set;                    ///< the marker set that it looks like; empty: none
  std::vector<std::string> sites;     ///< of map.places; empty: on the skin somewhere
  std::vector<std::size_t> left_out;  ///< points of the take that belong to no bone
  double rms = 0;                     ///< of points from their sites in that frame, metres of the character
  std::size_t frame = 0;
  bool doubtful = false;  ///< points strewn over the skin would be as likely, or fewer than half are at sites
};

/// Fewer points than this are no body.
inline constexpr std::size_t kLeastNameless = 12;

/// The points that were measured: without those of computed frames (an origin and three points at right angles around
/// it in all frames, as models write beside their markers).
[[nodiscard]] std::vector<std::size_t> measured_points(const MarkerTake& take, std::span<const std::size_t> points);

/// `points`: of the take, those to explain. Throws Error(bad_argument) when no frame shows enough of them, or the
/// character has no sites.
[[nodiscard]] NamelessMap find_nameless_map(const Character& character, const DrivenSkeleton& skeleton,
                                            const MarkerTake& take, std::span<const std::size_t> points,
                                            const Context& context);

}  // namespace cutis
