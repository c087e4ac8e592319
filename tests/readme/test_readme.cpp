// What the README promises of its C++ example.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cutis/cutis.h"
#include "io/gltf_readback.h"
#include "support/support.h"

namespace cutis {
namespace {

// The frames that a written animation holds as morph targets.
std::vector<std::vector<Vec3f>> frames_of(const std::string& file) {
  const tinygltf::Model model = test::load_gltf(file);
  const tinygltf::Primitive& primitive = model.meshes.at(0).primitives.at(0);
  const std::vector<Vec3f> rest = test::vectors(model, primitive.attributes.at("POSITION"));
  std::vector<std::vector<Vec3f>> frames;
  for (const auto& target : primitive.targets) {
    frames.push_back(test::vectors(model, target.at("POSITION")));
    for (std::size_t v = 0; v < rest.size(); ++v) frames.back()[v] += rest[v];
  }
  return frames;
}

TEST(ReadmeExample, AnimatesAFistWithoutIntersections) {
  const Context context;
  Character hand = load_character("builtin:hand", context);
  hand.clips = {hand.clip("fist")};
  hand.clips[0].name = "walk";  // as the example calls it
  const test::TemporaryFolder folder;
  write_character(folder.file("character.glb"), hand, context);
  const std::string command = "cd '" + folder.path().string() + "' && '" + CUTIS_README_EXAMPLE + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);

  const Metrics metrics(hand, context, {.overlap = false});
  const Motion motion{hand.clips[0], sample_times(hand.clips[0], 0, 30)};
  const auto frames = frames_of(folder.file("walk.glb"));
  ASSERT_EQ(frames.size(), motion.times.size());
  std::size_t pairs = 0, smooth_pairs = 0;
  for (const auto& frame : frames) pairs += *metrics.measure(frame).intersecting_pairs;
  play(hand, bind(hand, context, {.implicit_skin = false}), motion, {.method = Method::dqs}, context,
       [&](std::size_t, const Frame& frame) { smooth_pairs += *metrics.measure(frame.positions).intersecting_pairs; });
  EXPECT_EQ(pairs, 0U);
  EXPECT_GT(smooth_pairs, 100U) << "the clip must be one in which skins would meet";
}

}  // namespace
}  // namespace cutis
