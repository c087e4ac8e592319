// Skin weights as glTF has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/character.h"

namespace cutis {

/// JOINTS_n and WEIGHTS_n: four of each per vertex.
struct InfluenceSet {
  std::vector<std::uint16_t> joint;
  std::vector<float> weight;
};

/// Sets of four; the weights of a vertex sum to 1 as floats too, to the last bit of the largest.
/// `place`: of each joint among the skin's.
[[nodiscard]] std::vector<InfluenceSet> influence_sets(const Weights& weights, std::span<const std::uint32_t> place);

}  // namespace cutis
