// From what a preset paints to the arrays that frames use: stiffness per vertex, targets, muscles.
#pragma once

#include "character/welded_character.h"
#include "cutis/preset.h"
#include "rig/rig.h"

namespace cutis {

/// All need the surface and the fields of the rig. Throw Error(bad_argument) that names what the character does not
/// have.
void paint_regions(const Character& character, const Preset& preset, Rig& rig);
void add_targets(const Preset& preset, Rig& rig);
/// Enlarges the grids of parts so that they hold their muscles.
void add_muscles(const Preset& preset, Rig& rig);

}  // namespace cutis
