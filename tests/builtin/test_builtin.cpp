// What every built-in character promises: a closed, well-shaped, well-weighted, reproducible mesh.
#include "character/builtin/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/hash.h"
#include "base/math.h"
#include "base/tree.h"
#include "builtin/made.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "geometry/normals.h"
#include "geometry/topology.h"
#include "geometry/tri_tri.h"
#include "geometry/triangle_bvh.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::made;

double smallest_angle(const Mesh& mesh, const Triangle& t) {
  double least = kPi;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = [&](std::size_t i) { return static_cast<Vec3d>(mesh.positions[t[i % 3]]); };
    const Vec3d u = at(k + 1) - at(k), v = at(k + 2) - at(k);
    least = std::min(least, std::atan2(length(cross(u, v)), dot(u, v)));
  }
  return least * 180 / kPi;
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
  [[nodiscard]] const Character& character() const { return made(GetParam()); }
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
      EXPECT_TRUE(hangs_on(character().skeleton.joints, other, first) ||
                  hangs_on(character().skeleton.joints, first, other))
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
    EXPECT_LT(change, 0.45) << "at " << mesh().positions[edge.a].x << " " << mesh().positions[edge.a].y << " "
                            << mesh().positions[edge.a].z;
  }
}

TEST_P(Builtin, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(hash_of(make_builtin(GetParam(), Context(2))), hash_of(character()));
}

INSTANTIATE_TEST_SUITE_P(All, Builtin, testing::ValuesIn(builtin_names()), [](const auto& test) { return test.param; });

TEST(BuiltinNames, AreThoseOfTheDocumentation) {
  EXPECT_THAT(builtin_names(), testing::ElementsAre("cylinder", "arm", "hand", "human"));
}

TEST(BuiltinNames, ThatDoNotExistAreAnsweredWithThoseThatDo) {
  const std::string text = test::error_of([] { static_cast<void>(make_builtin("dragon", Context(1))); });
  EXPECT_THAT(text, testing::HasSubstr("dragon"));
  for (const std::string& name : builtin_names()) EXPECT_THAT(text, testing::HasSubstr(name));
}

TEST(BuiltinSizes, OfHandsCanBeAskedFor) {
  const Character hand = make_builtin("hand:3000", Context(2));
  EXPECT_NEAR(static_cast<double>(hand.meshes[0].positions.size()), 3000, 300);
  EXPECT_EQ(hand.source, "builtin:hand:3000");
  for (const char* name : {"hand:7", "hand:many", "hand:", "hand:3000x"})
    EXPECT_THAT(test::error_of([&] { static_cast<void>(make_builtin(name, Context(1))); }),
                testing::HasSubstr("2000 to 50000 vertices"));
}

TEST(BuiltinSizes, AreAsPromised) {
  const Character& cylinder = made("cylinder");
  EXPECT_EQ(cylinder.skeleton.joints.size(), 2U);
  EXPECT_GE(cylinder.vertex_count(), 2000U);
  EXPECT_LE(cylinder.vertex_count(), 4000U);
  const Character& hand = made("hand");
  EXPECT_GE(hand.skeleton.joints.size(), 16U);
  EXPECT_GE(hand.vertex_count(), 5000U);
  const Character& human = made("human");
  EXPECT_GE(human.skeleton.joints.size(), 50U);
  EXPECT_GE(human.vertex_count(), 10000U);
  EXPECT_LE(human.vertex_count(), 15000U);
}

TEST(BuiltinHuman, StandsOnTheGroundAndIsAPersonTall) {
  const Box box = made("human").bounds();
  EXPECT_NEAR(box.lo.y, 0, 1e-4);
  EXPECT_NEAR(box.hi.y, 1.75, 0.005);
  EXPECT_GT(box.hi.z, -box.lo.z) << "the toes reach further than the heels and buttocks: it faces +Z";
}

TEST(BuiltinHuman, MirrorsItsSkeletonBitByBit) {
  const Skeleton& skeleton = made("human").skeleton;
  std::size_t sided = 0;
  for (const Joint& joint : skeleton.joints) {
    const Vec3d p = joint.world_from_rest.translation;
    if (!joint.name.ends_with("_l")) continue;
    ++sided;
    EXPECT_GT(p.x, 0) << joint.name;
    const std::string name = joint.name.substr(0, joint.name.size() - 1) + "r";
    const int other = skeleton.find(name);
    ASSERT_GE(other, 0) << name;
    EXPECT_EQ(skeleton.joints[static_cast<std::size_t>(other)].world_from_rest.translation, (Vec3d{-p.x, p.y, p.z}));
  }
  EXPECT_GE(sided, 20U);
}

TEST(BuiltinHuman, MirrorsItsSkinAndWeightsBitByBit) {
  const Character& human = made("human");
  const Mesh& mesh = human.meshes[0];
  const auto key = [](const Vec3f& p) { return std::array<float, 3>{p.x + 0.0F, p.y, p.z}; };
  std::map<std::array<float, 3>, std::uint32_t> at;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) at.emplace(key(mesh.positions[v]), v);
  ASSERT_EQ(at.size(), mesh.positions.size());

  const auto mirrored_name = [](std::string name) {
    if (name.ends_with("_l")) {
      name.back() = 'r';
    } else if (name.ends_with("_r")) {
      name.back() = 'l';
    }
    return name;
  };
  const auto row = [&](std::uint32_t v, bool mirror) {
    std::map<std::string, float> weights;
    for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
      const std::string& name = human.skeleton.joints[mesh.weights.joint[i]].name;
      weights[mirror ? mirrored_name(name) : name] = mesh.weights.weight[i];
    }
    return weights;
  };
  std::vector<std::uint32_t> image;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3f p = mesh.positions[v], n = mesh.normals[v];
    const auto it = at.find(key({-p.x, p.y, p.z}));
    ASSERT_NE(it, at.end()) << "vertex " << v;
    image.push_back(it->second);
    EXPECT_EQ(mesh.normals[it->second], (Vec3f{-n.x, n.y, n.z}));
    EXPECT_EQ(row(v, true), row(it->second, false)) << "vertex " << v;
  }

  const auto sorted = [](Triangle t) {  // the smallest first, the cycle kept
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    return t;
  };
  std::vector<Triangle> own, mirrored;
  for (const Triangle& t : mesh.triangles) {
    own.push_back(sorted(t));
    mirrored.push_back(sorted({image[t[0]], image[t[2]], image[t[1]]}));
  }
  std::sort(own.begin(), own.end());
  std::sort(mirrored.begin(), mirrored.end());
  EXPECT_EQ(own, mirrored);
}

}  // namespace
}  // namespace cutis
