// One sub-step of tracking on the host: what the stages hand to each other. Back ends add arrays of their own.
//
// Arrays are over welded vertices unless they say otherwise; positions are in the space that the pose's motions lead
// to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/posed_field.h"
#include "backends/posed_parts.h"
#include "backends/track.h"
#include "backends/track_rest.h"
#include "base/dual_quat.h"
#include "base/float4.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "kernels/skin.h"
#include "kernels/track.h"
#include "rig/rig.h"

namespace cutis {

/// Bone by bone: track_pose(), begin_control().
struct TrackPosed : PosedParts {
  std::vector<SkinDualQuat> rigid;    ///< per bone: of its motion
  bool stretched = false;             ///< a bone is, in this pose
  std::vector<SkinMatrix> stretches;  ///< per bone, where one is: skin_stretch()
  std::vector<float> gate;            ///< bones x bones: how far contact between them is let in
  std::vector<Fold> folds;            ///< per pair of TrackRest::folds
  RigRows wakers;                     ///< per bone: other parts whose field may differ, at its skin, from that at rest
  std::vector<char> turns;            ///< bones x bones: the second moves skin of the first that it turns
  std::vector<char> stirred;          ///< per bone: any of these
  std::vector<MuscleView> muscles, calm_muscles;  ///< posed; as thick as in the pose, as at rest
  std::vector<GridView> calm;                     ///< `fields` with muscles as at rest; empty: none has any
  std::vector<std::vector<TrackBend>> bends;      ///< per bone: of its part
  // Scratch.
  std::vector<char> wakes;            // bones x bones: `wakers`
  std::vector<Affine3d> from_world;   // per bone
  std::vector<Box> part_boxes;        // per bone: its part at rest, moved with it
  std::vector<double> bend;           // per bone: of the joint above it, degrees
  std::vector<Affine3f> delta;        // per bone: since the last sub-step
  std::vector<Affine3f> last_motion;  // per bone: of the last sub-step
  std::vector<char> leaps;            // per bone: `delta` turns alone
};

/// Who is active: track_transport().
struct TrackActive {
  std::vector<std::int32_t> slot;     ///< number among the active, or -1
  std::vector<float> away;            ///< along edges from skin that something moves against its bone
  std::vector<std::uint32_t> active;  ///< vertices, rising
  std::vector<std::uint32_t> wanted;  ///< these and their neighbours, at least
  std::vector<char> is_wanted;        ///< per vertex
  // Scratch.
  std::vector<char> flags, next_flags, rim;
  std::vector<std::uint32_t> active_from, wanted_from;  // per run of vertices: where its own begin in the lists
  std::vector<std::uint32_t> ring, next_ring;
};

/// What draws the skin, and what it may not pass: control. Per active vertex unless said otherwise.
struct TrackControlled {
  std::vector<float> pin;      ///< per vertex: how firmly it is drawn to `pin_at`, 0 to 1; empty: nothing is
  std::vector<Vec3f> pin_at;   ///< per vertex
  std::vector<Mat3f> turn;     ///< per vertex: target rotation (and stretch)
  std::vector<Vec3f> blended;  ///< per vertex: where smooth skinning puts it
  std::vector<std::uint32_t> other_begin, other_count;  ///< in `others`; bones rise, behind the last is kNoPart
  std::vector<TrackOther> others;
  std::vector<float> level;
  std::vector<float> hold;
  std::vector<float> bound;           ///< to its tangent plane while it relaxes: 1 altogether, 0 not at all
  std::vector<Vec3f> lift;            ///< per vertex: what operators of joints lift it by; empty: none does
  std::vector<char> holds;            ///< another part may hold it in the next sub-step
  std::vector<std::uint32_t> offset;  // per chunk: of its others

  /// Of an active vertex.
  [[nodiscard]] std::span<const TrackOther> others_of(std::size_t a) const {
    return {others.data() + other_begin[a], other_count[a]};
  }
};

struct TrackStep : TrackState, TrackPosed, TrackActive, TrackControlled {
  std::vector<ResidualSample> samples;  ///< per active vertex: where it came to
  std::vector<std::size_t> evaluated;   // per chunk: evaluations, operations
  // Counts, added to.
  std::size_t evaluations = 0;     ///< of fields, by projection
  std::size_t operations = 0;      ///< the same: pairs of values that were put together
  std::size_t gradient_steps = 0;  ///< vertices times conjugate gradient steps
};

/// Fields and gates of a pose.
void track_pose(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step, const Context& context);
/// Motions of the bones since `last`.
void track_ways(const PosedBones& last, const PosedBones& pose, TrackStep& step);
/// step.pin and step.pin_at: where targets draw their vertices.
void aim_at_targets(const Rig& rig, const TrackWay& way, TrackStep& step);
/// Vertices that something moves relative to their bone, and some rings around them; carries all others exactly.
/// Active ones are carried on from where they are by their bone's motion: track_ways().
void track_transport(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                     const Context& context);
/// Smooths around contact; arrays per vertex as scratch.
struct TrackSmoothing {
  std::vector<float> beta, next_beta;  ///< nearness of contact, 0 to 1
  std::vector<Vec3f> smoothed;
  std::vector<std::uint32_t> around;
};
/// False: nothing touches, and nothing was done.
bool track_smooth(const Rig& rig, const TrackRest& rest, int passes, const TrackStep& step, TrackSmoothing& scratch,
                  std::vector<Vec3f>& positions, const Context& context);
/// Vertices that left their neighbours go back among them; says how many. Pinned skin stays.
std::size_t bring_back(const Rig& rig, TrackStep& step, const Context& context);
/// Triangles that face away from what all three of their target rotations say.
[[nodiscard]] std::size_t count_inverted(const Rig& rig, const TrackStep& step, const Context& context);

}  // namespace cutis
