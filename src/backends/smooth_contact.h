// ALL VERTICES: smoothing of the skin around contact (Implicit §3.5.3), for every method that has contact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/track_rest.h"
#include "cutis/context.h"
#include "rig/rig.h"

namespace cutis {

/// Arrays of welded vertices that it works on; `next_beta` and `next_positions` are scratch.
struct ContactSmoothing {
  std::vector<float>& beta;  ///< in: 1 where contact holds the vertex, 0 elsewhere; out: how strongly it is smoothed
  std::vector<float>& next_beta;
  std::vector<Vec3f>& positions;  ///< in and out
  std::vector<Vec3f>& next_positions;
  std::vector<std::uint32_t>& around;  ///< out: active vertices that contact spreads to
};

/// Spreads beta over neighbours, then goes towards their mean `passes` times. Active vertices alone move.
void smooth_contact(const Rig& rig, const TrackRest& rest, std::span<const std::uint32_t> active, int passes,
                    const ContactSmoothing& skin, const Context& context);

}  // namespace cutis
