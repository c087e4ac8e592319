// The verb `markers` and `info` on takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run.h"
#include "io/c3d_maker.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(CliMarkers, ShowsHelpWithExamples) {
  const Result r = run("markers --help");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("Examples"));
  EXPECT_THAT(r.out, HasSubstr("cutis markers body.glb --take walk.c3d"));
}

TEST(CliMarkers, InfoListsTheNamesOfATake) {
  const TemporaryFolder folder;
  test::C3dSpec spec;
  spec.labels = {"Anna:LFHD", "LKneeAngles", "*7"};
  spec.angles = {"LKneeAngles"};
  spec.frames = {{{{1, 2, 3}, 0}, {{1, 1, 1}, 0}, {{2, 2, 2}, 0}}, {{{0, 0, 0}, -1}, {{1, 1, 1}, 0}, {{2, 2, 2}, 0}}};
  std::ofstream(folder.file("t.c3d"), std::ios::binary) << make_c3d(spec);
  const Result text = run("info " + folder.file("t.c3d"));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Anna:LFHD"));
  const json j = json::parse(run("info --json " + folder.file("t.c3d")).out);
  EXPECT_EQ(j["marker_names"], json::array({"Anna:LFHD"}));
  EXPECT_EQ(j["model_names"], json::array({"LKneeAngles"}));
  EXPECT_EQ(j["missing_frames"]["Anna:LFHD"], 1);
  EXPECT_EQ(j["frames"], 2);
  EXPECT_EQ(j["up"], "z");
}

TEST(CliMarkers, AnswersBadInputWithOneSentence) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("bad.c3d")) << "no capture";
  std::ofstream(folder.file("few.json")) << R"({"frames": [{"a": [0, 0, 0]}]})";
  const struct {
    std::string arguments, names;
  } cases[] = {{"--take " + folder.file("absent.c3d"), "absent.c3d"},
               {"--take " + folder.file("bad.c3d"), "C3D"},
               {"--take " + folder.file("few.json"), "--map"},
               {"--take " + folder.file("few.json") + " --map " + folder.file("absent.json"), "absent.json"},
               {"--take " + folder.file("few.json") + " --skin wax", "wax"}};
  for (const auto& c : cases) {
    const Result r = run("markers builtin:arm " + c.arguments + " -o " + folder.file("x.pc2"));
    EXPECT_EQ(r.exit_code, 1) << c.arguments;
    EXPECT_THAT(r.err, HasSubstr(c.names));
    EXPECT_FALSE(std::filesystem::exists(folder.file("x.pc2")));
  }
  EXPECT_EQ(run("markers builtin:arm").exit_code, 2);
  EXPECT_EQ(run("markers builtin:arm --take x.c3d --frames 0 -o y.pc2").exit_code, 2);
}

// Editing: a few targets a frame, placed by a map.
TEST(CliMarkers, AFewTargetsEditAnArm) {
  const TemporaryFolder folder;
  const json info = json::parse(run("info --json builtin:arm").out);
  const std::string root = info["bone_names"][0], tip = info["bone_names"][info["bone_names"].size() - 1];
  std::ofstream(folder.file("map.json"))
      << json{{"markers", {{"root", {{"bone", root}}}, {"tip", {{"bone", tip}}}, {"skin", {{"vertex", 5}}}}}}.dump();
  std::ofstream(folder.file("edit.json"))
      << R"({"rate": 10, "frames": [{"root": [0, 0, 0]}, {"root": [0, 0.1, 0]}, {"root": [0, 0.2, 0]}]})";
  const Result r = run("markers builtin:arm --take " + folder.file("edit.json") + " --map " + folder.file("map.json") +
                       " --fps 10 --resolution 300 --json --skin dqs -o " + folder.file("edit.pc2") + " --sheet " +
                       folder.file("edit.png") + " --sheet-frames 2 --plots " + folder.file("plots.png"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["frames"], 3);
  EXPECT_EQ(j["per_frame"].size(), 3U);
  EXPECT_EQ(j["summary"]["flipped_tetrahedra"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("edit.pc2")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("edit.png")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("plots.png")));
}

TEST(CliMarkers, TheMovementTrialDrivesTheBuiltInHuman) {
  CUTIS_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const std::string data = (test::shared_data() / "markers_c3d").string();
  const Result r =
      run("markers builtin:human --json --take " + data + "/Movement_trial.c3d --static " + data +
          "/Static_trial.c3d --fps 15 --write-map " + folder.file("map.json") + " -o " + folder.file("m.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["markers"], 39);
  EXPECT_LT(j["summary"]["marker_rms"], 0.02);
  EXPECT_LT(j["summary"]["bone_length_error"], 0.02);
  EXPECT_LT(j["summary"]["volume_error_worst"], 0.015);
  EXPECT_EQ(j["summary"]["flipped_tetrahedra"], 0);
  EXPECT_EQ(json::parse(read_all(folder.file("map.json")))["markers"].size(), 39U);
}

}  // namespace
}  // namespace cutis
