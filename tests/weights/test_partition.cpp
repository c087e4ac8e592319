#include "character/partition.h"

#include <gtest/gtest.h>

#include <set>

#include "cutis/error.h"
#include "weights/weights_support.h"

namespace cutis::test {
namespace {

/// Number of patches of vertices with the same joint, per joint and component.
std::size_t count_patches(const Topology& topology, const std::vector<std::uint32_t>& joint) {
  std::vector<char> seen(joint.size(), 0);
  std::size_t patches = 0;
  for (std::uint32_t seed = 0; seed < joint.size(); ++seed) {
    if (seen[seed] != 0) continue;
    ++patches;
    std::vector<std::uint32_t> stack{seed};
    seen[seed] = 1;
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      for (const std::uint32_t w : topology.vertex_neighbours.row(v))
        if (seen[w] == 0 && joint[w] == joint[v]) {
          seen[w] = 1;
          stack.push_back(w);
        }
    }
  }
  return patches;
}

TEST(Partition, GivesEveryVertexTheJointOfItsLargestWeight) {
  const Character c = make_two_bone_tube();
  const Parts parts = make_parts(c);
  EXPECT_EQ(parts.islands, 0U);
  for (std::size_t v = 0; v < parts.joint.size(); ++v) {
    const double y = static_cast<double>(c.meshes[0].positions[v].y);
    if (y < 0.7) {
      EXPECT_EQ(parts.joint[v], 0);
    }
    if (y > 1.3) {
      EXPECT_EQ(parts.joint[v], 1);
    }
  }
}

TEST(Partition, GivesStrayIslandsToTheirNeighbours) {
  Character c = make_two_bone_tube();
  Mesh& mesh = c.meshes[0];
  std::size_t stray = 0;  // a vertex at the lower end that follows the upper bone
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (mesh.positions[v].y < mesh.positions[stray].y) stray = v;
  Weights w;
  w.row_begin.push_back(0);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    w.joint.push_back(v == stray || mesh.positions[v].y > 1.0F ? 1U : 0U);
    w.weight.push_back(1);
    w.row_begin.push_back(static_cast<std::uint32_t>(v + 1));
  }
  mesh.weights = w;
  const Parts parts = make_parts(c);
  EXPECT_EQ(parts.islands, 1U);
  EXPECT_EQ(parts.moved_vertices, 1U);
  EXPECT_EQ(parts.joint[stray], 0);
}

TEST(Partition, OfAutomaticWeightsIsConnectedOnEveryComponent) {
  CUTIS_NEEDS_SHARED_DATA();
  for (const char* file : {"makehuman_male/makehuman_male.glb", "hand_webxr/hand_left_poses.glb", "fox/fox.glb"}) {
    Character c = load_unweighted(file);
    make_weights(c, {}, Context(2));
    const WeldedCharacter welded = weld_character(c);
    const Partition partition = make_partition(c, welded);
    const std::set<std::uint32_t> joints(partition.joint.begin(), partition.joint.end());
    EXPECT_EQ(count_patches(welded.topology, partition.joint), joints.size()) << file;
    EXPECT_LT(partition.moved_vertices, welded.positions.size() / 25) << file;
  }
}

TEST(Partition, NeedsWeights) {
  Character c = make_two_bone_tube();
  c.meshes[0].weights = {};
  EXPECT_NE(error_of([&] { (void)make_parts(c); }).find("has no weights"), std::string::npos);
}

}  // namespace
}  // namespace cutis::test
