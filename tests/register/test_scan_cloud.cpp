#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/io.h"
#include "register/register_support.h"
#include "register/scan_cloud.h"
#include "support/support.h"

namespace cutis {
namespace {

using ::testing::HasSubstr;

// A ball of radius 0.5 at height 0.7.
Scan ball(std::size_t points, double noise) {
  test::Chance chance(5);
  Scan scan;
  scan.source = "ball";
  for (std::size_t i = 0; i < points; ++i) {
    const Vec3d d = normalized(Vec3d{chance.normal(), chance.normal(), chance.normal()});
    scan.positions.push_back(static_cast<Vec3f>(Vec3d{0, 0.7, 0} + d * (0.5 + noise * chance.normal())));
  }
  return scan;
}
void add_floor(Scan& scan, std::size_t points) {
  test::Chance chance(6);
  for (std::size_t i = 0; i < points; ++i)
    scan.positions.push_back(
        static_cast<Vec3f>(Vec3d{4 * chance.uniform() - 2, 0.002 * chance.normal(), 4 * chance.uniform() - 2}));
}

TEST(ScanCloud, TakesAFloorAwayAndKnowsWhereUpIs) {
  const Context context(1);
  Scan scan = ball(4000, 0.001);
  add_floor(scan, 4000);
  const ScanCloud cloud = make_cloud(scan, {}, context);
  EXPECT_EQ(cloud.planes, 1U);
  ASSERT_EQ(cloud.plane_normals.size(), 1U);
  EXPECT_GT(cloud.plane_normals[0].y, 0.999);
  EXPECT_GT(cloud.points.size(), 3500U);
  for (const Vec3d& p : cloud.points) EXPECT_LT(std::abs(distance(p, {0, 0.7, 0}) - 0.5), 0.02);
  // Asked not to, it stays.
  EXPECT_EQ(make_cloud(scan, {.floor = false}, context).planes, 0U);
}

TEST(ScanCloud, TakesNoSkinForAPlane) {
  const Context context(1);
  EXPECT_EQ(make_cloud(ball(4000, 0.001), {}, context).planes, 0U);
  // An open hand has a flat back.
  const Character hand = load_character("builtin:hand", context);
  const Scan scan = test::scan_of(hand, default_pose(hand.skeleton), {.noise = 0.0005});
  EXPECT_EQ(make_cloud(scan, {}, context).planes, 0U);
}

TEST(ScanCloud, TurnsNormalsOutwardsWithoutAHint) {
  const Context context(1);
  const ScanCloud cloud = make_cloud(ball(3000, 0.002), {}, context);
  EXPECT_FALSE(cloud.oriented);
  std::size_t outwards = 0;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    outwards += dot(cloud.normals[i], cloud.points[i] - Vec3d{0, 0.7, 0}) > 0.45 ? 1 : 0;
  EXPECT_GT(outwards, cloud.points.size() * 98 / 100);
}

TEST(ScanCloud, TurnsNormalsOfOneSideToWhoSawIt) {
  const Context context(1);
  const Vec3d from = normalized(Vec3d{1, 0.4, -0.3}), middle{0, 0.7, 0};
  Scan scan = ball(8000, 0.001);
  std::erase_if(scan.positions, [&](const Vec3f& p) {
    const Vec3d d = static_cast<Vec3d>(p) - middle;
    // A band is missing: two pieces that are not neighbours.
    return dot(d, from) < 0.1 || std::abs(d.y) < 0.08;
  });
  const ScanCloud cloud = make_cloud(scan, {}, context);
  std::size_t outwards = 0;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    outwards += dot(cloud.normals[i], cloud.points[i] - middle) > 0 ? 1 : 0;
  EXPECT_GT(outwards, cloud.points.size() * 98 / 100);
}

TEST(ScanCloud, LeavesStraysOutAndThinsEvenly) {
  const Context context(1);
  Scan scan = ball(20000, 0);
  for (int i = 0; i < 12; ++i) scan.positions.push_back({3.0F + static_cast<float>(i), 2, 1});
  const ScanCloud cloud = make_cloud(scan, {.points = 2000}, context);
  EXPECT_LE(cloud.points.size(), 2000U);
  EXPECT_GT(cloud.points.size(), 1200U);
  for (const Vec3d& p : cloud.points) EXPECT_LT(length(p), 2.0);
  std::size_t upper = 0;
  for (const Vec3d& p : cloud.points) upper += p.y > 0.7 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(upper) / static_cast<double>(cloud.points.size()), 0.5, 0.03);
}

TEST(ScanCloud, SaysWhatItCannotUse) {
  const Context context(1);
  Scan scan;
  scan.source = "few";
  scan.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_THAT(test::error_of([&] { (void)make_cloud(scan, {}, context); }), HasSubstr("3 points"));
  scan.positions.assign(500, {1, 2, 3});
  EXPECT_THAT(test::error_of([&] { (void)make_cloud(scan, {}, context); }), HasSubstr("one place"));
  scan.triangles = {{0, 1, 2}};
  EXPECT_THAT(test::error_of([&] { (void)make_cloud(scan, {}, context); }), HasSubstr("no area"));
}

// ---- what stands around a body ----

TEST(ScanCloud, TakesAwayAFloorBeforeAWallAndATableBeside) {
  const Context context(2);
  const Character tube = test::make_two_bone_tube();
  const Scan bare = test::scan_of(tube, default_pose(tube.skeleton), {.points = 8000, .noise = 0.002});
  for (const bool wall : {true, false}) {
    const Scan scan = test::scan_of(tube, default_pose(tube.skeleton),
                                    {.points = 8000, .noise = 0.002, .floor = true, .wall = wall, .table = !wall});
    const ScanCloud cloud = make_cloud(scan, {}, context);
    EXPECT_EQ(cloud.planes, 2U) << wall;
    EXPECT_EQ(cloud.plane_normals.size(), 2U);
    Box box, body;
    for (const Vec3d& p : cloud.points) box.add(p);
    for (const Vec3f& p : bare.positions) body.add(static_cast<Vec3d>(p));
    EXPECT_LT(diagonal(box), 1.15 * diagonal(body)) << wall;
  }
}

TEST(ScanCloud, KnowsWhatStandsApart) {
  const Context context(1);
  const Character tube = test::make_two_bone_tube();
  const Scan scan = test::scan_of(tube, default_pose(tube.skeleton), {.points = 8000, .noise = 0.002, .stool = true});
  const ScanCloud cloud = make_cloud(scan, {}, context);
  ASSERT_EQ(cloud.pieces, 2U);
  ASSERT_EQ(cloud.piece.size(), cloud.points.size());
  EXPECT_GT(std::ranges::count(cloud.piece, 0), 4 * std::ranges::count(cloud.piece, 1)) << "the largest first";
}

TEST(ScanCloud, LeavesOutWhatNobodySeesFromOutside) {
  const Context context(1);
  // A ball in a ball.
  Scan scan;
  test::Chance chance(3);
  for (int i = 0; i < 9000; ++i) {
    const Vec3d n = normalized(Vec3d{chance.normal(), chance.normal(), chance.normal()});
    scan.positions.push_back(static_cast<Vec3f>(n * (i % 9 == 0 ? 0.5 : 1.0)));
  }
  const ScanCloud cloud = make_cloud(scan, {.floor = false}, context);
  EXPECT_GT(cloud.hidden_points, 950U);
  for (const Vec3d& p : cloud.points) EXPECT_GT(length(p), 0.9);
}

}  // namespace
}  // namespace cutis
