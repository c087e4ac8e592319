#include "io/gltf_influences.h"

namespace cutis {

std::vector<InfluenceSet> influence_sets(const Weights& weights, std::span<const std::uint32_t> place) {
  constexpr std::size_t kPerSet = 4;
  const std::size_t n = weights.rows();
  const std::size_t count = (static_cast<std::size_t>(weights.max_influences()) + kPerSet - 1) / kPerSet;
  std::vector<InfluenceSet> sets(count,
                                 {std::vector<std::uint16_t>(n * kPerSet, 0), std::vector<float>(n * kPerSet, 0)});
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint32_t begin = weights.row_begin[v], end = weights.row_begin[v + 1];
    double sum = 0;
    for (std::uint32_t i = begin; i < end; ++i) sum += static_cast<double>(weights.weight[i]);
    double rest = 1;
    std::uint32_t largest = begin;
    for (std::uint32_t i = begin; i < end; ++i) {
      rest -= static_cast<double>(static_cast<float>(weights.weight[i] / sum));
      if (weights.weight[i] > weights.weight[largest]) largest = i;
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!(weights.weight[i] > 0)) continue;
      InfluenceSet& set = sets[(i - begin) / kPerSet];
      const std::size_t at = v * kPerSet + (i - begin) % kPerSet;
      const auto share = static_cast<float>(weights.weight[i] / sum);
      set.joint[at] = static_cast<std::uint16_t>(place[weights.joint[i]]);
      set.weight[at] = i == largest ? static_cast<float>(share + rest) : share;
    }
  }
  return sets;
}

}  // namespace cutis
