#include "io/gltf_read_weights.h"

#include "io/gltf_read_fail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cutis::gltf {
namespace {

// Rounding of half floats and bytes stays below; more than this is worth a remark.
constexpr double kSumTolerance = 1e-3;

struct Influence {
  std::uint32_t joint = 0;
  double weight = 0;
};

struct InfluenceSet {
  std::vector<std::uint32_t> joints;
  std::vector<float> weights;
};

std::vector<InfluenceSet> read_sets(PrimitiveSource& source, std::size_t vertices) {
  std::vector<InfluenceSet> sets;
  for (int n = 0;; ++n) {
    const std::string joints = fmt::format("JOINTS_{}", n), weights = fmt::format("WEIGHTS_{}", n);
    if (!source.has(joints) && !source.has(weights)) return sets;
    if (!source.has(joints) || !source.has(weights))
      fail(source.place(), fmt::format("it has only one of {} and {}", joints, weights));
    InfluenceSet set;
    set.joints = source.integers(joints, 4, vertices);
    set.weights = source.weights(weights, vertices);
    sets.push_back(std::move(set));
  }
}

void merge_and_sort(std::vector<Influence>& row) {
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (kept > 0 && row[kept - 1].joint == row[i].joint)
      row[kept - 1].weight += row[i].weight;
    else
      row[kept++] = row[i];
  }
  row.resize(kept);
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) {
    return a.weight > b.weight || (a.weight == b.weight && a.joint < b.joint);
  });
}

}  // namespace

Weights read_weights(PrimitiveSource& source, std::size_t vertices, std::span<const std::uint32_t> joint_of,
                     const Context& context) {
  const std::vector<InfluenceSet> sets = read_sets(source, vertices);
  if (sets.empty())
    fail(source.place(), "it is skinned, but has no JOINTS_0 and WEIGHTS_0; bind it to its bones, or make new weights");
  source.data().charge(2 * 4 * sets.size() * vertices, source.place());

  Weights result;
  result.row_begin.reserve(vertices + 1);
  result.row_begin.push_back(0);
  result.joint.reserve(4 * vertices);
  result.weight.reserve(4 * vertices);
  std::size_t negative = 0, none = 0, unnormalized = 0;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < vertices; ++v) {
    row.clear();
    double sum = 0;
    for (const InfluenceSet& set : sets) {
      for (std::size_t i = 4 * v; i < 4 * v + 4; ++i) {
        const auto weight = static_cast<double>(set.weights[i]);
        if (!std::isfinite(weight)) ++none;
        if (weight < 0) ++negative;
        if (!std::isfinite(weight) || weight <= 0) continue;
        if (set.joints[i] >= joint_of.size())
          fail(source.place(), fmt::format("vertex {} is bound to joint {} of its skin, which has only {}", v,
                                           set.joints[i], joint_of.size()));
        row.push_back({joint_of[set.joints[i]], weight});
        sum += weight;
      }
    }
    if (sum > 0 && std::abs(sum - 1) > kSumTolerance) ++unnormalized;
    merge_and_sort(row);
    for (const Influence& influence : row) {
      const auto weight = static_cast<float>(influence.weight / sum);
      if (!(weight > 0)) continue;
      result.joint.push_back(influence.joint);
      result.weight.push_back(std::min(weight, 1.0F));
    }
    result.row_begin.push_back(static_cast<std::uint32_t>(result.joint.size()));
  }
  if (none > 0) context.warn(fmt::format("{}: {} weights that are not finite are taken as 0", source.place(), none));
  if (negative > 0) context.warn(fmt::format("{}: {} negative weights are taken as 0", source.place(), negative));
  if (unnormalized > 0)
    context.warn(fmt::format("{}: the weights of {} vertices did not sum to 1 and are normalised", source.place(),
                             unnormalized));
  return result;
}

void mark_used_entries(PrimitiveSource& source, std::size_t vertices, std::vector<char>& used) {
  for (const InfluenceSet& set : read_sets(source, vertices))
    for (std::size_t i = 0; i < std::min(set.joints.size(), set.weights.size()); ++i)
      if (set.weights[i] > 0 && set.joints[i] < used.size()) used[set.joints[i]] = 1;
}

}  // namespace cutis::gltf
