// Pieces of a shot: written, read back, damaged, put together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run.h"
#include "cutis/io.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::AnyOf;

TEST(FramesFile, HoldsWhatAWriterIsGiven) {
  const TemporaryFolder folder;
  const Context context(1);
  const Character character = test::make_two_bone_tube();
  const std::size_t n = character.vertex_count();
  AnimationHeader header{&character, "bend", {0.25, 0.5}, true, {77, 3, 9}};
  const auto writer = make_animation_writer(folder.file("a.frames"), header, context);
  std::vector<std::vector<Vec3f>> positions(2, std::vector<Vec3f>(n)), normals(2, std::vector<Vec3f>(n, {0, 1, 0}));
  std::vector<SkinContact> contact(n, {0.5F, 0.125F});
  for (std::size_t f = 0; f < 2; ++f) {
    for (std::size_t v = 0; v < n; ++v) positions[f][v] = {static_cast<float>(v), static_cast<float>(f), -0.0F};
    writer->add_frame(positions[f], normals[f], contact);
  }
  writer->finish();

  FramesFile file(folder.file("a.frames"));
  EXPECT_EQ(file.vertex_count(), n);
  EXPECT_EQ(file.character_hash(), shape_hash(character));
  EXPECT_EQ(file.header().clip_name, "bend");
  EXPECT_EQ(file.header().times, header.times);
  EXPECT_EQ(file.header().piece.shot, 77U);
  EXPECT_EQ(file.header().piece.first, 3U);
  EXPECT_EQ(file.header().piece.total, 9U);
  FramesFile::Frame frame;
  for (const std::size_t f : {1U, 0U}) {
    file.read(f, frame);
    EXPECT_EQ(0, std::memcmp(frame.positions.data(), positions[f].data(), n * sizeof(Vec3f)));
    EXPECT_EQ(0, std::memcmp(frame.contact.data(), contact.data(), n * sizeof(SkinContact)));
  }
  EXPECT_THAT(test::error_of([&] { file.read(2, frame); }), HasSubstr("there is no frame 2"));
}

TEST(FramesFile, DamagedInAnyByteIsRefused) {
  const TemporaryFolder folder;
  const Context context(1);
  Character character = test::make_two_bone_tube(3);
  const auto writer = make_animation_writer(folder.file("a.frames"), {&character, "c", {0}, false, {}}, context);
  std::vector<Vec3f> zero(character.vertex_count());
  writer->add_frame(zero, zero);
  writer->finish();
  const std::string good = read_all(folder.file("a.frames"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x81);
    std::ofstream(folder.file("b.frames"), std::ios::binary) << bad;
    EXPECT_THAT(test::error_of([&] { FramesFile{folder.file("b.frames")}; }),
                AnyOf(HasSubstr("damaged"), HasSubstr("is not a .frames file"), HasSubstr("version")))
        << i;
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    std::ofstream(folder.file("b.frames"), std::ios::binary) << good.substr(0, size);
    EXPECT_FALSE(test::error_of([&] { FramesFile{folder.file("b.frames")}; }).empty());
  }
}

TEST(Join, SaysWhichPieceIsWrong) {
  const TemporaryFolder folder;
  const std::string bend = "animate builtin:cylinder --clip bend --frames 6 ", animate = bend + "--method lbs ";
  const auto piece = [&](const std::string& range, const std::string& name, const std::string& method = "lbs") {
    EXPECT_EQ(run(bend + "--method " + method + " --range " + range + " -o " + folder.file(name)).exit_code, 0)
        << range;
    return " " + folder.file(name);
  };
  const std::string a = piece("0:2", "a.frames"), b = piece("2:5", "b.frames"), c = piece("5:6", "c.frames"),
                    overlapping = piece("4:6", "d.frames"), other = piece("2:5", "e.frames", "dqs");
  const std::string out = " -o " + folder.file("out.pc2");
  ASSERT_EQ(run(animate + " -o " + folder.file("whole.pc2")).exit_code, 0);
  ASSERT_EQ(run("join" + c + a + b + out).exit_code, 0);
  EXPECT_EQ(read_all(folder.file("out.pc2")), read_all(folder.file("whole.pc2")));
  const std::pair<std::string, std::string> cases[] = {{a + c, "no piece has frame 2"},
                                                       {a + b, "name all its pieces"},
                                                       {a + b + overlapping, "another piece has too"},
                                                       {a + other + c, "of another shot"},
                                                       {a + b + c + " --character builtin:arm", "not the character"}};
  for (const auto& [pieces, says] : cases) {
    const Result r = run("join" + pieces + out);
    EXPECT_EQ(r.exit_code, 1) << pieces;
    EXPECT_THAT(r.err, HasSubstr(says)) << pieces;
  }
  const Result playback =
      run("animate builtin:cylinder --clip bend --frames 6 --range 2:4 -o " + folder.file("p.frames"));
  EXPECT_EQ(playback.exit_code, 1);
  EXPECT_THAT(playback.err, HasSubstr("depend on the frames before them"));
  for (const char* range : {"4:2", "3", ":", "2:x", "9:12", "-1:2"})
    EXPECT_EQ(run(animate + "-o " + folder.file("p.frames") + " --range=" + range).exit_code, 1) << range;
}

}  // namespace
}  // namespace cutis
