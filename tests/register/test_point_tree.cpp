#include <gtest/gtest.h>

#include <algorithm>

#include "register/point_tree.h"
#include "register/register_support.h"

namespace cutis {
namespace {

TEST(PointTree, FindsWhatLookingAtAllPointsFinds) {
  test::Chance chance(3);
  std::vector<Vec3d> points;
  for (int i = 0; i < 700; ++i)
    points.push_back({chance.uniform(), chance.uniform() * 0.1, std::floor(chance.uniform() * 4)});
  for (int i = 0; i < 50; ++i) points.push_back(points[static_cast<std::size_t>(i)]);  // twice at one place
  const PointTree tree(points);
  std::vector<PointTree::Near> found;
  for (int k = 0; k < 60; ++k) {
    const Vec3d q{chance.uniform() * 2 - 0.5, chance.uniform() * 0.1, chance.uniform() * 4};
    const double reach = k % 3 == 0 ? 0.2 : 1e300;
    std::vector<PointTree::Near> all;
    for (std::uint32_t i = 0; i < points.size(); ++i)
      if (const double d = dot(points[i] - q, points[i] - q); d <= reach * reach) all.push_back({i, d});
    std::sort(all.begin(), all.end());
    if (all.size() > 9) all.resize(9);
    tree.nearest(q, 9, reach, found);
    ASSERT_EQ(found.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(found[i].point, all[i].point);
      EXPECT_EQ(found[i].squared, all[i].squared);
    }
  }
  PointTree().nearest({}, 3, 1, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace cutis
