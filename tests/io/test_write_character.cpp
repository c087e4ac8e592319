// Skinned characters out and in again.
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/solve.h"
#include "support/support.h"

namespace cutis::test {
namespace {

Character write_and_read(const Character& character, const char* extension) {
  const TemporaryFolder folder;
  const std::string file = folder.file(std::string("character") + extension);
  write_character(file, character, Context(1));
  return load_character(file, Context(1));
}

/// Moves alike: every clip at three times, every vertex.
void expect_same_motion(const Character& a, const Character& b) {
  ASSERT_EQ(a.clips.size(), b.clips.size());
  const Context context(1);
  Solver first(bind(a, context), {Method::lbs}, context), second(bind(b, context), {Method::lbs}, context);
  const double size = diagonal(a.bounds());
  for (const Clip& clip : a.clips) {
    for (const double t : {0.0, 0.4, 1.0}) {
      const double time = clip.start() + t * (clip.end() - clip.start());
      const auto p = first.solve(sample(a.skeleton, clip, time)).positions;
      const auto q = second.solve(sample(b.skeleton, b.clip(clip.name), time)).positions;
      ASSERT_EQ(p.size(), q.size());
      double worst = 0;
      for (std::size_t v = 0; v < p.size(); ++v) worst = std::max(worst, static_cast<double>(distance(p[v], q[v])));
      EXPECT_LT(worst, 1e-5 * size) << clip.name << " at " << time;
    }
  }
}

class WriteCharacter : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, WriteCharacter, testing::Values(".glb", ".gltf"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(WriteCharacter, KeepsMeshSkeletonWeightsAndClips) {
  const Character tube = make_two_bone_tube();
  const Character back = write_and_read(tube, GetParam());
  ASSERT_EQ(back.meshes.size(), 1U);
  EXPECT_EQ(back.meshes[0].positions, tube.meshes[0].positions);
  EXPECT_EQ(back.meshes[0].triangles, tube.meshes[0].triangles);
  ASSERT_EQ(back.skeleton.joints.size(), tube.skeleton.joints.size());
  for (std::size_t j = 0; j < back.skeleton.joints.size(); ++j) {
    EXPECT_EQ(back.skeleton.joints[j].name, tube.skeleton.joints[j].name);
    EXPECT_EQ(back.skeleton.joints[j].parent, tube.skeleton.joints[j].parent);
  }
  expect_same_motion(tube, back);
}

TEST(WriteCharacterFileSlow, KeepsTheSharedCharactersMovingAsTheyDid) {
  CUTIS_NEEDS_SHARED_DATA();
  for (const char* file : {"cesium_man/cesium_man.glb", "fox/fox.glb", "hand_webxr/hand_left_poses.glb",
                           "rigged_figure/rigged_figure.glb", "simple_skin/simple_skin.gltf"}) {
    SCOPED_TRACE(file);
    const Character character = load_character((shared_data() / file).string(), Context(1));
    expect_same_motion(character, write_and_read(character, ".glb"));
  }
}

TEST(WriteCharacterFile, KeepsMoreThanFourInfluencesInFurtherSets) {
  Character c = make_two_bone_tube();
  c.clips.clear();
  for (int j = 2; j < 11; ++j) {
    Joint joint = c.skeleton.joints[1];
    joint.name = "bone" + std::to_string(j);
    joint.parent = 0;
    c.skeleton.joints.push_back(joint);
  }
  Weights w;
  w.row_begin.push_back(0);
  for (std::size_t v = 0; v < c.meshes[0].positions.size(); ++v) {
    float rest = 1;
    for (std::uint32_t j = 0; j < 10; ++j) {
      const float weight = j == 9 ? rest : rest * 0.3F;
      w.joint.push_back((j + static_cast<std::uint32_t>(v)) % 11);
      w.weight.push_back(weight);
      rest -= weight;
    }
    w.row_begin.push_back(static_cast<std::uint32_t>(w.joint.size()));
  }
  c.meshes[0].weights = w;
  const Character back = write_and_read(c, ".glb");
  EXPECT_EQ(back.meshes[0].weights.max_influences(), 10);
  for (std::size_t v = 0; v < w.rows(); ++v)
    for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) {
      const Weights& b = back.meshes[0].weights;
      double found = 0;
      for (std::uint32_t k = b.row_begin[v]; k < b.row_begin[v + 1]; ++k)
        if (back.skeleton.joints[b.joint[k]].name == c.skeleton.joints[w.joint[i]].name)
          found = static_cast<double>(b.weight[k]);
      ASSERT_NEAR(found, static_cast<double>(w.weight[i]), 1e-6);
    }
}

TEST(WriteCharacterFile, KeepsSeveralRootsShearedNodesAndSecondRestFrames) {
  Character c = make_two_bone_tube();
  auto& joints = c.skeleton.joints;
  Joint other = joints[0];  // a second root
  other.name = "other";
  joints.push_back(other);
  Affine3d shear;
  shear.linear.col[1].x = 0.25;
  joints[1].local_residual = shear;
  joints[1].world_from_rest = joints[0].world_from_rest * to_affine(joints[1].local) * shear;
  Joint alias;  // a second mesh bound to joint 1 in another rest frame
  alias.name = "upper#2";
  alias.parent = alias.alias_of = 1;
  alias.is_bone = true;
  alias.world_from_rest = joints[1].world_from_rest;
  alias.world_from_rest.translation.y += 0.5;
  joints.push_back(alias);
  Mesh second = c.meshes[0];
  second.name = "second";
  for (std::uint32_t& j : second.weights.joint)
    if (j == 1) j = 3;
  c.meshes.push_back(second);
  const Character back = write_and_read(c, ".glb");
  EXPECT_EQ(back.meshes.size(), 2U);
  expect_same_motion(c, back);
}

TEST(WriteCharacterFile, RefusesOtherExtensionsAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string file = folder.file("character.fbx");
  EXPECT_NE(error_of([&] { write_character(file, make_two_bone_tube(), Context(1)); }).find(".glb"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace cutis::test
