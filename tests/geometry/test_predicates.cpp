#include "geometry/predicates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace cutis {
namespace {

__extension__ typedef __int128 Wide;  // "using" would warn that it is not in the standard

int sign(Wide x) { return (x > 0) - (x < 0); }

// Integer determinant of integer-valued floats below 2^24: exact.
int exact_orient3d(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3f& d) {
  const auto wide = [&](const Vec3f& p, int k) {
    return static_cast<Wide>(static_cast<std::int64_t>(p[k]) - static_cast<std::int64_t>(d[k]));
  };
  const auto minor = [&](int i, int j) { return wide(b, i) * wide(c, j) - wide(b, j) * wide(c, i); };
  return sign(wide(a, 0) * minor(1, 2) + wide(a, 1) * minor(2, 0) + wide(a, 2) * minor(0, 1));
}

TEST(Orient3d, KnowsBehindInFrontAndInThePlane) {
  const Vec3f a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
  EXPECT_EQ(orient3d(a, b, c, {0, 0, -1}), 1);
  EXPECT_EQ(orient3d(a, b, c, {0, 0, 1}), -1);
  EXPECT_EQ(orient3d(a, b, c, {7, -3, 0}), 0);
}

TEST(Orient3d, SeesOneUnitInTheLastPlaceOfATiltedPlane) {
  // x = y holds for a, b, c, d in floats; d moves by one unit in the last place.
  const float third = 1.0F / 3;
  const Vec3f a{0.1F, 0.1F, 5}, b{1000, 1000, -0.7F}, c{-77.7F, -77.7F, 0.3F};
  EXPECT_EQ(orient3d(a, b, c, {third, third, 0.123F}), 0);
  const float up = std::nextafterf(third, 1.0F);
  const int one = orient3d(a, b, c, {up, third, 0.123F});
  EXPECT_NE(one, 0);
  EXPECT_EQ(orient3d(a, b, c, {third, up, 0.123F}), -one);
}

TEST(Orient3d, AgreesWithIntegersOnNearlyCoplanarPoints) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> large(-(1 << 21), 1 << 21), small(-1, 1), factor(-2, 2);
  int zeros = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto point = [&] {
      return Vec3f{static_cast<float>(large(random)), static_cast<float>(large(random)),
                   static_cast<float>(large(random))};
    };
    const Vec3f a = point(), b = point(), c = point();
    const auto s = static_cast<float>(factor(random)), t = static_cast<float>(factor(random));
    Vec3f d = a + (b - a) * s + (c - a) * t;  // integers below 2^24: exact
    d += Vec3f{static_cast<float>(small(random)), static_cast<float>(small(random)), static_cast<float>(small(random))};
    const int expected = exact_orient3d(a, b, c, d);
    ASSERT_EQ(orient3d(a, b, c, d), expected);
    ASSERT_EQ(orient3d(b, a, c, d), -expected);
    ASSERT_EQ(orient3d(d, c, b, a), expected);
    zeros += expected == 0;
  }
  EXPECT_GT(zeros, 100);
}

TEST(Orient3d, IsExactWhereDifferencesOfCoordinatesAreNot) {
  // 1e30 + 1e-30 is not a double: the sign comes from terms that any rounded difference loses.
  const float big = 1e30F, tiny = 1e-30F;
  const Vec3f a{big, 0, 0}, b{0, big, 0}, c{-big, -big, 0};
  EXPECT_EQ(orient3d(a, b, c, {tiny, tiny, -tiny}), 1);
  EXPECT_EQ(orient3d(a, b, c, {tiny, tiny, tiny}), -1);
  const float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(orient3d({most, 0, 0}, {0, most, 0}, {-most, -most, 0}, {most, least, least}), -1);
  EXPECT_EQ(orient3d({least, 0, 0}, {0, least, 0}, {0, 0, 0}, {0, 0, least}), -1);
}

TEST(Orient2d, SeesOneUnitInTheLastPlace) {
  const Vec2f a{0, 0}, b{3e7F, 3e7F};
  EXPECT_EQ(orient2d(a, b, {0.1F, 0.1F}), 0);
  EXPECT_EQ(orient2d(a, b, {0.1F, std::nextafterf(0.1F, 1.0F)}), 1);
  EXPECT_EQ(orient2d(a, b, {0.1F, std::nextafterf(0.1F, 0.0F)}), -1);
  EXPECT_EQ(orient2d({0, 0}, {1, 0}, {0, 1}), 1);
}

TEST(Orient2d, AgreesWithIntegersOnNearlyCollinearPoints) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> large(-(1 << 22), 1 << 22), small(-1, 1);
  int zeros = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t ax = large(random), ay = large(random), dx = large(random) / 4, dy = large(random) / 4;
    const std::int64_t bx = ax + dx, by = ay + dy, cx = ax + 2 * dx + small(random), cy = ay + 2 * dy + small(random);
    const int expected = sign(static_cast<Wide>(bx - ax) * (cy - ay) - static_cast<Wide>(by - ay) * (cx - ax));
    const auto point = [](std::int64_t x, std::int64_t y) {
      return Vec2f{static_cast<float>(x), static_cast<float>(y)};
    };
    ASSERT_EQ(orient2d(point(ax, ay), point(bx, by), point(cx, cy)), expected);
    zeros += expected == 0;
  }
  EXPECT_GT(zeros, 100);
}

TEST(Orient2d, AgreesWithIntegersWhereDifferencesOfCoordinatesAreRounded) {
  // a and b = 2 a far away and in line with the origin, c next to it: the sign is that of a x c.
  std::mt19937 random(5);
  std::uniform_int_distribution<std::int64_t> large(-(1 << 23), 1 << 23), small(-9, 9);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t p = large(random), q = large(random), x = small(random), y = small(random);
    const auto far = [](std::int64_t v) { return std::ldexp(static_cast<float>(v), 32); };
    const int expected = sign(static_cast<Wide>(p) * y - static_cast<Wide>(q) * x);
    ASSERT_EQ(orient2d({far(p), far(q)}, {far(2 * p), far(2 * q)}, {static_cast<float>(x), static_cast<float>(y)}),
              expected);
  }
}

TEST(DropAxis, KeepsTheOrientation) {
  const Vec3f p{1, 2, 3};
  EXPECT_EQ(drop_axis(p, 0).x, 2);
  EXPECT_EQ(drop_axis(p, 1).x, 3);
  EXPECT_EQ(drop_axis(p, 2).x, 1);
}

TEST(ZeroArea, IsExact) {
  EXPECT_TRUE(has_zero_area({0.1F, 0.1F, 0.1F}, {0.3F, 0.3F, 0.3F}, {7, 7, 7}));
  EXPECT_TRUE(has_zero_area({1, 2, 3}, {1, 2, 3}, {4, 5, 6}));
  EXPECT_FALSE(has_zero_area({0.1F, 0.1F, 0.1F}, {0.3F, 0.3F, 0.3F}, {7, 7, std::nextafterf(7.0F, 8.0F)}));
}

}  // namespace
}  // namespace cutis
