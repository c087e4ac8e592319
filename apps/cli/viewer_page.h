// The page that `make wasm` builds, with a character in it.
#pragma once

#include <string>
#include <string_view>

namespace cutis::cli {

/// Beside the program in its build folder, in share/ where it is installed; empty: it was not built.
[[nodiscard]] std::string find_viewer_page();

/// Throws Error(bad_file) naming `file` when there is no place for a character in it.
void check_viewer_page(std::string_view page, const std::string& file);

/// `name`: builtin:NAME and no bytes, or what the bytes are called; `clip`: to begin with, or empty.
[[nodiscard]] std::string viewer_page_of(std::string page, const std::string& name, const std::string& clip,
                                         std::string_view bytes);

}  // namespace cutis::cli
