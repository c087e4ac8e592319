// The frozen run-time form of a character: flat immutable arrays, the contract between bind and solve.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cutis/character.h"
#include "cutis/types.h"

namespace cutis {

/// Four influences of a vertex; unused ones have weight 0 and repeat the first bone.
struct InfluenceBlock {
  std::array<std::uint32_t, 4> bone{};  ///< index into Rig::bones
  std::array<float, 4> weight{};
};

/// A joint that some vertex may follow.
struct RigBone {
  int joint = -1;            ///< index into the skeleton
  int parent = -1;           ///< nearest ancestor bone, as an index into Rig::bones
  Affine3d rest_from_world;  ///< inverse of the joint's frame at the rest pose
  Vec3d rest_origin;         ///< the joint at the rest pose
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

  [[nodiscard]] std::size_t vertex_count() const { return rest_positions.size(); }
};

}  // namespace cutis
