#include "cutis/error.h"
#include "cutis/weights.h"

namespace cutis {

void take_skeleton(Character& character, const Character& donor, double scale) {
  if (!(scale > 0) || !(scale < 1e9))
    throw Error(ErrorCode::bad_argument, "skeleton scale", "has to be a positive number");
  if (donor.skeleton.joints.empty())
    throw Error(ErrorCode::bad_character, donor.source, "has no skeleton; name a skinned character or a .bvh file");
  character.skeleton = donor.skeleton;
  character.clips = donor.clips;
  for (Mesh& mesh : character.meshes) {
    mesh.weights = {};
    mesh.attached = false;
  }
  // Conjugation of all transforms by the scaling: rotations stay, translations grow.
  for (Joint& joint : character.skeleton.joints) {
    joint.local.translation *= scale;
    joint.world_from_rest.translation *= scale;
    if (joint.local_residual) joint.local_residual->translation *= scale;
  }
  for (Clip& clip : character.clips)
    for (Channel& channel : clip.channels)
      if (channel.path == ChannelPath::translation)
        for (float& x : channel.values) x *= static_cast<float>(scale);
}

}  // namespace cutis
