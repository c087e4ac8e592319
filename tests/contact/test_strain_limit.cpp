#include "contact/strain_limit.h"

#include <gtest/gtest.h>

#include <set>

#include "base/math.h"
#include "kernels/strain.h"
#include "support/support.h"

namespace cutis {
namespace {

// A sheet of 21 by 21 vertices, edges of 1 and sqrt 2.
class StrainLimitTest : public testing::Test {
 protected:
  StrainLimitTest() {
    const auto sheet = test::make_grid(20, 20, 20);
    surface.positions = sheet.positions;
    surface.triangles = sheet.triangles;
    std::vector<std::set<std::uint32_t>> rings(surface.size());
    for (const Triangle& t : surface.triangles)
      for (const std::uint32_t a : t)
        for (const std::uint32_t b : t)
          if (a != b) rings[a].insert(b);
    surface.neighbours.begin.push_back(0);
    for (std::uint32_t v = 0; v < surface.size(); ++v) {
      float sum = 0;
      for (const std::uint32_t w : rings[v]) {
        surface.neighbours.items.push_back(w);
        sum += distance(surface.positions[v], surface.positions[w]);
      }
      surface.neighbours.begin.push_back(static_cast<std::uint32_t>(surface.neighbours.items.size()));
      surface.edge.push_back(sum / static_cast<float>(rings[v].size()));
    }
  }
  [[nodiscard]] float longest_stretch(const std::vector<Vec3f>& skin) const {
    float most = 0;
    for (std::uint32_t v = 0; v < surface.size(); ++v)
      for (const std::uint32_t w : surface.neighbours.row(v))
        most = std::max(most, distance(skin[v], skin[w]) / distance(surface.positions[v], surface.positions[w]));
    return most;
  }
  [[nodiscard]] std::vector<Vec3f> limited(std::vector<Vec3f> skin, const std::vector<Vec3f>& smooth,
                                           const Context& context = Context(1)) const {
    const StrainRest rest(surface);
    StrainLimit limit(surface, rest);
    if (limit.find_suspects(skin, context).empty() || !limit.may_act(smooth, skin)) return skin;
    limit.apply(smooth, skin, context);
    return skin;
  }
  [[nodiscard]] std::vector<Vec3f> with_lost_vertex(float height) const {
    std::vector<Vec3f> skin = surface.positions;
    skin[kLost].y += height;
    return skin;
  }

  static constexpr std::uint32_t kLost = 10 * 21 + 10;
  RigSurface surface;
};

TEST_F(StrainLimitTest, BringsAVertexBackThatFlewOff) {
  const std::vector<Vec3f> skin = with_lost_vertex(6), after = limited(skin, surface.positions);
  EXPECT_GT(longest_stretch(skin), 6);
  EXPECT_LT(longest_stretch(after), 1.45F);
  EXPECT_EQ(after[0], skin[0]);  // far away nothing moves
}

TEST_F(StrainLimitTest, SpreadsWhatAWholePatchIsLeftBehindBy) {
  std::vector<Vec3f> skin = surface.positions;
  for (std::uint32_t v = 0; v < surface.size(); ++v)
    if (length(surface.positions[v] - surface.positions[kLost]) < 3.5F) skin[v].y += 6;
  EXPECT_GT(longest_stretch(skin), 6);
  EXPECT_LT(longest_stretch(limited(skin, surface.positions)), 1.5F);
}

TEST_F(StrainLimitTest, LeavesAloneWhatSmoothSkinningStretchesToo) {
  const std::vector<Vec3f> skin = with_lost_vertex(6);
  EXPECT_EQ(limited(skin, with_lost_vertex(5)), skin);
  // Stretched as far elsewhere is no excuse for an edge that smooth skinning does not stretch at all …
  std::vector<Vec3f> elsewhere = surface.positions;
  elsewhere[5].y += 6;
  const std::vector<Vec3f> after = limited(skin, elsewhere);
  EXPECT_LT(longest_stretch(after), kMoreThanSmooth * 1.05F);
  EXPECT_GT(longest_stretch(after), 2.0F);  // … but what is not torn stays
}

TEST_F(StrainLimitTest, LeavesSkinThatIsWholeAsItIs) {
  std::vector<Vec3f> crushed = surface.positions;
  for (Vec3f& p : crushed) p *= 0.01F;  // smooth skinning in a crease: edges there are no measure
  EXPECT_EQ(limited(surface.positions, crushed), surface.positions);
  const std::vector<Vec3f> skin = with_lost_vertex(0.9F);
  EXPECT_EQ(limited(skin, surface.positions), skin);
}

// What smooth skinning crushes, in a crease, is torn where it is longer than at rest (and three times as long as
// there).
TEST_F(StrainLimitTest, WhatSmoothSkinningCrushesMayBeAsLongAsAtRest) {
  std::vector<Vec3f> crushed = surface.positions;
  for (Vec3f& p : crushed) p *= 0.1F;
  const std::vector<Vec3f> skin = with_lost_vertex(0.9F), after = limited(skin, crushed);
  EXPECT_GT(longest_stretch(skin), 1.3F);
  EXPECT_LT(longest_stretch(after), 1.01F);
  EXPECT_LT(distance(after[0], skin[0]), 1e-4F);
}

// As the metric counts: drawing together begins before.
TEST_F(StrainLimitTest, TornIsThreeTimesAsLongAsInSmoothSkinningAndLongerThanAtRest) {
  const StrainRest rest(surface);
  StrainLimit limit(surface, rest);
  std::vector<Vec3f> crushed = surface.positions;
  for (Vec3f& p : crushed) p *= 0.5F;
  const auto is_torn = [&](float height, const std::vector<Vec3f>& smooth) {
    const std::vector<Vec3f> skin = with_lost_vertex(height);
    return !limit.find_suspects(skin, Context(1)).empty() && limit.is_torn(smooth, skin);
  };
  EXPECT_FALSE(is_torn(2.8F, surface.positions));  // of edges of 1: 2.97
  EXPECT_TRUE(is_torn(2.9F, surface.positions));
  EXPECT_FALSE(is_torn(1.1F, crushed));
  EXPECT_TRUE(is_torn(1.2F, crushed));
  for (Vec3f& p : crushed) p *= 0.01F;  // but no edge counts for less than a quarter of those around it
  EXPECT_FALSE(is_torn(0, crushed));
  EXPECT_TRUE(is_torn(0.9F, crushed));
}

TEST_F(StrainLimitTest, LeavesVerticesThatShouldBeOneAsTheyAre) {
  surface.positions[kLost] = surface.positions[kLost + 1];
  surface.positions[kLost].x += 1e-6F;
  std::vector<Vec3f> skin = surface.positions;
  skin[kLost].y += 0.05F;
  EXPECT_EQ(limited(skin, surface.positions), skin);
}

TEST_F(StrainLimitTest, ChangesLittleWhereLittleIsTooMuch) {
  // Of edges of 1, 1.4 is allowed: sqrt(1.4² − 1) is where it begins.
  for (const float too_much : {0.001F, 0.01F}) {
    const std::vector<Vec3f> skin = with_lost_vertex(std::sqrt(0.96F) + too_much),
                             after = limited(skin, surface.positions);
    float moved = 0;
    for (std::size_t v = 0; v < skin.size(); ++v) moved = std::max(moved, distance(skin[v], after[v]));
    EXPECT_GT(moved, 0);
    EXPECT_LT(moved, 1.5F * too_much);
  }
}

TEST_F(StrainLimitTest, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<Vec3f> skin = surface.positions;
  for (std::uint32_t v = 0; v < surface.size(); v += 7) skin[v].y += 0.5F * static_cast<float>(v % 11);
  EXPECT_EQ(limited(skin, surface.positions, Context(1)), limited(skin, surface.positions, Context(3)));
}

}  // namespace
}  // namespace cutis
