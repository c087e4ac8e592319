// A deformed character and the report about it: plain data. cutis/solve.h makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cutis/skin_contact.h"
#include "cutis/types.h"

namespace cutis {

/// What became of a vertex in a frame.
enum class VertexState : std::uint8_t {
  rigid,      ///< nothing moves relative to its bone: exactly carried by it (lbs and dqs: every vertex)
  converged,  ///< on its iso-surface
  contact,    ///< held by another part's skin
  flat,       ///< the field has no usable gradient there
  outside,    ///< no field reaches it: it follows dual quaternion skinning
  limit,      ///< out of iterations before it reached its iso-surface
};
inline constexpr std::size_t kVertexStates = 6;

/// A bone that relief moved, and by how much: the pose cannot be met as it is.
struct BoneOffset {
  int joint = -1;
  Vec3d offset;  ///< scene space, metres; implicit: of the bone's end
};
/// Two parts that the pose drives into each other.
struct BoneOverlap {
  int thin = -1, thick = -1;  ///< joints
  double depth = 0;           ///< of the thin part's skin in the thick part, in the pose itself, metres
  double left = 0;            ///< after relief
};

/// Where two skins touch at the end of a frame.
struct TouchingRegion {
  int joint = -1, other = -1;  ///< the parts: vertices of `joint` near the skin of `other`; equal for a fold
  std::size_t vertices = 0;
  double depth = 0;  ///< how far the skin gave way there at most, metres
};

/// Why contact let a frame go.
enum class ContactLimit : std::uint8_t {
  none,
  pose,  ///< bones are flat, mirrored, blown up or endlessly far from each other: smooth skinning, or the method's skin
  work,  ///< it would have taken more than a frame may take: the method's skin; tried again some frames later
  time,  ///< SolveOptions::frame_budget_ms: the last skin carried on
  far,   ///< all was done, but the figure is so far from the origin that floats are too coarse to keep skins apart
};

/// Of contact at the level of the mesh.
struct ContactReport {
  bool certified = true;                    ///< no intersections but those at rest and between parts that were let go
  ContactLimit limit = ContactLimit::none;  ///< other than none: not certified
  std::size_t work = 0;                     ///< operations, counted: the same on every machine
  std::size_t substeps = 0;                 ///< done in this frame
  std::size_t halvings = 0;                 ///< sub-steps that were repeated in halves
  std::size_t candidates = 0;               ///< pairs of elements that could meet, the most of any sub-step
  std::size_t hits = 0;                     ///< of these, on their way
  std::size_t tests = 0;                    ///< of pairs of elements on their way: what the time goes with
  std::size_t truncated = 0;                ///< vertices held back short of their way
  std::size_t touching_vertices = 0;        ///< in contact with another skin at the end of the frame
  double max_lag_edges = 0;                 ///< how far a vertex was held back, local edges
  std::size_t untangled = 0;         ///< vertices of parts that contact had folded or torn, back on the method's skin
  std::size_t freed = 0;             ///< vertices that were caught on the wrong side and taken to their free place
  double broad_ms = 0, safe_ms = 0;  ///< searching for pairs; safe steps in all, with that
  double relief_ms = 0;              ///< turns of joints
  double give_ms = 0;                ///< how the skin gives way, swells and unfolds
  double normals_ms = 0;             ///< of skin that gave way, and contact data
  double milliseconds = 0;           ///< in all, the method's own time at sub-steps included
  std::vector<TouchingRegion> regions;
  /// Pairs of parts (joints) that passed through each other and are let go until they are apart again.
  std::vector<std::array<int, 2>> released;
  std::vector<BoneOffset> relief;     ///< bones that were moved
  std::vector<BoneOverlap> overlaps;  ///< parts deeper in each other than skin can give way
};

/// Where the time of a frame went, over all its sub-steps; those of the contact pass included. Tracking and implicit.
struct TrackingProfile {
  // Milliseconds.
  double pose = 0;       ///< fields and gates of the pose
  double transport = 0;  ///< who is active, and carrying all
  double control = 0;    ///< target rotations, near parts, contact, levels
  double project = 0;
  double relax = 0;
  double check = 0;   ///< of what a sub-step left
  double finish = 0;  ///< smoothing, normals, states, all input vertices
  // Counts.
  std::size_t vertex_steps = 0;       ///< active vertices, summed over sub-steps
  std::size_t vertex_iterations = 0;  ///< vertices that relaxed, summed over relaxations
  std::size_t gradient_steps = 0;     ///< the same, times conjugate gradient steps
  std::size_t evaluations = 0;        ///< of fields, by projection
  std::size_t operations = 0;         ///< tracking: pairs of parts' values that an operator put together, by projection
};

struct FrameReport {
  double milliseconds = 0;
  std::size_t nonfinite = 0;  ///< vertices kept at their last good position because a number was not finite
  bool out_of_time = false;   ///< SolveOptions::frame_budget_ms ran out: the last skin, carried on
  // Methods that work on fields. Counts and residuals are over welded vertices.
  std::array<std::size_t, kVertexStates> states{};               ///< vertices, by VertexState
  double residual_mean = 0, residual_p95 = 0, residual_max = 0;  ///< |f - iso| over vertices that follow a field
  std::size_t active = 0;      ///< vertices that were solved for, the most of any sub-step
  std::size_t substeps = 0;    ///< done in this frame
  std::size_t halvings = 0;    ///< sub-steps that were repeated in halves
  std::size_t iterations = 0;  ///< relaxations with projection (tracking), projection steps (implicit)
  ContactReport contact;
  TrackingProfile profile;
};

/// All vertices of all meshes in the input's order; scene space.
struct Frame {
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;
  std::vector<SkinContact> contact;  ///< with the contact pass; empty otherwise
  // Methods that work on fields; empty otherwise.
  std::vector<VertexState> states;
  std::vector<float> residuals;  ///< f - iso, signed; NaN: no field reaches the vertex, or contact holds it off
  FrameReport report;
};

}  // namespace cutis
