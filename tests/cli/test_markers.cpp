// The verb `markers` and `info` on takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/math.h"
#include "cli/run.h"
#include "cutis/io.h"
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

// Two groups of points that stay far apart look like two subjects; a map that names all of them knows better.
TEST(CliMarkers, AMapSaysWhoseMarkersAreMeant) {
  const TemporaryFolder folder;
  json places, frames = json::array();
  for (int i = 0; i < 12; ++i)
    places["a" + std::to_string(i)] = places["b" + std::to_string(i)] = {{"vertex", 5 + 20 * i}};
  std::ofstream(folder.file("map.json")) << json{{"markers", places}};
  for (int f = 0; f < 4; ++f) {
    json frame;
    for (int i = 0; i < 12; ++i) {
      const double x = 0.05 * i, y = 0.01 * f;
      frame["a" + std::to_string(i)] = {x, y, 0.02 * (i % 3)};
      frame["b" + std::to_string(i)] = {x + 6, y, 0.02 * (i % 3)};
    }
    frames.push_back(frame);
  }
  std::ofstream(folder.file("two.json")) << json{{"rate", 10}, {"frames", frames}};
  const std::string two = "markers builtin:arm --take " + folder.file("two.json") + " --map " +
                          folder.file("map.json") + " --json --write-map " + folder.file("out.json");
  const Result r = run(two);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, Not(HasSubstr("subjects")));
  EXPECT_THAT(run(two + " --subject Carl").err, HasSubstr("Carl"));
}

// Editing: a few targets a frame, placed by a map. The shoulder stays, the wrist is drawn up: the elbow bends.
TEST(CliMarkers, AFewTargetsEditAnArm) {
  const TemporaryFolder folder;
  const Vec3d from{0.56, 0, 0}, to{0.45, 0.2, 0.05};
  std::ofstream(folder.file("map.json"))
      << R"({"markers": {"root": {"bone": "upper_arm"}, "wrist": {"bone": "hand"}, "skin": {"vertex": 5}}})";
  json frames = json::array();
  for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0, 1.0}) {
    const Vec3d at = from + (to - from) * t;
    frames.push_back({{"root", {0, 0, 0}}, {"wrist", {at.x, at.y, at.z}}});
  }
  std::ofstream(folder.file("edit.json")) << json{{"rate", 10}, {"frames", frames}};
  const Result r = run("markers builtin:arm --take " + folder.file("edit.json") + " --map " + folder.file("map.json") +
                       " --fps 10 --resolution 300 --json --skin dqs -o " + folder.file("edit.pc2") + " --sheet " +
                       folder.file("edit.png") + " --sheet-frames 2 --plots " + folder.file("plots.png"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["frames"], frames.size());
  ASSERT_EQ(j["per_frame"].size(), frames.size());
  for (const json& frame : j["per_frame"]) {
    EXPECT_EQ(frame["markers"], 2);
    EXPECT_LT(frame["marker_worst"], 0.008) << "of an arm of 0.78 m";
  }
  EXPECT_EQ(j["summary"]["flipped_tetrahedra"], 0);
  // Targets are reached to 0.2 mm: the first one is at full stretch.
  EXPECT_LT(j["summary"]["bone_length_worst"], 0.04);
  EXPECT_TRUE(std::filesystem::exists(folder.file("edit.png")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("plots.png")));

  // The same by the surface alone: it follows, and says nothing of what it does not have.
  const std::string edit = "markers builtin:arm --take " + folder.file("edit.json") + " --map " +
                           folder.file("map.json") + " --fps 10 --skin surface --json -o " + folder.file("surface.pc2");
  const Result surface = run(edit);
  ASSERT_EQ(surface.exit_code, 0) << surface.err;
  const json s = json::parse(surface.out);
  EXPECT_EQ(s["skin"], "surface");
  EXPECT_TRUE(s["control_mesh"].is_null());
  EXPECT_TRUE(s["summary"]["bone_length_error"].is_null());
  EXPECT_LT(s["summary"]["marker_rms"], 0.02);
  EXPECT_FALSE(s["contact_pass"]);
  EXPECT_THAT(run(edit + " --control").err, HasSubstr("no control mesh"));

  // The skin around the wrist went where the target is, whatever the report says. PC2: 32 bytes, then floats.
  const Context context;
  const Character arm = load_character("builtin:arm", context);
  const std::string file = read_all(folder.file("edit.pc2"));
  const std::size_t count = arm.vertex_count();
  ASSERT_EQ(file.size(), 32 + frames.size() * count * 12);
  std::vector<float> numbers((file.size() - 32) / 4);
  std::memcpy(numbers.data(), file.data() + 32, file.size() - 32);
  const float* last = numbers.data() + 3 * count * (frames.size() - 1);
  Vec3d moved;
  double vertices = 0;
  for (std::size_t v = 0; v < count; ++v) {
    const Vec3f& p = arm.meshes[0].positions[v];
    if (std::abs(p.x - 0.56) > 0.01) continue;
    moved += Vec3d{last[3 * v], last[3 * v + 1], last[3 * v + 2]} - static_cast<Vec3d>(p);
    ++vertices;
  }
  ASSERT_GT(vertices, 20);
  EXPECT_LT(length(moved / vertices - (to - from)), 0.025) << "of a way of 0.23 m";
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
