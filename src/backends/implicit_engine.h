// ALL VERTICES of the implicit skin, stage by stage: what a back end offers to the method `implicit`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/filled_blocks.h"
#include "backends/part_gates.h"
#include "backends/posed_field.h"
#include "backends/posed_parts.h"
#include "backends/track.h"
#include "backends/track_rest.h"
#include "base/float4.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "kernels/field_rules.h"
#include "kernels/skin.h"
#include "kernels/skin_residual.h"
#include "rig/rig.h"

namespace cutis {

/// What the skin knows of its vertices at rest. Per welded vertex unless said otherwise.
struct ImplicitRest {
  static constexpr std::string_view kRestName = "implicit";
  explicit ImplicitRest(std::shared_ptr<const TrackRest> tracking) : shared(std::move(tracking)), track(*shared) {}

  std::shared_ptr<const TrackRest> shared;
  const TrackRest& track;             ///< fields, contact and joined parts: the same as tracking's
  std::vector<FilledBlocks> filled;   ///< per bone
  RigRows corners;                    ///< per welded vertex: the other corners of its triangles, in order
  std::vector<Vec3f> normals;         ///< of the welded surface
  std::vector<float> core;            ///< own field on the bone's axis
  std::vector<Vec3f> inward;          ///< direction of the own field's gradient
  std::vector<ProjectLimits> limits;  ///< with its own lengths
  std::vector<Float4> edges;          ///< per item of surface.neighbours: edge from it times weight; 1 / squared length
  std::vector<float> diagonal;        ///< sum of the weights
  std::vector<float> mean_value;      ///< per item of surface.neighbours: relaxation weight; 0 for a whole row: held
};
/// Made once, shared by all solvers of the rig.
[[nodiscard]] std::shared_ptr<const ImplicitRest> implicit_rest(const Rig& rig, const Context& context);

/// Two parts that bend against each other.
struct Hinge : Fold {
  bool blends = false;  ///< with an operator
};

/// Part b against part k, in a pose.
struct PartPair {
  float gate = 1;           ///< how far contact of the two is let in
  float deep = 2;           ///< from which value of k's field on b's skin is too deep in k; above 1: never
  std::int16_t hinge = -1;  ///< -1: none
  bool joined = false;      ///< joined_parts()
  bool still = true;        ///< the two do not move against each other
};

/// A vertex that its bone carries deeper into another part than skin gives way.
struct DeepVertex {
  std::uint32_t vertex = 0;  ///< welded
  std::uint32_t part = 0;    ///< the other one, a bone
};

/// Of this pose. Matrices [b * bones + k]: of part b against part k.
struct ImplicitPose {
  const PosedParts& parts;
  const BoxRows& meet;                    ///< per bone: other parts that may be felt at its vertices
  const BoxRows& press;                   ///< per bone: other parts that its vertices may be deep in
  std::span<const SkinDualQuat> rigid;    ///< per bone; signs agree along the skeleton
  SkinStretches stretches;                ///< empty: none
  std::span<const PartPair> pairs;        ///< matrix
  std::span<const JointOperator> joints;  ///< per hinge: blends
  std::span<const Hinge> hinges;
  const PosedField* field = nullptr;  ///< all of them
  bool composed = false;              ///< project in the field of the rig's tree, instead of parts and contact
  bool trusted = true;     ///< the initial guess keeps volume: where fields hardly disagree with it, it is right
  float turn_cosine = -2;  ///< ProjectLimits
};

/// Where the skin wants the edges of a vertex to turn: columns of a matrix.
struct TurnColumns {
  Float4 x, y, z;
};

/// Scratch of one solver; arrays are per welded vertex.
struct ImplicitVertices {
  std::vector<Vec3f> carried;  ///< by the bone alone
  std::vector<Vec3f> initial, positions, scratch;
  std::vector<Vec3f> normals;         ///< of the residual's surface, unit
  std::vector<float> residual;        ///< r where the vertex ended
  std::vector<float> start_residual;  ///< r where its last projection began
  std::vector<ResidualSample> start;  ///< at the position, where `started`
  std::vector<char> started;
  std::vector<VertexState> state;
  std::vector<char> touching;  ///< contact holds it
  std::vector<char> moved;     ///< since its last projection
  std::vector<char> flags, next_flags;
  std::vector<float> beta, beta_scratch;
  std::vector<std::vector<NearPart>> near;    ///< per chunk of vertices
  std::vector<std::uint32_t> near_begin;      ///< in its chunk
  std::vector<std::vector<DeepVertex>> deep;  ///< per chunk of vertices
  std::vector<std::uint8_t> near_count;
  std::vector<float> level;                ///< of the own field that it keeps
  std::vector<float> hold;                 ///< of the initial guess, within the surface
  std::vector<TurnColumns> turn;           ///< at active vertices and their neighbours
  std::vector<Float4> pull;                ///< sum over the edges of weight times edge as it should be
  std::vector<std::uint32_t> active;       ///< vertices to solve for, rising
  std::vector<std::uint32_t> sliding;      ///< of them, those that relaxation still moves, rising
  std::vector<std::uint32_t> evaluations;  ///< per chunk of active vertices
  std::vector<Float4> x, r, d, q, n;       ///< conjugate gradients
  std::vector<float> inverse_diagonal;
  std::vector<Vec3f> surface_normals;  ///< at the end, of active vertices
  std::vector<char> is_active;         ///< 0 but while a frame is finished
  std::vector<float> sizes;            ///< of residuals
};

/// Near parts are kept by chunks of so many vertices.
inline constexpr std::size_t kImplicitChunk = 256;

/// What skin_residual() takes, for vertex `v`.
[[nodiscard]] inline VertexSkin vertex_skin(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose,
                                            const ImplicitVertices& vertices, std::uint32_t v) {
  return {pose.parts.fields.data(), pose.parts.steepest.data(),
          pose.joints.data(),       vertices.near[v / kImplicitChunk].data() + vertices.near_begin[v],
          vertices.near_count[v],   rig.surface.owner[v],
          vertices.level[v],        rest.track.gap[v],
          vertices.initial[v]};
}

/// Fills `vertices.deep` with the vertices that are too deep in another part.
void find_deep_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                        const Context& context);
/// One ring more of `vertices.flags`.
void grow_flags(const RigSurface& surface, ImplicitVertices& vertices, const Context& context);
/// Finds for every vertex the parts near it and how far it is in contact with each, and which vertices are to be solved
/// for: all but those that their bone carries and no other part's field has changed for, and `rings` around them.
void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int rings,
                     ImplicitVertices& vertices, const Context& context);
/// How edges should turn at the active vertices, where their levels are, and how firmly the initial guess holds them.
void set_targets(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                 const Context& context);

/// Projects the active vertices that have moved; `steps` bounds their Newton steps. Returns field evaluations.
std::size_t project_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int steps,
                             float tolerance, ImplicitVertices& vertices, const Context& context);

/// Slides vertices.sliding within their tangent planes until edges are turned as they should be: `steps` conjugate
/// gradient steps. Leaves those that moved noticeably, and their neighbours, in the list.
void slide_vertices(const Rig& rig, const ImplicitRest& rest, int steps, ImplicitVertices& vertices,
                    const Context& context);
/// One Jacobi pass of relaxation by mean value coordinates, as strong as the last projection was long (Implicit
/// §3.5.2).
void relax_vertices(const Rig& rig, const ImplicitRest& rest, ImplicitVertices& vertices, const Context& context);

/// Smooths around contact (backends/smooth_contact.h).
void smooth_vertices(const Rig& rig, const ImplicitRest& rest, int passes, ImplicitVertices& vertices,
                     const Context& context);
/// After smoothing: residuals where the vertices are now; those that it holds off their surface are in contact.
void assess_smoothed(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                     const Context& context);

/// Of welded vertices: where the guess puts them, and where their bone alone carries them. `ways`: per bone, the
/// farthest that the two are apart.
void start_vertices(const Rig& rig, std::span<const Affine3f> motions, std::span<const Vec3f> guess,
                    ImplicitVertices& vertices, std::span<float> ways);
/// Back to the input's vertices: positions, normals, states and residuals. `rotations`: per bone.
void finish_vertices(const Rig& rig, const ImplicitRest& rest, std::span<const Quatd> rotations,
                     ImplicitVertices& vertices, std::span<Vec3f> positions, Frame& frame, const Context& context);
/// What the report says of states and residuals.
void report_vertices(ImplicitVertices& vertices, FrameReport& report);

}  // namespace cutis
