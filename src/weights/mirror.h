// Mirror symmetry of character and weights.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weights/method.h"

namespace cutis {

struct Mirror {
  Vec3d point, normal;
  std::vector<std::uint32_t> vertex;  ///< partner of each welded vertex, itself on the plane; kNone without
  std::vector<std::uint32_t> bone;    ///< partner of each bone, itself in the middle or without another
  std::vector<std::uint32_t> alone;   ///< bones off the plane that have no partner

  static constexpr std::uint32_t kNone = 0xffffffffU;
};

/// The plane under which bones (by their names, then by their places) and vertices have the most partners; empty when
/// fewer than half of the vertices have one.
[[nodiscard]] std::optional<Mirror> find_mirror(const WeightProblem& problem);

/// Largest difference of a weight to its mirror image.
[[nodiscard]] double mirror_error(const Mirror& mirror, const WeightMatrix& matrix);

/// Gives mirrored vertices the mean of their weights, to the last bit.
void symmetrise(const Mirror& mirror, WeightMatrix& matrix);

/// "thigh_l" -> "thigh_r", "LeftHand" -> "RightHand", "arm.R.001" -> "arm.L.001"; empty when the name has no side.
[[nodiscard]] std::string mirrored_name(std::string_view name);

}  // namespace cutis
