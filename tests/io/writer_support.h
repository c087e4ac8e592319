// Characters and frames with known answers for the tests of the writers.
#pragma once

#include <string>
#include <vector>

#include "cutis/io.h"
#include "support/support.h"

namespace cutis::test {

struct Shot {
  Character character;
  AnimationHeader header;  ///< points at `character`
  struct Frame {
    std::vector<Vec3f> positions, normals;
  };
  std::vector<Frame> frames;

  Shot() = default;
  Shot(const Shot&) = delete;
  Shot& operator=(const Shot&) = delete;
};

/// The two-bone tube and, as a second mesh, a small patch with texture coordinates and colours; frames bend both by
/// some formula. `frames` times, 1/24 s apart, from second 0.5 on.
void fill_shot(Shot& shot, std::size_t frames);

/// Writes all frames and finishes.
void write_shot(const Shot& shot, const std::string& file);

[[nodiscard]] std::string bytes_of(const std::string& file);
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);  ///< sorted

/// A value of type T at `offset`; fails the test beyond the end.
template <class T>
[[nodiscard]] T value_at(const std::string& bytes, std::size_t offset);
template <class T>
[[nodiscard]] T big_endian_at(const std::string& bytes, std::size_t offset);

extern template float value_at<float>(const std::string&, std::size_t);
extern template std::int32_t value_at<std::int32_t>(const std::string&, std::size_t);
extern template std::uint8_t value_at<std::uint8_t>(const std::string&, std::size_t);
extern template float big_endian_at<float>(const std::string&, std::size_t);
extern template std::int32_t big_endian_at<std::int32_t>(const std::string&, std::size_t);

}  // namespace cutis::test
