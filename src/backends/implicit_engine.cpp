// The stages of implicit skinning over all blocks of places: what is done vertex by vertex or in packs is the back
// end's, who takes part and what a frame shows is said here.
#include "backends/implicit_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backends/engine.h"
#include "backends/implicit_pass.h"
#include "backends/lane_sums.h"
#include "backends/scalar/grain.h"
#include "backends/scalar/implicit.h"
#include "backends/simd/implicit.h"
#include "backends/smooth_contact.h"
#include "base/parallel_for.h"
#include "kernels/mean_value.h"

namespace cutis {
namespace {

constexpr std::size_t kBlock = TrackPlaces::kBlock;

std::size_t chunks_of(const ImplicitRest& rest) {
  return (rest.places().blocks() + kImplicitBlocks - 1) / kImplicitBlocks;
}

// body(run, chunk)
template <class Body>
void each_chunk(const ImplicitRest& rest, const Context& context, const Body& body) {
  parallel_for(context, rest.places().blocks(), kImplicitBlocks, [&](std::size_t begin, std::size_t end) {
    body(BlockRun{begin, end}, begin / kImplicitBlocks);
  });
}

// A device has no stages of this method: what it does not skin goes in packs.
bool in_packs(const Context& context) { return context.backend() != Backend::scalar; }

// Not where no field reaches, and not where smoothing around contact has taken the vertex off its surface.
bool has_residual(const ImplicitVertices& vertices, std::size_t place) {
  const VertexState state = vertices.state[place];
  return state != VertexState::outside &&
         (state != VertexState::contact || std::abs(vertices.sample[place][0]) <= kSmoothTolerance);
}

// One ring more.
void grow(const ImplicitRest& rest, const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to,
          const Context& context) {
  const TrackPlaces& places = rest.places();
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    for (std::size_t block = run.begin; block < run.end; ++block) {
      std::uint32_t grown = from[block];
      for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row)
        each_place(block, rest.filled_lanes[block] & ~grown, [&](std::size_t place) {
          const std::uint32_t u = places.link[row].v[place % kBlock] / 4;
          grown |= (from[u / kBlock] >> u % kBlock & 1U) << place % kBlock;
        });
      to[block] = grown;
    }
  });
}

// Whether a part and all others that are near it, or reach it at rest, move as one.
bool is_still(const ImplicitPass& pass, std::uint32_t b) {
  const std::size_t bones = pass.rig.bones.size();
  const PartPair* const pairs = pass.pose.pairs.data() + b * bones;
  for (const BoxBlock& boxes : pass.pose.meet.row(b))
    for (int i = 0; i < 4; ++i)
      if (boxes.lo[0][i] <= boxes.hi[0][i] && !pairs[boxes.bone[i]].still) return false;
  for (std::size_t k = 0; k < bones; ++k)
    if (pass.rest.track.reaches[b * bones + k] != 0 && !pairs[k].still) return false;
  return true;
}

// vertices.flags: all that a bone owns, but in blocks where nothing moves against anything.
void mark_restless(const ImplicitPass& pass) {
  const ImplicitRest& rest = pass.rest;
  const TrackPlaces& places = rest.places();
  std::uint32_t last = RigSurface::kNoBone;
  bool still = false;
  for (std::size_t block = 0; block < places.blocks(); ++block) {
    const std::uint32_t b = places.owner[block];
    if (b != RigSurface::kNoBone && b != last) still = is_still(pass, b);
    last = b;
    const float least = b == RigSurface::kNoBone ? 0.0F : field_constants::kStillEdges * rest.track.least_edge[b];
    const bool rests = still && pass.vertices.ways[block] <= least * least;
    pass.vertices.flags[block] = rests ? 0 : rest.owned[block];
  }
}

void reset(const ImplicitRest& rest, const BlockRun& run, std::size_t chunk, ImplicitVertices& vertices) {
  vertices.near[chunk].assign(1, {.other = {.part = TrackOther::kNoPart}});  // the row of those that nothing is near
  for (std::size_t block = run.begin; block < run.end; ++block) vertices.active[block] = 0;
  for (std::size_t place = run.begin * kBlock; place < run.end * kBlock; ++place) {
    vertices.positions[place] = vertices.initial[place];
    vertices.sample[place] = Float4();
    vertices.touching[place] = vertices.started[place] = 0;
    vertices.given[place] = {0, rest.lengths[place][0], 0, rest.lengths[place][1]};
    vertices.near_count[place] = 0;
    vertices.blends[place] = 0;
    vertices.wanted[place] = vertices.initial[place];
    vertices.met[place] = Float4();
    vertices.state[place] =
        (rest.owned[place / kBlock] >> place % kBlock & 1U) != 0 ? VertexState::rigid : VertexState::outside;
  }
}

// vertices.shown: where all of them are now.
void show_vertices(const ImplicitRest& rest, ImplicitVertices& vertices, const Context& context) {
  const TrackPlaces& places = rest.places();
  parallel_for(context, places.place.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) vertices.shown[v] = narrow(vertices.positions[places.place[v]]);
  });
}

}  // namespace

void ImplicitVertices::resize(const ImplicitRest& rest) {
  const std::size_t n = rest.places().place.size(), places_count = rest.places().vertex.size(),
                    block_count = rest.places().blocks(), chunks = chunks_of(rest);
  for (auto* list : {&carried, &initial, &positions, &sample, &turn[0], &turn[1], &turn[2], &pull, &given, &wanted,
                     &met, &normals, &d})
    list->assign(places_count, Float4());
  for (auto* list : {&free, &start_residual, &hold}) list->assign(places_count, 0.0F);
  for (auto* list : {&reached, &touching, &started, &blends}) list->assign(places_count, 0);
  state.assign(places_count, VertexState::rigid);
  near_count.assign(places_count, 0);
  near.resize(chunks);
  near_blocks.resize(chunks);
  deep.resize(chunks);
  evaluations.resize(chunks);
  for (auto* list : {&active, &around, &flags, &moved}) list->assign(block_count, 0);
  sliding.reserve(block_count);
  blocks.assign(block_count, {});
  for (auto* list : {&shown, &scratch}) list->assign(n, Vec3f{});
  for (auto* list : {&beta, &beta_scratch}) list->assign(n, 0.0F);
  ways.assign(block_count, 0.0F);
  sizes.reserve(n);
  smoothed.reserve(n);
  vertices.reserve(n);
}

void start_vertices(const ImplicitRest& rest, std::span<const Affine3f> motions, std::span<const Vec3f> guess,
                    ImplicitVertices& vertices, std::span<float> ways, const Context& context) {
  const TrackPlaces& places = rest.places();
  const auto start = [&](std::size_t block) {
    const std::uint32_t b = places.owner[block];
    const Affine3f motion = b == RigSurface::kNoBone ? Affine3f{} : motions[b];
    const Float4 x = wide(motion.linear.col[0]), y = wide(motion.linear.col[1]), z = wide(motion.linear.col[2]),
                 t = wide(motion.translation);
    float way = 0;
    each_place(block, rest.filled_lanes[block], [&](std::size_t place) {
      const Float4 &p = places.rest[place], at = wide(guess[rest.source[place]]);
      const Float4 carried = x * Float4(p[0]) + y * Float4(p[1]) + z * Float4(p[2]) + t, off = at - carried;
      vertices.initial[place] = at;
      vertices.carried[place] = carried;
      way = std::max(way, dot(off, off));
    });
    vertices.ways[block] = way;
  };
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    for (std::size_t block = run.begin; block < run.end; ++block) start(block);
  });
  std::fill(ways.begin(), ways.end(), 0.0F);
  for (std::size_t block = 0; block < places.blocks(); ++block)
    if (const std::uint32_t b = places.owner[block]; b != RigSurface::kNoBone)
      ways[b] = std::max(ways[b], vertices.ways[block]);
  for (float& way : ways) way = std::sqrt(way);
}

void find_deep_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                        const Context& context) {
  const ImplicitPass pass{rig, rest, pose, vertices};
  const bool packs = in_packs(context);
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t chunk) {
    vertices.deep[chunk].clear();
    (packs ? simd::implicit_deep : scalar::implicit_deep)(pass, run, vertices.deep[chunk]);
  });
}

void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int rings,
                     ImplicitVertices& vertices, const Context& context) {
  const TrackPlaces& places = rest.places();
  const ImplicitPass pass{rig, rest, pose, vertices};
  const bool packs = in_packs(context) && !pose.composed;
  mark_restless(pass);
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t chunk) {
    reset(rest, run, chunk, vertices);
    (packs ? simd::implicit_near : scalar::implicit_near)(pass, run);
  });
  for (int ring = 0; ring < rings; ++ring) {
    grow(rest, vertices.active, vertices.around, context);
    vertices.active.swap(vertices.around);
  }
  // Rings may reach skin that nothing was looked up for.
  for (std::size_t block = 0; block < places.blocks(); ++block)
    vertices.flags[block] = vertices.flags[block] == 0 ? vertices.active[block] & rest.owned[block] : 0;
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    (packs ? simd::implicit_near : scalar::implicit_near)(pass, run);
  });
  vertices.active_count = 0;
  vertices.tolerance = 0;
  for (std::size_t block = 0; block < places.blocks(); ++block) {
    const std::uint32_t bone = places.owner[block];
    // A part that its bone has scaled to nothing has no field: its skin stays where the initial guess has it.
    const bool has_part = bone != RigSurface::kNoBone && (pose.parts.fields[bone].nodes != nullptr ||
                                                          rig.fields[bone].empty() || rest.track.flat[bone] != 0);
    if (!has_part) vertices.active[block] = 0;
    vertices.moved[block] = vertices.active[block];
    vertices.active_count += static_cast<std::size_t>(std::popcount(vertices.active[block]));
  }
}

void set_targets(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                 const Context& context) {
  const ImplicitPass pass{rig, rest, pose, vertices};
  grow(rest, vertices.active, vertices.around, context);
  const bool packs = in_packs(context);
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    (packs && !pose.stretched() ? simd::implicit_turns : scalar::implicit_turns)(pass, run);
  });
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    (packs ? simd::implicit_targets : scalar::implicit_targets)(pass, run);
  });
}

std::size_t project_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int steps,
                             float tolerance, ImplicitVertices& vertices, const Context& context) {
  const ImplicitPass pass{rig, rest, pose, vertices};
  const bool packs = in_packs(context) && !pose.composed;
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t chunk) {
    for (std::size_t block = run.begin; block < run.end; ++block)
      each_place(block, vertices.active[block] & ~rest.track.tracked_lanes[block],
                 [&](std::size_t place) { vertices.state[place] = VertexState::outside; });
    vertices.evaluations[chunk] =
        (packs ? simd::implicit_project : scalar::implicit_project)(pass, steps, tolerance, run);
  });
  vertices.tolerance = tolerance;
  return std::accumulate(vertices.evaluations.begin(), vertices.evaluations.end(), std::size_t{0});
}

void slide_all(ImplicitVertices& vertices) {
  vertices.sliding.clear();
  for (std::uint32_t block = 0; block < vertices.active.size(); ++block)
    if (vertices.active[block] != 0) vertices.sliding.push_back({block, vertices.active[block]});
}

void slide_vertices(const ImplicitRest& rest, int steps, ImplicitVertices& vertices, const Context& context) {
  const TrackPlaces& places = rest.places();
  (in_packs(context) ? simd::implicit_slide : scalar::implicit_slide)(rest, steps, vertices, context);
  parallel_for(context, vertices.sliding.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    (in_packs(context) ? simd::implicit_take : scalar::implicit_take)(rest, vertices, begin, end);
  });
  std::fill(vertices.flags.begin(), vertices.flags.end(), 0U);
  for (const TrackLive& live : vertices.sliding) {
    vertices.flags[live.block] |= vertices.around[live.block];
    each_place(live.block, vertices.around[live.block], [&](std::size_t place) {
      for (std::uint32_t row = places.rows[live.block]; row < places.rows[live.block + 1]; ++row) {
        const std::uint32_t u = places.link[row].v[place % kBlock] / 4;
        vertices.flags[u / kBlock] |= 1U << u % kBlock;
      }
    });
  }
  for (TrackLive& live : vertices.sliding) live.lanes &= vertices.flags[live.block];
  std::erase_if(vertices.sliding, [](const TrackLive& live) { return live.lanes == 0; });
}

void relax_vertices(const Rig& rig, const ImplicitRest& rest, ImplicitVertices& vertices, const Context& context) {
  const RigRows& ring = rig.surface.neighbours;
  show_vertices(rest, vertices, context);
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    for (std::size_t block = run.begin; block < run.end; ++block)
      each_place(block, vertices.active[block], [&](std::size_t place) {
        const std::uint32_t v = rest.places().vertex[place];
        const std::uint32_t first = ring.begin[v], count = ring.begin[v + 1] - first;
        // A ring without weights (border, needles) does not pull.
        const bool held = count == 0 || rest.mean_value[first] == 0;
        const float mu = held ? 0 : relaxation_strength(vertices.start_residual[place]);
        if (!(mu > 0)) return;
        const Float4& s = vertices.sample[place];
        const Vec3f& p = vertices.shown[v];
        const Vec3f q = relax_towards_ring(p, normalized(Vec3f{s[1], s[2], s[3]}), vertices.shown.data(),
                                           ring.items.data() + first, rest.mean_value.data() + first, count, mu);
        if (!(distance(p, q) > kNoMove * rig.surface.edge[v])) return;
        vertices.positions[place] = wide(q);
        vertices.moved[block] |= 1U << place % kBlock;
        vertices.started[place] = 0;
      });
  });
}

void smooth_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int passes,
                     ImplicitVertices& vertices, const Context& context) {
  const TrackPlaces& places = rest.places();
  std::fill(vertices.beta.begin(), vertices.beta.end(), 0.0F);
  vertices.vertices.clear();
  bool any = false;
  for (std::size_t block = 0; block < places.blocks(); ++block)
    each_place(block, vertices.active[block], [&](std::size_t place) {
      vertices.vertices.push_back(places.vertex[place]);
      if (vertices.touching[place] == 0) return;
      vertices.beta[places.vertex[place]] = 1;
      any = true;
    });
  if (!any || passes <= 0) return;
  show_vertices(rest, vertices, context);
  smooth_contact(rig, rest.track, vertices.vertices, passes,
                 {vertices.beta, vertices.beta_scratch, vertices.shown, vertices.scratch, vertices.smoothed}, context);
  std::fill(vertices.flags.begin(), vertices.flags.end(), 0U);
  for (const std::uint32_t v : vertices.smoothed) {
    if (!(vertices.beta[v] > 0)) continue;
    const std::uint32_t place = places.place[v];
    vertices.positions[place] = wide(vertices.shown[v]);
    vertices.flags[place / kBlock] |= 1U << place % kBlock & rest.track.tracked_lanes[place / kBlock];
  }
  const ImplicitPass pass{rig, rest, pose, vertices};
  const bool packs = in_packs(context) && !pose.composed;
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    (packs ? simd::implicit_assess : scalar::implicit_assess)(pass, run);
  });
}

// Normals: the surface's, plus what the file's normal differed by at rest (hard edges, painted normals), carried by the
// bone.
void finish_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose,
                     std::span<const Quatd> rotations, ImplicitVertices& vertices, std::span<Vec3f> positions,
                     Frame& frame, const Context& context) {
  const TrackPlaces& places = rest.places();
  const ImplicitPass pass{rig, rest, pose, vertices};
  each_chunk(rest, context, [&](const BlockRun& run, std::size_t) {
    (in_packs(context) ? simd::implicit_normals : scalar::implicit_normals)(pass, run);
  });
  vertices.rotations.resize(rotations.size());
  for (std::size_t b = 0; b < rotations.size(); ++b) vertices.rotations[b] = convert<float>(to_matrix(rotations[b]));
  parallel_for(context, rig.vertex_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = places.place[rig.surface.welded_of[i]];
      frame.states[i] = vertices.state[place];
      frame.residuals[i] =
          has_residual(vertices, place) ? vertices.sample[place][0] : std::numeric_limits<float>::quiet_NaN();
      if ((vertices.active[place / kBlock] >> place % kBlock & 1U) == 0) continue;
      positions[i] = narrow(vertices.positions[place]);
      const Vec3f turned = vertices.rotations[places.owner[place / kBlock]] * rest.differs[i];
      frame.normals[i] = normalized(narrow(vertices.normals[place]) + turned, frame.normals[i]);
    }
  });
}

void report_vertices(const ImplicitRest& rest, ImplicitVertices& vertices, FrameReport& report) {
  report.states.fill(0);
  vertices.sizes.clear();
  for (std::size_t place = 0; place < vertices.state.size(); ++place) {
    if (rest.places().vertex[place] == TrackPlaces::kNone) continue;
    ++report.states[static_cast<std::size_t>(vertices.state[place])];
    if (has_residual(vertices, place)) vertices.sizes.push_back(std::abs(vertices.sample[place][0]));
  }
  report_residuals(vertices.sizes, report);
}

}  // namespace cutis
