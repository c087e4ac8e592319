#include "backends/simd/live_blocks.h"

namespace cutis::simd {

void list_live_blocks(const TrackRest& rest, TrackStep& step) {
  constexpr std::uint32_t kBlock = TrackPlaces::kBlock;
  if (!step.live_blocks.empty()) return;
  std::vector<std::uint16_t>& lanes = step.block_lanes;
  lanes.assign(rest.places.blocks(), 0);
  for (const std::uint32_t a : step.live) {
    const std::uint32_t place = rest.places.place[step.active[a]];
    lanes[place / kBlock] = static_cast<std::uint16_t>(lanes[place / kBlock] | 1U << place % kBlock);
  }
  for (std::uint32_t block = 0; block < lanes.size(); ++block)
    if (lanes[block] != 0) step.live_blocks.push_back({block, lanes[block]});
}

}  // namespace cutis::simd
