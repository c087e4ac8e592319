// Bones that turn past half a turn against the bone that they share skin with.
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "rig/wound_skin.h"

namespace cutis {
namespace {

struct WoundSkin : testing::Test {
  Context context{1};
  Character character = load_character("builtin:arm", context);
  std::shared_ptr<const Rig> rig = bind(character, context);
  std::vector<std::uint32_t> unwound;

  // All bones from the outer one of the first link on are turned, those behind the second link once more.
  std::vector<Quatd> turned(double first, double second) const {
    std::vector<Quatd> rotations(rig->bones.size());
    std::vector<char> behind(rig->bones.size(), 0);
    const auto turn = [&](std::size_t link, double degrees) {
      behind.assign(behind.size(), 0);
      behind[rig->links[link].bone] = 1;
      for (const SkinLink& l : rig->links)
        if (behind[l.to] != 0) behind[l.bone] = 1;
      for (std::size_t b = 0; b < behind.size(); ++b)
        if (behind[b] != 0) rotations[b] = rotations[b] * axis_angle(Vec3d{1, 0, 0}, degrees * kPi / 180);
    };
    turn(0, first);
    turn(1, second);
    return rotations;
  }
  double agreement(const std::vector<Quatd>& rotations, std::size_t link) const {
    return dot(rotations[rig->links[link].bone], rotations[rig->links[link].to]);
  }
};

TEST_F(WoundSkin, StaysUpToALittleMoreThanHalfATurn) {
  ASSERT_GE(rig->links.size(), 2U);
  for (const double degrees : {0.0, 90.0, 179.0, 195.0}) {
    std::vector<Quatd> rotations = turned(degrees, 0);
    const std::vector<Quatd> given = rotations;
    unwind(*rig, rotations, unwound);
    EXPECT_TRUE(unwound.empty()) << degrees;
    EXPECT_EQ(agreement(rotations, 0), agreement(given, 0)) << degrees;
  }
}

TEST_F(WoundSkin, GoesTheShortWayBeyondThatAndTakesTheBonesBehindItAlong) {
  std::vector<Quatd> rotations = turned(250, 190);
  ASSERT_LT(agreement(rotations, 0), 0);
  const double behind = agreement(rotations, 1);
  unwind(*rig, rotations, unwound);
  EXPECT_EQ(unwound, std::vector{rig->links[0].bone});
  EXPECT_GT(agreement(rotations, 0), 0);
  EXPECT_EQ(agreement(rotations, 1), behind) << "as it was against its own neighbour";
}

TEST_F(WoundSkin, IsWhereBothSidesMoveItAndALittleAround) {
  std::vector<char> region;
  const auto body = bind(load_character("builtin:human", context), context);
  const SkinLink link = body->links.back();
  mark_unwound(*body, std::vector{link.bone}, region);
  const RigSurface& s = body->surface;
  ASSERT_EQ(region.size(), s.size());
  std::size_t inside = 0, mixed = 0;
  for (std::size_t v = 0; v < s.size(); ++v) {
    const auto bones = s.turn.row(v);
    const bool both =
        std::ranges::find(bones, link.bone) != bones.end() && std::ranges::find(bones, link.to) != bones.end();
    mixed += both ? 1U : 0U;
    inside += region[v] != 0 ? 1U : 0U;
    if (both) {
      EXPECT_NE(region[v], 0) << v;
    }
  }
  EXPECT_GT(mixed, 0U);
  EXPECT_GT(inside, mixed);
  EXPECT_LT(inside, s.size());
}

}  // namespace
}  // namespace cutis
