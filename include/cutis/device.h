// Whether this machine can run a back end.
#pragma once

#include <string>

#include "cutis/context.h"

namespace cutis {

/// Why it cannot, as a sentence; empty: it can. Solvers throw it.
[[nodiscard]] std::string why_unusable(Backend backend);

}  // namespace cutis
