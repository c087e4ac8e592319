// Characters made by code: no files, no licences, the same bits everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"

namespace cutis {

/// Names that make_builtin() takes, and load_character() (cutis/io.h) as "builtin:NAME".
[[nodiscard]] std::vector<std::string> builtin_names();

/// One of them, with weights and clips; "cylinder:12000" and "hand:12000" have about that many vertices. Throws
/// Error(bad_argument) listing the names.
[[nodiscard]] Character make_builtin(std::string_view name, const Context& context);

}  // namespace cutis
