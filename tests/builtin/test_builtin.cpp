// What every built-in character promises: a closed, well-shaped, well-weighted, reproducible mesh.
#include "character/builtin/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/hash.h"
#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "geometry/normals.h"
#include "geometry/topology.h"
#include "geometry/tri_tri.h"
#include "geometry/triangle_bvh.h"
#include "support/support.h"

namespace cutis {
namespace {

/// Made once per name: the tests only read.
const Character& builtin_character(const std::string& name) {
  static std::map<std::string, Character> made;
  const auto it = made.find(name);
  return it != made.end() ? it->second : made.emplace(name, make_builtin(name, Context(1))).first->second;
}

double smallest_angle(const Mesh& mesh, const Triangle& t) {
  double least = kPi;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = [&](std::size_t i) { return static_cast<Vec3d>(mesh.positions[t[i % 3]]); };
    const Vec3d u = at(k + 1) - at(k), v = at(k + 2) - at(k);
    least = std::min(least, std::atan2(length(cross(u, v)), dot(u, v)));
  }
  return least * 180 / kPi;
}

bool is_ancestor(const Skeleton& skeleton, int ancestor, int joint) {
  while (joint >= 0 && joint != ancestor) joint = skeleton.joints[static_cast<std::size_t>(joint)].parent;
  return joint == ancestor;
}

std::uint64_t hash_of(const Character& character) {
  const Mesh& mesh = character.meshes[0];
  std::uint64_t hash = hash_span<Vec3f>(mesh.positions);
  hash = hash_span<Triangle>(mesh.triangles, hash);
  hash = hash_span<std::uint32_t>(mesh.weights.joint, hash);
  hash = hash_span<float>(mesh.weights.weight, hash);
  for (const Clip& clip : character.clips)
    for (const Channel& channel : clip.channels) hash = hash_span<float>(channel.values, hash);
  return hash;
}

class Builtin : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] const Character& character() const { return builtin_character(GetParam()); }
  [[nodiscard]] const Mesh& mesh() const { return character().meshes[0]; }
};

TEST_P(Builtin, IsAValidCharacterThatKnowsItsSource) {
  EXPECT_NO_THROW(validate(character()));
  EXPECT_EQ(character().source, "builtin:" + GetParam());
  EXPECT_EQ(character().meshes.size(), 1U);
  EXPECT_FALSE(mesh().name.empty());
  EXPECT_TRUE(character().has_weights());
  EXPECT_TRUE(mesh().had_normals);
  EXPECT_FALSE(character().clips.empty());
}

TEST_P(Builtin, IsAClosedSphereFacingOutward) {
  const Topology t = build_topology(mesh().positions.size(), mesh().triangles);
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.nonmanifold_vertices, 0U);
  EXPECT_EQ(t.component_count, 1U);
  const auto euler = static_cast<long>(mesh().positions.size()) - static_cast<long>(t.edges.size()) +
                     static_cast<long>(mesh().triangles.size());
  EXPECT_EQ(euler, 2);
  EXPECT_GT(signed_volume(mesh().positions, mesh().triangles), 0);
}

TEST_P(Builtin, HasWellShapedTriangles) {
  std::size_t narrow = 0;
  for (const Triangle& t : mesh().triangles) {
    const double angle = smallest_angle(mesh(), t);
    EXPECT_GT(angle, 5);
    narrow += angle < 25 ? 1 : 0;
  }
  EXPECT_LT(static_cast<double>(narrow), 0.01 * static_cast<double>(mesh().triangles.size()));
}

TEST_P(Builtin, DoesNotIntersectItselfAtRest) {
  std::vector<std::uint32_t> all(mesh().triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  const TriangleBvh bvh(mesh().positions, mesh().triangles, all);
  std::size_t pairs = 0;
  for (const std::uint32_t leaf : bvh.leaves()) {
    bvh.visit_overlaps(leaf, [&](std::uint32_t a, std::uint32_t b) {
      const Triangle& s = mesh().triangles[bvh.triangle(a)];
      const Triangle& t = mesh().triangles[bvh.triangle(b)];
      if (std::find_first_of(s.begin(), s.end(), t.begin(), t.end()) != s.end()) return;
      const auto corners = [&](const Triangle& q) {
        return TriangleCorners{mesh().positions[q[0]], mesh().positions[q[1]], mesh().positions[q[2]]};
      };
      pairs += triangles_intersect(corners(s), corners(t)) ? 1 : 0;
    });
  }
  EXPECT_EQ(pairs, 0U);
}

TEST_P(Builtin, HasAtMostFourWeightsThatSumToOneLargestFirst) {
  const Weights& w = mesh().weights;
  ASSERT_EQ(w.rows(), mesh().positions.size());
  EXPECT_LE(w.max_influences(), 4);
  for (std::size_t v = 0; v < w.rows(); ++v) {
    double sum = 0;
    for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) {
      EXPECT_GT(w.weight[i], 0);
      if (i > w.row_begin[v]) {
        EXPECT_LE(w.weight[i], w.weight[i - 1]);
      }
      EXPECT_TRUE(character().skeleton.joints[w.joint[i]].is_bone);
      sum += w.weight[i];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST_P(Builtin, BindsEveryBoneToSomeVertexAndEveryVertexToOneBranch) {
  const Weights& w = mesh().weights;
  std::vector<std::size_t> owned(character().skeleton.joints.size(), 0);
  for (std::size_t v = 0; v < w.rows(); ++v) {
    const auto first = static_cast<int>(w.joint[w.row_begin[v]]);
    ++owned[static_cast<std::size_t>(first)];
    if (w.weight[w.row_begin[v]] <= 0.5F) continue;
    for (std::uint32_t i = w.row_begin[v] + 1; i < w.row_begin[v + 1]; ++i) {
      const auto other = static_cast<int>(w.joint[i]);
      EXPECT_TRUE(is_ancestor(character().skeleton, first, other) || is_ancestor(character().skeleton, other, first))
          << "vertex " << v << " of " << character().skeleton.joints[static_cast<std::size_t>(first)].name
          << " follows " << character().skeleton.joints[static_cast<std::size_t>(other)].name;
    }
  }
  for (std::size_t j = 0; j < owned.size(); ++j) EXPECT_GT(owned[j], 0U) << character().skeleton.joints[j].name;
}

TEST_P(Builtin, ChangesItsWeightsSlowlyAlongEdges) {
  const Weights& w = mesh().weights;
  const Topology t = build_topology(mesh().positions.size(), mesh().triangles);
  const auto row = [&](std::uint32_t v) {
    std::vector<double> dense(character().skeleton.joints.size(), 0.0);
    for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) dense[w.joint[i]] = w.weight[i];
    return dense;
  };
  for (const Edge& edge : t.edges) {
    const auto a = row(edge.a), b = row(edge.b);
    double change = 0;
    for (std::size_t j = 0; j < a.size(); ++j) change += 0.5 * std::abs(a[j] - b[j]);
    EXPECT_LT(change, 0.45);
  }
}

TEST_P(Builtin, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(hash_of(make_builtin(GetParam(), Context(2))), hash_of(character()));
}

INSTANTIATE_TEST_SUITE_P(All, Builtin, testing::ValuesIn(builtin_names()), [](const auto& test) { return test.param; });

TEST(BuiltinNames, AreThoseOfTheDocumentation) {
  EXPECT_THAT(builtin_names(), testing::ElementsAre("cylinder", "arm", "hand"));
}

TEST(BuiltinNames, ThatDoNotExistAreAnsweredWithThoseThatDo) {
  const std::string text = test::error_of([] { static_cast<void>(make_builtin("dragon", Context(1))); });
  EXPECT_THAT(text, testing::HasSubstr("dragon"));
  for (const std::string& name : builtin_names()) EXPECT_THAT(text, testing::HasSubstr(name));
}

TEST(BuiltinSizes, AreAsPromised) {
  const Character& cylinder = builtin_character("cylinder");
  EXPECT_EQ(cylinder.skeleton.joints.size(), 2U);
  EXPECT_GE(cylinder.vertex_count(), 2000U);
  EXPECT_LE(cylinder.vertex_count(), 4000U);
  const Character& hand = builtin_character("hand");
  EXPECT_GE(hand.skeleton.joints.size(), 16U);
  EXPECT_GE(hand.vertex_count(), 5000U);
}

}  // namespace
}  // namespace cutis
