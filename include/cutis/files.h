// Whole files: inputs that end, outputs that are complete or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cutis {

/// All bytes of a regular file. Throws Error(io): it is not there, is a folder, a pipe or a device, may not be read, or
/// is larger than largest_input(). `place` stands for it in messages; by default its name.
[[nodiscard]] std::string read_file(const std::string& path, const std::string& place = {});

/// Replaces the file in one step: written under a temporary name in the same folder, then renamed. Throws Error(io).
void write_file(const std::string& path, std::string_view bytes);

/// The most bytes that any reader takes from one file: 8 GB, or half of the machine's memory where that is less. Of the
/// process, as its memory is.
[[nodiscard]] std::uint64_t largest_input() noexcept;
void set_largest_input(std::uint64_t bytes) noexcept;

/// Removes the temporary files of outputs that are being written. For a signal handler: async-signal-safe. The writers
/// find out when they are done, with Error(io); the process should end.
void remove_unfinished_files() noexcept;

}  // namespace cutis
