// Live vertices by the blocks of their places.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "backends/track.h"

namespace cutis::simd {

/// Fills TrackStep::live_blocks unless it is listed already.
void list_live_blocks(const TrackRest& rest, TrackStep& step);

/// body(lane, vertex, number among the active) for the live vertices of a block.
template <class Body>
void each_live(const TrackRest& rest, const TrackStep& step, const TrackLive& live, Body&& body) {
  const std::uint32_t* const vertex = &rest.places.vertex[live.block * TrackPlaces::kBlock];
  for (std::uint32_t left = live.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    body(lane, vertex[lane], static_cast<std::uint32_t>(step.slot[vertex[lane]]));
  }
}

}  // namespace cutis::simd
