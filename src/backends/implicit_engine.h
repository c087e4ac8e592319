// ALL VERTICES of the implicit skin, stage by stage: what a back end offers to the method `implicit`.
#pragma once

#include <algorithm>
#include <bit>
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

/// What the skin knows of its vertices at rest. Vertices are at their places (backends/track_places.h).
struct ImplicitRest {
  static constexpr std::string_view kRestName = "implicit";
  explicit ImplicitRest(std::shared_ptr<const TrackRest> tracking) : shared(std::move(tracking)), track(*shared) {}

  std::shared_ptr<const TrackRest> shared;
  const TrackRest& track;            ///< fields, contact, joined parts and places: the same as tracking's
  std::vector<FilledBlocks> filled;  ///< per bone
  std::vector<Float4> inward;        ///< per place: direction of the own field's gradient; own field on the bone's axis
  std::vector<Float4> lengths;       ///< per place: gap that contact keeps, longest step, edge, sum of edges' weights
  std::vector<Float4> pull;          ///< per place: the sum of its `edges`
  /// Per row of places: half the edge from the neighbour times its weight; 1 / squared length. 0 where there is none.
  std::vector<TrackLanes<float>> edges[3], per_squared;
  std::vector<std::uint32_t> filled_lanes;  ///< per block: bits of places that hold a vertex
  std::vector<std::uint32_t> source;        ///< per place: an input vertex of its vertex
  std::vector<std::uint32_t> owned;         ///< per block: bits of vertices that a bone owns
  std::vector<std::uint32_t> corner_rows;   ///< per block and one more: the first row of `corners`
  /// Per row: four times the places of the other two corners of a triangle at each vertex, in order; itself for none.
  std::vector<TrackLanes<std::uint32_t>> corners[2];
  std::vector<Vec3f> differs;     ///< per input vertex: its normal at rest less that of the welded surface
  std::vector<float> mean_value;  ///< per item of surface.neighbours: relaxation weight; 0 for a whole row: held

  [[nodiscard]] const TrackPlaces& places() const { return track.places; }
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

  /// Whether bones stretch edges by more than the rounding of a file.
  [[nodiscard]] bool stretched() const { return !stretches.empty() && stretches.turned; }
};

/// Of the vertices of a block, while they slide: conjugate gradients.
struct alignas(64) ImplicitRelaxed {
  using Numbers = float[TrackPlaces::kBlock];
  Numbers x[3], r[3], q[3], n[3];  ///< solution, residual, image of the direction; normal
  Numbers diagonal, inverse_diagonal;
};

/// A part near vertices of a block.
struct alignas(64) NearBlock {
  using Numbers = float[TrackPlaces::kBlock];
  Numbers contact, level, offset, value, bend, weight;  ///< NearPart
  std::uint32_t part = 0;                               ///< TrackOther
  std::int16_t joint = -1;
  std::uint32_t lanes = 0;  ///< bits: near which
};

/// Scratch of one solver. Per place unless said otherwise; Float4 without a word on it: a point, and 0.
struct ImplicitVertices {
  std::vector<Float4> carried;  ///< by the bone alone
  std::vector<Float4> initial, positions;
  std::vector<Float4> sample;  ///< residual and its gradient where the last projection ended, or, if `started`, here
  std::vector<float> free;     ///< ResidualSample, of `sample`
  std::vector<float> start_residual;    ///< r where its last projection began
  std::vector<char> reached, touching;  ///< ResidualSample, of `sample`
  std::vector<char> started;            ///< `sample` is of its position
  std::vector<std::uint32_t> moved;     ///< per block: bits of those that moved since their last projection
  std::vector<char> blends;             ///< an operator composes it with a near part
  std::vector<Float4> wanted;           ///< the guess without its bulge
  std::vector<Float4> met;              ///< of its near parts: most contact, sharpest bend
  std::vector<VertexState> state;
  std::vector<Float4> given;  ///< level of the own field that it keeps, gap, begin in `near` (bits), longest step
  std::vector<float> hold;    ///< of the initial guess, within the surface
  /// How its edges should turn, at active vertices and their neighbours: a quaternion; columns where bones stretch.
  std::vector<Float4> turn[3];
  std::vector<Float4> pull;  ///< sum over the edges of weight times edge as it should be
  std::vector<std::uint8_t> near_count;
  std::vector<std::vector<NearBlock>> near_blocks;  ///< per chunk: scratch
  std::vector<std::vector<NearPart>> near;          ///< per chunk: of each vertex a row, and a NearPart without a part
  std::vector<std::vector<DeepVertex>> deep;        ///< per chunk
  std::vector<std::uint32_t> evaluations;           ///< per chunk
  std::vector<std::uint32_t> active;                ///< per block: bits of vertices to solve for
  std::vector<std::uint32_t> around;                ///< per block: these and their neighbours; those that slide far
  std::vector<std::uint32_t> flags;                 ///< per block: scratch
  std::size_t active_count = 0;
  float tolerance = 0;                  ///< of the last projection; 0: there was none in this frame
  std::vector<TrackLive> sliding;       ///< blocks with vertices that relaxation still moves, rising
  std::vector<Float4> d;                ///< conjugate gradients: direction
  std::vector<Float4> normals;          ///< of the surface, of active vertices
  std::vector<float> ways;              ///< per block: the farthest that the guess lies off the carried vertex, squared
  std::vector<Mat3f> rotations;         ///< per bone
  std::vector<ImplicitRelaxed> blocks;  ///< per block
  // Per welded vertex.
  std::vector<Vec3f> shown, scratch;
  std::vector<std::uint32_t> vertices;  ///< the active ones
  std::vector<std::uint32_t> smoothed;  ///< those around contact
  std::vector<float> beta, beta_scratch;
  std::vector<float> sizes;  ///< of residuals

  void resize(const ImplicitRest& rest);
};

/// Near parts are kept by chunks of so many blocks, and of so many places.
inline constexpr std::size_t kImplicitBlocks = 32, kImplicitChunk = kImplicitBlocks * TrackPlaces::kBlock;

/// Of the vertex at a place: vertices.near_count of them, and one without a part.
[[nodiscard]] inline const NearPart* near_row(const ImplicitVertices& vertices, std::size_t place) {
  return vertices.near[place / kImplicitChunk].data() + std::bit_cast<std::uint32_t>(vertices.given[place][2]);
}
/// What skin_residual() takes, for the vertex at a place.
[[nodiscard]] inline VertexSkin vertex_skin(const ImplicitRest& rest, const ImplicitPose& pose,
                                            const ImplicitVertices& vertices, std::size_t place) {
  const TrackPlaces& places = rest.places();
  return {pose.parts.fields.data(),  pose.parts.steepest.data(), pose.joints.data(),
          near_row(vertices, place), vertices.near_count[place], places.owner[place / TrackPlaces::kBlock],
          vertices.given[place][0],  vertices.given[place][1],   narrow(vertices.initial[place])};
}

/// Fills `vertices.deep` with the vertices that are too deep in another part.
void find_deep_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                        const Context& context);
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

/// All active vertices slide.
void slide_all(ImplicitVertices& vertices);
/// Slides vertices.sliding within their tangent planes until edges are turned as they should be: `steps` conjugate
/// gradient steps. Leaves those that moved noticeably, and their neighbours, in the list.
void slide_vertices(const ImplicitRest& rest, int steps, ImplicitVertices& vertices, const Context& context);
/// One Jacobi pass of relaxation by mean value coordinates, as strong as the last projection was long (Implicit
/// §3.5.2).
void relax_vertices(const Rig& rig, const ImplicitRest& rest, ImplicitVertices& vertices, const Context& context);

/// Smooths around contact (backends/smooth_contact.h); residuals are those of where the vertices are now, and those
/// that it holds off their surface are in contact.
void smooth_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int passes,
                     ImplicitVertices& vertices, const Context& context);

/// Where the guess puts the vertices, and where their bone alone carries them. `ways`: per bone, the farthest that the
/// two are apart.
void start_vertices(const ImplicitRest& rest, std::span<const Affine3f> motions, std::span<const Vec3f> guess,
                    ImplicitVertices& vertices, std::span<float> ways, const Context& context);
/// Back to the input's vertices: positions, normals, states and residuals. `rotations`: per bone.
void finish_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose,
                     std::span<const Quatd> rotations, ImplicitVertices& vertices, std::span<Vec3f> positions,
                     Frame& frame, const Context& context);
/// What the report says of states and residuals.
void report_vertices(const ImplicitRest& rest, ImplicitVertices& vertices, FrameReport& report);

}  // namespace cutis
