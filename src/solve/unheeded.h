// What a rig's preset asks for and a method does not do: said when the solver is made, not found out in its pictures.
#pragma once

#include "cutis/context.h"
#include "cutis/method.h"
#include "rig/rig.h"

namespace cutis {

/// Warns of operators and controllers of joints that `options` make no use of.
void warn_of_unheeded(const Rig& rig, const SolveOptions& options, const Context& context);

}  // namespace cutis
