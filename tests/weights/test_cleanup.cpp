#include "weights/cleanup.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cutis/weights.h"
#include "weights/weights_support.h"

namespace cutis::test {
namespace {

WeightMatrix::Row pruned(const WeightMatrix::Row& row, int most, double min_weight) {
  WeightMatrix matrix;
  matrix.rows = {row};
  prune_weights(matrix, most, min_weight);
  return matrix.rows[0];
}

double sum_of(const WeightMatrix::Row& row) {
  double sum = 0;
  for (const auto& [b, w] : row) sum += w;
  return sum;
}

double difference(const WeightMatrix::Row& a, const WeightMatrix::Row& b) {
  std::vector<double> dense(16, 0);
  for (const auto& [i, w] : a) dense[i] += w;
  for (const auto& [i, w] : b) dense[i] -= w;
  double worst = 0;
  for (const double d : dense) worst = std::max(worst, std::abs(d));
  return worst;
}

TEST(PruneWeights, KeepsRowsThatAreShortEnough) {
  const WeightMatrix::Row row{{1, 0.25}, {4, 0.75}};
  EXPECT_LT(difference(pruned(row, 4, 0), row), 1e-15);
}

TEST(PruneWeights, LeavesAtMostSoManyInfluencesThatSumToOne) {
  const WeightMatrix::Row row{{0, 0.3}, {1, 0.25}, {2, 0.2}, {3, 0.15}, {4, 0.07}, {5, 0.03}};
  for (int most = 1; most <= 6; ++most) {
    const WeightMatrix::Row after = pruned(row, most, 0);
    EXPECT_LE(after.size(), static_cast<std::size_t>(most));
    EXPECT_NEAR(sum_of(after), 1, 1e-12);
    EXPECT_EQ(after.front().first, 0U);
  }
}

TEST(PruneWeights, IsContinuousWhereInfluencesChangePlaces) {
  // The fourth and the fifth of five weights cross, in small steps: no step of the result is larger than a few of
  // these.
  constexpr double kStep = 1e-4;
  WeightMatrix::Row last;
  for (double t = 0; t <= 0.1; t += kStep) {
    const WeightMatrix::Row after = pruned({{0, 0.4}, {1, 0.3}, {2, 0.1}, {3, 0.05 + t}, {4, 0.15 - t}}, 4, 0.01);
    if (!last.empty()) {
      EXPECT_LT(difference(after, last), 8 * kStep);
    }
    last = after;
  }
}

TEST(PruneWeights, FadesSmallWeightsOutInsteadOfCuttingThem) {
  WeightMatrix::Row last;
  for (double w = 0; w <= 0.03; w += 1e-4) {
    const WeightMatrix::Row after = pruned({{0, 1 - w}, {1, w}}, 4, 0.01);
    EXPECT_EQ(after.size(), w > 0.01 ? 2U : 1U) << w;
    if (!last.empty()) {
      EXPECT_LT(difference(after, last), 4e-4);
    }
    last = after;
  }
}

TEST(PruneWeights, ChoosesSomeWhenAllAreEqual) {
  WeightMatrix::Row row;
  for (std::uint32_t b = 0; b < 8; ++b) row.emplace_back(b, 0.125);
  const WeightMatrix::Row after = pruned(row, 4, 0.01);
  EXPECT_EQ(after.size(), 4U);
  EXPECT_NEAR(sum_of(after), 1, 1e-12);
}

TEST(MakeWeights, KeepTheInfluencesThatWereAskedFor) {
  for (const int most : {1, 2, 8}) {
    Character c = make_two_bone_tube();
    const WeightReport report = make_weights(c, {.max_influences = most}, Context(1));
    expect_good_weights(c, most);
    EXPECT_LE(report.influences.size(), static_cast<std::size_t>(most) + 1);
  }
}

TEST(MakeWeights, AreSmootherAfterSmoothing) {
  Character rough = make_two_bone_tube(), smooth = rough;
  const WeightReport before = make_weights(rough, {}, Context(1));
  const WeightReport after = make_weights(smooth, {.smooth_steps = 30}, Context(1));
  expect_good_weights(smooth);
  EXPECT_LT(after.edge_step_max, 0.9 * before.edge_step_max);
}

}  // namespace
}  // namespace cutis::test
