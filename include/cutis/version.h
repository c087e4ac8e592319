#pragma once

#include <string_view>

namespace cutis {
[[nodiscard]] std::string_view version();  ///< "0.1.0"
}
