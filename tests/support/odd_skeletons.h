// Skeletons as exporters write them: joints in a flat list, bones that scale.
#pragma once

#include <cstdint>
#include <vector>

#include "cutis/character.h"

namespace cutis::test {

enum class ListOrder { as_it_is, backwards };

/// A character whose joints lie in a list, each with its own place in the world, and how poses come there.
struct FlatCopy {
  Character character;            ///< without clips
  std::vector<std::size_t> from;  ///< per joint: the original's
  Skeleton original;

  /// Every joint where the original's pose has it. `largest_shear` gets what no translation, rotation and scale can
  /// say, relative to the joint's own scale.
  [[nodiscard]] Pose pose(const Pose& of_original, double& largest_shear) const;
};
[[nodiscard]] FlatCopy make_flat_copy(const Character& character, ListOrder order);

/// Bones that own skin, every third of them.
[[nodiscard]] std::vector<std::size_t> some_bones(const Character& character);
/// The pose with these joints' local scale multiplied.
[[nodiscard]] Pose scaled(Pose pose, const std::vector<std::size_t>& joints, const Vec3d& scale);

}  // namespace cutis::test
