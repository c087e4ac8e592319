// The glTF file that a character came from, kept where it says more than a character holds: the extensions of VRM
// (humanoid map, expressions, spring bones), lights, constraints. A writer changes the weights in it and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cutis/character.h"

namespace cutis {

struct GltfSource {
  std::string json;  ///< as in the file
  std::vector<std::byte> binary;
  std::vector<std::string> extensions;  ///< that a character does not hold
  bool is_vrm = false;
  std::string obstacle;  ///< why it cannot be written with other weights; empty: it can

  static constexpr std::size_t kNoSkin = ~std::size_t{0};  ///< a bone carries it, or nothing does
  struct Piece {
    std::size_t mesh = 0, primitive = 0, skin = 0;
  };
  std::vector<Piece> pieces;  ///< per mesh of the character
  struct Skin {
    std::vector<std::uint32_t> joint_of;  ///< per entry: joint of the character
    Affine3d scene_from_mesh;
  };
  std::map<std::size_t, Skin> skins;
  std::vector<int> node_of_joint;  ///< -1 for aliases
  std::uint64_t fingerprint = 0;
};

/// Of everything but the weights: what the file cannot say any more when it has changed.
[[nodiscard]] std::uint64_t fingerprint_of(const Character& character);

/// The file with the character's weights, every other byte of its JSON as it was but for lists that weights are in.
/// A .gltf gets a .bin beside it, anything else is one binary file. Throws Error.
void write_with_weights(const std::string& file, const Character& character, const GltfSource& source);

}  // namespace cutis
