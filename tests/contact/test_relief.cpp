#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "contact/relief.h"
#include "support/support.h"

namespace cutis {
namespace {

// A chain of balls: a thick one at the origin, a link, and a thin one that poses can drive into the thick one.
class ReliefTest : public testing::Test {
 protected:
  ReliefTest() {
    add({0, 0, 0}, 1.0F, -1);
    add({0, 3, 0}, 0.3F, 0);
    add({3, 3, 0}, 0.3F, 1);
  }
  void add(const Vec3d& at, float r, int parent_part) {
    for (const Vec3f& p : test::make_sphere(r, 10, 12).positions) {
      rest.push_back(p + static_cast<Vec3f>(at));
      part.push_back(static_cast<std::uint32_t>(radius.size()));
    }
    center.push_back(at);
    radius.push_back(r);
    parent.push_back(parent_part);
  }
  [[nodiscard]] Relief make(const ReliefOptions& options = {}) const {
    return Relief({rest, part, radius, parent}, options,
                  [c = center, r = radius](std::size_t p, const Vec3d& x, double& d, Vec3d& gradient) {
                    d = distance(x, c[p]) - r[p];
                    gradient = normalized(x - c[p]);
                    return true;
                  });
  }
  /// The thin ball's centre at `x`, 0, 0.
  [[nodiscard]] std::vector<Affine3d> thin_at(double x) const {
    std::vector<Affine3d> motion(3);
    motion[2].translation = Vec3d{x, 0, 0} - center[2];
    return motion;
  }

  std::vector<Vec3f> rest;
  std::vector<std::uint32_t> part;
  std::vector<float> radius;
  std::vector<int> parent;
  std::vector<Vec3d> center;
};

TEST_F(ReliefTest, APoseThatSkinCanMeetIsLeftExactlyAsItIs) {
  Relief relief = make();
  for (const Vec3d& d : relief.update(thin_at(1.25))) EXPECT_EQ(d, Vec3d{});  // 0.05 deep, 0.12 allowed
  EXPECT_TRUE(relief.report().overlaps.empty());
}

TEST_F(ReliefTest, AThinPartDrivenIntoAThickOneIsMovedOut) {
  Relief relief = make({.cap = 1});
  const auto offset = relief.update(thin_at(0.9));  // 0.4 deep
  EXPECT_GT(offset[2].x, 0.15);
  EXPECT_GT(length(offset[2]), 5 * length(offset[0])) << "the thin one moves";
  ASSERT_EQ(relief.report().overlaps.size(), 1U);
  EXPECT_NEAR(relief.report().overlaps[0].depth, 0.4, 0.03);
  EXPECT_LT(relief.report().overlaps[0].left, 0.25);
}

TEST_F(ReliefTest, TheOffsetNeverExceedsTheCapAndSaysSo) {
  Relief relief = make({.cap = 0.01});
  const auto offset = relief.update(thin_at(0.5));
  Box box;
  for (const Vec3f& p : rest) box.add(static_cast<Vec3d>(p));
  for (const Vec3d& d : offset) EXPECT_LE(length(d), 0.01 * diagonal(box) * 1.0001);
  ASSERT_FALSE(relief.report().overlaps.empty());
  EXPECT_TRUE(relief.report().overlaps[0].capped);
}

TEST_F(ReliefTest, NeighboursOnTheSkeletonAreNeverRelieved) {
  Relief relief = make();
  std::vector<Affine3d> motion(3);
  motion[1].translation = Vec3d{0, -2.5, 0};  // the link deep in its own parent
  for (const Vec3d& d : relief.update(motion)) EXPECT_EQ(d, Vec3d{});
}

TEST_F(ReliefTest, OffsetsFadeWhenThePoseIsFreeAgain) {
  Relief relief = make({.cap = 1});
  double last = length(relief.update(thin_at(0.9))[2]);
  for (int frame = 0; frame < 60; ++frame) {
    const double now = length(relief.update(thin_at(3))[2]);
    EXPECT_LE(now, last);
    EXPECT_GT(now + 0.15 * last + 0.02, last) << "without a jump";
    last = now;
  }
  EXPECT_EQ(last, 0);
}

TEST_F(ReliefTest, PartsThatOverlapAtRestMayGoOnDoingSo) {
  center[2] = {1.1, 0, 0};
  for (std::size_t v = 0; v < rest.size(); ++v)
    if (part[v] == 2) rest[v] += Vec3f{-1.9F, -3, 0};
  Relief relief = make();
  for (const Vec3d& d : relief.update(std::vector<Affine3d>(3))) EXPECT_EQ(d, Vec3d{});
}

TEST_F(ReliefTest, MotionsThatAreNotFiniteOrFlatAreLeftOut) {
  Relief relief = make();
  std::vector<Affine3d> motion = thin_at(0.9);
  motion[2].translation.x = std::nan("");
  for (const Vec3d& d : relief.update(motion)) EXPECT_EQ(d, Vec3d{});
  motion = thin_at(0.9);
  motion[0].linear = {{Vec3d{}, Vec3d{}, Vec3d{}}};
  for (const Vec3d& d : relief.update(motion)) EXPECT_EQ(d, Vec3d{});
}

}  // namespace
}  // namespace cutis
