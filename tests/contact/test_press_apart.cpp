#include "contact/press_apart.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/math.h"
#include "geometry/normals.h"
#include "metrics/self_intersection.h"
#include "support/support.h"

namespace cutis {
namespace {

// Two balls of radius 0.5, far apart at rest.
class PressApartTest : public testing::Test {
 protected:
  PressApartTest() {
    add(test::make_sphere(0.5, 24, 32), {0, 0, 0});
    add(test::make_sphere(0.5, 23, 31), {3, 0, 0});
    surface = std::make_unique<ContactSurface>(ContactMesh{rest, triangles, part, 2, radius}, context);
    search = std::make_unique<MeetingSearch>(*surface);
    press = std::make_unique<PressApart>(*surface, radius);
  }
  void add(const test::Surface& ball, const Vec3f& at) {
    const auto base = static_cast<std::uint32_t>(rest.size());
    for (const Vec3f& p : ball.positions) rest.push_back(p + at);
    for (const Triangle& t : ball.triangles) triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    part.resize(rest.size(), static_cast<std::uint32_t>(radius.size()));
    radius.push_back(0.5F);
  }
  // The second ball comes as near as that.
  [[nodiscard]] std::vector<Vec3f> at_distance(float far) const {
    std::vector<Vec3f> x = rest;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (part[v] == 1) x[v] = x[v] + Vec3f{far - 3, 0.01F, 0.02F};
    return x;
  }
  // By another search than the one under test.
  [[nodiscard]] std::size_t intersections(const std::vector<Vec3f>& x) const {
    std::vector<std::uint32_t> all(triangles.size()), place(x.size());
    std::iota(all.begin(), all.end(), 0U);
    std::iota(place.begin(), place.end(), 0U);
    return self_intersecting_pairs(TriangleBvh(x, triangles, all), x, triangles, place, context).size();
  }
  bool run(std::vector<Vec3f>& x) {
    (void)search->find(x, [](std::uint32_t, std::uint32_t) { return false; }, context);
    return press->run(x, *search, [](std::uint32_t, std::uint32_t) { return false; }, context, nullptr);
  }

  Context context{2};
  std::vector<Vec3f> rest;
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> part;
  std::vector<float> radius;
  std::unique_ptr<ContactSurface> surface;
  std::unique_ptr<MeetingSearch> search;
  std::unique_ptr<PressApart> press;
};

TEST_F(PressApartTest, BallsThatOverlapALittleShareAFlatPlace) {
  const std::vector<Vec3f> before = at_distance(0.94F);
  std::vector<Vec3f> x = before;
  ASSERT_GT(intersections(x), 20U);
  ASSERT_TRUE(run(x));
  EXPECT_EQ(intersections(x), 0U);
  double farthest[2] = {0, 0};
  for (std::size_t v = 0; v < x.size(); ++v) {
    farthest[part[v]] = std::max<double>(farthest[part[v]], distance(x[v], before[v]));
    if (std::abs(before[v].x - 0.47F) > 0.47F) {  // the far halves do not move
      EXPECT_EQ(x[v], before[v]) << v;
    }
  }
  for (const double most : farthest) {  // each by half of the 0.06, and some for a gap
    EXPECT_GT(most, 0.02);
    EXPECT_LT(most, 0.07);
  }
  const std::vector<Vec3d> normals = area_weighted_normals(x, triangles);
  for (std::size_t v = 0; v < x.size(); ++v) {  // no spike: it is still a ball, a little flat
    const Vec3d out = normalized(static_cast<Vec3d>(before[v] - Vec3f{part[v] == 0 ? 0 : 0.94F, 0.01F, 0.02F}));
    EXPECT_GT(dot(normals[v], out), 0.5) << v;
  }
}

TEST_F(PressApartTest, BallsThatAreDeepInEachOtherStayAsTheyAre) {
  const std::vector<Vec3f> before = at_distance(0.5F);
  std::vector<Vec3f> x = before;
  EXPECT_FALSE(run(x));
  EXPECT_EQ(x, before);
}

// A quarter of a ring of vertices, taken over those after it: there is no other skin that it could be pressed off.
TEST_F(PressApartTest, ACrumpledCreaseIsIroned) {
  constexpr std::size_t kFirst = 1 + 2 * 32, kSectors = 8;
  std::vector<Vec3f> before = rest;
  for (std::size_t v = kFirst; v < kFirst + kSectors; ++v) {  // from 22.5 degrees to 42, a little off the ball
    const double aside = std::hypot(rest[v].x, rest[v].z), to = 42 * kPi / 180;
    const auto share = static_cast<float>(0.505 * std::sin(to) / aside);
    before[v] = {rest[v].x * share, static_cast<float>(0.505 * std::cos(to)), rest[v].z * share};
  }
  std::vector<Vec3f> x = before;
  ASSERT_GT(intersections(x), 10U);
  ASSERT_TRUE(run(x));
  EXPECT_EQ(intersections(x), 0U);
  for (std::size_t v = 0; v < x.size(); ++v) {
    EXPECT_LT(distance(x[v], rest[v]), 0.12) << v;
    if (rest[v].y < 0.2F || part[v] == 1) {
      EXPECT_EQ(x[v], before[v]) << v;
    }
  }
}

TEST_F(PressApartTest, BitsDoNotDependOnThreads) {
  std::vector<Vec3f> one = at_distance(0.95F), four = one;
  ASSERT_TRUE(run(one));
  context = Context(4);
  ASSERT_TRUE(run(four));
  EXPECT_EQ(one, four);
}

TEST_F(PressApartTest, StopsWithTheMeter) {
  const std::vector<Vec3f> before = at_distance(0.95F);
  std::vector<Vec3f> x = before;
  (void)search->find(x, [](std::uint32_t, std::uint32_t) { return false; }, context);
  WorkMeter meter;
  meter.start(1, 0);
  EXPECT_FALSE(press->run(x, *search, [](std::uint32_t, std::uint32_t) { return false; }, context, &meter));
  EXPECT_EQ(x, before);
}

}  // namespace
}  // namespace cutis
