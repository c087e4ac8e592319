#include <gtest/gtest.h>

#include "character/welded_character.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::make_two_bone_tube;

TEST(Inspect, CountsTheTube) {
  const CharacterInfo info = inspect(make_two_bone_tube());
  EXPECT_EQ(info.vertices, 33U * 16 + 2);
  EXPECT_EQ(info.welded_vertices, info.vertices);
  EXPECT_TRUE(info.closed);
  EXPECT_EQ(info.components, 1U);
  EXPECT_EQ(info.max_influences, 2);
  EXPECT_EQ(info.bones, (std::vector<std::string>{"lower", "upper"}));
  ASSERT_EQ(info.clips.size(), 1U);
  EXPECT_EQ(info.clips[0].seconds, 1.0);
  EXPECT_GT(info.volume, 0.5);
}

TEST(Inspect, SeesThroughSeamsBetweenMeshes) {
  Character c = make_two_bone_tube();
  Mesh& first = c.meshes[0];
  Mesh second = first;
  const std::size_t half = first.triangles.size() / 2;
  second.triangles.erase(second.triangles.begin(), second.triangles.begin() + static_cast<std::ptrdiff_t>(half));
  first.triangles.resize(half);
  c.meshes.push_back(second);
  const CharacterInfo info = inspect(c);
  EXPECT_EQ(info.vertices, 2 * info.welded_vertices);
  EXPECT_TRUE(info.closed);
}

TEST(Inspect, KeepsCopiesApartThatMoveDifferently) {
  Character c = make_two_bone_tube();
  Mesh copy = c.meshes[0];
  for (auto& j : copy.weights.joint) j += 2;
  c.skeleton.joints.resize(4);
  c.meshes.push_back(copy);
  EXPECT_EQ(inspect(c).welded_vertices, inspect(c).vertices);
  EXPECT_EQ(inspect(c).components, 2U);
}

TEST(Inspect, CountsTrianglesWithoutArea) {
  Character c = make_two_bone_tube();
  c.meshes[0].triangles.push_back({0, 0, 1});
  c.meshes[0].positions.insert(c.meshes[0].positions.end(), {{5, 0, 0}, {6, 0, 0}, {7, 0, 0}});
  const auto n = static_cast<std::uint32_t>(c.meshes[0].positions.size());
  c.meshes[0].triangles.push_back({n - 3, n - 2, n - 1});
  c.meshes[0].weights = {};
  EXPECT_EQ(inspect(c).degenerate_triangles, 2U);
}

}  // namespace
}  // namespace cutis
