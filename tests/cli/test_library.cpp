// The program is the library: what it writes is what cutis::play() hands out with the same options, to the bit.
#include <gtest/gtest.h>

#include <cstring>

#include "cli/run.h"
#include "cutis/cutis.h"

namespace cutis {
namespace {

std::vector<Vec3f> points_of(const std::string& pc2) {
  constexpr std::size_t kHeader = 32;
  std::vector<Vec3f> points((pc2.size() - std::min(kHeader, pc2.size())) / sizeof(Vec3f));
  if (!points.empty()) std::memcpy(points.data(), pc2.data() + kHeader, points.size() * sizeof(Vec3f));
  return points;
}

struct LibraryCase {
  const char *character, *clip, *arguments;
  int frames;
  SolveOptions options = {};
};

void expect_same_frames(const LibraryCase& c) {
  const Context context;
  const TemporaryFolder folder;
  const Result r = run(std::string("animate ") + c.character + " --clip " + c.clip + " --frames " +
                       std::to_string(c.frames) + " " + c.arguments + " -o " + folder.file("x.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Character character = load_character(c.character, context);
  const Clip& clip = character.clip(c.clip);
  std::vector<Vec3f> played;
  play(character, bind(character, context), {clip, sample_times(clip, c.frames, 30)}, c.options, context,
       [&](std::size_t, const Frame& f) { played.insert(played.end(), f.positions.begin(), f.positions.end()); });
  ASSERT_EQ(played.size(), static_cast<std::size_t>(c.frames) * character.vertex_count());
  EXPECT_TRUE(points_of(read_all(folder.file("x.pc2"))) == played) << c.character << " " << c.arguments;
}

TEST(Program, WritesTheFramesThatTheLibraryPlays) {
  expect_same_frames({"builtin:cylinder", "bend", "", 3});
  expect_same_frames({"builtin:cylinder", "twist", "--method dqs", 3, {.method = Method::dqs}});
  expect_same_frames(
      {"builtin:cylinder", "bend", "--method dqs --contact-pass", 3, {.method = Method::dqs, .contact_pass = true}});
  expect_same_frames({"builtin:cylinder", "twist", "--no-contact-pass", 3, {.contact_pass = false}});
  expect_same_frames(
      {"builtin:cylinder", "twist", "--contact operator", 3, {.tracking = {.contact = ContactModel::composed}}});
}

TEST(ProgramSlow, WritesTheFramesThatTheLibraryPlays) {
  expect_same_frames({"builtin:arm", "elbow", "", 4});
  expect_same_frames({"builtin:hand", "fist", "", 3});
}

}  // namespace
}  // namespace cutis
