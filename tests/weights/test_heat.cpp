// Bone heat: known answers on a tube, then real characters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "base/math.h"
#include "base/parallel_for.h"
#include "character/bones.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "weights/weights_support.h"

namespace cutis::test {
namespace {

Character tube_without_weights() {
  Character c = make_two_bone_tube();
  for (Mesh& mesh : c.meshes) mesh.weights = {};
  return c;
}

/// Shortest ways along edges from the given welded vertices.
std::vector<double> surface_distance(const WeldedCharacter& welded, const std::vector<std::uint32_t>& from) {
  std::vector<double> result(welded.positions.size(), std::numeric_limits<double>::infinity());
  using Item = std::pair<double, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  for (const std::uint32_t v : from) queue.emplace(result[v] = 0, v);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > result[v]) continue;
    for (const std::uint32_t w : welded.topology.vertex_neighbours.row(v)) {
      const double next = d + static_cast<double>(distance(welded.positions[v], welded.positions[w]));
      if (next < result[w]) queue.emplace(result[w] = next, w);
    }
  }
  return result;
}

/// Over all vertices that follow a bone with more than 2 %: how much longer the way over the surface to that bone's
/// part is than twice the way through the air outside the body, in sizes of the character. Large where a vertex is
/// bound across a gap.
double largest_detour(const Character& character) {
  const WeldedCharacter welded = weld_character(character);
  const Mesh& mesh = character.meshes.at(0);
  std::vector<std::vector<std::uint32_t>> part(character.skeleton.joints.size());
  for (std::uint32_t v = 0; v < welded.positions.size(); ++v)
    part[weight_row(mesh.weights, welded.weld.first_of[v]).joints[0]].push_back(v);
  double worst = 0;
  for (std::size_t j = 0; j < part.size(); ++j) {
    if (part[j].empty()) continue;
    const std::vector<double> over = surface_distance(welded, part[j]);
    for (std::uint32_t v = 0; v < welded.positions.size(); ++v) {
      if (weight_at(mesh, welded.weld.first_of[v], static_cast<int>(j)) < 0.02) continue;
      const Vec3f normal = mesh.normals[welded.weld.first_of[v]];
      for (const std::uint32_t w : part[j]) {
        const Vec3f across = welded.positions[w] - welded.positions[v];
        const double air = static_cast<double>(length(across));
        if (static_cast<double>(dot(across, normal)) > 0.3 * air) worst = std::max(worst, over[v] - 2 * air);
      }
    }
  }
  return worst / diagonal(character.bounds());
}

/// What heat must never do: weights that fall with the distance through the air.
void bind_through_the_air(Character& character) {
  const auto segments = bone_segments(character);
  for (Mesh& mesh : character.meshes) {
    mesh.weights = {};
    mesh.weights.row_begin.push_back(0);
    for (const Vec3f& p : mesh.positions) {
      std::vector<std::pair<double, int>> nearest;
      for (const BoneSegment& s : segments) {
        const Vec3d e = s.to - s.from, q = static_cast<Vec3d>(p) - s.from;
        const double t = dot(e, e) > 0 ? std::clamp(dot(q, e) / dot(e, e), 0.0, 1.0) : 0;
        nearest.emplace_back(length(q - e * t) + 1e-9, s.joint);
      }
      std::sort(nearest.begin(), nearest.end());
      nearest.resize(std::min<std::size_t>(nearest.size(), 4));
      double sum = 0;
      for (auto& [d, j] : nearest) sum += 1 / (d * d);
      for (auto& [d, j] : nearest) {
        mesh.weights.joint.push_back(static_cast<std::uint32_t>(j));
        mesh.weights.weight.push_back(static_cast<float>(1 / (d * d) / sum));
      }
      mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
    }
  }
}

TEST(HeatWeights, OfATubeGoFromOneBoneToTheOtherAcrossTheJoint) {
  Character c = tube_without_weights();
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(report.weighted_bones, 2U);
  const Mesh& mesh = c.meshes[0];
  double last = 1.1, last_y = -1;
  std::vector<std::size_t> order(mesh.positions.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return mesh.positions[a].y < mesh.positions[b].y; });
  for (const std::size_t v : order) {
    const double y = static_cast<double>(mesh.positions[v].y), w = weight_at(mesh, v, 0);
    if (y < 0.4) {
      EXPECT_GT(w, 0.9);
    }
    if (y > 1.6) {
      EXPECT_LT(w, 0.1);
    }
    if (std::abs(y - 1) < 1e-3) {
      EXPECT_NEAR(w, 0.5, 0.02);
    }
    if (y > last_y + 1e-3) {
      EXPECT_LE(w, last + 0.01) << "falls along the tube, y = " << y;
      last = w;
      last_y = y;
    }
  }
}

TEST(HeatWeights, DoNotDependOnScaleOrThreads) {
  Character small = tube_without_weights(), large = small, threaded = small;
  for (Vec3f& p : large.meshes[0].positions) p *= 128.0F;
  for (Joint& j : large.skeleton.joints) {
    j.local.translation *= 128.0;
    j.world_from_rest.translation *= 128.0;
  }
  make_weights(small, {}, Context(1));
  make_weights(large, {}, Context(1));
  make_weights(threaded, {}, Context(3));
  EXPECT_EQ(small.meshes[0].weights.weight, threaded.meshes[0].weights.weight);
  for (std::size_t v = 0; v < small.meshes[0].positions.size(); ++v)
    EXPECT_NEAR(weight_at(small.meshes[0], v, 0), weight_at(large.meshes[0], v, 0), 1e-5);
}

TEST(HeatWeights, SkipHelpersZeroLengthBonesAndRootsOnTheGround) {
  Character c = tube_without_weights();
  auto& joints = c.skeleton.joints;
  Joint ground = joints[0];  // below the tube, leads into it
  ground.name = "ground";
  ground.parent = -1;
  ground.world_from_rest.translation = ground.local.translation = {0, -3, 0};
  joints[0].parent = 0;
  joints[0].local.translation = {0, 3, 0};
  joints[1].parent = 1;
  joints.insert(joints.begin(), ground);
  Joint twist = joints[2];  // at its parent's place
  twist.name = "twist";
  twist.parent = 2;
  twist.local = {};
  joints.push_back(twist);
  c.clips.clear();
  for (Vec3f& p : c.meshes[0].positions) p.y -= 0.01F;  // the lower joint lies inside
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(fallback(report, "root outside the mesh").where, "'ground'");
  EXPECT_EQ(report.bones, 2U);
  for (std::size_t v = 0; v < c.meshes[0].positions.size(); ++v) {
    EXPECT_EQ(weight_at(c.meshes[0], v, 0), 0);
    EXPECT_EQ(weight_at(c.meshes[0], v, 3), 0);
  }
}

TEST(HeatWeights, KeepJointsFreeThatTheOldWeightsNeverUsed) {
  Character c = make_two_bone_tube();
  for (Mesh& mesh : c.meshes) {
    std::fill(mesh.weights.joint.begin(), mesh.weights.joint.end(), 0U);
    for (std::size_t v = 0; v < mesh.weights.rows(); ++v) {  // one row, one influence
      mesh.weights.row_begin[v + 1] = static_cast<std::uint32_t>(v + 1);
    }
    mesh.weights.joint.assign(mesh.positions.size(), 0);
    mesh.weights.weight.assign(mesh.positions.size(), 1);
  }
  Character all = c;
  EXPECT_EQ(make_weights(c, {}, Context(1)).weighted_bones, 1U);
  EXPECT_EQ(make_weights(all, {.keep_helpers = false}, Context(1)).weighted_bones, 2U);
}

TEST(HeatWeights, BindToABoneOutsideTheMeshAndSaySo) {
  Character c = tube_without_weights();
  for (Joint& j : c.skeleton.joints) j.world_from_rest.translation.x += 0.6;  // beside the tube
  c.skeleton.joints[0].local.translation.x += 0.6;
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(report.weighted_bones, 2U);
  EXPECT_EQ(fallback(report, "bones that no vertex sees").count, 2U) << text_of(report);
}

TEST(HeatWeights, FollowTheBodyWithClothesAndEyes) {
  Character c = tube_without_weights();
  Mesh coat = c.meshes[0], eye;
  coat.name = "coat";
  std::erase_if(coat.triangles, [&](const Triangle& t) {  // an open sleeve around the middle
    return std::any_of(t.begin(), t.end(),
                       [&](std::uint32_t v) { return coat.positions[v].y < 0.45F || coat.positions[v].y > 1.55F; });
  });
  for (Vec3f& p : coat.positions) {
    p.x *= 1.1F;
    p.z *= 1.1F;
  }
  const Surface ball = make_sphere(0.03, 6, 8);
  eye.name = "eye";
  eye.positions = ball.positions;
  for (Vec3f& p : eye.positions) p += Vec3f{0.35F, 1.1F, 0};
  eye.triangles = ball.triangles;
  eye.normals.assign(eye.positions.size(), {0, 1, 0});
  c.meshes.push_back(coat);
  c.meshes.push_back(eye);
  const WeightReport report = make_weights(c, {}, Context(1));
  expect_good_weights(c);
  EXPECT_EQ(fallback(report, "follow the nearest bound surface").count, 2U) << text_of(report);
  for (std::size_t v = 0; v < coat.positions.size(); ++v)
    if (coat.positions[v].y > 0.45F && coat.positions[v].y < 1.55F) {
      EXPECT_NEAR(weight_at(c.meshes[1], v, 0), weight_at(c.meshes[0], v, 0), 0.03);
    }
  for (std::size_t v = 1; v < eye.positions.size(); ++v)
    EXPECT_EQ(weight_at(c.meshes[2], v, 0), weight_at(c.meshes[2], 0, 0)) << "one rigid piece";
}

TEST(HeatWeights, RefuseASkeletonThatIsNotThereOrFarAwayOrInAnotherUnit) {
  Character c = tube_without_weights();
  c.skeleton.joints.clear();
  c.clips.clear();
  EXPECT_NE(error_of([&] { make_weights(c, {}, Context(1)); }).find("no skeleton"), std::string::npos);
  c = tube_without_weights();
  for (Joint& j : c.skeleton.joints) j.world_from_rest.translation.x += 50;
  EXPECT_NE(error_of([&] { make_weights(c, {}, Context(1)); }).find("away from the mesh"), std::string::npos);
  c = tube_without_weights();
  for (Joint& j : c.skeleton.joints) j.world_from_rest.translation *= 100.0;
  EXPECT_NE(error_of([&] { make_weights(c, {}, Context(1)); }).find("scale the skeleton by about 0.0"),
            std::string::npos);
}

TEST(HeatWeights, RefuseOptionsOutOfRange) {
  Character c = tube_without_weights();
  EXPECT_THROW(make_weights(c, {.max_influences = 0}, Context(1)), Error);
  EXPECT_THROW(make_weights(c, {.smooth_steps = -1}, Context(1)), Error);
  EXPECT_THROW(make_weights(c, {.min_weight = 0.5}, Context(1)), Error);
  EXPECT_FALSE(c.has_weights());
}

TEST(HeatWeights, StopWhenCancelled) {
  Character c = tube_without_weights();
  Context context(1);
  context.is_cancelled = [] { return true; };
  try {
    make_weights(c, {}, context);
    FAIL() << "went on";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cancelled);
  }
}

class HeatOnCharacters : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shared, HeatOnCharacters,
                         testing::Values("makehuman_male/makehuman_male.glb", "hand_webxr/hand_left_poses.glb",
                                         "cesium_man/cesium_man.glb", "fox/fox.glb"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('/'));
                         });

TEST_P(HeatOnCharacters, AreGoodWeightsOfAtMostFourBonesAndNeverCrossAGap) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted(GetParam());
  const WeightReport report = make_weights(c, {}, Context(2));
  expect_good_weights(c);
  EXPECT_GE(report.weighted_bones + 3, report.bones) << text_of(report);
  EXPECT_LT(largest_detour(c), 0.06);
  std::size_t counted = 0;
  for (const std::size_t n : report.influences) counted += n;
  EXPECT_EQ(counted, report.welded_vertices);
}

TEST(HeatOnTheHand, IsBetterThanDistancesThroughTheAirWhichCrossGaps) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted("hand_webxr/hand_left_poses.glb");
  bind_through_the_air(c);
  EXPECT_GT(largest_detour(c), 0.12);
}

TEST(HeatOnTheHand, NeverLetsAFingerFollowItsNeighbour) {
  CUTIS_NEEDS_SHARED_DATA();
  Character c = load_unweighted("hand_webxr/hand_left_poses.glb");
  make_weights(c, {}, Context(1));
  const auto finger_of = [&](std::uint32_t joint) -> std::string {
    const std::string& name = c.skeleton.joints[joint].name;
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"})
      if (name.find(finger) != std::string::npos && name.find("metacarpal") == std::string::npos) return finger;
    return {};
  };
  // The skin between two fingers belongs to both; from the middle phalanx on, a finger is alone.
  const auto is_free = [&](std::uint32_t joint) {
    const std::string& name = c.skeleton.joints[joint].name;
    return name.find("intermediate") != std::string::npos || name.find("distal") != std::string::npos;
  };
  const Mesh& mesh = c.meshes[0];
  std::size_t on_fingers = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const WeightRow row = weight_row(mesh.weights, v);
    const std::string finger = finger_of(row.joints[0]);
    if (finger.empty() || !is_free(row.joints[0])) continue;
    ++on_fingers;
    for (std::size_t i = 1; i < row.joints.size(); ++i) {
      const std::string other = finger_of(row.joints[i]);
      EXPECT_TRUE(other.empty() || other == finger || row.weights[i] < 0.01F)
          << "vertex " << v << " of the " << finger << " follows the " << other << " by " << row.weights[i];
    }
  }
  EXPECT_GT(on_fingers, 200U);
}

TEST(HeatOnTheHand, ChangesByLessThanAMillionthWhenALooseTriangleIsAdded) {
  CUTIS_NEEDS_SHARED_DATA();
  const Character hand = load_unweighted("hand_webxr/hand_left_poses.glb");
  Character plain = hand;
  make_weights(plain, {}, Context(1));
  const Box box = hand.bounds();
  // Inside the palm, in the way of every ray; inside a finger; outside.
  const Vec3d joint = hand.skeleton.joints.back().world_from_rest.translation;
  for (const Vec3d& place : {center(box), joint, box.hi}) {
    Character loose = hand;
    Mesh& mesh = loose.meshes[0];
    const auto n = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3d& d : {Vec3d{0.004, 0, 0}, Vec3d{0, 0.004, 0}, Vec3d{0, 0, 0.004}}) {
      mesh.positions.push_back(static_cast<Vec3f>(place + d));
      mesh.normals.push_back({0, 1, 0});
    }
    mesh.triangles.push_back({n, n + 1, n + 2});
    mesh.attributes.clear();
    make_weights(loose, {}, Context(1));
    expect_good_weights(loose);
    double worst = 0;
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t j = 0; j < loose.skeleton.joints.size(); ++j)
        worst = std::max(worst, std::abs(weight_at(mesh, v, static_cast<int>(j)) -
                                         weight_at(plain.meshes[0], v, static_cast<int>(j))));
    EXPECT_LT(worst, 1e-6);
  }
}

TEST(HeatWeights, AreNoWorseThanTheArtistsOnTheElbow) {
  CUTIS_NEEDS_SHARED_DATA();
  // The parts agree: where the artist says forearm, so do we, nearly everywhere.
  const Character artist = load_character((shared_data() / "cesium_man/cesium_man.glb").string(), Context(1));
  Character ours = load_unweighted("cesium_man/cesium_man.glb");
  make_weights(ours, {}, Context(1));
  std::size_t same = 0;
  const Weights &a = artist.meshes[0].weights, &b = ours.meshes[0].weights;
  for (std::size_t v = 0; v < a.rows(); ++v) same += a.joint[a.row_begin[v]] == b.joint[b.row_begin[v]] ? 1U : 0U;
  EXPECT_GT(static_cast<double>(same), 0.9 * static_cast<double>(a.rows()));
}

}  // namespace
}  // namespace cutis::test
