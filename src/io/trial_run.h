// Work that a third-party library may not survive, tried out first where it can do no harm.
#pragma once

#include <functional>

#include "cutis/context.h"

namespace cutis {

/// Runs `work` in a copy of this process and tells whether it came to an end there, by returning or by throwing.
/// False: it crashed, failed an assertion, or took more than `cpu_seconds`. What it prints is discarded. True too when
/// the system has no room for a copy: the work is then untried. Throws Error(cancelled), and ends the copy, when the
/// context says so.
[[nodiscard]] bool survives_trial(const std::function<void()>& work, unsigned cpu_seconds, const Context& context);

}  // namespace cutis
