// The surface of one part, cut out of the character: what a field is fitted to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Rest pose, scene space, metres. Everything may be empty or degenerate: fitting reports it.
struct PartPatch {
  std::string name;                 ///< the bone's; seeds the sampling
  std::vector<Vec3d> points;        ///< the part's own vertices first
  std::vector<Vec3d> normals;       ///< per point, outward, unit
  std::size_t own_points = 0;       ///< the others belong to neighbouring parts
  std::vector<Triangle> triangles;  ///< over points, outward
  Vec3d bone_from, bone_to;         ///< character/bones.h
  std::vector<Vec3d> joints;        ///< where it meets its neighbours: its own joint and its children's
  /// The rest of the character's surface near the part: fields must not stick out of it.
  std::vector<Vec3d> other_points, other_normals;
  double character_size = 0;  ///< diagonal of the whole character's box: the measure of tiny
};

/// The triangles of part number `part` and their vertices, and the vertices around them; without bone and name.
/// Triangles across a seam are left out as long as those that are wholly the part's make up half of its surface; coarse
/// meshes keep them.
[[nodiscard]] PartPatch cut_patch(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                                  std::span<const Triangle> triangles, std::span<const std::uint32_t> part_of_vertex,
                                  std::uint32_t part);

/// Where a patch ends: a loop of border edges.
struct PatchEnd {
  std::vector<std::uint32_t> loop;  ///< points, in order
  Vec3d center;
  Vec3d outward;        ///< unit normal of the loop's mean plane, away from the patch
  double radius = 0;    ///< mean distance of the loop to its centre
  bool window = false;  ///< a gap within the surface, not the end of a tube or of a strip
};
[[nodiscard]] std::vector<PatchEnd> find_ends(const PartPatch& patch);

}  // namespace cutis
