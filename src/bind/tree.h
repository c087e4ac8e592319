// The order in which the fields of the parts are composed.
//
// Tracking §4.1 asks for bulges at the bottom and contacts above. Here: joints with an operator of their own kind
// (bulge, blend, union, a profile) first, then those with the contact operator; within both from the leaves of the
// skeleton to its root; then whatever has not been joined, by contact. Every two parts meet in some node, so that any
// two can touch.
#pragma once

#include "cutis/context.h"
#include "cutis/preset.h"
#include "rig/rig.h"

namespace cutis {

/// For the bones and fields of `rig`. Throws Error naming the joint whose operator or controller does not exist.
[[nodiscard]] RigTree make_tree(const Rig& rig, const Preset& preset, const Context& context);

}  // namespace cutis
