// How far the pose lets contact in between two parts.
#pragma once

#include <span>
#include <vector>

#include "backends/track_rest.h"
#include "kernels/track.h"
#include "rig/rig.h"

namespace cutis {

/// Whether a bend that several joints share may fold skin. With a history it must not: a curved spine is no fold.
/// Without one it may: parts two joints apart have no other way to find that they meet.
enum class SharedBends { no_fold, fold };

/// `gates`, bones x bones: 1 between parts that are not joined; between joined ones it opens with their swing, about
/// the child's axis, so that twist does not count. `rotations`: per bone, relative to rest. `bends`: scratch, per bone.
void open_gates(const Rig& rig, const TrackRest& rest, std::span<const Quatd> rotations, SharedBends shared,
                std::vector<double>& bends, std::vector<float>& gates);

/// Between the part of bone `lower` and one that it hangs on, by their rotations relative to rest.
[[nodiscard]] Fold fold_between(const RigBone& lower, const Quatd& rotation, const Quatd& upper_rotation);
/// Per pair of rest.folds.
void find_folds(const Rig& rig, const TrackRest& rest, std::span<const Quatd> rotations, std::vector<Fold>& folds);

}  // namespace cutis
