// What a preset says of a skin whose fields are there: what is painted on it, and how its parts are composed.
#pragma once

#include <vector>

#include "cutis/bind.h"
#include "rig/rig.h"

namespace cutis {

/// Of caps, where a joint's own setting may be.
[[nodiscard]] double cap_of(const JointPreset& settings, const Preset& preset);

/// All values in force, of the joints whose parts have a field.
[[nodiscard]] Preset preset_in_force(const Preset& preset, const std::vector<PartReport>& parts,
                                     const SphereModel& spheres);

/// Regions and targets. Needs surface and fields.
void paint_skin(const Character& character, const Preset& preset, Rig& rig);

/// The tree of operators, and the composed field at rest: what every vertex is held to from then on.
void compose_fields(const Preset& preset, const Context& context, Rig& rig, BindReport& report);

}  // namespace cutis
