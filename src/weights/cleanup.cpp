#include "weights/cleanup.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/closest_point.h"
#include "weights/weight_bones.h"

namespace cutis {
namespace {

using Row = WeightMatrix::Row;

/// Sums rows with factors, bone by bone.
class RowSum {
 public:
  explicit RowSum(std::size_t bones) : weight_(bones, 0) {}
  void add(const Row& row, double factor) {
    for (const auto& [b, w] : row) {
      if (weight_[b] == 0) used_.push_back(b);
      weight_[b] += factor * w;
    }
  }
  /// The sum, normalised; starts over.
  Row take() {
    std::sort(used_.begin(), used_.end());
    Row row;
    double sum = 0;
    for (const std::uint32_t b : used_) {
      if (weight_[b] > 0) row.emplace_back(b, weight_[b]);
      sum += weight_[b];
      weight_[b] = 0;
    }
    used_.clear();
    for (auto& [b, w] : row) w /= sum;
    return row;
  }

 private:
  std::vector<double> weight_;
  std::vector<std::uint32_t> used_;
};

void bind_to_nearest_bone(const WeightProblem& problem, WeightMatrix& matrix) {
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    if (!matrix.rows[v].empty()) continue;
    std::uint32_t best = 0;
    for (std::uint32_t b = 1; b < problem.bones.size(); ++b)
      if (nearest_on_bone(problem.bones[b], problem.positions[v]).distance <
          nearest_on_bone(problem.bones[best], problem.positions[v]).distance)
        best = b;
    matrix.rows[v] = {{best, 1.0}};
  }
}

// w - t^2/w: 0 at t, and hardly less than w far above it.
double faded(double w, double t) { return w > t ? w - t * t / w : 0; }

Row pruned(const Row& row, std::size_t most, double min_weight) {
  Row result;
  for (const auto& [b, w] : row)
    if (const double f = faded(w, min_weight); f > 0) result.emplace_back(b, f);
  if (result.size() > most) {
    std::vector<double> sorted;
    for (const auto& [b, w] : result) sorted.push_back(w);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most), sorted.end(),
                     std::greater<>());
    const double limit = sorted[most];
    for (auto& [b, w] : result) w = faded(w, limit);
    std::erase_if(result, [](const auto& x) { return x.second <= 0; });
  }
  if (result.empty()) {  // all alike: any choice is as good
    result = row;
    std::stable_sort(result.begin(), result.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
    result.resize(std::min(result.size(), most));
    std::sort(result.begin(), result.end());
  }
  double sum = 0;
  for (const auto& [b, w] : result) sum += w;
  for (auto& [b, w] : result) w /= sum;
  return result;
}

}  // namespace

void transfer_weights(const WeightProblem& problem, WeightMatrix& matrix, const Context& context) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t v = 0; v < matrix.rows.size(); ++v)
    if (matrix.rows[v].empty()) missing.push_back(v);
  if (missing.empty()) return;
  const auto& triangles = problem.topology.triangles;
  std::vector<std::uint32_t> bound;
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    if (std::none_of(triangles[t].begin(), triangles[t].end(), [&](std::uint32_t v) { return matrix.rows[v].empty(); }))
      bound.push_back(t);
  if (bound.empty()) {
    bind_to_nearest_bone(problem, matrix);
    return;
  }
  std::vector<Vec3f> positions;
  for (const Vec3d& p : problem.positions) positions.push_back(static_cast<Vec3f>(p));
  const TriangleBvh bvh(positions, triangles, bound);
  const ClosestPoint surface(bvh, positions, triangles);
  std::vector<Row> rows(missing.size());
  parallel_for(context, missing.size(), 64, [&](std::size_t begin, std::size_t end) {
    RowSum sum(problem.bones.size());
    for (std::size_t i = begin; i < end; ++i) {
      const ClosestPoint::Hit hit = surface.nearest(problem.positions[missing[i]]);
      for (std::size_t k = 0; k < 3; ++k) sum.add(matrix.rows[triangles[hit.triangle][k]], hit.barycentric[k]);
      rows[i] = sum.take();
    }
  });
  for (std::size_t i = 0; i < missing.size(); ++i) matrix.rows[missing[i]] = std::move(rows[i]);

  for (const std::uint32_t c : matrix.rigid_components) {
    RowSum sum(problem.bones.size());
    for (std::uint32_t v = 0; v < matrix.rows.size(); ++v)
      if (problem.topology.component[v] == c) sum.add(matrix.rows[v], 1);
    const Row row = sum.take();
    for (std::uint32_t v = 0; v < matrix.rows.size(); ++v)
      if (problem.topology.component[v] == c) matrix.rows[v] = row;
  }
}

void smooth_weights(const WeightProblem& problem, WeightMatrix& matrix, int steps, const Context& context) {
  std::vector<Row> next(matrix.rows.size());
  for (int step = 0; step < steps; ++step) {
    parallel_for(context, matrix.rows.size(), 256, [&](std::size_t begin, std::size_t end) {
      RowSum sum(problem.bones.size());
      for (std::size_t v = begin; v < end; ++v) {
        const auto neighbours = problem.topology.vertex_neighbours.row(v);
        sum.add(matrix.rows[v], 1);
        for (const std::uint32_t w : neighbours) sum.add(matrix.rows[w], 1 / static_cast<double>(neighbours.size()));
        next[v] = sum.take();
      }
    });
    matrix.rows.swap(next);
  }
}

PruneReport prune_weights(WeightMatrix& matrix, int max_influences, double min_weight) {
  PruneReport report;
  for (Row& row : matrix.rows) {
    Row after = pruned(row, static_cast<std::size_t>(max_influences), min_weight);
    double lost = 0;
    for (const auto& [b, w] : row) {
      const auto it = std::find_if(after.begin(), after.end(), [bone = b](const auto& x) { return x.first == bone; });
      lost += std::max(0.0, w - (it == after.end() ? 0.0 : it->second));
    }
    report.mean += lost;
    report.max = std::max(report.max, lost);
    row = std::move(after);
  }
  if (!matrix.rows.empty()) report.mean /= static_cast<double>(matrix.rows.size());
  return report;
}

}  // namespace cutis
