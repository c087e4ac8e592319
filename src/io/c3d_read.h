// C3D: the binary format of motion capture laboratories (www.c3d.org): points, analogue channels, parameters.
#pragma once

#include <string>
#include <string_view>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

/// Integer and floating-point files of Intel, DEC and MIPS machines. Analogue data and events are passed over.
/// Throws Error naming the file. A file that ends early gives the frames that are whole, with a warning.
[[nodiscard]] MarkerTake read_c3d(const std::string& path, const Context& context, const TakeOptions& options);
[[nodiscard]] MarkerTake read_c3d_memory(std::string_view bytes, const std::string& name, const Context& context,
                                         const TakeOptions& options);

}  // namespace cutis
