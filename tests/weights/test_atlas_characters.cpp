// The atlas on whole characters: regions against the artist's, fingers, mirror symmetry.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/math.h"
#include "cutis/io.h"
#include "cutis/weights.h"
#include "support/support.h"
#include "weights/weight_shapes.h"

namespace {

using namespace cutis;
using namespace cutis::test;

struct Bound {
  Character artist, character;
  WeightReport report;
};

Bound bind_atlas(const std::string& file, bool symmetric = false) {
  const Context context(2);
  Bound bound;
  bound.artist = load_character(file, context);
  bound.character = bound.artist;
  for (Mesh& mesh : bound.character.meshes) mesh.weights = {};
  bound.report = make_weights(bound.character, {.method = WeightMethod::atlas, .symmetric = symmetric}, context);
  expect_weights(bound.character, 4);
  return bound;
}

/// Share of vertices whose largest weight belongs to the same joint.
double agreement(const Bound& bound) {
  std::size_t same = 0, all = 0;
  for (std::size_t m = 0; m < bound.artist.meshes.size(); ++m) {
    const Weights &a = bound.artist.meshes[m].weights, &b = bound.character.meshes[m].weights;
    for (std::size_t v = 0; v < a.rows(); ++v, ++all) same += a.joint[a.row_begin[v]] == b.joint[b.row_begin[v]];
  }
  return static_cast<double>(same) / static_cast<double>(all);
}

/// Vertices on the outer two thirds of a finger that feel another finger. `finger_of` names a joint's finger, or "" for
/// others, and `outer_of` says whether its bone is beyond the first phalanx.
template <class FingerOf, class OuterOf>
std::size_t crossed_fingers(const Bound& bound, const FingerOf& finger_of, const OuterOf& outer_of) {
  std::size_t crossed = 0, outer = 0;
  for (const Mesh& mesh : bound.character.meshes) {
    const Weights& w = mesh.weights;
    for (std::size_t v = 0; v < w.rows(); ++v) {
      const std::string& owner = bound.character.skeleton.joints[w.joint[w.row_begin[v]]].name;
      if (finger_of(owner).empty() || !outer_of(owner)) continue;
      ++outer;
      for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) {
        const std::string other = finger_of(bound.character.skeleton.joints[w.joint[i]].name);
        crossed += !other.empty() && other != finger_of(owner);
      }
    }
  }
  EXPECT_GT(outer, 100U);
  return crossed;
}

// "index_2_l" -> "index_l", "index_02_l" -> "index_l", "index-finger-phalanx-distal" -> "index"
std::string finger_name(const std::string& joint) {
  if (joint.find("metacarpal") != std::string::npos) return {};  // in the palm
  for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"}) {
    if (joint.rfind(finger, 0) != 0) continue;
    const std::string side = joint.size() > 2 && joint[joint.size() - 2] == '_' ? joint.substr(joint.size() - 2) : "";
    return std::string(finger) + (side == "_l" || side == "_r" ? side : "");
  }
  return {};
}
bool is_outer(const std::string& joint) {
  for (const char* part : {"2", "3", "intermediate", "distal", "tip"})
    if (joint.find(part) != std::string::npos) return true;
  return false;
}

TEST(AtlasCharacters, TheBuiltInHandFallsIntoItsPhalanges) {
  const Bound bound = bind_atlas("builtin:hand");
  EXPECT_GT(agreement(bound), 0.95);
  EXPECT_EQ(crossed_fingers(bound, finger_name, is_outer), 0U);
  EXPECT_EQ(bound.report.weighted_bones, bound.report.bones);
}

TEST(AtlasCharacters, TheBuiltInHumanFallsIntoItsLimbs) {
  const Bound bound = bind_atlas("builtin:human");
  EXPECT_GT(agreement(bound), 0.9);
  EXPECT_EQ(crossed_fingers(bound, finger_name, is_outer), 0U);
}

TEST(AtlasCharacters, TheBuiltInHumanIsMirrorSymmetricBeforeAnythingIsDoneForIt) {
  const Bound bound = bind_atlas("builtin:human", true);
  ASSERT_TRUE(bound.report.mirror);
  EXPECT_EQ(bound.report.mirror->unpaired_vertices, 0U);
  EXPECT_LT(bound.report.mirror->error_before, 1e-6);
  EXPECT_EQ(bound.report.mirror->error_after, 0);
}

TEST(AtlasCharacters, TheBodyFallsIntoItsLimbsLikeTheArtists) {
  CUTIS_NEEDS_SHARED_DATA();
  const Bound bound = bind_atlas((shared_data() / "makehuman_male/makehuman_male.glb").string(), true);
  EXPECT_GT(agreement(bound), 0.88);
  EXPECT_EQ(crossed_fingers(bound, finger_name, is_outer), 0U);
  ASSERT_TRUE(bound.report.mirror);
  EXPECT_LT(bound.report.mirror->error_before, 1e-6);
  EXPECT_LT(bound.report.mirror->error_after, 1e-6);
}

TEST(AtlasCharacters, TheScannedHandKeepsItsFingersApart) {
  CUTIS_NEEDS_SHARED_DATA();
  const Bound bound = bind_atlas((shared_data() / "hand_webxr/hand_left_poses.glb").string());
  EXPECT_GT(agreement(bound), 0.7);
  EXPECT_EQ(crossed_fingers(bound, finger_name, is_outer), 0U);
}

TEST(AtlasCharacters, LowPolygonCharactersBindToo) {
  CUTIS_NEEDS_SHARED_DATA();
  EXPECT_GT(agreement(bind_atlas((shared_data() / "cesium_man/cesium_man.glb").string())), 0.93);
  EXPECT_GT(agreement(bind_atlas((shared_data() / "fox/fox.glb").string())), 0.75);
  EXPECT_GT(agreement(bind_atlas((shared_data() / "rigged_figure/rigged_figure.glb").string())), 0.66);
  EXPECT_GT(agreement(bind_atlas((shared_data() / "rigged_simple/rigged_simple.glb").string())), 0.99);
  EXPECT_GT(agreement(bind_atlas((shared_data() / "simple_skin/simple_skin.gltf").string())), 0.99);
}

}  // namespace
