// The page that `make wasm` builds, with a character in it.
#pragma once

#include <string>
#include <string_view>

namespace cutis::cli {

/// Beside the program in its build folder, in share/ where it is installed; empty: it was not built.
[[nodiscard]] std::string find_viewer_page();

/// Throws Error(bad_file) naming `file` when there is no place for a character in it.
void check_viewer_page(std::string_view page, const std::string& file);

struct ViewerContent {
  std::string name;         ///< builtin:NAME, or what the bytes are called
  std::string bytes = {};   ///< of a .glb or .vrm; none of built-in ones
  std::string clip = {};    ///< to begin with
  std::string preset = {};  ///< as files have it
};
[[nodiscard]] std::string viewer_page_of(std::string page, const ViewerContent& content);

}  // namespace cutis::cli
