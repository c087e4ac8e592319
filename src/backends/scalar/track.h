// Tracking vertex by vertex: backends/track.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/track_host.h"
#include "backends/track_step.h"

namespace cutis::scalar {

/// Another part that may be felt at a vertex.
struct TrackNear {
  TrackOther other;
  float value = 0;      ///< of a joined part: its field where the skin is
  bool matters = true;  ///< may decide the residual in this sub-step
};

/// Of a run of active vertices, while their near parts are found.
struct TrackChunk {
  std::vector<TrackNear> near;  ///< of one vertex
  std::vector<TrackOther> others;
};

/// Per active vertex unless said otherwise.
struct Step : TrackStep {
  std::vector<TrackChunk> chunks;
  std::vector<std::uint32_t> live;  ///< numbers of those that still move, and of their neighbours; rising
  std::vector<float> moved;         ///< in the last relaxation or projection, the longer one, local edges
  std::vector<char> awake;
  // Relaxation.
  std::vector<Vec3f> x, r, d, q, n;
  std::vector<float> diagonal;
  std::vector<float> weight;   // per neighbour
  std::vector<float> stretch;  // per vertex: mean of its edges
};

void track_control(const Rig& rig, const TrackRest& rest, Step& step, const Context& context);
void track_awake(Step& step);
void track_narrow(const Rig& rig, float least, Step& step);
void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                   Step& step, const Context& context);
void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, Step& step,
                 const Context& context);

[[nodiscard]] std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options,
                                                          const Context& context);

}  // namespace cutis::scalar
