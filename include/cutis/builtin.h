// Characters made by code: no files, no licences, the same bits everywhere.
#pragma once

#include <cstdint>
#include <optional>
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

/// Four seconds in which every joint swings smoothly about all its axes, as far as joints of its kind do: for trying a
/// character, or a method, with poses that nobody made. The same for a seed on every machine; `speed` in (0, 10].
[[nodiscard]] Clip random_motion(const Skeleton& skeleton, std::uint32_t seed, double speed = 1);
/// By name, "random:SEED" or "random:SEED:SPEED"; none for other names, Error(bad_argument) for others that begin so.
[[nodiscard]] std::optional<Clip> random_motion(const Skeleton& skeleton, std::string_view name);

}  // namespace cutis
