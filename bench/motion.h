// Motions of benchmarks: joints that swing by a known angle a frame, in poses that stay plausible.
#pragma once

#include <vector>

#include "cutis/character.h"

namespace cutis::bench {

/// Joints whose bones own skin, but for the first, which carries everything.
[[nodiscard]] std::vector<int> moving_joints(const Character& character);
/// The left forearm's joint; the middle of the moving joints where names do not tell.
[[nodiscard]] int elbow(const Character& character);

/// Each of `joints` swings about the axis across its bone that flexes limbs and spines, 0.05 radians a frame in the
/// mean, at most a quarter radian off, phases spread evenly.
[[nodiscard]] std::vector<Pose> swing(const Character& character, const std::vector<int>& joints, int frames);

}  // namespace cutis::bench
