// Skeletons whose joints lie in a list, each with its own place in the world (tracked hands, baked exports).
#pragma once

#include <vector>

#include "rig/rig.h"

namespace cutis {

/// A bone hangs on the nearest one above it in the skeleton. Where no bone above it moves skin, but others move some of
/// its own, the skeleton does not say on which one it hangs, and the skin does: pieces of the skeleton are joined where
/// they share most skin around a joint, and hang on each other so that joints are where the skin bends.
/// Sets RigBone::parent, and the order of bones (also in the blocks and in `bone_of`, per joint) where parents would
/// come after children. Skeletons that hang together are left alone.
void nest_bones(Rig& rig, std::vector<int>& bone_of);

/// The skeleton in which joints hang as the bones do. Parents may come after children: for queries of the rest pose.
[[nodiscard]] Skeleton nested_skeleton(const Rig& rig);

}  // namespace cutis
