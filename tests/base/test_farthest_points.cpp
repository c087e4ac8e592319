#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/farthest_points.h"

namespace cutis {
namespace {

const std::vector<double> kLine{0, 1, 2, 10, 11};

std::vector<std::size_t> take_all(FarthestPoints<double>& points) {
  std::vector<std::size_t> taken;
  while (points.left() > 0) {
    const std::size_t next = points.next();
    taken.push_back(next);
    points.take(next, [&](std::size_t i) { return std::abs(kLine[i] - kLine[next]); });
  }
  return taken;
}

TEST(FarthestPoints, AreTakenFromTheFirstOn) {
  FarthestPoints<double> points(kLine.size());
  EXPECT_EQ(take_all(points), (std::vector<std::size_t>{0, 4, 2, 1, 3}));  // of equal gaps the first
}

TEST(FarthestPoints, KnowTheirGaps) {
  FarthestPoints<double> points(kLine.size());
  points.take(0, [&](std::size_t i) { return kLine[i]; });
  EXPECT_LT(points.gap(0), 0);
  EXPECT_EQ(points.gap(3), 10);
  EXPECT_EQ(points.left(), 4U);
}

TEST(FarthestPoints, PassOverWhatIsLeftOut) {
  FarthestPoints<double> points(kLine.size());
  points.leave_out(0);
  points.leave_out(4);
  EXPECT_EQ(take_all(points), (std::vector<std::size_t>{1, 3, 2}));
}

}  // namespace
}  // namespace cutis
