// ALL VERTICES of the implicit skin, stage by stage: what a back end offers to the method `implicit`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/posed_field.h"
#include "cutis/context.h"
#include "cutis/solve.h"
#include "kernels/skin_residual.h"
#include "rig/rig.h"

namespace cutis {

inline constexpr std::size_t kMostNearParts = 12;

/// What the skin knows of its vertices at rest. Per welded vertex unless said otherwise.
struct ImplicitRest {
  std::vector<float> iso;             ///< composed field
  std::vector<float> own;             ///< field of its own part
  std::vector<float> reach;           ///< 1: follows the field; 0: the initial guess; smooth in between
  std::vector<float> gap;             ///< to other skins in contact, metres
  std::vector<ProjectLimits> limits;  ///< with its own lengths
  RigRows near;                       ///< other parts that reach it
  std::vector<float> near_value;      ///< per item of near: their fields
  std::vector<float> mean_value;      ///< per item of surface.neighbours: relaxation weight; 0 for a whole row: held
};

/// Of this pose. Matrices [b * bones + k]: of part b against part k.
struct ImplicitPose {
  std::span<const GridView> parts;    ///< per bone
  std::span<const Affine3f> motions;  ///< per bone: posed from rest
  std::span<const JointOperator> joints;
  std::span<const std::int16_t> joint_of;  ///< matrix; -1: none
  std::span<const Vec3f> joint_origin;     ///< per joint operator, at rest
  std::span<const Vec3f> joint_inside;     ///< per joint operator: unit vector to the inner side of the bend, at rest
  std::span<const float> gate;             ///< matrix; how far contact of two parts is let in
  const PosedField* field = nullptr;       ///< all of them
  bool composed = false;                   ///< project in the field of the rig's tree, instead of parts and contact
};

/// Scratch of one solver; arrays are per welded vertex.
struct ImplicitVertices {
  std::vector<Vec3f> initial, positions, scratch;
  std::vector<Vec3f> normals;         ///< of the residual's surface, unit
  std::vector<float> residual;        ///< r where the vertex ended
  std::vector<float> start_residual;  ///< r where its last projection began
  std::vector<VertexState> state;
  std::vector<std::uint8_t> moved;  ///< since its last projection
  std::vector<float> beta, beta_scratch;
  std::vector<std::array<NearPart, kMostNearParts>> near;
  std::vector<std::uint8_t> near_count;
  std::vector<float> reach;           ///< as ImplicitRest::reach, less where the initial guess is out of all fields
  std::vector<float> half_contact;    ///< how far its half contacts pull it, in [0,1)
  std::vector<std::uint32_t> active;  ///< vertices to solve for, rising
  std::vector<std::uint32_t> evaluations;  ///< per chunk of active vertices
};

/// Finds for every vertex the parts near it and how far it is in contact with each, and which vertices are to be solved
/// for: all but those that their bone carries and no other part's field has changed for.
void find_near_parts(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, ImplicitVertices& vertices,
                     const Context& context);

/// Projects the active vertices that have moved; `steps` bounds their Newton steps. Returns field evaluations.
std::size_t project_vertices(const Rig& rig, const ImplicitRest& rest, const ImplicitPose& pose, int steps,
                             float tolerance, ImplicitVertices& vertices, const Context& context);

/// Normals of the surface through `positions`, area-weighted, at the active vertices. `corners`: per vertex, the two
/// others of each triangle at it, in order.
void active_normals(const RigRows& corners, std::span<const Vec3f> positions, std::span<const std::uint32_t> active,
                    std::span<Vec3f> normals, const Context& context);

/// One Jacobi pass of tangential relaxation over the active vertices, as strong as their last projection was long.
void relax_vertices(const Rig& rig, const ImplicitRest& rest, float strength, ImplicitVertices& vertices,
                    const Context& context);

/// beta = 1 in contact, diffused over the surface by `passes` means with the neighbours.
void diffuse_contact(const Rig& rig, int passes, ImplicitVertices& vertices, const Context& context);
/// One pass of Laplacian smoothing, as strong as beta.
void smooth_vertices(const Rig& rig, float strength, ImplicitVertices& vertices, const Context& context);

}  // namespace cutis
