#include <gtest/gtest.h>

#include "base/segment.h"

namespace cutis {
namespace {

TEST(Segment, IsNearestAtTheFootOrAtAnEnd) {
  const Vec3d from{1, 0, 0}, to{5, 0, 0};
  EXPECT_EQ(parameter_on_segment({2, 3, 0}, from, to), 0.25);
  EXPECT_EQ(nearest_on_segment({2, 3, 0}, from, to), (Vec3d{2, 0, 0}));
  EXPECT_EQ(distance_to_segment({2, 3, 4}, from, to), 5);
  EXPECT_EQ(distance_to_segment({-2, 4, 0}, from, to), 5);
  EXPECT_EQ(nearest_on_segment({9, 1, 1}, from, to), to);
}

TEST(Segment, WithoutLengthIsItsPoint) {
  const Vec3d at{1, 2, 3};
  EXPECT_EQ(parameter_on_segment({7, 7, 7}, at, at), 0);
  EXPECT_EQ(nearest_on_segment({7, 7, 7}, at, at), at);
  EXPECT_EQ(distance_to_segment({1, 2, 5}, at, at), 2);
}

}  // namespace
}  // namespace cutis
