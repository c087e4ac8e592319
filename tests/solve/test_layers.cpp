// What rides on the skin: garments, hair, eyes, props.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "rig/rig_file.h"
#include "support/dressed_tube.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using testing::HasSubstr;

constexpr int kBendFrames = 12;

struct PlayedBend {
  std::vector<Frame> frames;
  std::vector<Pose> poses;
};

PlayedBend play_bend(const Character& c, const std::shared_ptr<const Rig>& rig, const SolveOptions& options,
                     const Context& context, double degrees = 120) {
  PlayedBend played;
  Solver solver(rig, options, context);
  for (int i = 0; i <= kBendFrames; ++i) {
    Pose pose = default_pose(c.skeleton);
    pose.local[1].rotation = axis_angle(Vec3d{0, 0, 1}, degrees * kPi / 180 * i / kBendFrames);
    pose.time = i / 30.0;
    played.frames.push_back(solver.solve(pose));
    played.poses.push_back(pose);
  }
  return played;
}

std::size_t begin_of(const Character& c, const char* mesh) {
  std::size_t begin = 0;
  for (const Mesh& m : c.meshes) {
    if (m.name == mesh) return begin;
    begin += m.positions.size();
  }
  ADD_FAILURE() << mesh;
  return 0;
}

const Mesh& mesh_of(const Character& c, const char* name) {
  for (const Mesh& m : c.meshes)
    if (m.name == name) return m;
  throw Error(ErrorCode::bad_argument, name, "no such mesh");
}

SolveOptions tracked_with(History history = History::playback) {
  return {.method = Method::tracking, .tracking = {.history = history}};
}

class Layers : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(EveryBackend, Layers, testing::ValuesIn(test::all_backends()), test::kBackendName);

TEST_P(Layers, SkinDoesNotShowThroughTheSleeve) {
  const Context context(2, GetParam());
  const Character c = test::make_dressed_tube();
  const auto rig = bind(c, context);
  const Metrics metrics(c, context);
  const PlayedBend smooth = play_bend(c, rig, {.method = Method::dqs}, context);
  for (const SolveOptions& options : {tracked_with(), SolveOptions{.method = Method::implicit}}) {
    const PlayedBend tracked = play_bend(c, rig, options, context);
    double worst = 0, worst_smooth = 0;
    for (int i = 0; i <= kBendFrames; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const FrameMetrics m = metrics.measure(tracked.frames[at].positions, {}, {}, smooth.frames[at].positions);
      ASSERT_TRUE(m.poke_through);
      worst = std::max(worst, *m.poke_through);
      worst_smooth = std::max(worst_smooth, *metrics.measure(smooth.frames[at].positions).poke_through);
      EXPECT_EQ(*m.tears, 0U) << "frame " << i;
    }
    EXPECT_LE(worst, 0.005) << to_string(options.method);
    EXPECT_LE(worst, worst_smooth);
  }
}

TEST_P(Layers, TheSleeveKeepsItsHeightOverTheSkinAwayFromTheFold) {
  const Context context(1, GetParam());
  const Character c = test::make_dressed_tube();
  const auto rig = bind(c, context);
  const PlayedBend played = play_bend(c, rig, tracked_with(), context);
  const std::size_t begin = begin_of(c, "sleeve");
  const Mesh& sleeve = mesh_of(c, "sleeve");
  // The skin has rings every 1/16 and its own sectors; 0.34 cos(15 degrees) - 0.3 is the least height at rest.
  for (std::size_t v = 0; v < sleeve.positions.size(); ++v) {
    const Vec3f& rest = sleeve.positions[v];
    if (rest.x < 0.1F) continue;  // the fold closes on -x
    double nearest = 1e9;
    const Vec3f& p = played.frames.back().positions[begin + v];
    for (std::size_t u = 0; u < c.meshes[0].positions.size(); ++u)
      nearest = std::min(nearest, static_cast<double>(distance(p, played.frames.back().positions[u])));
    EXPECT_GT(nearest, 0.02) << "vertex " << v;
    EXPECT_LT(nearest, 0.12) << "vertex " << v;
  }
}

TEST_P(Layers, EyesCardsAndPropsFollowTheirBoneExactly) {
  const Context context(1, GetParam());
  const Character c = test::make_dressed_tube();
  const auto rig = bind(c, context);
  for (const SolveOptions& options :
       {tracked_with(), tracked_with(History::canonical), tracked_with(History::stateless)}) {
    const PlayedBend played = play_bend(c, rig, options, context, 90);
    for (const auto& [name, joint] : {std::pair{"eye", 1}, {"cards", 1}, {"buckle", 0}}) {
      const std::size_t begin = begin_of(c, name);
      const Mesh& mesh = mesh_of(c, name);
      for (std::size_t i = 0; i < played.frames.size(); i += 4) {
        // As the bone is, relief included: measured at three of its vertices, held against all distances.
        const auto& p = played.frames[i].positions;
        for (std::size_t v = 1; v < mesh.positions.size(); ++v)
          EXPECT_NEAR(distance(p[begin], p[begin + v]), distance(mesh.positions[0], mesh.positions[v]), 2e-6) << name;
        const bool still = joint == 0;  // but for relief
        for (std::size_t v = 0; still && v < mesh.positions.size(); ++v)
          EXPECT_LT(distance(p[begin + v], mesh.positions[v]), 0.05F) << name;
      }
    }
  }
}

TEST_P(Layers, WhatTheSameBonesMoveAlikeKeepsItsShape) {
  const Context context(1, GetParam());
  Character c = test::make_dressed_tube();
  test::weigh_alike(c.meshes[4], 0.4F);
  const auto rig = bind(c, context);
  const PlayedBend played = play_bend(c, rig, tracked_with(), context);
  const std::size_t begin = begin_of(c, "buckle");
  const Mesh& buckle = mesh_of(c, "buckle");
  for (const Frame& frame : played.frames)
    for (std::size_t v = 1; v < buckle.positions.size(); ++v)
      EXPECT_NEAR(distance(frame.positions[begin], frame.positions[begin + v]),
                  distance(buckle.positions[0], buckle.positions[v]), 2e-6);
  EXPECT_GT(distance(played.frames.back().positions[begin], buckle.positions[0]), 0.1F);  // it moved
}

// The upper bone's weight from below the tube's bend to above it.
void weigh_along_tube(Mesh& mesh, float below, float above) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const float upper = below + (above - below) * std::clamp((mesh.positions[v].y - 0.75F) / 0.5F, 0.0F, 1.0F);
    const bool more = upper > 0.5F;
    mesh.weights.joint[2 * v] = more ? 1 : 0;
    mesh.weights.joint[2 * v + 1] = more ? 0 : 1;
    mesh.weights.weight[2 * v] = std::max(upper, 1 - upper);
    mesh.weights.weight[2 * v + 1] = std::min(upper, 1 - upper);
  }
}

TEST_P(Layers, ArmourIsNotBentByTheSkinBelow) {
  const Context context(1, GetParam());
  Character c = test::make_dressed_tube();
  Mesh& sleeve = c.meshes[1];
  Weights bent = sleeve.weights;
  test::weigh_alike(sleeve, 0.5F);  // now a fifth of the skin's change along the tube
  weigh_along_tube(sleeve, 0.4F, 0.6F);
  BindOptions options;
  options.preset.roles = {{.name = "armour", .meshes = {"sleeve"}, .role = PieceRole::garment}};
  const auto farthest = [&] {  // from smooth skinning, where nothing touches
    const auto rig = bind(c, context, options);
    const PlayedBend tracked = play_bend(c, rig, tracked_with(), context, 50);
    const PlayedBend smooth = play_bend(c, rig, {.method = Method::dqs}, context, 50);
    const std::size_t begin = begin_of(c, "sleeve");
    float most = 0;
    for (std::size_t v = 0; v < sleeve.positions.size(); ++v)
      most = std::max(most,
                      distance(tracked.frames.back().positions[begin + v], smooth.frames.back().positions[begin + v]));
    return most;
  };
  EXPECT_LT(farthest(), 1e-4F);
  sleeve.weights = std::move(bent);
  EXPECT_GT(farthest(), 1e-3F);  // cloth rides
}

TEST_P(Layers, SkinGoesBackUnderArmour) {
  const Context context(1, GetParam());
  Character c = test::make_dressed_tube();
  Mesh& sleeve = c.meshes[1];
  test::weigh_alike(sleeve, 0.5F);
  weigh_along_tube(sleeve, 0.25F, 0.75F);
  BindOptions options;
  options.preset.roles = {{.name = "armour", .meshes = {"sleeve"}, .role = PieceRole::garment}};
  const auto rig = bind(c, context, options);
  const Metrics metrics(c, context, {}, options.preset.roles);
  const PlayedBend tracked = play_bend(c, rig, tracked_with(), context, 20);
  const PlayedBend smooth = play_bend(c, rig, {.method = Method::dqs}, context, 20);
  const double poked = metrics.measure(tracked.frames.back().positions).poke_through.value(),
               poked_smooth = metrics.measure(smooth.frames.back().positions).poke_through.value();
  EXPECT_GT(poked_smooth, 0.05);
  EXPECT_LT(poked, 0.4 * poked_smooth);
  const Frame rest = play_bend(c, rig, tracked_with(), context, 0).frames.back();
  for (std::size_t v = 0; v < c.meshes[0].positions.size(); ++v)
    EXPECT_LT(distance(rest.positions[v], c.meshes[0].positions[v]), 1e-5F);
}

TEST_P(Layers, DependOnTheFrameAlone) {
  const Character c = test::make_dressed_tube();
  const Context one(1, GetParam()), four(4, GetParam());
  const auto rig = bind(c, one);
  const PlayedBend played = play_bend(c, rig, tracked_with(), one), again = play_bend(c, rig, tracked_with(), four);
  for (std::size_t i = 0; i < played.frames.size(); ++i) {
    EXPECT_EQ(played.frames[i].positions, again.frames[i].positions) << "threads, frame " << i;
    EXPECT_EQ(played.frames[i].normals, again.frames[i].normals) << "threads, frame " << i;
  }
  const auto loaded = rig_from_bytes(rig_to_bytes(*rig), "memory");
  EXPECT_EQ(play_bend(c, loaded, tracked_with(), one).frames.back().positions, played.frames.back().positions);
  Solver solver(rig, tracked_with(), one);
  SolverState state;
  for (std::size_t i = 0; i < played.poses.size(); ++i) {
    (void)solver.solve(played.poses[i]);
    if (i == 6) state = solver.save_state();
  }
  solver.restore_state(state);
  for (std::size_t i = 7; i < played.poses.size(); ++i)
    EXPECT_EQ(solver.solve(played.poses[i]).positions, played.frames[i].positions) << "restored, frame " << i;
}

TEST(PiecesOfABody, ThatRoundingHasPartedMoveAsOne) {
  const Context context(1);
  const Character cut = test::make_cut_tube(2e-4F), whole = test::make_two_bone_tube();
  const PlayedBend played = play_bend(cut, bind(cut, context), tracked_with(), context);
  const PlayedBend expected = play_bend(whole, bind(whole, context), tracked_with(), context);
  const std::size_t begin = begin_of(cut, "upper");
  int seam = 0;
  for (std::size_t u = 0; u < cut.meshes[1].positions.size(); ++u)
    for (std::size_t v = 0; v < cut.meshes[0].positions.size(); ++v) {
      if (distance(cut.meshes[1].positions[u], cut.meshes[0].positions[v]) > 1e-3F) continue;
      ++seam;
      for (const Frame& frame : played.frames) EXPECT_EQ(frame.positions[begin + u], frame.positions[v]);
    }
  EXPECT_GE(seam, 12);
  const Metrics of_cut(cut, context), of_whole(whole, context);
  EXPECT_EQ(of_cut.measure(played.frames.back().positions).intersecting_pairs, 0U);
  EXPECT_NEAR(*of_cut.measure(played.frames.back().positions).stretch_max,
              *of_whole.measure(expected.frames.back().positions).stretch_max, 0.15);
}

TEST(LayersOfARig, LeaveTheBodyAsItIsWithoutThem) {
  const Context context(1);
  const Character dressed = test::make_dressed_tube();
  Character bare = dressed;
  bare.meshes.resize(1);
  const auto with = bind(dressed, context), without = bind(bare, context);
  EXPECT_EQ(without->layers.size(), 0U);
  EXPECT_GT(with->layers.size(), 100U);
  EXPECT_EQ(with->surface.positions, without->surface.positions);
  ASSERT_EQ(with->fields.size(), without->fields.size());
  for (std::size_t b = 0; b < with->fields.size(); ++b)
    EXPECT_EQ(with->fields[b].grid.radius, without->fields[b].grid.radius);
  // Relief and contact do not see what is carried along either.
  const Frame a = play_bend(dressed, with, tracked_with(), context).frames.back();
  const Frame b = play_bend(bare, without, tracked_with(), context).frames.back();
  for (std::size_t v = 0; v < b.positions.size(); ++v) ASSERT_EQ(a.positions[v], b.positions[v]) << v;
}

TEST(LayersOfARig, StayWhereTheyAreAtRest) {
  const Context context(1);
  const Character c = test::make_dressed_tube();
  Solver solver(bind(c, context), tracked_with(), context);
  const Frame& frame = solver.solve(default_pose(c.skeleton));
  std::size_t v = 0;
  for (const Mesh& mesh : c.meshes)
    for (std::size_t i = 0; i < mesh.positions.size(); ++i, ++v) {
      EXPECT_LT(distance(frame.positions[v], mesh.positions[i]), 1e-5F) << mesh.name << " " << i;
      EXPECT_GT(dot(frame.normals[v], mesh.normals[i]), 0.9999F) << mesh.name << " " << i;
    }
}

TEST(LayersOfARig, NeedABodyToRideOn) {
  const Context context(1);
  BindOptions options;
  options.preset.roles = {{.name = "all", .role = PieceRole::garment}};
  EXPECT_THAT(error_of([&] { (void)bind(test::make_dressed_tube(), context, options); }),
              HasSubstr("no piece is left"));
  options.preset.roles = {{.name = "all", .role = PieceRole::body}};
  EXPECT_EQ(bind(test::make_dressed_tube(), context, options)->layers.size(), 0U);
  options = {};
  options.preset.targets = {{.name = "pull",
                             .vertex = static_cast<std::uint32_t>(begin_of(test::make_dressed_tube(), "sleeve")),
                             .keys = {{0, 1, {}}}}};
  EXPECT_THAT(error_of([&] { (void)bind(test::make_dressed_tube(), context, options); }),
              HasSubstr("rides on the skin"));
}

TEST(LayersOfARig, FollowBonesThatAreFarAwayOrGone) {
  const Context context(1);
  const Character c = test::make_dressed_tube();
  Solver solver(bind(c, context), tracked_with(), context);
  Pose pose = default_pose(c.skeleton);
  pose.local[0].translation = {1e6, 0, 0};
  for (const Vec3f& p : solver.solve(pose).positions) EXPECT_NEAR(p.x, 1e6F, 2);
  pose.local[0].translation = {};
  pose.local[1].scale = {1e-6, 1e-6, 1e-6};
  for (const Vec3f& p : solver.solve(pose).positions) EXPECT_TRUE(is_finite(p));
  pose.local[1].scale = {std::nan(""), 1, 1};
  for (const Vec3f& p : solver.solve(pose).positions) EXPECT_TRUE(is_finite(p));
}

}  // namespace
}  // namespace cutis
