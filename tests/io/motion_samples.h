// Small bodies that move, and files with their skeletons and clips and nothing else, as motions are exported.
#pragma once

#include <string>
#include <vector>

#include "cutis/character.h"
#include "io/gltf_maker.h"

namespace cutis::test {

struct Stick {
  const char* name;
  int parent;
  Vec3d place;
};

/// Joints at given places, each with a frame of its own turned away from the axes.
[[nodiscard]] Character make_figure(const std::vector<Stick>& sticks);
/// In A-pose, two metres of legs and arms of other proportions than the motion's.
[[nodiscard]] Character make_person();
/// That with clips: "rest", a single key; "lively", all joints for a second from rest on; "walk", from a stride on, and
/// never near the rest pose.
[[nodiscard]] Character make_moving_person();

struct SkeletonFile {
  bool has_skin = false;  ///< with the inverse bind matrices of a skin that no mesh wears
  int posed_at = -1;      ///< nodes are left where the first key (0) of the last clip has them; -1: at rest
  double unit = 1;        ///< of a metre; the node on top is scaled to make up for it
};
/// Nodes and animations, no meshes.
[[nodiscard]] GltfBuilder skeleton_gltf(const Character& character, const SkeletonFile& how = {});
/// The last clip, 60 keys a second. `z_up`: in that system of axes.
[[nodiscard]] std::string skeleton_dae(const Character& character, bool z_up = false);
/// The same in centimetres.
[[nodiscard]] std::string skeleton_fbx(const Character& character);

}  // namespace cutis::test
