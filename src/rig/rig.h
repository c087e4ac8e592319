// The frozen run-time form of a character: flat immutable arrays, the contract between bind and solve.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cutis/character.h"
#include "cutis/types.h"
#include "kernels/eval_field.h"
#include "kernels/eval_tree.h"
#include "rig/rest_data.h"

namespace cutis {

/// Four influences of a vertex; unused ones have weight 0 and repeat the first bone.
struct InfluenceBlock {
  std::array<std::uint32_t, 4> bone{};  ///< index into Rig::bones
  std::array<float, 4> weight{};
};

/// A joint that some vertex may follow.
struct RigBone {
  int joint = -1;            ///< index into the skeleton
  int parent = -1;           ///< the bone that it hangs on, as an index into Rig::bones; bind/nest.h
  Affine3d rest_from_world;  ///< inverse of the joint's frame at the rest pose
  Vec3d rest_origin;         ///< the joint at the rest pose
  Vec3d rest_end;            ///< the end of the segment that it moves, at the rest pose
};

/// Two bones that move the same skin: rotations of the first are compared with those of the second.
struct SkinLink {
  std::uint32_t bone = 0, to = 0;
};

/// The field of one part on its grid. Without nodes: 0 everywhere.
struct RigField {
  std::vector<GridNode> nodes;
  GridView grid;                    ///< all but the nodes and the muscles
  std::vector<MuscleView> muscles;  ///< as they are at rest

  [[nodiscard]] bool empty() const { return nodes.empty(); }
  /// Valid as long as this field lives and stays where it is.
  [[nodiscard]] GridView view() const {
    GridView view = grid;
    view.nodes = nodes.data();
    view.muscles = muscles.data();
    view.muscle_count = static_cast<int>(muscles.size());
    return view;
  }
};

/// A point of a muscle's curve.
struct MuscleKnot {
  float angle = 0;  ///< radians
  float inflation = 0;
};

/// A primitive in the field of a bone whose thickness follows the angle of a joint; rig/muscles.h poses it.
struct RigMuscle {
  std::uint32_t bone = 0, driver = 0;
  Affine3d muscle_from_rest;  ///< rigid: the origin in the middle, x along it
  double half_length = 0, radius = 0;
  bool capsule = false;
  std::vector<MuscleKnot> curve;  ///< angles rise
};

/// A key of a target.
struct RigTargetKey {
  double time = 0, weight = 0;
  Vec3d point;  ///< rest space
};

/// A vertex that slides towards a point that a bone carries, and what it draws along.
struct RigTarget {
  std::uint32_t bone = 0;
  std::vector<std::uint32_t> vertices;  ///< welded
  std::vector<float> share;             ///< of the weight, per vertex
  std::vector<Vec3f> offset;            ///< of the vertex from the first, at rest
  std::vector<RigTargetKey> keys;       ///< times rise
};

/// Items of row i: [begin[i], begin[i+1]).
struct RigRows {
  std::vector<std::uint32_t> begin, items;
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }
};

/// Whether there are `count` rows of rising numbers below `most`.
[[nodiscard]] bool rows_fit(const RigRows& rows, std::size_t count, std::size_t most);

/// The welded surface of the body: what fields, relaxation and contact work on.
struct RigSurface {
  static constexpr std::uint32_t kNoBone = 0xffffffffU;

  std::vector<std::uint32_t> welded_of;  ///< per input vertex; of riders (RigLayers): a vertex of the skin near it
  std::vector<std::uint32_t> first_of;   ///< an input vertex of each welded one
  // Per welded vertex, at the rest pose.
  std::vector<Vec3f> positions, normals;
  std::vector<std::uint32_t> owner;  ///< bone whose part it belongs to
  std::vector<float> iso;            ///< reference iso-value: the composed field at rest; 0 where no field reaches
  std::vector<float> edge;           ///< mean length of the edges at it, metres; that of the surface where it has none
  std::vector<Triangle> triangles;   ///< without repeated vertices
  RigRows neighbours;
  std::vector<float> neighbour_weight;  ///< per item of neighbours: relaxation weight (cotangent), > 0
  // Smooth weights that blend the bones' rotations into the target rotations of the relaxation.
  RigRows turn;                    ///< bones
  std::vector<float> turn_weight;  ///< per item of turn; each row sums to 1
  std::vector<float> stiffness;    ///< per vertex, 0 to 1: 1 follows its bone; empty: 0 everywhere
  std::vector<char> no_contact;    ///< per vertex: 1 where skin passes through other skin; empty: nowhere
  /// Painted weights of the blend operator, per vertex: how far they take the place of its own, 0 to 1, and that times
  /// the weight. Empty: nowhere.
  std::vector<float> blend_share, blend_weight;

  [[nodiscard]] std::size_t size() const { return positions.size(); }
  /// The blending weight of a vertex: `own` as far as none is painted.
  [[nodiscard]] float blend(std::size_t v, float own) const {
    return blend_share.empty() ? own : own * (1 - blend_share[v]) + blend_weight[v];
  }
};

/// A point of the skin, or of a lower layer, that a triangle of a garment covers at rest.
struct RigCover {
  std::uint32_t below = 0;     ///< welded vertex of the surface; from the surface's size on: a rider
  std::uint32_t triangle = 0;  ///< of RigLayers
  std::array<float, 3> at{};   ///< barycentric: the point of the triangle above it
  float height = 0;            ///< of that, along the normal, metres
  Vec3f normal;                ///< at rest, away from the body
};

/// What is no part of the surface: garments, hair, eyes, props. They ride on the surface once it is where it is, or
/// follow a bone. docs/algorithms/layers.md.
struct RigLayers {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::vector<std::uint32_t> rider_of;  ///< per input vertex: its rider, kNone: of the surface; empty: no riders
  std::vector<std::uint32_t> first_of;  ///< per rider, a welded vertex: its first input vertex
  std::vector<std::uint32_t> bone;      ///< per rider: the bone that carries it exactly; kNone: none does
  std::vector<float> share;             ///< 0: smooth skinning alone; 1: rides on the skin
  std::vector<Vec3f> foot;              ///< the point of the skin below at rest …
  std::vector<Triangle> ground;         ///< … in a triangle of these vertices of the surface …
  std::vector<Vec3f> ground_at;         ///< … and there: barycentric
  RigRows anchors;                      ///< vertices of the surface around the foot
  std::vector<float> anchor_weight;     ///< per item of anchors; each row sums to 1
  std::vector<Triangle> triangles;      ///< of garments, between riders
  std::vector<RigCover> covers;         ///< lower layers first

  [[nodiscard]] std::size_t size() const { return first_of.size(); }
  [[nodiscard]] bool rides(std::size_t input) const { return !rider_of.empty() && rider_of[input] != kNone; }
};

/// A composition operator; tables have nodes.
struct RigOperator {
  OperatorForm form = OperatorForm::unite;
  std::int32_t side = 0, slices = 0;
  std::vector<OperatorNode> nodes;
  float crossing = 0.5F, contact_end = 0.5F;  ///< TreeOperator

  /// Valid as long as this operator lives and stays where it is.
  [[nodiscard]] TreeOperator view() const {
    return {{form, {nodes.empty() ? nullptr : nodes.data(), side, slices}}, crossing, contact_end};
  }
};

/// How the fields of the parts become one; kernels/eval_tree.h evaluates it.
struct RigTree {
  std::vector<std::uint32_t> leaf_bone;  ///< bones whose fields are not empty, in the tree's order
  std::vector<TreeNode> nodes;           ///< one less; children before parents
  std::vector<std::uint32_t> range_nodes;
  std::vector<ControllerKnot> knots;
  std::vector<RigOperator> operators;

  [[nodiscard]] std::size_t size() const { return leaf_bone.size(); }
};

class Rig {
 public:
  Skeleton skeleton;
  std::vector<RigBone> bones;  ///< parents before children

  // All vertices of all meshes, in the input's order. Copies of a welded vertex hold the same influences, so that
  // seams never open.
  std::vector<Vec3f> rest_positions;
  std::vector<Vec3f> rest_normals;
  /// Blocks of vertex v: blocks[block_begin[v] .. block_begin[v+1]). Empty block_begin: block v belongs to vertex v.
  std::vector<std::uint32_t> block_begin;
  std::vector<InfluenceBlock> blocks;

  // The implicit skin; empty when bound without.
  RigSurface surface;
  std::vector<RigField> fields;  ///< per bone
  RigTree tree;
  std::vector<RigMuscle> muscles;  ///< sorted by bone, each bone's in the order of its field's
  std::vector<RigTarget> targets;
  RigLayers layers;

  /// A forest over the bones that share skin: every bone but one of each component, each after the one that it is
  /// linked to. link_bones() of all the rest; not in files.
  std::vector<SkinLink> links;

  /// What solvers share.
  RestData rest;

  [[nodiscard]] std::size_t vertex_count() const { return rest_positions.size(); }
  [[nodiscard]] bool has_skin() const { return !fields.empty(); }
};

}  // namespace cutis
