// The frozen run-time form of a character. Made by bind(); immutable; shared by any number of solvers.
#pragma once

#include <memory>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/preset.h"

namespace cutis {

class Rig;  // src/rig/rig.h: flat arrays

struct BindOptions {
  bool implicit_skin = true;  ///< fields of the parts: needed by every method but lbs and dqs
  Preset preset = {};
};

/// Freezes a character: welds, packs influences, cuts it into parts and fits their fields.
/// Throws Error when the character has no weights or is invalid.
[[nodiscard]] std::shared_ptr<const Rig> bind(const Character& character, const Context& context,
                                              const BindOptions& options = {});

}  // namespace cutis
