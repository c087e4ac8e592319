// Motion of one skeleton onto another.
#pragma once

#include <string>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "io/bvh_read.h"
#include "io/joint_map.h"

namespace cutis {

/// How a joint of the map is turned.
enum class Turning {
  aims,     ///< its bone points where the motion's bone points
  copies,   ///< the orientation as a whole, relative to the reference pose: hips, collars, head, toes
  follows,  ///< as `copies`, after the alignment of the bone before it: leaves such as hands
};

struct RetargetReport {
  struct Item {
    int joint = -1, motion_joint = -1;
    Turning turning = Turning::aims;
    /// For `aims`: the joints whose mean the bone points to (empty: the tip of a leaf).
    std::vector<int> targets, motion_targets;
  };
  std::vector<Item> items;
  double scale = 1;          ///< character's metres per unit of the motion
  int reference_frame = -1;  ///< -1: the motion's offsets without rotation
  Quatd scene_from_motion;   ///< not the identity when the motion is Z-up
};

/// One rotation channel per mapped joint and a translation channel of the topmost one, a key per frame. Joints outside
/// the map keep their default transforms. The path starts at the character's place; the height over the ground is the
/// motion's, scaled by the ratio of the leg lengths, so that the feet reach the ground when the motion's do.
[[nodiscard]] Clip retarget(const Character& character, const BvhMotion& motion, const JointMap& map,
                            const std::string& name, const Context& context, RetargetReport* report = nullptr);

}  // namespace cutis
