// Reading what GltfBuilder made: characters, warnings, errors.
#pragma once

#include <string>
#include <vector>

#include "cutis/character.h"
#include "cutis/io.h"
#include "io/gltf_maker.h"

namespace cutis::test {

/// The validated character, with the reader's warnings.
struct ReadResult {
  Character character;
  std::vector<std::string> warnings;
};
[[nodiscard]] ReadResult read_bytes(std::span<const std::byte> bytes, const ReadOptions& options = {});
[[nodiscard]] ReadResult read(const GltfBuilder& builder, const ReadOptions& options = {});
/// The sentence the reader refuses the file with.
[[nodiscard]] std::string refusal(const GltfBuilder& builder);
[[nodiscard]] std::string refusal(std::span<const std::byte> bytes);

/// Linear blend skinning by the book.
[[nodiscard]] std::vector<Vec3d> blend(const Character& character, const Pose& pose);

}  // namespace cutis::test
