#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/math.h"
#include "cutis/cutis.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(BvhWriter, PosesComeBackAsTheyWere) {
  const test::TemporaryFolder folder;
  const Context context(1);
  const Character character = load_character("builtin:human", context);
  const Clip& clip = character.clip("walk");
  const std::vector<double> times = sample_times(clip, 0, 10);
  std::vector<Pose> poses;
  for (const double t : times) poses.push_back(sample(character.skeleton, clip, t));
  BvhWriter writer(folder.file("walk.bvh"), character.skeleton, poses.size(), 10);
  for (const Pose& pose : poses) writer.add(pose);
  EXPECT_FALSE(std::filesystem::exists(folder.file("walk.bvh")));
  writer.finish();
  // The joints of the file, read as points, are where the joints of the poses are.
  const MarkerTake take = load_take(folder.file("walk.bvh"), context);
  ASSERT_EQ(take.frames, poses.size());
  EXPECT_NEAR(take.rate, 10, 1e-6);
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const auto world = world_from_joint(character.skeleton, poses[f]);
    for (std::size_t j = 0; j < world.size(); ++j) {
      const int point = take.find(character.skeleton.joints[j].name);
      ASSERT_GE(point, 0) << character.skeleton.joints[j].name;
      EXPECT_LT(distance(take.at(f, static_cast<std::size_t>(point)), world[j].translation), 1e-4)
          << character.skeleton.joints[j].name << " in frame " << f;
    }
  }
}

TEST(BvhWriter, TellsWhenPosesAreMissing) {
  const test::TemporaryFolder folder;
  const Context context(1);
  const Character character = load_character("builtin:arm", context);
  BvhWriter writer(folder.file("a.bvh"), character.skeleton, 2, 30);
  writer.add(default_pose(character.skeleton));
  EXPECT_THAT(test::error_of([&] { writer.finish(); }), testing::HasSubstr("2 poses were announced and 1 written"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.bvh")));
  EXPECT_THAT(test::error_of([&] { BvhWriter none(folder.file("b.bvh"), {}, 1, 30); }),
              testing::HasSubstr("no joints"));
}

}  // namespace
}  // namespace cutis
