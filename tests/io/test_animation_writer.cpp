// What every format promises: checked frames, all or nothing on disk, clear sentences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <limits>

#include "base/atomic_file.h"
#include "cutis/error.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "threw nothing";
  return ErrorCode::cancelled;
}

class EveryFormat : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { fill_shot(shot_, 3); }
  [[nodiscard]] std::string file() const { return folder_.file(std::string("out") + GetParam()); }
  std::unique_ptr<AnimationWriter> open() const { return make_animation_writer(file(), shot_.header, context_); }
  void add(AnimationWriter& writer, std::size_t f) const {
    writer.add_frame(shot_.frames[f].positions, shot_.frames[f].normals);
  }

  TemporaryFolder folder_;
  Context context_{1};
  Shot shot_;
};
INSTANTIATE_TEST_SUITE_P(Writers, EveryFormat,
                         testing::Values(".glb", ".gltf", ".pc2", ".mdd", ".usda", ".obj", ".ply"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(EveryFormat, ShowsNoFileUnderItsNameUntilFinish) {
  const auto writer = open();
  for (std::size_t f = 0; f < 3; ++f) add(*writer, f);
  for (const std::string& name : names_in(folder_.path())) EXPECT_THAT(name, HasSubstr(".tmp"));
  writer->finish();
  EXPECT_FALSE(names_in(folder_.path()).empty());
  for (const std::string& name : names_in(folder_.path())) EXPECT_THAT(name, testing::Not(HasSubstr(".tmp")));
}

TEST_P(EveryFormat, LeavesNothingWhenDestroyedBeforeFinish) {
  {
    const auto writer = open();
    add(*writer, 0);
    add(*writer, 1);
  }
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, WritesTheSameBytesEveryTime) {
  write_shot(shot_, file());
  std::vector<std::string> first;
  for (const auto& name : names_in(folder_.path())) first.push_back(bytes_of(folder_.file(name)));
  write_shot(shot_, file());
  std::vector<std::string> second;
  for (const auto& name : names_in(folder_.path())) second.push_back(bytes_of(folder_.file(name)));
  EXPECT_TRUE(first == second);
}

TEST_P(EveryFormat, RefusesAFrameOfTheWrongSizeAndStaysFailed) {
  {
    const auto writer = open();
    add(*writer, 0);
    auto positions = shot_.frames[1].positions;
    positions.pop_back();
    EXPECT_THAT(error_of([&] { writer->add_frame(positions, shot_.frames[1].normals); }),
                AllOf(HasSubstr("frame 1"), HasSubstr("vertices")));
    EXPECT_THAT(error_of([&] { add(*writer, 1); }), HasSubstr("earlier frame failed"));
    EXPECT_THAT(error_of([&] { writer->finish(); }), HasSubstr("earlier frame failed"));
  }
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, RefusesNumbersThatAreNotFiniteAndNamesTheVertex) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  const std::size_t tube = shot_.character.meshes[0].positions.size();
  for (const float value : bad) {
    auto frame = shot_.frames[0];
    frame.positions[tube + 2].y = value;
    EXPECT_THAT(error_of([&] { open()->add_frame(frame.positions, frame.normals); }),
                AllOf(HasSubstr("frame 0"), HasSubstr("cloth"), HasSubstr("vertex 2"), HasSubstr("not finite")));
    frame = shot_.frames[0];
    frame.normals.back().z = value;
    EXPECT_THAT(error_of([&] { open()->add_frame(frame.positions, frame.normals); }), HasSubstr("normal"));
  }
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, RefusesMissingAndSurplusFrames) {
  {
    const auto writer = open();
    add(*writer, 0);
    EXPECT_THAT(error_of([&] { writer->finish(); }), HasSubstr("1 of 3 frames"));
  }
  {
    const auto writer = open();
    for (std::size_t f = 0; f < 3; ++f) add(*writer, f);
    EXPECT_THAT(error_of([&] { add(*writer, 0); }), HasSubstr("too many"));
  }
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, TakesNothingAfterFinish) {
  const auto writer = open();
  for (std::size_t f = 0; f < 3; ++f) add(*writer, f);
  writer->finish();
  EXPECT_THAT(error_of([&] { writer->finish(); }), HasSubstr("is finished"));
  EXPECT_THAT(error_of([&] { add(*writer, 0); }), HasSubstr("is finished"));
}

TEST_P(EveryFormat, RefusesAnAnimationWithoutFramesOrTimes) {
  shot_.header.times.clear();
  EXPECT_THAT(error_of([&] { open(); }), HasSubstr("no frames"));
  shot_.header.times = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(error_of([&] { open(); }), HasSubstr("not finite"));
}

TEST_P(EveryFormat, RefusesACharacterThatIsBroken) {
  const auto refuses = [&](const char* what) {
    EXPECT_EQ(code_of([&] { open(); }), ErrorCode::bad_character);
    EXPECT_THAT(error_of([&] { open(); }), HasSubstr(what));
    fill_shot(shot_, 3);
  };
  shot_.character.meshes.clear();
  refuses("no mesh");
  shot_.character.meshes[1].positions.clear();
  refuses("no vertices");
  shot_.character.meshes[1].normals.pop_back();
  refuses("normals");
  shot_.character.meshes[1].triangles[0][1] = 12345;
  refuses("12345");
  shot_.character.meshes[1].attributes[0].values.pop_back();
  refuses("TEXCOORD_0");
  shot_.character.meshes[0].positions[5].x = std::numeric_limits<float>::infinity();
  refuses("vertex 5");
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, NamesAMissingFolderAtOnce) {
  const std::string missing = folder_.file(std::string("no/such/out") + GetParam());
  const auto call = [&] { static_cast<void>(make_animation_writer(missing, shot_.header, context_)); };
  EXPECT_EQ(code_of(call), ErrorCode::io);
  EXPECT_THAT(error_of(call), AllOf(HasSubstr("no/such/out"), HasSubstr("folder")));
}

TEST_P(EveryFormat, NamesAReadOnlyFolderAtOnce) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(code_of([&] { open(); }), ErrorCode::io);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, ReportsAFullDiskAndLeavesNothing) {
  // A limit on the size of files stands in for a full disk, in a child process, for it cannot be taken back. The limit
  // is met in the middle of the first frame, or, when text is made at the end, in finish().
  const auto fill = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10000, 10000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(3);
    try {
      write_shot(shot_, file());
    } catch (const Error& e) {
      std::_Exit(e.code() == ErrorCode::io ? 0 : 2);
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
  EXPECT_THAT(names_in(folder_.path()), testing::IsEmpty());
}

TEST_P(EveryFormat, TakesItsExtensionInAnyCase) {
  std::string upper = GetParam();
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  write_shot(shot_, folder_.file("out" + upper));
  EXPECT_FALSE(names_in(folder_.path()).empty());
}

TEST(AnimationWriter, ListsTheFormatsWhenItKnowsNotTheExtension) {
  Shot shot;
  fill_shot(shot, 1);
  const Context context(1);
  for (const char* name : {"out.abc", "out", "glb", ".glb"}) {
    const auto call = [&] { static_cast<void>(make_animation_writer(name, shot.header, context)); };
    EXPECT_EQ(code_of(call), ErrorCode::bad_argument);
    EXPECT_THAT(error_of(call), HasSubstr(".glb .gltf .pc2 .mdd .usda .obj .ply"));
  }
}

TEST(SequenceWriters, PutNoFrameInPlaceWhenOneCannotBe) {
  for (const char* extension : {".obj", ".ply"}) {
    const TemporaryFolder folder;
    Shot shot;
    fill_shot(shot, 3);
    write_file(folder.file(std::string("a_0000") + extension), "an older frame");
    std::filesystem::create_directory(folder.file(std::string("a_0001") + extension));  // stands in the way
    EXPECT_THAT(error_of([&] { write_shot(shot, folder.file(std::string("a") + extension)); }), HasSubstr("folder"));
    EXPECT_EQ(names_in(folder.path()).size(), 2U);
    EXPECT_EQ(bytes_of(folder.file(std::string("a_0000") + extension)), "an older frame");
  }
}

TEST(GltfWriter, PutsNoDataInPlaceWhenTheTextCannotBe) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 2);
  const Context context(1);
  auto writer = make_animation_writer(folder.file("a.gltf"), shot.header, context);
  for (const auto& frame : shot.frames) writer->add_frame(frame.positions, frame.normals);
  std::filesystem::create_directory(folder.file("a.gltf"));  // appears while frames are made
  EXPECT_EQ(code_of([&] { writer->finish(); }), ErrorCode::io);
  writer.reset();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.gltf"});
  EXPECT_EQ(code_of([&] { write_shot(shot, folder.file("a.gltf")); }), ErrorCode::io);
}

}  // namespace
}  // namespace cutis::test
