// The tree of operators: its order, and its evaluation through the index against the whole tree.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "bind/skin_support.h"
#include "bind/tree.h"
#include "rig/parts.h"

namespace cutis {
namespace {

using namespace test;

bool same_bits(const SkinSample& a, const SkinSample& b) {
  return std::memcmp(&a.value, &b.value, sizeof a.value) == 0 && a.gradient == b.gradient && a.bone == b.bone &&
         a.other == b.other && a.across == b.across && a.side == b.side;
}

std::vector<Vec3f> random_points(const Box& box, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Vec3f> points(count);
  for (Vec3f& p : points)
    p = static_cast<Vec3f>(box.lo + multiply(Vec3d{unit(random), unit(random), unit(random)}, box.hi - box.lo));
  return points;
}

class TreeOfShared : public ::testing::TestWithParam<std::string> {};

TEST_P(TreeOfShared, gives_through_the_index_what_the_whole_tree_gives) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Bound b = bind_shared(GetParam(), context);
  PosedField field(*b.rig);
  std::size_t felt = 0, composed = 0;
  for (unsigned pose = 0; pose < 6; ++pose) {
    if (pose > 0) field.set_pose(random_pose(*b.rig, 0.4 * pose, pose));
    std::vector<Vec3f> points = random_points(field.bounds(), 20000, 100 + pose);
    if (pose == 0) points.insert(points.end(), b.rig->surface.positions.begin(), b.rig->surface.positions.end());
    for (const Vec3f& p : points) {
      const SkinSample got = field.eval(p), whole = whole_tree(field.view(), p, true);
      ASSERT_TRUE(same_bits(got, whole)) << got.value << " " << whole.value;
      // g(f, 0) = f holds in the tables themselves, to the rounding of some fifty nodes.
      const SkinSample plain = whole_tree(field.view(), p, false);
      ASSERT_NEAR(got.value, plain.value, 3e-5);
      felt += got.value > 0;
      composed += got.value > 0 && got.value < 1;
    }
  }
  EXPECT_GT(felt, 5000U);
  EXPECT_GT(composed, 5000U);
}

INSTANTIATE_TEST_SUITE_P(all, TreeOfShared, ::testing::ValuesIn(shared_characters()),
                         [](const auto& param_info) { return folder_name(param_info.param); });

TEST(Tree, holds_every_part_once_and_children_come_before_parents) {
  const Context context(1);
  const Bound b = bind_file("builtin:human", context);
  const RigTree& tree = b.rig->tree;
  std::set<std::uint32_t> bones(tree.leaf_bone.begin(), tree.leaf_bone.end());
  EXPECT_EQ(bones.size(), tree.leaf_bone.size());
  for (std::size_t bone = 0; bone < b.rig->bones.size(); ++bone)
    EXPECT_EQ(bones.count(static_cast<std::uint32_t>(bone)), b.rig->fields[bone].empty() ? 0U : 1U);
  ASSERT_EQ(tree.nodes.size() + 1, tree.size());
  std::set<std::int32_t> used;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    for (const std::int32_t side : {tree.nodes[n].left, tree.nodes[n].right}) {
      EXPECT_LT(side, static_cast<std::int32_t>(n));
      EXPECT_TRUE(used.insert(side).second);
    }
}

TEST(Tree, starts_with_the_bulges_then_goes_from_the_leaves_to_the_root) {
  const Context context(1);
  BindOptions options;
  options.preset.all.controller = "finger";
  JointPreset bulge;
  bulge.op = "bulge";
  const Bound plain = bind_file("builtin:hand", context);
  std::string leaf_joint;  // a joint in the middle of a finger
  for (const RigBone& bone : plain.rig->bones)
    if (bone.parent >= 0 && plain.rig->bones[static_cast<std::size_t>(bone.parent)].parent >= 0)
      leaf_joint = plain.rig->skeleton.joints[static_cast<std::size_t>(bone.joint)].name;
  ASSERT_FALSE(leaf_joint.empty());
  options.preset.joints = {{leaf_joint, bulge}};
  const Bound b = bind_file("builtin:hand", context, options);
  const RigTree& tree = b.rig->tree;
  ASSERT_GT(tree.nodes.size(), 3U);
  const auto bone = static_cast<std::uint32_t>(bone_named(*b.rig, leaf_joint));
  // The first node joins the bulging pair; no other node has that operator.
  const auto bone_at = [&](std::int32_t side) {
    return side < 0 ? tree.leaf_bone[static_cast<std::size_t>(~side)] : ~0U;
  };
  const std::set<std::uint32_t> pair = {bone_at(tree.nodes[0].left), bone_at(tree.nodes[0].right)};
  EXPECT_TRUE(pair.contains(bone));
  EXPECT_TRUE(pair.contains(static_cast<std::uint32_t>(parent_part(*b.rig, bone))));
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) EXPECT_NE(tree.nodes[n].op, tree.nodes[0].op);
}

TEST(Tree, finds_the_node_that_joins_two_leaves) {
  const Context context(1);
  const Bound b = bind_file("builtin:human", context);
  const PosedField field(*b.rig);
  const TreeView& tree = field.view();
  // By walking up.
  std::map<std::int32_t, std::int32_t> parent;
  for (int n = 0; n + 1 < tree.leaf_count; ++n) parent[tree.nodes[n].left] = parent[tree.nodes[n].right] = n;
  for (int i = 0; i < tree.leaf_count; ++i)
    for (int j = i + 1; j < tree.leaf_count; ++j) {
      std::set<std::int32_t> above;
      for (std::int32_t at = ~i; parent.contains(at);) above.insert(at = parent[at]);
      std::int32_t at = ~j;
      do at = parent.at(at);
      while (!above.contains(at));
      ASSERT_EQ(lowest_common_node(tree, i, j), static_cast<std::uint32_t>(at)) << i << " " << j;
    }
}

TEST(PosedField, of_a_moved_character_is_the_moved_field) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context);
  const PosedField rest(*b.rig);
  const Quatd turn = axis_angle(normalized(Vec3d{1, 2, 3}), 0.8);
  const double scale = 1.7;
  const Affine3d move{to_matrix(turn) * scale, {0.3, -0.2, 0.5}};
  const PosedField moved(*b.rig, std::vector<Affine3d>(b.rig->bones.size(), move));
  std::size_t felt = 0;
  for (const Vec3f& p : random_points(rest.bounds(), 5000, 3)) {
    const SkinSample a = rest.eval(p), c = moved.eval(static_cast<Vec3f>(transform_point(move, static_cast<Vec3d>(p))));
    ASSERT_NEAR(a.value, c.value, 1e-4);
    const Vec3d expected = rotate(turn, static_cast<Vec3d>(a.gradient)) / scale;
    ASSERT_LT(length(static_cast<Vec3d>(c.gradient) - expected), 2e-2 * length(expected) + 1e-2);
    felt += a.value > 0;
  }
  EXPECT_GT(felt, 500U);
}

TEST(PosedField, leaves_out_a_bone_that_is_scaled_away_or_not_finite) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context);
  std::vector<Affine3d> motions(b.rig->bones.size());
  const std::uint32_t gone = b.rig->tree.leaf_bone[0];
  for (const double bad : {0.0, std::nan(""), 1e200}) {
    motions[gone].linear = diagonal_matrix(Vec3d{bad, bad, bad});
    const PosedField field(*b.rig, motions);
    for (const Vec3f& p : b.rig->surface.positions) {
      const SkinSample s = field.eval(p);
      ASSERT_NE(s.bone, gone);
      ASSERT_TRUE(std::isfinite(s.value) && is_finite(s.gradient));
      ASSERT_EQ(field.eval_part(gone, p).value, 0);
    }
  }
}

TEST(PosedField, is_zero_far_away_and_at_points_that_are_not_finite) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context);
  const PosedField field(*b.rig);
  const float nan = std::nanf(""), inf = INFINITY;
  for (const Vec3f& p : {Vec3f{1e9F, 0, 0}, Vec3f{nan, 0, 0}, Vec3f{0, inf, 0}, Vec3f{0, 0, -inf}}) {
    EXPECT_EQ(field.eval(p).value, 0);
    EXPECT_EQ(field.eval(p).bone, SkinSample::kNoBone);
  }
}

TEST(PosedField, without_an_implicit_skin_is_zero) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context, {.implicit_skin = false});
  const PosedField field(*b.rig);
  EXPECT_EQ(field.eval(b.rig->rest_positions[0]).value, 0);
  EXPECT_TRUE(field.bounds().empty());
}

TEST(PosedField, has_the_same_bits_for_any_number_of_threads) {
  const Context one(1), two(2);
  const Bound b = bind_file("builtin:human", one);
  const PosedField field(*b.rig, random_pose(*b.rig, 1, 5));
  const std::vector<Vec3f> points = random_points(field.bounds(), 30000, 9);
  std::vector<SkinSample> first(points.size()), second(points.size());
  field.eval(points, first, one);
  field.eval(points, second, two);
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_TRUE(same_bits(first[i], second[i]));
}

TEST(IsoValues, are_the_composed_field_at_rest) {
  const Context context(1);
  const Bound b = bind_file("builtin:hand", context);
  const PosedField field(*b.rig);
  ASSERT_EQ(b.rig->surface.iso.size(), b.rig->surface.size());
  for (std::size_t v = 0; v < b.rig->surface.size(); ++v)
    EXPECT_EQ(b.rig->surface.iso[v], field.eval(b.rig->surface.positions[v]).value);
}

}  // namespace
}  // namespace cutis
