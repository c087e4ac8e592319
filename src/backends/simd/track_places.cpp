// Between TrackStep's arrays, by vertex and active vertex, and the places that packs work on.
#include <algorithm>
#include <bit>

#include "backends/simd/track.h"
#include "base/parallel_for.h"

namespace cutis::simd {
namespace {

constexpr std::size_t kBlock = TrackPlaces::kBlock;
constexpr std::size_t kGrain = 64;  // blocks

Float4 row(const Vec3f& v, float last) { return {v.x, v.y, v.z, last}; }

// The blocks of live vertices, and how many these are.
void list_live(Step& step) {
  TrackSystem& sys = step.system;
  sys.live.clear();
  step.live_count = 0;
  for (std::uint32_t block = 0; block < sys.lanes.size(); ++block) {
    if (sys.lanes[block] == 0) continue;
    sys.live.push_back({block, sys.lanes[block]});
    step.live_count += static_cast<std::size_t>(std::popcount(sys.lanes[block]));
  }
}

}  // namespace

void TrackSystem::resize(const TrackPlaces& places) {
  if (blocks.size() == places.blocks()) return;
  for (auto* rows : {&at, &start, &sample, &given, &blended, &turn[0], &turn[1], &turn[2], &d})
    rows->assign(places.vertex.size(), {});
  for (auto* numbers : {&bound, &free, &moved}) numbers->assign(places.vertex.size(), 0.0F);
  touching.assign(places.vertex.size(), 0);
  active.assign(places.blocks(), 0);
  lanes.assign(places.blocks(), 0);
  blocks.assign(places.blocks(), {});
  for (auto* rows : {&goal[0], &goal[1], &goal[2], &stretch, &weight}) rows->assign(places.link.size(), {});
}

void track_awake(const Rig& rig, const TrackRest& rest, Step& step, const Context& context) {
  const RigSurface& s = rig.surface;
  const TrackPlaces& places = rest.places;
  TrackSystem& sys = step.system;
  sys.resize(places);
  sys.fresh = true;
  parallel_for(context, places.blocks(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      std::uint32_t active = 0;
      for (std::size_t place = block * kBlock; place < (block + 1) * kBlock; ++place) {
        const std::uint32_t v = places.vertex[place];
        if (v == TrackPlaces::kNone) break;  // the last of a part
        if (step.is_wanted[v] == 0) continue;
        sys.at[place] = row(step.p[v], 1);
        if (step.slot[v] < 0) continue;
        const auto a = static_cast<std::size_t>(step.slot[v]);
        active |= 1U << place % kBlock;
        const float stiffness = rest.stiffness.empty() ? 0.0F : rest.stiffness[v];
        sys.given[place] = {step.level[a], rest.gap[v], std::bit_cast<float>(step.other_begin[a]), s.edge[v]};
        sys.blended[place].v[3] = step.hold[a] * (1 - stiffness);
        sys.bound[place] = step.bound[a];
        sys.sample[place] = {};
        sys.free[place] = sys.moved[place] = 0;
        sys.touching[place] = 0;
      }
      sys.active[block] = sys.lanes[block] = static_cast<std::uint16_t>(active);
    }
  });
  list_live(step);
}

void track_narrow(const TrackRest& rest, float least, Step& step) {
  const TrackPlaces& places = rest.places;
  TrackSystem& sys = step.system;
  std::ranges::fill(sys.lanes, std::uint16_t{0});
  const auto wake = [&](std::size_t block, std::uint32_t bits) {
    sys.lanes[block] = static_cast<std::uint16_t>(sys.lanes[block] | bits);
  };
  for (const TrackLive& live : sys.live) {
    std::uint32_t moving = 0;
    for (std::uint32_t left = live.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      if (!(sys.moved[live.block * kBlock + lane] >= least)) continue;
      moving |= 1U << lane;
      for (std::uint32_t r = places.rows[live.block]; r < places.rows[live.block + 1]; ++r) {
        const std::uint32_t there = places.link[r].v[lane] / 4;  // padded with the vertex itself
        wake(there / kBlock, 1U << there % kBlock);
      }
    }
    wake(live.block, moving);
  }
  for (std::size_t block = 0; block < sys.lanes.size(); ++block) sys.lanes[block] &= sys.active[block];
  list_live(step);
}

void track_settle(const TrackRest& rest, Step& step, const Context& context) {
  const TrackSystem& sys = step.system;
  parallel_for(context, step.active.size(), kGrain * kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a], place = rest.places.place[v];
      const Float4 &at = sys.at[place], &s = sys.sample[place];
      step.p[v] = {at[0], at[1], at[2]};
      step.samples[a] = {s[0], {s[1], s[2], s[3]}, true, sys.touching[place] != 0, sys.free[place]};
    }
  });
}

}  // namespace cutis::simd
