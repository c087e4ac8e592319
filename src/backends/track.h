// ALL VERTICES of iso-surface tracking: what a back end offers to solve/tracker.
//
// Arrays are over welded vertices unless they say otherwise; positions are in the space that the pose's motions lead
// to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backends/posed_field.h"
#include "backends/track_places.h"
#include "base/dual_quat.h"
#include "base/float4.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "kernels/skin.h"
#include "kernels/track.h"
#include "rig/parts.h"
#include "rig/rig.h"

namespace cutis {

/// Motions of all bones relative to rest, rotation after stretch; always invertible; signs agree along shared skin.
struct PosedBones {
  std::vector<Affine3d> motion;
  std::vector<Quatd> rotation;
  std::vector<Mat3d> stretch;
};

/// Another part's field at the vertices of a block, at rest.
struct TrackReach {
  TrackLanes<float> value, lead;  ///< TrackRest::other_value, core_lead; 0 where it does not reach
  std::uint32_t bone = 0;
};

/// Fields of other parts at the skin, at rest: long to find.
struct FieldsRest {
  static constexpr std::string_view kRestName = "fields";
  RigRows others;                  ///< TrackRest
  std::vector<float> other_value;  ///< TrackRest
  std::vector<float> core_lead;    ///< TrackRest
  std::vector<float> steepest;     ///< TrackRest

  void write(RestWriter& out) const;
  [[nodiscard]] bool read(RestReader& in, const Rig& rig);
};

/// What tracking knows of the rest pose.
struct TrackRest {
  static constexpr std::string_view kRestName = "tracking";
  std::vector<float> own;          ///< the own part's field at the vertex: the level that it keeps
  RigRows others;                  ///< other bones whose field reaches the vertex, rising
  std::vector<float> other_value;  ///< per item of others
  std::vector<char> tracked;       ///< the own field has a usable value and gradient
  std::vector<float> slope;        ///< of the own field on its surface, 1 / metres; the same for all of a part
  std::vector<float> gap;          ///< that contact keeps, metres
  std::vector<float> hold;  ///< of smooth skinning on free skin, against the neighbours' pull; not more than 1 counts
  /// 1 where edges are fine enough for smoothing over neighbours to be smoothing, 0 where they span the part.
  std::vector<float> fine;
  std::vector<float> stiffness;     ///< 0 to 1 (1: follows its bone); empty: 0 everywhere
  std::vector<Vec3f> core;          ///< the point of the bone's axis that the vertex belongs to
  std::vector<float> core_lead;     ///< per item of others: by how much the other's field is the larger one there
  std::vector<char> joined;         ///< joined_parts()
  std::vector<int> depth;           ///< per bone: of the skeleton above it
  std::vector<Vec3d> axis;          ///< per bone: its direction
  std::vector<char> flat;           ///< per bone: its skin is a flat sheet, which has no inside; its field says nothing
  std::vector<Box> parts;           ///< per bone: around its vertices
  std::vector<float> least_edge;    ///< per bone: the shortest local edge of its vertices
  std::vector<float> steepest;      ///< per bone: bound on the slope of its field, 1 / metres; muscles left out
  std::vector<float> edge_squared;  ///< per item of the surface's neighbours: of the edge's length
  std::vector<char> mates;          ///< bones x bones: the second turns skin of the first
  std::vector<char> reaches;        ///< bones x bones: the second's field reaches skin of the first
  RigRows corners;                  ///< triangles at each vertex, rising
  std::vector<Vec3f> normals;       ///< of the surface, weighted by area; 0 where there is none
  TrackPlaces places;               ///< in which order, and padded
  std::vector<std::uint32_t> tracked_lanes, rigid_lanes;  ///< per block: bits
  std::vector<Float4> core_at;                            ///< per place: core
  std::vector<Float4> kept;                               ///< per place: own, edge, hold, stiffness
  std::vector<std::uint32_t> reach_begin;                 ///< per block and one more: in `reach`
  std::vector<TrackReach> reach;                          ///< bones rise

  /// Of `bone` among the others of v, or -1.
  [[nodiscard]] std::ptrdiff_t place(std::size_t v, std::uint32_t bone) const;
  /// Follows its bone, unless contact holds it off.
  [[nodiscard]] bool is_rigid(std::size_t v) const { return !stiffness.empty() && stiffness[v] >= 0.999F; }
};
/// Made once, shared by all solvers of the rig.
[[nodiscard]] std::shared_ptr<const TrackRest> track_rest(const Rig& rig);
[[nodiscard]] TrackRest make_track_rest(const Rig& rig);

/// Another part that may be felt at a vertex.
struct TrackNear {
  TrackOther other;
  float value = 0;      ///< of a joined part: its field where the skin is
  bool matters = true;  ///< may decide the residual in this sub-step
};

/// Around the field of a part, in the pose; until it is set it holds nothing.
struct TrackBox {
  Float4 lo{1e30F}, hi{-1e30F};

  /// Whether the point is in the box or within `margin` of it along every axis.
  [[nodiscard]] bool holds(const Vec3f& p, float margin) const {
    const Float4 at(p.x, p.y, p.z, 0);
    return (mask_less_equal(lo - Float4(margin), at) & mask_less_equal(at, hi + Float4(margin)) & 7U) == 7U;
  }
};

/// The rigid part of a bone's motion.
struct TrackRigid {
  Float4 real, dual;
};

/// A joint at rest, how far it is bent, and the distances up to which and from which on that matters.
struct TrackBend {
  float gate = 0;
  Vec3f at;
  float near = 0, far = 0;
};

/// Another part near vertices of a block.
struct alignas(64) TrackBlockNear {
  using Numbers = float[TrackPlaces::kBlock];
  Numbers contact, level, offset, value;  ///< TrackNear
  std::uint32_t bone = 0;
  bool joined = false;
  std::uint32_t lanes = 0, matters = 0;  ///< bits: near which; where it may decide the residual
};

/// Of a run of active vertices, while their near parts are found.
struct TrackChunk {
  std::vector<TrackNear> near;             ///< of one vertex
  std::vector<TrackBlockNear> block_near;  ///< of one block
  std::vector<TrackOther> others;
};

/// Places of a run of live vertices, while they are projected in packs.
struct TrackRun {
  std::vector<std::uint32_t> pending;  ///< to be looked up where they are now
  std::vector<std::uint32_t> next;     ///< pending in the next round
};

/// A block of places of which vertices live.
struct TrackLive {
  std::uint32_t block = 0;
  std::uint32_t lanes = 0;  ///< bits: which of its places
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
  std::vector<char> touching;             ///< TrackSample
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

/// A bone that holds a vertex by contact.
struct TrackHeld {
  std::uint32_t bone = 0;
  float contact = 0;
};

/// One sub-step.
struct TrackStep {
  std::vector<Vec3f> p;  ///< in and out
  // The pose.
  std::vector<GridView> fields;       ///< posed, per bone; without nodes: none
  std::vector<TrackBox> boxes;        ///< per bone
  std::vector<TrackRigid> rigid;      ///< per bone
  bool stretched = false;             ///< a bone is, in this pose
  std::vector<SkinMatrix> stretches;  ///< per bone, where one is: skin_stretch()
  std::vector<float> gate;            ///< bones x bones: how far contact between them is let in
  std::vector<Affine3f> motion;       ///< per bone
  std::vector<float> steepest;        ///< per bone: of its field, 1 / metres
  RigRows wakers;                     ///< per bone: other parts whose field may differ, at its skin, from that at rest
  std::vector<char> turns;            ///< bones x bones: the second moves skin of the first that it turns
  std::vector<char> stirred;          ///< per bone: any of these
  std::vector<MuscleView> muscles, calm_muscles;  ///< posed; as thick as in the pose, as at rest
  std::vector<GridView> calm;                     ///< `fields` with muscles as at rest; empty: none has any
  // Per vertex. Targets; empty: none.
  std::vector<float> pin;  ///< how firmly the vertex is drawn to `pin_at`, 0 to 1
  std::vector<Vec3f> pin_at;
  // Per vertex.
  std::vector<std::int32_t> slot;         ///< number among the active, or -1
  std::vector<float> away;                ///< along edges from skin that something moves against its bone
  std::vector<Mat3f> turn;                ///< target rotation (and stretch)
  std::vector<Vec3f> blended;             ///< where smooth skinning puts it
  std::vector<std::uint32_t> held_begin;  ///< of the rows of `held`
  std::vector<TrackHeld> held;            ///< bones that held it in the last sub-step
  // Per active vertex.
  std::vector<std::uint32_t> active;                    ///< vertices, rising
  std::vector<std::uint32_t> wanted;                    ///< these and their neighbours, at least
  std::vector<char> is_wanted;                          ///< per vertex
  std::vector<std::uint32_t> other_begin, other_count;  ///< in `others`; bones rise, behind the last is kNoPart
  std::vector<TrackOther> others;
  std::vector<float> level;
  std::vector<float> hold;
  std::vector<float> bound;          ///< to its tangent plane while it relaxes: 1 altogether, 0 not at all
  std::vector<TrackSample> samples;  ///< at p
  std::vector<std::uint32_t> live;   ///< numbers of those that still move, and of their neighbours; rising
  std::size_t live_count = 0;
  std::vector<float> moved;  ///< in the last relaxation or projection, the longer one, local edges
  // Scratch.
  std::vector<char> flags, next_flags, rim;
  std::vector<char> wakes;                              // bones x bones: `wakers`
  std::vector<std::uint32_t> active_from, wanted_from;  // per run of vertices: where its own begin in the lists
  std::vector<std::uint32_t> ring, next_ring;
  std::vector<char> awake;  // per active vertex
  std::vector<TrackChunk> chunks;
  std::vector<std::vector<TrackBend>> bends;  // per bone: of its part
  std::vector<float> beta, next_beta;         // per vertex: nearness of contact
  std::vector<Vec3f> smoothed;
  bool packs = false;                 // the iteration is in `system`
  std::vector<std::uint32_t> offset;  // per chunk: of its others
  TrackSystem system;
  std::vector<Affine3d> from_world;   // per bone
  std::vector<Box> part_boxes;        // per bone: its part at rest, moved with it
  std::vector<double> bend;           // per bone: of the joint above it, degrees
  std::vector<char> holds;            // per active vertex: another part may hold it in the next sub-step
  std::vector<Affine3f> delta;        // per bone: since the last sub-step
  std::vector<Affine3f> last_motion;  // per bone: of the last sub-step
  std::vector<char> leaps;            // per bone: `delta` turns alone
  std::vector<Vec3f> x, r, d, q, n;
  std::vector<float> diagonal;
  std::vector<float> weight;           // per neighbour
  std::vector<float> stretch;          // per vertex: mean of its edges
  std::vector<std::size_t> evaluated;  // per chunk: evaluations, operations
  /// Of an active vertex.
  [[nodiscard]] std::span<const TrackOther> others_of(std::size_t a) const {
    return {others.data() + other_begin[a], other_count[a]};
  }
  // Counts, added to.
  std::size_t evaluations = 0;     ///< of fields, by projection
  std::size_t operations = 0;      ///< the same: pairs of values that were put together
  std::size_t gradient_steps = 0;  ///< vertices times conjugate gradient steps
};

/// Whether control and iteration are done in packs.
[[nodiscard]] bool tracks_in_packs(const TrackingOptions& options, const Context& context);
/// Fields and gates of a pose.
void track_pose(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step, const Context& context);
/// Vertices that something moves relative to their bone, and some rings around them; carries all others exactly.
/// Active ones are carried on from where they are by their bone's motion since `last`.
void track_transport(const Rig& rig, const TrackRest& rest, const PosedBones& last, const PosedBones& pose,
                     const TrackingOptions& options, TrackStep& step, const Context& context);
/// Target rotations, smooth skinning, the parts near each vertex and their contact, levels.
void track_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                   const Context& context);
/// All active vertices are live. From here on to track_settle(), positions and samples are the back end's.
void track_awake(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context);
/// Of the active vertices those go on living that moved by `least` local edges or more since the last relaxation began,
/// and their neighbours: what comes to rest is left alone until something near it moves.
void track_narrow(const Rig& rig, const TrackRest& rest, float least, TrackStep& step);
/// The iteration ends: step.p and step.samples hold what it came to.
void track_settle(const TrackRest& rest, TrackStep& step, const Context& context);
/// Of live vertices: at most `steps` Newton steps each, no longer than `limit` local edges. `composed`: the paper's
/// field instead of the own side's.
void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                   TrackStep& step, const Context& context);
/// Tangential relaxation of live vertices: conjugate gradients, or one damped Jacobi step.
void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context);
/// Smooths around contact.
void track_smooth(const Rig& rig, const TrackRest& rest, int passes, TrackStep& step, std::vector<Vec3f>& positions,
                  const Context& context);

/// Triangles that face away from what all three of their target rotations say.
[[nodiscard]] std::size_t count_inverted(const Rig& rig, const TrackStep& step, const Context& context);

}  // namespace cutis
