// Numbered files, one per frame: NAME_0000.obj, NAME_0001.obj, …
#pragma once

#include <cstddef>
#include <string>

namespace cutis {

/// The name of frame `index` of `count`; at least four digits, and as many for every frame.
[[nodiscard]] std::string sequence_name(const std::string& file, std::size_t index, std::size_t count);

}  // namespace cutis
