// Skinning over packs has the bits of skinning vertex by vertex: the tolerance is 0, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "backends/every_target.h"
#include "backends/scalar/skin.h"
#include "backends/simd/skin.h"
#include "cutis/bind.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "solve/bone_motion.h"
#include "support/support.h"

namespace cutis {
namespace {

constexpr std::size_t kBones = 9;

enum class Influences { one_block, rows };

// Every vertex follows 0 to 4 or (in rows) up to 11 bones, some of them one bone alone.
Rig make_rig(std::size_t vertices, Influences layout) {
  std::mt19937 random(static_cast<unsigned>(vertices));
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  Rig rig;
  for (std::size_t b = 0; b < kBones; ++b) {
    Joint joint;
    joint.parent = static_cast<int>(b) - 1;
    joint.local.translation = {0, b == 0 ? 0.0 : 0.1, 0};
    joint.world_from_rest.translation = {0, 0.1 * static_cast<double>(b), 0};
    joint.is_bone = true;
    rig.skeleton.joints.push_back(joint);
    rig.bones.push_back({static_cast<int>(b), joint.parent, inverse(joint.world_from_rest),
                         joint.world_from_rest.translation, joint.world_from_rest.translation});
  }
  if (layout == Influences::rows) rig.block_begin.push_back(0);
  for (std::size_t v = 0; v < vertices; ++v) {
    rig.rest_positions.push_back({unit(random) - 0.5F, unit(random), unit(random) - 0.5F});
    rig.rest_normals.push_back(normalized(Vec3f{unit(random) - 0.5F, unit(random) - 0.5F, unit(random) + 0.01F}));
    const std::size_t counts[] = {4, 0, 1, 4, 8, 11, 2, 3, 1};
    std::size_t count = counts[v % std::size(counts)];
    if (layout == Influences::one_block) count = std::min<std::size_t>(count, 4);
    const std::size_t blocks = std::max<std::size_t>(1, (count + 3) / 4);
    for (std::size_t b = 0; b < blocks; ++b) {
      InfluenceBlock block;
      for (std::size_t k = 0; k < 4; ++k) {
        block.bone[k] = static_cast<std::uint32_t>(random() % kBones);
        block.weight[k] = 4 * b + k < count ? unit(random) / static_cast<float>(count) : 0.0F;
        if (count == 1 && k == 0 && v % 2 == 0) block.weight[k] = 1;
      }
      rig.blocks.push_back(block);
    }
    if (layout == Influences::rows) rig.block_begin.push_back(static_cast<std::uint32_t>(rig.blocks.size()));
  }
  return rig;
}

Pose make_pose(const Rig& rig, bool scaled) {
  Pose pose = default_pose(rig.skeleton);
  for (std::size_t b = 0; b < kBones; ++b) {
    pose.local[b].rotation = axis_angle(normalized(Vec3d{1, 0.3 * static_cast<double>(b), -0.5}), 0.4);
    if (scaled) pose.local[b].scale = {1.1, b == 4 ? -0.7 : 1.0, b == 6 ? 0.0 : 0.9};  // mirrors, flattens
  }
  return pose;
}

bool same_bits(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3f)) == 0);
}

template <class Skin>
void expect_same(const Rig& rig, const BonePalette& palette, Skin&& scalar_skin, Skin&& simd_skin, bool with_normals) {
  const Context context(2);
  const Vec3f mark{7, 8, 9};
  std::vector<Vec3f> p(rig.vertex_count()), q(rig.vertex_count(), mark), n(p.size()), m(p.size());
  if (!with_normals) n.clear(), m.clear();
  scalar_skin(rig, palette, p, n, context);
  simd_skin(rig, palette, q, m, context);
  EXPECT_TRUE(same_bits(p, q)) << rig.vertex_count() << " vertices";
  EXPECT_TRUE(same_bits(n, m)) << rig.vertex_count() << " vertices";
}

TEST(SimdSkin, HasTheBitsOfTheScalarBackEndOnEveryInstructionSet) {
  for (const std::size_t vertices : {0U, 1U, 2U, 3U, 5U, 15U, 16U, 17U, 63U, 64U, 65U, 1023U, 1025U, 2049U})
    for (const Influences layout : {Influences::one_block, Influences::rows})
      for (const bool scaled : {false, true}) {
        const Rig rig = make_rig(vertices, layout);
        BoneMotion motion(rig);
        motion.update(rig, make_pose(rig, scaled));
        ASSERT_EQ(motion.palette().stretches.empty(), !scaled);
        test::on_every_target([&] {
          for (const bool with_normals : {false, true}) {
            expect_same(rig, motion.palette(), scalar::skin_linear, simd::skin_linear, with_normals);
            expect_same(rig, motion.palette(), scalar::skin_dual_quaternion, simd::skin_dual_quaternion, with_normals);
          }
        });
      }
}

TEST(SimdSkin, HasTheBitsOfTheScalarBackEndWhereBindMatricesAreRounded) {
  for (const Influences layout : {Influences::one_block, Influences::rows}) {
    Rig rig = make_rig(2049, layout);
    for (std::size_t b = 0; b < kBones; ++b)
      rig.bones[b].rest_from_world.linear.col[b % 3] *= 1 + 1e-6 * static_cast<double>(10 + b);
    BoneMotion motion(rig);
    motion.update(rig, make_pose(rig, false));
    ASSERT_TRUE(motion.palette().stretches.bound);
    test::on_every_target(
        [&] { expect_same(rig, motion.palette(), scalar::skin_dual_quaternion, simd::skin_dual_quaternion, true); });
    // A pose that scales is none of theirs.
    Pose pose = make_pose(rig, false);
    pose.local[3].scale = {1 + 4e-5, 1, 1};
    motion.update(rig, pose);
    ASSERT_FALSE(motion.palette().stretches.empty());
    ASSERT_FALSE(motion.palette().stretches.bound);
    test::on_every_target(
        [&] { expect_same(rig, motion.palette(), scalar::skin_dual_quaternion, simd::skin_dual_quaternion, true); });
  }
}

TEST(SimdSkin, LetsTheHeaviestBoneMoveVerticesWhoseRotationsCancel) {
  Rig rig = make_rig(70, Influences::one_block);
  BoneMotion motion(rig);
  motion.update(rig, make_pose(rig, false));
  std::vector<SkinDualQuat> rigid(motion.palette().rigid.begin(), motion.palette().rigid.end());
  rigid[3].real = -rigid[2].real;
  for (const std::size_t v : {0U, 5U, 37U, 69U}) rig.blocks[v] = {{2, 3, 2, 2}, {0.5F, 0.5F, 0, 0}};
  const BonePalette palette{motion.palette().matrices, rigid, {}};
  test::on_every_target(
      [&] { expect_same(rig, palette, scalar::skin_dual_quaternion, simd::skin_dual_quaternion, true); });
}

TEST(SimdSkin, IsTheDefaultAndGivesTheSameFramesAsTheScalarBackEnd) {
  const Character tube = test::make_two_bone_tube();
  const Context scalar(1, Backend::scalar), simd(1);
  EXPECT_EQ(simd.backend(), Backend::simd);
  Pose pose = default_pose(tube.skeleton);
  pose.local[1].rotation = axis_angle(Vec3d{0, 0, 1}, std::numbers::pi / 3);
  for (const Method method : {Method::lbs, Method::dqs}) {
    const auto rig = bind(tube, simd);
    Solver a(rig, {method}, scalar), b(rig, {method}, simd);
    EXPECT_TRUE(same_bits(a.solve(pose).positions, b.solve(pose).positions));
  }
}

TEST(Backend, IsFoundByItsNameOrRefusedWithWhatThereIs) {
  for (const std::string& name : backend_names()) EXPECT_EQ(to_string(backend_from_string(name)), name);
  EXPECT_NE(test::error_of([] { (void)backend_from_string("abacus"); }).find("it has: scalar, simd"),
            std::string::npos);
}

}  // namespace
}  // namespace cutis
