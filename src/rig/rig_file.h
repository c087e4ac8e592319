// Rigs on disk: header (magic, version, byte order, size, checksum), then every array of the Rig in turn, then what was
// derived from them and took long (RestData), by name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cutis/rig_file.h"
#include "rig/rig.h"

namespace cutis {

/// Raise when the contents change: files of another version are refused with a sentence.
inline constexpr std::uint32_t kRigVersion = 6;

/// Memory that a rig takes.
[[nodiscard]] std::size_t rig_bytes(const Rig& rig);

/// Throws Error(bad_file) when sizes do not fit or a number points nowhere: what would make a kernel read elsewhere.
void check_rig(const Rig& rig, const std::string& place);

/// The checksum of a file's payload: for tests that change files on purpose.
[[nodiscard]] std::uint64_t rig_checksum(std::string_view payload);
inline constexpr std::size_t kRigHeaderBytes = 32, kRigChecksumOffset = 24;

}  // namespace cutis
