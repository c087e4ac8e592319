// Tracking over packs of vertices: backends/track.h. In the fields of the parts, by conjugate gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/track_host.h"
#include "backends/track_step.h"

namespace cutis::simd {

/// Another part near vertices of a block.
struct alignas(64) TrackBlockNear {
  using Numbers = float[TrackPlaces::kBlock];
  Numbers contact, level, offset, value;  ///< TrackNear
  std::uint32_t bone = 0;
  bool joined = false;
  std::uint32_t lanes = 0, matters = 0;  ///< bits: near which; where it may decide the residual
};

/// Of a run of blocks, while their near parts are found.
struct TrackChunk {
  std::vector<TrackBlockNear> block_near;  ///< of one block
  std::vector<TrackOther> others;
};

/// Places of a run of live vertices, while they are projected in packs.
struct TrackRun {
  std::vector<std::uint32_t> pending;  ///< to be looked up where they are now
  std::vector<std::uint32_t> next;     ///< pending in the next round
};

/// Of the vertices of a block, while they relax: conjugate gradients. What does not live stays 0.
struct alignas(64) TrackRelaxed {
  using Numbers = float[TrackPlaces::kBlock];
  Numbers x[3], r[3], z[3], q[3], n[3];  ///< solution, residual, preconditioned, image of the direction; normal
  Numbers diagonal, bound, spring;       ///< spring: across the tangent plane
  Numbers stretch;                       ///< mean of the edges
};

/// The iteration in packs, by place: what it takes from TrackStep when a sub-step begins, and leaves there at its end.
struct TrackSystem {
  std::vector<TrackLive> live;            ///< blocks that hold live vertices, rising
  std::vector<std::uint16_t> active;      ///< per block: bits of active vertices
  std::vector<std::uint16_t> lanes;       ///< per block: of live ones
  std::vector<Float4> at;                 ///< position and mean stretch of the edges
  std::vector<Float4> start;              ///< where projection found the vertex
  std::vector<Float4> sample;             ///< residual and gradient
  std::vector<Float4> given;              ///< level, gap, where the other parts begin (bits), edge
  std::vector<Float4> blended;            ///< where smooth skinning puts it, and how firmly that holds
  std::vector<Float4> turn[3];            ///< columns of the target rotation
  std::vector<float> bound, free, moved;  ///< TrackStep
  std::vector<char> touching;             ///< ResidualSample
  std::vector<TrackRun> runs;
  // Relaxation.
  bool fresh = true;                       ///< `goal` is of the last sub-step
  std::vector<Float4> d;                   ///< direction; 0 where nothing lives
  std::vector<TrackRelaxed> blocks;        ///< per block
  std::vector<TrackLanes<float>> goal[3];  ///< per row: the edge as the target rotations want it
  std::vector<TrackLanes<float>> stretch;  ///< per row
  std::vector<TrackLanes<float>> weight;   ///< per row

  void resize(const TrackPlaces& places);
};

struct Step : TrackStep {
  std::vector<TrackChunk> chunks;
  std::size_t live_count = 0;
  TrackSystem system;
};

/// What a pass over blocks of places gets.
struct TrackPass {
  const Rig& rig;
  const TrackRest& rest;
  Step& step;
};

/// Target rotations and smooth skinning of all wanted vertices, by vertex and by place.
void blend_all(const Rig& rig, const TrackRest& rest, Step& step, const Context& context);
void track_control(const Rig& rig, const TrackRest& rest, Step& step, const Context& context);
/// Brings what the iteration takes to its places.
void track_awake(const Rig& rig, const TrackRest& rest, Step& step, const Context& context);
void track_narrow(const TrackRest& rest, float least, Step& step);
/// step.p and step.samples hold what the iteration came to.
void track_settle(const TrackRest& rest, Step& step, const Context& context);
void track_project(const TrackRest& rest, int steps, float limit, Step& step, const Context& context);
/// At most `inner` steps of conjugate gradients.
void track_relax(const Rig& rig, const TrackRest& rest, int inner, Step& step, const Context& context);

/// What of these options there is not in packs; empty: all is.
[[nodiscard]] std::string_view missing(const TrackingOptions& options);
[[nodiscard]] std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options,
                                                          const Context& context);

}  // namespace cutis::simd
