// Which joint of a character takes the motion of which joint of another skeleton.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "character/recognise.h"
#include "cutis/character.h"
#include "io/bvh_read.h"

namespace cutis {

using JointMap = std::vector<JointMatch>;

/// By what the joints are (character/recognise.h). Throws Error when fewer than three correspond, telling how to write
/// a map file.
[[nodiscard]] JointMap map_joints(const Character& character, const BvhMotion& motion);
/// By a JSON file {"character joint": "motion joint", ...}. Throws Error naming what is not there.
[[nodiscard]] JointMap read_joint_map(const std::string& path, const Character& character, const BvhMotion& motion);
/// The same of text; `path` stands for it in messages.
[[nodiscard]] JointMap joint_map_from_json(std::string_view text, const std::string& path, const Character& character,
                                           const BvhMotion& motion);

}  // namespace cutis
