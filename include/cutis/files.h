// Whole files: inputs that end, outputs that are complete or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// The most vertices, of all meshes together, that load_character() lets through; any number by default. Of the process.
[[nodiscard]] std::uint64_t most_vertices() noexcept;
void set_most_vertices(std::uint64_t vertices) noexcept;

/// A file as it was read: what a result was made from.
struct InputRecord {
  std::string file;  ///< as it was named
  std::uint64_t hash = 0;
};
/// From now on every file that any reader takes in is recorded. Of the process.
void record_inputs();
/// Those since the first record_inputs(), in the order of their names; a file that was read twice is there once, unless
/// it changed.
[[nodiscard]] std::vector<InputRecord> recorded_inputs();

/// FNV-1a over the bytes of a regular file of any size, as InputRecord has it. Throws Error(io).
[[nodiscard]] std::uint64_t file_hash(const std::string& path);

/// Removes the temporary files of outputs that are being written. For a signal handler: async-signal-safe. The writers
/// find out when they are done, with Error(io); the process should end.
void remove_unfinished_files() noexcept;

}  // namespace cutis
