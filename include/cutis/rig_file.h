// The frozen run-time form of a character, and the file that holds it. Made by bind() (cutis/bind.h); immutable; shared
// by any number of solvers.
#pragma once

#include <memory>
#include <string>

namespace cutis {

class Rig;  // src/rig/rig.h: flat arrays

/// A versioned binary file with a checksum; complete or not there.
void save_rig(const Rig& rig, const std::string& path);
/// Throws Error(bad_file) when the file is damaged, no rig, or of another version.
[[nodiscard]] std::shared_ptr<const Rig> load_rig(const std::string& path);

}  // namespace cutis
