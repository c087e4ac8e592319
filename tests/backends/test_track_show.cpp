#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backends/track_rest.h"
#include "backends/track_show.h"
#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/builtin.h"
#include "support/support.h"

namespace cutis {
namespace {

// A tube at rest whose tracked skin is where a test says.
class TrackShowTest : public testing::Test {
 protected:
  TrackShowTest() : TrackShowTest(test::make_two_bone_tube()) {}
  explicit TrackShowTest(const Character& character) : rig(bind(character, context)) {}

  const Context context{1};
  const std::shared_ptr<const Rig> rig;
  const std::shared_ptr<const TrackRest> rest = track_rest(*rig, context);
  const RigSurface& surface = rig->surface;
  TrackStep step;
  TrackShow show{*rig, *rest, context};
  std::vector<Vec3f> shown;

  void SetUp() override {
    const std::size_t n = surface.size();
    step.p = step.blended = surface.positions;
    step.motion.assign(rig->bones.size(), Affine3f{});
    step.turn.assign(n, Mat3f{});
    step.is_wanted.assign(n, 1);
    step.active.resize(n);
    std::iota(step.active.begin(), step.active.end(), 0U);
    step.slot.resize(n);
    std::iota(step.slot.begin(), step.slot.end(), 0);
    step.samples.resize(n);
    step.other_begin.assign(n, 0);
    step.other_count.assign(n, 0);
    step.bends.resize(rig->bones.size());
    update(0);
  }
  void update(double frames) { show.update(step, {.frames = frames, .guarded = true}, 2, shown); }
  void shift(const Vec3f& by) {
    for (std::size_t v = 0; v < surface.size(); ++v) step.p[v] = surface.positions[v] + by;
  }
};

// Whose edges are a seventh of its radius.
class FineTrackShowTest : public TrackShowTest {
 protected:
  FineTrackShowTest() : TrackShowTest(make_builtin("cylinder", Context(1))) {}
};

// Whose edges are longer than it is thick.
class CoarseTrackShowTest : public TrackShowTest {
 protected:
  CoarseTrackShowTest() : TrackShowTest(test::make_two_bone_tube(3)) {}
  // Every second vertex comes out of a skin.
  void roughen(std::vector<Vec3f>& skin) const {
    for (std::size_t v = 0; v < surface.size(); v += 2) skin[v] += surface.normals[v] * 0.2F;
  }
  float farthest_from(const std::vector<Vec3f>& skin) const {
    float most = 0;
    for (std::size_t v = 0; v < surface.size(); ++v) most = std::max(most, distance(shown[v], skin[v]));
    return most;
  }
};

TEST_F(CoarseTrackShowTest, TheSmoothSkinIsShownWhereItIsFairer) {
  ASSERT_EQ(rest->pieces.size(), 1U);
  roughen(step.p);
  update(0);
  EXPECT_LT(farthest_from(step.blended), 1e-6F);
  std::swap(step.p, step.blended);
  update(0);
  EXPECT_LT(farthest_from(step.p), 0.05F) << "but for what fairing does";
  EXPECT_GT(farthest_from(step.blended), 0.1F);
}

TEST_F(CoarseTrackShowTest, OneTakesOverFromTheOtherInAQuarterOfASecond) {
  roughen(step.blended);
  update(0);
  step.p = surface.positions;
  step.blended = surface.positions;
  for (Vec3f& p : step.blended) p.y *= 1.01F;  // as fair, and beside it
  for (std::size_t v = 0; v < surface.size(); v += 2) step.p[v] += surface.normals[v] * 0.05F;
  std::vector<float> shares;
  for (int frame = 0; frame < 10; ++frame) {
    update(1);
    shares.push_back(show.state().smooth[0]);
  }
  EXPECT_FLOAT_EQ(shares[0], 0.125F);
  EXPECT_FLOAT_EQ(shares[3], 0.5F);
  EXPECT_FLOAT_EQ(shares[7], 1.0F);
  EXPECT_LT(farthest_from(step.blended), 1e-6F);
}

TEST_F(CoarseTrackShowTest, SmoothSkinThatLiesDeepInOtherSkinIsNotShown) {
  for (std::size_t v = 0; v < surface.size(); v += 2) step.p[v] += surface.normals[v] * 0.05F;
  step.others.resize(1);
  step.others[0].contact = 1;
  step.other_count[1] = 1;  // vertex 1 touches
  for (const float depth : {0.1F, 0.4F}) {
    step.blended = surface.positions;
    for (Vec3f& p : step.blended) p.y -= depth * surface.edge[1];
    show.restart();
    update(0);
    if (depth < 0.2F)
      EXPECT_EQ(show.state().smooth[0], 1);
    else
      EXPECT_EQ(show.state().smooth[0], 0);
  }
}

TEST_F(CoarseTrackShowTest, TornSkinIsGoneAtOnceWithAContactPassAndWithout) {
  roughen(step.blended);
  for (const bool guarded : {true, false}) {
    show.restart();
    show.update(step, {.guarded = guarded}, 2, shown);
    ASSERT_EQ(show.state().smooth[0], 0);
    std::vector<Vec3f> sound = step.p;
    step.p[0] += Vec3f{30 * surface.edge[0], 0, 0};
    show.show_at_once(std::vector<char>(surface.size(), 1));
    show.update(step, {.frames = 1, .guarded = guarded}, 2, shown);
    EXPECT_EQ(show.state().smooth[0], 1);
    EXPECT_LT(farthest_from(step.blended), 1e-6F);
    step.p = sound;
  }
}

TEST_F(CoarseTrackShowTest, WhatIsPaintedStiffAndFineSkinAreLeftToTheTrackedSkin) {
  auto stiff = std::make_shared<TrackRest>(*rest);
  stiff->stiffness.assign(surface.size(), 0.01F);
  TrackShow painted(*rig, *stiff, context);
  roughen(step.p);
  painted.update(step, {.guarded = true}, 2, shown);
  EXPECT_GT(farthest_from(step.blended), 0.01F);
  EXPECT_EQ(make_track_rest(*bind(test::make_two_bone_tube(), context), context).pieces.size(), 0U);
}

TEST_F(TrackShowTest, SkinThatJumpsIsFollowedGentlyAndArrives) {
  const float edge = surface.edge[0], jump = 2 * edge;
  std::vector<Vec3f> before_last = shown, last = shown;
  double most = 0, farthest = 0;
  for (int frame = 0; frame < 60; ++frame) {
    if (frame == 9) shift({0, jump, 0});
    update(1);
    most = std::max<double>(most, length(shown[0] - last[0] * 2.0F + before_last[0]));
    farthest = std::max<double>(farthest, distance(shown[0], surface.positions[0]));
    before_last = last;
    last = shown;
  }
  EXPECT_GT(most, 0.01 * edge) << "it goes";
  // A twentieth of an edge, and a tenth of the speed, which the way still to go bounds.
  EXPECT_LT(most, 0.05 * edge + 0.1 * jump);
  EXPECT_LT(farthest, 1.1 * jump);
  EXPECT_NEAR(shown[0].y, surface.positions[0].y + jump, 1e-5) << "in the end it is where the skin is";
}

TEST_F(FineTrackShowTest, SkinThatTurnsBackAsOneIsNotLateAndAVertexAloneIs) {
  const auto v = static_cast<std::size_t>(
      std::ranges::min_element(surface.positions, {}, [](const Vec3f& p) { return std::abs(p.y - 0.2F); }) -
      surface.positions.begin());
  const float radius = rig->fields[surface.owner[v]].grid.radius;
  // Most that it is late by, in radii, while it goes back to smooth skinning as a fold does that opens fast.
  const auto lateness = [&](bool together) {
    float most = 0;
    for (int frame = 0; frame <= 12; ++frame) {
      const Vec3f off{(3 - 0.0175F * static_cast<float>(frame * frame)) * radius, 0, 0};
      step.p = surface.positions;
      if (together) shift(off);
      step.p[v] = surface.positions[v] + off;
      update(frame == 0 ? 0 : 1);
      most = std::max(most, distance(show.state().off[v], off) / radius);
    }
    return most;
  };
  EXPECT_LT(lateness(true), 1e-5F);
  EXPECT_GT(lateness(false), 0.01F);
}

TEST_F(TrackShowTest, SkinThatIsFarBehindCatchesUpAndDoesNotOvershoot) {
  constexpr float kJump = 1.2F;  // four radii
  float after_twenty = 0, farthest = 0;
  for (int frame = 0; frame < 60; ++frame) {
    if (frame == 10) shift({0, kJump, 0});
    update(1);
    const float way = shown[0].y - surface.positions[0].y;
    if (frame == 30) after_twenty = way;
    farthest = std::max(farthest, way);
  }
  EXPECT_GT(after_twenty, 0.9F * kJump);
  EXPECT_LT(farthest, 1.05F * kJump);
}

TEST_F(TrackShowTest, SkinGoesAtOnceWhereNobodySeesTheWay) {
  shift({0, 1, 0});
  update(0);
  for (std::size_t v = 0; v < surface.size(); ++v) EXPECT_NEAR(shown[v].y, surface.positions[v].y + 1, 1e-5);
}

TEST_F(TrackShowTest, LateSkinGoesOnWhenItIsNoLongerActive) {
  shift({0, surface.edge[0], 0});
  update(1);
  step.p = surface.positions;
  step.active.clear();
  std::ranges::fill(step.slot, -1);
  std::ranges::fill(step.is_wanted, 0);
  update(1);
  EXPECT_GT(length(show.state().drift[0]) + length(show.state().off[0]), 0) << "it cannot stop at once";
  for (int frame = 0; frame < 60; ++frame) update(1);
  for (std::size_t v = 0; v < surface.size(); ++v) EXPECT_EQ(shown[v], surface.positions[v]);
}

TEST_F(TrackShowTest, WhatBonesCarryIsFairAsItIs) {
  const Quatf turn = normalized(Quatf{0.1F, 0.3F, -0.2F, 0.9F});
  const Vec3f axes[] = {rotate(turn, Vec3f{1, 0, 0}), rotate(turn, Vec3f{0, 1, 0}), rotate(turn, Vec3f{0, 0, 1})};
  for (std::size_t v = 0; v < surface.size(); ++v) {
    step.turn[v].col = {axes[0], axes[1], axes[2]};
    step.p[v] = step.blended[v] = rotate(turn, surface.positions[v]) + Vec3f{1, 2, 3};
  }
  update(0);
  for (std::size_t v = 0; v < surface.size(); ++v) EXPECT_LT(distance(shown[v], step.p[v]), 2e-5F);
}

TEST_F(TrackShowTest, ASpikeIsFairedAndAWideBulgeKeepsItsHeight) {
  const auto at = static_cast<std::size_t>(
      std::ranges::min_element(surface.positions, {}, [](const Vec3f& p) { return std::abs(p.y - 0.5F); }) -
      surface.positions.begin());
  const Vec3f up = normalized(surface.normals[at]);
  const float height = surface.edge[at];
  step.p[at] = surface.positions[at] + up * height;
  update(0);
  const float spike = dot(shown[at] - surface.positions[at], up) / height;
  for (std::size_t v = 0; v < surface.size(); ++v)
    step.p[v] = surface.positions[v] * 1.1F;  // all of the tube is thicker
  update(0);
  const float bulge = length(shown[at] - surface.positions[at]) / length(surface.positions[at] * 0.1F);
  EXPECT_LT(spike, 0.5F);
  EXPECT_GT(bulge, spike + 0.2F);
}

TEST_F(TrackShowTest, RigidRegionsStay) {
  auto stiff = std::make_shared<TrackRest>(*rest);
  stiff->stiffness.assign(surface.size(), 1.0F);
  TrackShow rigid(*rig, *stiff, context);
  const auto moved = [&] {
    float most = 0;
    for (std::size_t v = 0; v < surface.size(); ++v) most = std::max(most, distance(shown[v], step.p[v]));
    return most;
  };
  step.p[3] += Vec3f{0, surface.edge[3], 0};
  rigid.update(step, {}, 2, shown);
  EXPECT_LT(moved(), 1e-6F);
  update(0);
  EXPECT_GT(moved(), 0.1F * surface.edge[3]) << "others do not";
}

// Doubled cards of hair: the sum of such faces is noise, and turned normals with it.
TEST_F(TrackShowTest, FacesThatLieOnEachOtherBackToBackHaveNoNormalTogether) {
  EXPECT_GT(length(rest->normals[0]), 0.99F);
  Rig doubled = *rig;
  for (const Triangle& t : surface.triangles) doubled.surface.triangles.push_back({t[1], t[0], t[2]});
  for (const Vec3f& n : make_track_rest(doubled, context).normals) EXPECT_EQ(n, Vec3f{});
}

TEST_F(TrackShowTest, GoesOnFromASavedStateWithTheSameBits) {
  shift({0, surface.edge[0], 0});
  update(1);
  const TrackShown saved = show.state();
  update(1);
  const std::vector<Vec3f> once = shown;
  show.restart();
  show.set_state(saved);
  update(1);
  EXPECT_EQ(shown, once);
}

}  // namespace
}  // namespace cutis
