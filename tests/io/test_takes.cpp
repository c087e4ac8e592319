// C3D and TRC takes: every kind of file, gaps, units, axes, names; damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/markers.h"
#include "io/c3d_maker.h"
#include "io/c3d_read.h"
#include "io/trc_read.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::C3dPoint;
using test::C3dSpec;
using test::error_of;
using test::Processor;
using ::testing::HasSubstr;

MarkerTake c3d(const std::string& bytes, const TakeOptions& options = {}) {
  return read_c3d_memory(bytes, "take.c3d", Context(1), options);
}
MarkerTake trc(const std::string& text, const TakeOptions& options = {}) {
  return read_trc_memory(text, "take.trc", Context(1), options);
}

const std::string kTrcHead =
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\n"
    "60.00\t60.00\t2\t2\tmm\t60.00\n";

C3dSpec two_markers() {
  C3dSpec spec;
  spec.labels = {"Anna:LFHD", "Anna:RFHD"};
  spec.frames = {{{{100, 200, 300}, 5}, {{-400.5, 0, 1}, 0}}, {{{101, 201, 301}, 3}, {{0, 0, 0}, -1}}};
  return spec;
}

TEST(C3d, ReadsIntegersAndFloatsOfAllMachines) {
  for (const Processor processor : {Processor::intel, Processor::dec, Processor::mips}) {
    for (const bool as_float : {true, false}) {
      C3dSpec spec = two_markers();
      spec.processor = processor;
      spec.as_float = as_float;
      spec.analogue = 3;
      const MarkerTake take = c3d(make_c3d(spec));
      const std::string what = std::to_string(static_cast<int>(processor)) + (as_float ? " float" : " integer");
      ASSERT_EQ(take.frames, 2U) << what;
      ASSERT_EQ(take.names.size(), 2U) << what;
      EXPECT_DOUBLE_EQ(take.rate, 100) << what;
      // Z up, millimetres: (x, y, z) is (x, z, -y) in metres.
      EXPECT_LT(distance(take.at(0, 0), Vec3d{0.1, 0.3, -0.2}), 1e-7) << what;
      EXPECT_LT(distance(take.at(0, 1), Vec3d{-0.4005, 0.001, 0}), 1e-7) << what;
      EXPECT_LT(distance(take.at(1, 0), Vec3d{0.101, 0.301, -0.201}), 1e-7) << what;
      EXPECT_FALSE(take.seen(1, 1)) << what;
      EXPECT_NEAR(take.residuals[0], 5 * 0.1 * 1e-3, 1e-9) << what;
    }
  }
}

TEST(C3d, ReadsMoreLabelsThanOneListHolds) {
  C3dSpec spec;
  spec.frames.resize(1);
  for (int i = 0; i < 600; ++i) {
    spec.labels.push_back("M" + std::to_string(i));
    spec.frames[0].push_back({{1.0 * i + 1, 2, 3}, 0});
  }
  const MarkerTake take = c3d(make_c3d(spec));
  ASSERT_EQ(take.names.size(), 600U);
  EXPECT_EQ(take.names[255], "M255");
  EXPECT_EQ(take.names[599], "M599");
  EXPECT_NEAR(take.at(0, 599).x, 0.6, 1e-7);
}

TEST(C3d, TakesFrameNumbersBeyondSixteenBitsFromTheTrial) {
  C3dSpec spec = two_markers();
  spec.wide_frames = true;
  EXPECT_EQ(c3d(make_c3d(spec)).frames, 2U);
}

TEST(C3d, TurnsAxesAndUnitsIntoMetresWithYUp) {
  C3dSpec spec = two_markers();
  spec.unit = "m";
  spec.y_screen = "+Y";
  EXPECT_LT(distance(c3d(make_c3d(spec)).at(0, 0), Vec3d{100, 200, 300}), 1e-4);
  EXPECT_LT(distance(c3d(make_c3d(spec), {.up = 'x', .unit = 0.01}).at(0, 0), Vec3d{-2, 1, 3}), 1e-6);
  spec.unit = "furlongs";
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  const MarkerTake take = read_c3d_memory(make_c3d(spec), "take.c3d", context, {});
  EXPECT_LT(distance(take.at(0, 0), Vec3d{0.1, 0.2, 0.3}), 1e-6);
  EXPECT_THAT(warning, HasSubstr("furlongs"));
}

TEST(C3d, KnowsModelOutputAndUnlabelledPoints) {
  C3dSpec spec;
  spec.labels = {"LFHD", "LKneeAngles", "*110"};
  spec.angles = {"LKneeAngles"};
  spec.frames = {{{{1, 1, 1}, 0}, {{90, 0, 1}, 0}, {{2, 2, 2}, 0}}};
  const MarkerTake take = c3d(make_c3d(spec));
  EXPECT_EQ(take.kinds, (std::vector{PointKind::marker, PointKind::model, PointKind::unlabelled}));
}

TEST(C3d, FindsNamesWithAndWithoutTheSubject) {
  const MarkerTake take = c3d(make_c3d(two_markers()));
  EXPECT_EQ(take.find("RFHD"), 1);
  EXPECT_EQ(take.find("Anna:RFHD"), 1);
  EXPECT_EQ(take.find("rfhd"), 1);
  EXPECT_EQ(take.find("Bert:LFHD"), 0);
  EXPECT_EQ(take.find("LBHD"), -1);
}

TEST(C3d, GivesTheWholeFramesOfAFileThatEndsEarly) {
  std::string bytes = make_c3d(two_markers());
  bytes.resize(bytes.size() - 5);
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  const MarkerTake take = read_c3d_memory(bytes, "take.c3d", context, {});
  EXPECT_EQ(take.frames, 1U);
  EXPECT_THAT(warning, HasSubstr("1 of 2 frames"));
}

TEST(C3d, AnswersDamageWithTheFileAndASentence) {
  EXPECT_THAT(error_of([] { (void)c3d(""); }), HasSubstr("take.c3d: is not a C3D file"));
  EXPECT_THAT(error_of([] { (void)c3d(std::string(2000, 'x')); }), HasSubstr("not a C3D file"));
  const std::string good = make_c3d(two_markers());
  std::string bad = good;
  bad[512 + 3] = 99;
  EXPECT_THAT(error_of([&] { (void)c3d(bad); }), HasSubstr("processor"));
  EXPECT_THAT(error_of([&] { (void)c3d(good.substr(0, 1024)); }), HasSubstr("ends before its first frame"));
  C3dSpec spec = two_markers();
  spec.rate = 0;
  EXPECT_THAT(error_of([&] { (void)c3d(make_c3d(spec)); }), HasSubstr("rate"));
  spec = two_markers();
  spec.frames.clear();
  EXPECT_THAT(error_of([&] { (void)c3d(make_c3d(spec)); }), HasSubstr("no frames"));
}

TEST(C3d, ChecksEveryCountAgainstTheFileBeforeItIsUsed) {
  const double nan = std::nan("");
  const struct {
    const char* parameter;
    double value;
    const char* says;
  } cases[] = {{"USED", 0x1p62, "POINT:USED"},
               {"USED", 0x1p60, "POINT:USED"},
               {"USED", 0x1p61, "POINT:USED"},
               {"USED", 1e9, "ends before its first frame"},
               {"USED", nan, "POINT:USED"},
               {"USED", -3, "POINT:USED"},
               {"USED", 0, "no points"},
               {"LONG_FRAMES", 0x1p62, "LONG_FRAMES"},
               {"LONG_FRAMES", nan, "LONG_FRAMES"},
               {"FRAMES", 1e30, "POINT:FRAMES"},
               {"SCALE", nan, "scale"},
               {"RATE", 1e30, "rate"},
               {"TRIAL:ACTUAL_START_FIELD", 1e30, "ACTUAL_START_FIELD"},
               {"TRIAL:ACTUAL_END_FIELD", nan, "ACTUAL_END_FIELD"}};
  for (const auto& [parameter, value, says] : cases) {
    C3dSpec spec = two_markers();
    spec.reals = {{parameter, value}};
    EXPECT_THAT(error_of([&] { (void)c3d(make_c3d(spec)); }), HasSubstr(says)) << parameter << " " << value;
  }
  // As floats these counts are as good as integers.
  C3dSpec spec = two_markers();
  spec.reals = {{"USED", 2}, {"LONG_FRAMES", 2}};
  EXPECT_EQ(c3d(make_c3d(spec)).frames, 2U);
}

TEST(C3d, RefusesABlockOfFramesBeyondWhatCanBeCounted) {
  C3dSpec spec = two_markers();
  spec.reals = {{"DATA_START", 0x1p63}};
  std::string bytes = make_c3d(spec);
  bytes[16] = bytes[17] = 0;  // the header's own block: the parameter has to tell
  EXPECT_THAT(error_of([&] { (void)c3d(bytes); }), HasSubstr("POINT:DATA_START"));
}

// A small file that would fill all memory: the square of its size.
TEST(Takes, DoNotUnfoldToTheSquareOfTheirSize) {
  std::string text = kTrcHead + "Frame#\tTime";
  for (int i = 0; i < 20000; ++i) text += "\tM";
  text += "\n\n";
  for (int i = 0; i < 20000; ++i) text += "1\n";
  EXPECT_THAT(error_of([&] { (void)trc(text); }), HasSubstr("20000 markers"));

  const test::TemporaryFolder folder;
  std::string json = "{\"frames\":[";
  for (int i = 0; i < 9000; ++i) json += (i == 0 ? "{\"" : ",{\"") + std::to_string(i) + "\":[1,2,3]}";
  std::ofstream(folder.file("many.json")) << json << "]}";
  EXPECT_THAT(error_of([&] { (void)load_take(folder.file("many.json"), Context(1)); }), HasSubstr("9000 points"));

  std::string bvh = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 9000; ++i) bvh += "JOINT j\n{\n}\n";
  bvh += "}\nMOTION\nFrames: 9000\nFrame Time: 0.1\n";
  for (int i = 0; i < 9000; ++i) bvh += "1\n";
  std::ofstream(folder.file("many.bvh")) << bvh;
  EXPECT_THAT(error_of([&] { (void)load_take(folder.file("many.bvh"), Context(1)); }), HasSubstr("9001 joints"));
}

TEST(C3d, ReadsTheSharedTrials) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const auto folder = test::shared_data() / "markers_c3d";
  const struct {
    const char* file;
    std::size_t points, frames;
  } trials[] = {{"Static_trial.c3d", 179, 498}, {"Movement_trial.c3d", 239, 323}};
  for (const auto& trial : trials) {
    const MarkerTake take = load_take((folder / trial.file).string(), context);
    EXPECT_EQ(take.names.size(), trial.points);
    EXPECT_EQ(take.frames, trial.frames);
    EXPECT_DOUBLE_EQ(take.rate, 120);
    EXPECT_EQ(take.up, 'z');
    const int head = take.find("LFHD"), toe = take.find("RTOE"), angle = take.find("LKneeAngles");
    ASSERT_GE(std::min({head, toe, angle}), 0);
    EXPECT_EQ(take.kinds[static_cast<std::size_t>(angle)], PointKind::model);
    for (std::size_t f = 0; f < take.frames; ++f) {
      ASSERT_TRUE(take.seen(f, static_cast<std::size_t>(head)));
      const double height = take.at(f, static_cast<std::size_t>(head)).y - take.at(f, static_cast<std::size_t>(toe)).y;
      EXPECT_GT(height, 0.3);  // the head is above the toes, in metres
      EXPECT_LT(height, 2.0);
    }
  }
}

const std::string kTrc = kTrcHead +
                         "Frame#\tTime\tTop.Head\t\t\tL.Heel\t\t\n"
                         "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";

TEST(Trc, ReadsRowsAndGaps) {
  const MarkerTake take = trc(kTrc + "1\t0.0\t100\t200\t300\t1\t2\t3\n2\t0.016\t110\t210\t310\t\t\t\n");
  EXPECT_EQ(take.frames, 2U);
  EXPECT_EQ(take.names, (std::vector<std::string>{"Top.Head", "L.Heel"}));
  EXPECT_DOUBLE_EQ(take.rate, 60);
  EXPECT_LT(distance(take.at(0, 0), Vec3d{0.1, 0.2, 0.3}), 1e-12);
  EXPECT_LT(distance(take.at(0, 1), Vec3d{0.001, 0.002, 0.003}), 1e-12);
  EXPECT_FALSE(take.seen(1, 1));
  EXPECT_LT(distance(trc(kTrc + "1\t0\t1\t2\t3\t1\t2\t3\n2\t0\t1\t2\t3\t1\t2\t3\n", {.up = 'z', .unit = 1.0}).at(0, 0),
                     Vec3d{1, 3, -2}),
            1e-12);
}

TEST(Trc, ExactZerosAreWhatWasMissing) {
  const MarkerTake take = trc(kTrc + "1\t0.0\t100\t200\t300\t0\t0.0\t0\n2\t0.016\t0\t210\t310\t1\t2\t3\n");
  EXPECT_TRUE(take.seen(0, 0));
  EXPECT_FALSE(take.seen(0, 1));
  EXPECT_TRUE(take.seen(1, 0)) << "one zero of three is a place";
  EXPECT_TRUE(take.seen(1, 1));
}

TEST(Trc, AnswersDamageWithTheLine) {
  EXPECT_THAT(error_of([] { (void)trc("hello"); }), HasSubstr("take.trc line 1"));
  EXPECT_THAT(error_of([] { (void)trc(kTrc + "1\t0.0\tone\t2\t3\n"); }), HasSubstr("line 7"));
  EXPECT_THAT(error_of([] { (void)trc(kTrc); }), HasSubstr("first frame"));
  std::string no_rate = kTrc;
  no_rate.replace(no_rate.find("60.00"), 5, "never");
  EXPECT_THAT(error_of([&] { (void)trc(no_rate); }), HasSubstr("DataRate"));
}

TEST(Takes, OfJsonAndBvhArePointsOverTime) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("edit.json")) << R"({"rate": 24, "frames": [{"hand": [1, 2, 3]}, {"foot": [0, 0, 1]}]})";
  const Context context(1);
  const MarkerTake take = load_take(folder.file("edit.json"), context);
  EXPECT_EQ(take.names, (std::vector<std::string>{"hand", "foot"}));
  EXPECT_DOUBLE_EQ(take.rate, 24);
  EXPECT_TRUE(take.seen(0, 0));
  EXPECT_FALSE(take.seen(0, 1));
  EXPECT_LT(distance(take.at(1, 1), Vec3d{0, 0, 1}), 1e-12);
  std::ofstream(folder.file("bad.json")) << R"({"frames": [{"hand": [1, 2]}]})";
  EXPECT_THAT(error_of([&] { (void)load_take(folder.file("bad.json"), context); }), HasSubstr("frame 0"));
  EXPECT_THAT(error_of([&] { (void)load_take(folder.file("take.xyz"), context); }), HasSubstr(".c3d"));

  std::ofstream(folder.file("arm.bvh")) << "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition "
                                           "Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: "
                                           "0.5\n1 2 3\n";
  const MarkerTake joints = load_take(folder.file("arm.bvh"), context);
  EXPECT_EQ(joints.names, (std::vector<std::string>{"Hips"}));
  EXPECT_DOUBLE_EQ(joints.rate, 2);
  EXPECT_LT(distance(joints.at(0, 0), Vec3d{1, 2, 3}), 1e-12);
}

}  // namespace
}  // namespace cutis
