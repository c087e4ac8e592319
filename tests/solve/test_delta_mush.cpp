// Direct delta mush against the paper's formulas, written down without regard to cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/bind.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::make_two_bone_tube;

using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[i][k] == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  return c;
}

// Gauss and Jordan; what smoothing inverts has a dominant diagonal.
Matrix inverse(Matrix a) {
  Matrix b(a.size(), std::vector<double>(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) b[i][i] = 1;
  for (std::size_t p = 0; p < a.size(); ++p) {
    const double s = 1 / a[p][p];
    for (std::size_t j = 0; j < a.size(); ++j) a[p][j] *= s, b[p][j] *= s;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double f = a[i][p];
      if (i == p || f == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) a[i][j] -= f * a[p][j], b[i][j] -= f * b[p][j];
    }
  }
  return b;
}

// (I + strength (I - P))^-20, P the random walk over the edges: implicit smoothing as the paper has it.
Matrix smoothing(const RigSurface& surface, double strength) {
  Matrix a(surface.size(), std::vector<double>(surface.size(), 0.0));
  for (std::size_t v = 0; v < surface.size(); ++v) {
    double total = 0;
    for (std::uint32_t i = surface.neighbours.begin[v]; i < surface.neighbours.begin[v + 1]; ++i)
      total += static_cast<double>(surface.neighbour_weight[i]);
    a[v][v] = 1 + strength;
    for (std::uint32_t i = surface.neighbours.begin[v]; i < surface.neighbours.begin[v + 1]; ++i)
      a[v][surface.neighbours.items[i]] -= strength * static_cast<double>(surface.neighbour_weight[i]) / total;
  }
  const Matrix once = inverse(std::move(a)), twice = product(once, once), four = product(twice, twice),
               eight = product(four, four);
  return product(product(eight, eight), four);
}

// Section 3 of the paper: Omega from absolute positions, Q - q p^T, its nearest rotation.
std::vector<Vec3d> reference(const Rig& rig, const Pose& pose) {
  const RigSurface& surface = rig.surface;
  const Matrix a = smoothing(surface, 3), c = smoothing(surface, 1);
  const auto world = world_from_joint(rig.skeleton, pose);
  std::vector<Vec3d> result;
  for (std::size_t i = 0; i < surface.size(); ++i) {
    Mat3d big{{Vec3d{}, Vec3d{}, Vec3d{}}};
    Vec3d q, p;
    for (std::size_t k = 0; k < surface.size(); ++k) p += static_cast<Vec3d>(surface.positions[k]) * a[i][k];
    for (std::size_t k = 0; k < surface.size(); ++k) {
      const auto u = static_cast<Vec3d>(surface.positions[k]);
      const InfluenceBlock& block = rig.blocks.at(surface.first_of[k]);
      for (std::size_t b = 0; b < 4; ++b) {
        const Affine3d motion = world[rig.bones[block.bone[b]].joint] * rig.bones[block.bone[b]].rest_from_world;
        const auto w = static_cast<double>(block.weight[b]);
        const Vec3d at = transform_point(motion, u) * (0.2 * w * a[i][k]),
                    on = transform_point(motion, p) * (0.8 * w * c[i][k]);
        for (int j = 0; j < 3; ++j) big.col[j] += at * u[j] + on * p[j];
        q += at + on;
      }
    }
    for (int j = 0; j < 3; ++j) big.col[j] -= q * p[j];
    const Quatd turn = nearest_rotation(big);
    result.push_back(rotate(turn, static_cast<Vec3d>(surface.positions[i])) + q - rotate(turn, p));
  }
  return result;
}

Pose turned(const Character& c, double angle, const Vec3d& axis) {
  Pose pose = default_pose(c.skeleton);
  pose.local[1].rotation = axis_angle(axis, angle);
  return pose;
}

std::vector<Vec3f> mush(const std::shared_ptr<const Rig>& rig, const Pose& pose, const Context& context) {
  Solver solver(rig, {.method = Method::ddm}, context);
  return solver.solve(pose).positions;
}

TEST(DeltaMush, IsThePapersUpToHowItSmooths) {
  const Context context(1);
  const Character c = make_two_bone_tube(24);  // 0.3 thick
  const auto rig = bind(c, context);
  for (const double angle : {0.5, 1.5}) {
    const Pose pose = turned(c, angle, {0, 0, 1});
    const std::vector<Vec3f> ours = mush(rig, pose, context);
    const std::vector<Vec3d> theirs = reference(*rig, pose);
    double worst = 0, moved = 0;
    for (std::size_t v = 0; v < theirs.size(); ++v) {
      const std::uint32_t input = rig->surface.first_of[v];
      worst = std::max(worst, distance(static_cast<Vec3d>(ours[input]), theirs[v]));
      moved = std::max(moved, distance(static_cast<Vec3d>(rig->rest_positions[input]), theirs[v]));
    }
    EXPECT_LT(worst, 0.005 * moved) << angle;
  }
}

TEST(DeltaMush, LeavesTheRestPoseAndMovesRigidlyWithAllBones) {
  const Context context(1);
  const Character c = make_two_bone_tube();
  const auto rig = bind(c, context);
  EXPECT_LT(test::largest_distance(mush(rig, default_pose(c.skeleton), context), rig->rest_positions), 1e-6);
  Pose pose = default_pose(c.skeleton);
  pose.local[0].rotation = axis_angle(normalized(Vec3d{1, 2, 3}), 2.5);
  pose.local[0].translation = {5, -3, 1};
  pose.local[0].scale = {1.7, 1.7, 1.7};
  Solver lbs(rig, {.method = Method::lbs}, context);
  EXPECT_LT(test::largest_distance(mush(rig, pose, context), lbs.solve(pose).positions), 4e-6);
}

TEST(DeltaMush, SpreadsTheStretchOfRigidWeightsOverManyEdges) {
  const Context context(1);
  Character c = make_two_bone_tube(48);
  Mesh& mesh = c.meshes[0];
  mesh.weights.row_begin = {0};
  mesh.weights.joint.clear();
  mesh.weights.weight.clear();
  for (const Vec3f& p : mesh.positions) {
    mesh.weights.joint.push_back(p.y > 1 ? 1 : 0);
    mesh.weights.weight.push_back(1);
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
  const auto rig = bind(c, context);
  const Pose pose = turned(c, 1.2, {0, 0, 1});
  Solver lbs(rig, {.method = Method::lbs}, context);
  const auto longest = [&](const std::vector<Vec3f>& p) {
    double most = 0;
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k], b = t[(k + 1) % 3];
        most =
            std::max(most, static_cast<double>(distance(p[a], p[b]) / distance(mesh.positions[a], mesh.positions[b])));
      }
    return most;
  };
  EXPECT_GT(longest(lbs.solve(pose).positions), 5);
  EXPECT_LT(longest(mush(rig, pose, context)), 2);
}

TEST(DeltaMush, HasTheSameBitsForAnyNumberOfThreadsAndBothBackEnds) {
  const Context one(1), three(3);
  const Character c = make_two_bone_tube();
  const Pose pose = turned(c, 1.1, normalized(Vec3d{1, 1, 0}));
  const auto expected = mush(bind(c, one), pose, one);
  EXPECT_TRUE(mush(bind(c, three), pose, three) == expected);
  const Context scalar(2, Backend::scalar);
  EXPECT_TRUE(mush(bind(c, scalar), pose, scalar) == expected);
}

TEST(DeltaMush, SaysWhatIsMissing) {
  const Context context(1);
  const auto rig = bind(make_two_bone_tube(), context, {.implicit_skin = false});
  EXPECT_THAT(test::error_of([&] { Solver(rig, {.method = Method::ddm}, context); }),
              testing::HasSubstr("bind it with BindOptions::implicit_skin"));
}

}  // namespace
}  // namespace cutis
