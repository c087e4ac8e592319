// The frozen run-time form of a character, and the file that holds it. Made by bind() (cutis/bind.h); immutable; shared
// by any number of solvers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cutis {

class Rig;  // src/rig/rig.h: flat arrays
struct Character;

/// A versioned binary file with a checksum; complete or not there.
void save_rig(const Rig& rig, const std::string& path);
/// Throws Error(bad_file) when the file is damaged, no rig, or of another version.
[[nodiscard]] std::shared_ptr<const Rig> load_rig(const std::string& path);

/// The whole file, in memory.
[[nodiscard]] std::string rig_to_bytes(const Rig& rig);
/// `place` names it in errors. Throws Error(bad_file).
[[nodiscard]] std::shared_ptr<const Rig> rig_from_bytes(std::string_view bytes, const std::string& place);

/// Throws Error(bad_argument) unless the rig was bound from such a character: as many vertices at the same places, and
/// the same joints.
void check_rig_of(const Rig& rig, const Character& character);

}  // namespace cutis
