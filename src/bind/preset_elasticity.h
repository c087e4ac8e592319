// The sections "regions", "targets" and "muscles" of a preset.
#pragma once

#include <string>

#include "base/json_input.h"
#include "cutis/elasticity.h"

namespace cutis {

[[nodiscard]] SkinRegion region_from_json(const json_input::Json& json, const std::string& place);
[[nodiscard]] SkinTarget target_from_json(const json_input::Json& json, const std::string& place);
[[nodiscard]] Muscle muscle_from_json(const json_input::Json& json, const std::string& place);
[[nodiscard]] json_input::Json region_json(const SkinRegion& region);
[[nodiscard]] json_input::Json target_json(const SkinTarget& target);
[[nodiscard]] json_input::Json muscle_json(const Muscle& muscle);

/// Throw Error(bad_argument) that names the joint that `skeleton` does not have, or the number that is out of range.
void check_region(const SkinRegion& region, const Skeleton& skeleton);
void check_target(const SkinTarget& target, const Skeleton& skeleton);
void check_muscle(const Muscle& muscle, const Skeleton& skeleton);

}  // namespace cutis
