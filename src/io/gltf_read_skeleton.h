// Joints and rest frames from glTF nodes and skins.
//
// A skin says where each joint was when the skin was bound, but only relative to the mesh (inverse bind matrices).
// The rest pose in scene space needs one more map per skin, B = scene_from_mesh: B is where the top-most joint's
// default transform puts the mesh, which is the common value of world(joint) * inverse_bind(joint) for all joints when
// the default pose is the bind pose. Exporters write helper joints without skin, some of them with inverse bind
// matrices that mean nothing: where the top-most joint moves no skin and puts the mesh in another size than the
// top-most one that does, the latter decides. Then world_from_rest = B * inverse(inverse_bind), and skinning does not
// depend on the choice of B. Joints without skin whose matrices are 1 where others are not are where their default
// transforms put them: on the way from the rest pose to a first frame the bones below them must not grow and shrink.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cutis/character.h"
#include "io/gltf_read_data.h"
#include "io/gltf_read_scene.h"

namespace cutis::gltf {

/// A skin in use, with the bounds of its meshes in mesh space.
struct SkinUse {
  std::size_t skin = 0;
  Box bounds;
  std::vector<char> used;  ///< per entry of the skin: some vertex follows it; empty: not known
};

struct SkinBinding {
  Affine3d scene_from_mesh;
  std::vector<std::uint32_t> joint_of;  ///< per entry of the skin: index into the skeleton's joints
};

struct SkeletonResult {
  Skeleton skeleton;
  std::vector<int> joint_of_node;               ///< -1: the node is not part of the skeleton
  std::map<std::size_t, SkinBinding> bindings;  ///< per skin in use
};

/// Joints of the skins, everything above and between them, and `carriers`: nodes below them that are bones as well.
/// Skins that bind a joint in another rest frame than an earlier one get alias joints. Throws Error naming skin and
/// joint when a matrix is singular.
[[nodiscard]] SkeletonResult build_skeleton(const File& file, const Scene& scene, std::span<const SkinUse> skins,
                                            std::span<const std::size_t> carriers, Data& data);

/// A skin that no mesh wears, if it says where its joints are; bounded by them. None when its matrices are left out or
/// put all joints in one place.
[[nodiscard]] std::optional<SkinUse> use_without_mesh(const File& file, std::size_t skin, Data& data);

/// The given nodes as bones at their default transforms, with everything above them.
[[nodiscard]] SkeletonResult build_rigid_skeleton(const File& file, const Scene& scene,
                                                  std::span<const std::size_t> bones);

}  // namespace cutis::gltf
