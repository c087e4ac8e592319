// The motions and characters that benchmarks are made of, and how rows are chosen and summed up.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/math.h"
#include "bench/harness.h"
#include "bench/motion.h"
#include "bench/subdivide.h"
#include "support/support.h"

namespace cutis::bench {
namespace {

double angle_between_rotations(const Quatd& a, const Quatd& b) {
  return 2 * std::acos(std::min(1.0, std::abs(dot(a, b))));
}

TEST(Swing, TurnsEveryJointByAsMuchAFrameAsItSaysAndNoFartherThanAQuarterRadian) {
  const Context context(1);
  const Character human = load_character("builtin:human", context);
  const std::vector<int> joints = moving_joints(human);
  ASSERT_GT(joints.size(), 40U);
  const Pose rest = default_pose(human.skeleton);
  const std::vector<Pose> poses = swing(human, joints, 41);  // two cycles
  for (const int joint : joints) {
    const auto j = static_cast<std::size_t>(joint);
    double sum = 0, farthest = 0;
    for (std::size_t i = 1; i < poses.size(); ++i) {
      sum += angle_between_rotations(poses[i].local[j].rotation, poses[i - 1].local[j].rotation);
      farthest = std::max(farthest, angle_between_rotations(poses[i].local[j].rotation, rest.local[j].rotation));
    }
    EXPECT_NEAR(sum / 40, 0.05, 0.001) << human.skeleton.joints[j].name;
    EXPECT_LE(farthest, 0.2501);
  }
}

TEST(Swing, LeavesOtherJointsAlone) {
  const Context context(1);
  const Character human = load_character("builtin:human", context);
  const int moved = elbow(human);
  const Pose rest = default_pose(human.skeleton);
  for (const Pose& pose : swing(human, {moved}, 5))
    for (std::size_t j = 0; j < pose.local.size(); ++j)
      EXPECT_TRUE(static_cast<int>(j) == moved || pose.local[j].rotation == rest.local[j].rotation);
}

double volume(const Mesh& m) {
  double sum = 0;
  for (const Triangle& t : m.triangles)
    sum += dot(static_cast<Vec3d>(m.positions[t[0]]),
               cross(static_cast<Vec3d>(m.positions[t[1]]), static_cast<Vec3d>(m.positions[t[2]]))) /
           6;
  return sum;
}

TEST(Subdivided, HasTheShapeWithFourTimesTheFacesAndWeightsThatSumToOne) {
  const Character tube = test::make_two_bone_tube();
  const Character fine = subdivided(tube);
  EXPECT_EQ(fine.triangle_count(), 4 * tube.triangle_count());
  EXPECT_NEAR(volume(fine.meshes[0]), volume(tube.meshes[0]), 1e-6);
  const Weights& w = fine.meshes[0].weights;
  ASSERT_EQ(w.rows(), fine.vertex_count());
  for (std::size_t v = 0; v < w.rows(); ++v) {
    float sum = 0;
    for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) sum += w.weight[i];
    EXPECT_NEAR(sum, 1, 1e-6F);
  }
  EXPECT_NO_THROW(validate(fine));
}

TEST(Chain, IsAClosedTubeOfThatManyBones) {
  for (const std::size_t bones : {1U, 4U, 64U}) {
    const Character chain = make_chain(bones, 3000);
    EXPECT_NO_THROW(validate(chain));
    EXPECT_EQ(chain.skeleton.joints.size(), bones);
    EXPECT_NEAR(static_cast<double>(chain.vertex_count()), 3000, 300);
    EXPECT_GT(volume(chain.meshes[0]), 0);                   // outward
    std::set<std::pair<std::uint32_t, std::uint32_t>> open;  // every edge once each way
    for (const auto& [a, b, c] : chain.meshes[0].triangles)
      for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}})
        if (open.erase({y, x}) == 0) open.insert({x, y});
    EXPECT_TRUE(open.empty());
  }
}

TEST(Rows, AreChosenByTheBeginningOfTheirName) {
  const Context context(1);
  const Options options{.rows = {"body/human/walk"}, .data = {}, .profile = false};
  std::vector<std::string> got;
  const Bench bench(options, context, [&](const Row& row) { got.push_back(row.name); });
  EXPECT_TRUE(bench.wants("body"));
  EXPECT_TRUE(bench.wants("body/human/walk/dqs"));
  EXPECT_FALSE(bench.wants("body/humanoid"));
  EXPECT_FALSE(bench.wants("skinning"));
  for (const char* name : {"body/human/walk/dqs", "body/human/walks", "body/human"}) {
    Row row;
    row.name = name;
    bench.emit(row);
  }
  EXPECT_EQ(got, std::vector<std::string>{"body/human/walk/dqs"});
}

TEST(Rows, KeepTheMedianAndTheSpreadOfTheirRuns) {
  Row row;
  set_values(row, {5, 1, 2, 3, 4, 100, 6, 7, 8, 9, 10});
  EXPECT_EQ(row.median, 6);
  EXPECT_EQ(row.best, 1);
  EXPECT_EQ(row.worst, 100);
  EXPECT_EQ(row.spread, 10 - 2);  // one of eleven cut off at either end
  row.budget = 6;
  EXPECT_TRUE(row.met());
  row.budget = 5;
  EXPECT_FALSE(row.met());
  row.more_is_better = true;
  EXPECT_TRUE(row.met());
}

}  // namespace
}  // namespace cutis::bench
