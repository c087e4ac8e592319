#include "field/character_patches.h"

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {

std::vector<PartPatch> cut_patches(const Character& character, const WeldedCharacter& welded,
                                   std::span<const BoneSegment> bones, std::span<const std::uint32_t> part_of_vertex) {
  const std::vector<Vec3f> normals = vertex_normals(welded.positions, welded.topology.triangles);
  const double size = diagonal(character.bounds());
  std::vector<PartPatch> patches;
  std::vector<char> owns(bones.size(), 0);
  for (const std::uint32_t b : part_of_vertex)
    if (b < bones.size()) owns[b] = 1;
  std::vector<int> above;
  for (const BoneSegment& bone : bones) above.push_back(parent_bone(character.skeleton, bone.joint));
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    PartPatch patch;
    if (owns[b] != 0) patch = cut_patch(welded.positions, normals, welded.topology.triangles, part_of_vertex, b);
    patch.name = character.skeleton.joints[static_cast<std::size_t>(bones[b].joint)].name;
    patch.bone_from = bones[b].from;
    patch.bone_to = bones[b].to;
    patch.character_size = size;
    patch.joints.push_back(bones[b].from);
    for (std::size_t k = 0; k < bones.size(); ++k)
      if (above[k] == bones[b].joint) patch.joints.push_back(bones[k].from);
    patches.push_back(std::move(patch));
  }
  return patches;
}

}  // namespace cutis
