// Every character of the shared data, with every method, into every format, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "cutis/cutis.h"
#include "io/gltf_readback.h"
#include "io/sequence.h"
#include "io/usda_parser.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

constexpr int kFrames = 12;

struct Performance {
  Character character;
  AnimationHeader header;
  std::vector<Frame> frames;
};

void perform(Performance& show, const std::string& file, Method method, const Context& context) {
  show.character = load_character(file, context);
  ASSERT_FALSE(show.character.clips.empty());
  const Clip& clip = show.character.clips.front();
  show.header = {&show.character, clip.name, sample_times(clip, kFrames, 30)};
  Solver solver(bind(show.character, context), {.method = method}, context);
  for (const double t : show.header.times)
    show.frames.push_back(solver.solve(sample(show.character.skeleton, clip, t)));
}

void write(const Performance& show, const std::string& file, const Context& context) {
  const auto writer = make_animation_writer(file, show.header, context);
  for (const Frame& frame : show.frames) writer->add_frame(frame.positions, frame.normals);
  writer->finish();
}

void expect_caches(const Performance& show, const TemporaryFolder& folder) {
  const std::string pc2 = bytes_of(folder.file("a.pc2")), mdd = bytes_of(folder.file("a.mdd"));
  const std::size_t n = show.character.vertex_count(), mdd_begin = 8 + 4 * kFrames;
  ASSERT_EQ(pc2.size(), 32 + kFrames * n * 12);
  ASSERT_EQ(mdd.size(), mdd_begin + kFrames * n * 12);
  std::size_t at = 0;
  for (const Frame& frame : show.frames)
    for (const Vec3f& p : frame.positions)
      for (int k = 0; k < 3; ++k, at += 4) {
        ASSERT_EQ(value_at<float>(pc2, 32 + at), p[k]);
        ASSERT_EQ(big_endian_at<float>(mdd, mdd_begin + at), p[k]);
      }
}

/// The library's own readers know nothing of the writers.
void expect_sequence(const Performance& show, const std::string& file, const Context& context) {
  for (std::size_t f = 0; f < show.frames.size(); ++f) {
    const Character read = load_character(sequence_name(file, f, kFrames), context);
    std::size_t first = 0;
    for (const Mesh& mesh : read.meshes)
      for (const Vec3f& p : mesh.positions) ASSERT_EQ(p, show.frames[f].positions.at(first++));
    EXPECT_EQ(first, show.character.vertex_count());
    EXPECT_EQ(read.triangle_count(), show.character.triangle_count());
  }
}

void expect_usda(const Performance& show, const std::string& file) {
  const UsdaLayer layer = parse_usda(bytes_of(file));
  ASSERT_EQ(layer.prims.size(), 1U);
  ASSERT_EQ(layer.prims[0].children.size(), show.character.meshes.size());
  std::size_t first = 0;
  for (const UsdaPrim& prim : layer.prims[0].children) {
    const auto& samples = prim.attributes.at("points").samples;
    ASSERT_EQ(samples.size(), show.frames.size());
    std::size_t count = 0, f = 0;
    for (const auto& [code, points] : samples) {
      count = points.items;
      const auto& expected = show.frames[f++].positions;
      ASSERT_LE(first + count, expected.size());
      for (std::size_t i = 0; i < 3 * count; ++i)
        ASSERT_EQ(static_cast<float>(points.numbers[i]), expected[first + i / 3][static_cast<int>(i % 3)]);
    }
    first += count;
  }
  EXPECT_EQ(first, show.character.vertex_count());
}

void expect_gltf(const Performance& show, const std::string& file) {
  const tinygltf::Model model = load_gltf(file);
  const auto tolerance = static_cast<float>(1e-6 * (diagonal(show.character.bounds()) + 1));
  ASSERT_EQ(model.meshes.size(), 1U);
  ASSERT_EQ(model.meshes[0].primitives.size(), show.character.meshes.size());
  std::size_t first = 0;
  for (const auto& primitive : model.meshes[0].primitives) {
    const auto base = vectors(model, primitive.attributes.at("POSITION"));
    ASSERT_EQ(primitive.targets.size(), show.frames.size());
    for (std::size_t f = 0; f < show.frames.size(); ++f) {
      const auto delta = vectors(model, primitive.targets[f].at("POSITION"));
      ASSERT_EQ(delta.size(), base.size());
      for (std::size_t i = 0; i < base.size(); ++i)
        ASSERT_LE(distance(base[i] + delta[i], show.frames[f].positions.at(first + i)), tolerance);
    }
    first += base.size();
  }
  EXPECT_EQ(first, show.character.vertex_count());
}

class SharedCharacter : public testing::TestWithParam<std::tuple<const char*, Method>> {};

INSTANTIATE_TEST_SUITE_P(
    All, SharedCharacter,
    testing::Combine(testing::Values("cesium_man/cesium_man.glb", "fox/fox.glb", "hand_webxr/hand_left_poses.glb",
                                     "makehuman_male/makehuman_male.glb", "makehuman_male/makehuman_male_hires.glb",
                                     "rigged_figure/rigged_figure.glb", "rigged_simple/rigged_simple.glb",
                                     "simple_skin/simple_skin.gltf"),
                     testing::Values(Method::lbs, Method::dqs)),
    [](const auto& test) {
      const std::filesystem::path file = std::get<0>(test.param);
      return file.stem().string() + "_" + std::string(to_string(std::get<1>(test.param)));
    });

TEST_P(SharedCharacter, ComesBackFromEveryFormatAsItWasDeformed) {
  CUTIS_NEEDS_SHARED_DATA();
  const auto [file, method] = GetParam();
  const Context context(2);
  Performance show;
  perform(show, (shared_data() / file).string(), method, context);
  ASSERT_EQ(show.frames.size(), static_cast<std::size_t>(kFrames));
  const TemporaryFolder folder;
  for (const char* name : {"a.glb", "a.gltf", "a.pc2", "a.mdd", "a.usda", "a.obj", "a.ply"})
    write(show, folder.file(name), context);
  EXPECT_EQ(names_in(folder.path()).size(), 6U + 2 * kFrames);
  expect_caches(show, folder);
  expect_sequence(show, folder.file("a.obj"), context);
  expect_sequence(show, folder.file("a.ply"), context);
  expect_usda(show, folder.file("a.usda"));
  expect_gltf(show, folder.file("a.glb"));
  expect_gltf(show, folder.file("a.gltf"));
}

}  // namespace
}  // namespace cutis::test
