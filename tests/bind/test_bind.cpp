#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bind/skin_support.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "rig/rig_file.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::make_two_bone_tube;

TEST(Bind, PacksOneBlockAVertexForUpToFourInfluences) {
  const auto rig = bind(make_two_bone_tube(), Context(1));
  EXPECT_TRUE(rig->block_begin.empty());
  EXPECT_EQ(rig->blocks.size(), rig->vertex_count());
  EXPECT_EQ(rig->bones.size(), 2U);
  EXPECT_EQ(rig->bones[1].parent, 0);
}

TEST(Bind, KeepsEveryInfluenceOfAVertexThatHasMany) {
  Character c = make_two_bone_tube();
  for (int i = 0; i < 4; ++i) {
    c.skeleton.joints.push_back(c.skeleton.joints[1]);
    c.skeleton.joints.back().name += std::to_string(i);
  }
  Weights& w = c.meshes[0].weights;
  w.joint.insert(w.joint.begin() + w.row_begin[1], {1, 2, 3, 4, 5});
  w.weight.insert(w.weight.begin() + w.row_begin[1], {0.1F, 0.1F, 0.1F, 0.1F, 0.1F});
  w.weight[0] = 0.5F;
  for (std::size_t v = 1; v < w.row_begin.size(); ++v) w.row_begin[v] += 5;
  const auto rig = bind(c, Context(1));
  ASSERT_FALSE(rig->block_begin.empty());
  EXPECT_EQ(rig->block_begin[1], 2U);
  float sum = 0;
  for (int b = 0; b < 2; ++b)
    for (const float x : rig->blocks[static_cast<std::size_t>(b)].weight) sum += x;
  EXPECT_NEAR(sum, 1.0F, 1e-6F);
}

TEST(Bind, GivesSeamCopiesTheSameInfluences) {
  Character c = make_two_bone_tube();
  Mesh copy = c.meshes[0];
  for (float& w : copy.weights.weight) w = w < 1 ? w + (w > 0.5F ? 2e-6F : -2e-6F) : w;
  c.meshes.push_back(copy);
  const auto rig = bind(c, Context(1));
  const std::size_t n = copy.positions.size();
  for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(rig->blocks[v].weight, rig->blocks[v + n].weight);
}

TEST(Bind, HoldsAThingWithoutASkeletonStillAndSaysSo) {
  Character c = make_two_bone_tube();
  c.skeleton = {};
  c.clips.clear();
  c.meshes[0].weights = {};
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  Solver solver(bind(c, context), {Method::lbs}, context);
  EXPECT_THAT(warning, testing::HasSubstr("no skeleton"));
  EXPECT_EQ(solver.solve(default_pose(c.skeleton)).positions, c.meshes[0].positions);
}

TEST(Bind, RefusesAMeshWithoutWeightsByName) {
  Character c = make_two_bone_tube();
  c.meshes[0].weights = {};
  EXPECT_THAT(error_of([&] { (void)bind(c, Context(1)); }),
              testing::AllOf(testing::HasSubstr("mesh 'tube'"), testing::HasSubstr("weights")));
}

class BindOfShared : public ::testing::TestWithParam<std::string> {};

TEST_P(BindOfShared, HasTheSameBitsTwiceAndForAnyNumberOfThreads) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context one(1), two(2);
  const Character c = load_character((test::shared_data() / GetParam()).string(), one);
  const std::string bytes = rig_to_bytes(*bind(c, one));
  EXPECT_EQ(bytes, rig_to_bytes(*bind(c, two)));
  EXPECT_EQ(bytes, rig_to_bytes(*bind(c, two)));
}

INSTANTIATE_TEST_SUITE_P(all, BindOfShared, ::testing::ValuesIn(test::shared_characters()),
                         [](const auto& param_info) { return test::folder_name(param_info.param); });

// ---- odd skeletons and parts: a rig with a report, never a fault ----

void expect_usable(const Character& c, BindReport* kept = nullptr) {
  const Context context(1);
  BindReport report;
  const auto rig = bind(c, context, {}, report);
  ASSERT_EQ(report.parts.size(), rig->bones.size());
  const PosedField field(*rig);
  for (const Vec3f& p : rig->surface.positions) {
    const SkinSample s = field.eval(p);
    ASSERT_TRUE(std::isfinite(s.value) && is_finite(s.gradient));
  }
  EXPECT_EQ(rig_to_bytes(*rig_from_bytes(rig_to_bytes(*rig), "x")), rig_to_bytes(*rig));
  if (kept != nullptr) *kept = report;
}

void give(Character& c, const std::function<std::uint32_t(const Vec3f&)>& joint_of) {
  Weights& w = c.meshes[0].weights;
  w = {};
  w.row_begin.push_back(0);
  for (const Vec3f& p : c.meshes[0].positions) {
    w.joint.push_back(joint_of(p));
    w.weight.push_back(1);
    w.row_begin.push_back(static_cast<std::uint32_t>(w.joint.size()));
  }
}

Character with_third_bone(const Vec3d& at) {
  Character c = make_two_bone_tube();
  Joint joint = c.skeleton.joints[1];
  joint.name = "third";
  joint.parent = 1;
  joint.world_from_rest.translation = at;
  joint.local.translation = at - c.skeleton.joints[1].world_from_rest.translation;
  c.skeleton.joints.push_back(joint);
  return c;
}

TEST(OddParts, BoneWithoutVerticesHasNoField) {
  BindReport report;
  expect_usable(with_third_bone({0, 1.5, 0}), &report);
  EXPECT_EQ(report.parts[2].shape, "none");
  EXPECT_EQ(report.parts[2].joint, "third");
}

TEST(OddParts, BoneWithOneVertexIsBound) {
  Character c = with_third_bone({0, 1.5, 0});
  const Vec3f only = c.meshes[0].positions[0];
  give(c, [&](const Vec3f& p) { return p == only ? 2U : p.y < 1 ? 0U : 1U; });
  expect_usable(c);
}

TEST(OddParts, FewVerticesAreBound) {
  Character c = with_third_bone({0, 1.5, 0});
  std::uint32_t n = 0;
  give(c, [&](const Vec3f& p) { return n++ % 50 == 0 ? 2U : p.y < 1 ? 0U : 1U; });
  expect_usable(c);
}

TEST(OddParts, BoneOutsideTheMeshIsBound) {
  Character c = with_third_bone({40, 1.5, 0});
  give(c, [](const Vec3f& p) { return p.y < 0.7F ? 0U : p.y < 1.3F ? 1U : 2U; });
  expect_usable(c);
}

TEST(OddParts, CoincidentJointsAreBound) {
  Character c = with_third_bone(make_two_bone_tube().skeleton.joints[1].world_from_rest.translation);
  give(c, [](const Vec3f& p) { return p.y < 0.7F ? 0U : p.y < 1.3F ? 1U : 2U; });
  expect_usable(c);
}

TEST(OddParts, FlatPartIsBound) {
  Character c = make_two_bone_tube();
  for (Vec3f& p : c.meshes[0].positions) p.z = 0;
  expect_usable(c);
}

TEST(OddParts, PartWithHolesIsBound) {
  Character c = make_two_bone_tube();
  std::size_t n = 0;
  std::erase_if(c.meshes[0].triangles, [&](const Triangle&) { return n++ % 7 == 3; });
  expect_usable(c);
}

TEST(OddParts, TinyAndHugeAndScaledCharactersAreBoundAlike) {
  BindReport plain;
  expect_usable(make_two_bone_tube(), &plain);
  for (const double scale : {1e-4, 1e4}) {
    Character c = make_two_bone_tube();
    for (Vec3f& p : c.meshes[0].positions) p = p * static_cast<float>(scale);
    for (Joint& joint : c.skeleton.joints) {
      joint.world_from_rest.translation = joint.world_from_rest.translation * scale;
      joint.local.translation = joint.local.translation * scale;
    }
    BindReport report;
    expect_usable(c, &report);
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_EQ(report.parts[b].shape, plain.parts[b].shape);
      EXPECT_NEAR(report.parts[b].radius / scale, plain.parts[b].radius, 1e-3 * plain.parts[b].radius);
    }
  }
  // A skeleton whose joints carry a scale: the rest frames are what counts.
  Character c = make_two_bone_tube();
  for (Joint& joint : c.skeleton.joints) joint.world_from_rest.linear = joint.world_from_rest.linear * 100.0;
  BindReport report;
  expect_usable(c, &report);
  EXPECT_NEAR(report.parts[0].radius, plain.parts[0].radius, 1e-9);
}

}  // namespace
}  // namespace cutis
