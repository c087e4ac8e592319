// The program as a user meets it: exit codes, one sentence on stderr, one JSON document on stdout, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run.h"
#include "support/support.h"

namespace cutis {
namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Cli, ShowsHelpWithExamplesForEveryVerb) {
  for (const char* verb : {"", "animate", "bench", "bind", "compare", "demo", "fields", "info", "markers", "measure",
                           "operators", "options", "register", "render", "weights", "completions", "man"}) {
    const Result r = run(std::string(verb) + " --help");
    EXPECT_EQ(r.exit_code, 0) << verb;
    EXPECT_THAT(r.out, HasSubstr("Example")) << verb;
    EXPECT_THAT(r.out, HasSubstr("cutis ")) << verb;
  }
  EXPECT_THAT(run("--version").out, HasSubstr("0.1"));
}

TEST(Cli, CompletesVerbsFlagsAndChoicesInBash) {
  const TemporaryFolder folder;
  const Result script = run("completions bash");
  ASSERT_EQ(script.exit_code, 0) << script.err;
  std::ofstream(folder.file("complete.sh")) << script.out << R"(
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_cutis
printf '%s\n' "${COMPREPLY[@]}"
)";
  const auto complete = [&](const std::string& words) {
    const std::string out = folder.file("out");
    EXPECT_EQ(std::system(("bash " + folder.file("complete.sh") + " cutis " + words + " > " + out).c_str()), 0);
    std::ifstream in(out);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  EXPECT_EQ(complete("anim"), "animate\n");
  EXPECT_EQ(complete("animate --his"), "--history\n");
  EXPECT_EQ(complete("animate x.glb --history cano"), "canonical\n");
  EXPECT_EQ(complete("animate builtin : hu"), "human\n");
  EXPECT_EQ(complete("measure --bogus"), "\n");
}

TEST(Cli, NamesEveryVerbAndFlagInTheManualPageAndTheCompletions) {
  const std::string manual = run("man").out, zsh = run("completions zsh").out, fish = run("completions fish").out;
  for (const std::string verb : {"animate", "bench", "bind", "compare", "demo", "fields", "info", "markers", "measure",
                                 "operators", "register", "render", "weights"}) {
    EXPECT_THAT(manual, HasSubstr(".SS \"cutis " + verb));
    EXPECT_THAT(zsh, HasSubstr("    " + verb + ")\n"));
    EXPECT_THAT(fish, HasSubstr("-a " + verb + " "));
  }
  EXPECT_THAT(manual, HasSubstr("\\-\\-history playback|\\:stateless|\\:canonical"));
  EXPECT_THAT(fish, HasSubstr("-l history -x -a 'playback stateless canonical'"));
  EXPECT_THAT(zsh, HasSubstr(":value:(playback stateless canonical)"));
  EXPECT_EQ(run("completions tcsh").exit_code, 2);
}

TEST(Cli, MeasuresContactAndExplainsIntersections) {
  const Result with =
      run("measure builtin:cylinder --clip bend --frames 4 --methods dqs --contact-pass --relief off --explain --json");
  ASSERT_EQ(with.exit_code, 0) << with.err;
  const json contact = json::parse(with.out).at("methods").at("dqs+contact");
  EXPECT_EQ(contact.at("summary").at("intersecting_pairs").at("worst"), 0);
  EXPECT_TRUE(contact.at("explained").empty());
  for (const json& frame : contact.at("frames")) EXPECT_TRUE(frame.at("contact").at("certified").get<bool>());
  const Result without = run("measure builtin:hand --clip fist --frames 3 --methods dqs --explain");
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("by cause"));
  EXPECT_EQ(run("measure builtin:cylinder --relief maybe").exit_code, 2);
}

TEST(Cli, WritesContactWhereThereIsSomeAndRoomForIt) {
  const TemporaryFolder folder;
  const auto animate = [&](const std::string& options, const std::string& name) {
    return run("animate builtin:cylinder --clip bend --frames 3 --contact-data " + options + " -o " +
               folder.file(name));
  };
  const Result written = animate("", "bend.usda");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  std::ifstream in(folder.file("bend.usda"));
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_THAT(text, HasSubstr("primvars:contactDepth"));
  for (const auto& [options, name, sentence] :
       {std::tuple{"", "bend.pc2", "no room for contact"}, std::tuple{"--method dqs", "a.glb", "add --contact-pass"},
        std::tuple{"--history stateless", "b.glb", "playback or canonical"}}) {
    const Result refused = animate(options, name);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr(sentence));
    EXPECT_FALSE(std::filesystem::exists(folder.file(name)));
  }
}

TEST(Cli, MeasuresHistoriesSideBySide) {
  const std::string arguments =
      "measure builtin:cylinder --clip bend --frames 6 --methods tracking --history playback,canonical";
  const Result r = run(arguments + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json document = json::parse(r.out);
  EXPECT_TRUE(document["methods"].contains("tracking/playback"));
  EXPECT_TRUE(document["methods"].contains("tracking/canonical"));
  ASSERT_EQ(document["history_differences"].size(), 1U);
  const auto& difference = document["history_differences"][0];
  EXPECT_EQ(difference["a"], "playback");
  EXPECT_EQ(difference["b"], "canonical");
  ASSERT_EQ(difference["frames"].size(), 6U);
  EXPECT_EQ(difference["frames"][0]["max"], 0.0);  // at rest
  double largest = 0;
  for (const auto& frame : difference["frames"]) largest = std::max(largest, frame["max"].get<double>());
  EXPECT_EQ(difference["summary"]["max"], largest);
  EXPECT_GT(largest, 0.001);
  EXPECT_LT(largest, 10);
  EXPECT_THAT(run(arguments).out, HasSubstr("playback-canonical mean"));
  EXPECT_THAT(run("measure builtin:cylinder --methods dqs --history playback,canonical").err, HasSubstr("tracking"));
  EXPECT_THAT(run("measure builtin:cylinder --history yesterday").err, HasSubstr("stateless"));
}

TEST(Cli, AnimatesWithTheMusclesAndRegionsOfAPreset) {
  const TemporaryFolder folder;
  const std::string preset = folder.file("strong.json");
  ASSERT_EQ(run("bind builtin:arm --biceps --write-preset " + preset).exit_code, 0);
  EXPECT_EQ(json::parse(read_all(preset))["muscles"].size(), 1U);
  std::ofstream(folder.file("stiff.json")) << R"({"regions": [{"name": "sleeve", "joints": ["forearm"]}]})";
  const auto animated = [&](const std::string& options, const std::string& name) {
    const Result r =
        run("animate builtin:arm --clip elbow --frames 4 --no-contact-pass " + options + " -o " + folder.file(name));
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return read_all(folder.file(name));
  };
  const std::string plain = animated("", "plain.pc2"), strong = animated("-p " + preset, "strong.pc2"),
                    stiff = animated("-p " + folder.file("stiff.json"), "stiff.pc2");
  EXPECT_EQ(plain.size(), strong.size());
  EXPECT_NE(plain, strong);
  EXPECT_NE(plain, stiff);
  // Header, then the first frame: the rest pose.
  const std::size_t frame = (plain.size() - 32) / 4;
  EXPECT_EQ(plain.substr(32, frame), strong.substr(32, frame));
  std::ofstream(folder.file("wrong.json")) << R"({"muscles": [{"name": "m", "joint": "tail"}]})";
  const Result wrong = run("animate builtin:arm -p " + folder.file("wrong.json") + " -o " + folder.file("x.pc2"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("from"));
  EXPECT_EQ(run("bind builtin:cylinder --biceps --write-preset " + folder.file("y.json")).exit_code, 1);
}

TEST(Cli, AnswersWrongUsageWithTwoAndOneSentence) {
  for (const char* wrong : {"", "dance", "info", "animate builtin:arm", "animate builtin:arm -o x.glb --frames 0",
                            "animate builtin:arm -o x.glb --frames 3 --fps 10", "render builtin:arm -o x.jpg",
                            "info builtin:arm --no-such-option", "render builtin:arm --color mood -o x.png"}) {
    const Result r = run(wrong);
    EXPECT_EQ(r.exit_code, 2) << wrong;
    EXPECT_EQ(lines(r.err), 1U) << wrong << "\n" << r.err;
    EXPECT_THAT(r.out, testing::IsEmpty()) << wrong;
  }
}

TEST(Cli, AnswersBadInputWithOneAndOneSentenceThatNamesIt) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("empty.glb"));
  std::ofstream(folder.file("text.glb")) << "this is no character";
  std::ofstream(folder.file("bad.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
  const struct {
    std::string arguments, names;
  } cases[] = {
      {"info " + folder.file("absent.glb"), "absent.glb"},
      {"info " + folder.file("empty.glb"), "empty.glb"},
      {"info " + folder.file("text.glb"), "text.glb"},
      {"info " + folder.file("bad.obj"), "bad.obj"},
      {"info " + folder.path().string(), "folder"},
      {"info builtin:nobody", "human"},
      {"animate builtin:arm --clip dance -o " + folder.file("x.glb"), "elbow"},
      {"animate builtin:arm --method magic -o " + folder.file("x.glb"), "lbs, dqs"},
      {"animate builtin:arm -o " + folder.file("x.avi"), ".glb"},
      {"animate builtin:arm -o " + folder.file("no/such/x.glb"), "no/such"},
      {"animate builtin:arm --backend abacus -o " + folder.file("x.glb"), "scalar, simd"},
      {"render builtin:arm --size 3x -o " + folder.file("x.png"), "--size"},
      {"render builtin:arm --color weights --bone tail -o " + folder.file("x.png"), "tail"},
      {"render builtin:arm --color residual -o " + folder.file("x.png"), "residual"},
      {"animate builtin:hand --spheres " + folder.file("text.glb") + " -o " + folder.file("x.pc2"), "not JSON"},
      {"animate builtin:hand --spheres " + folder.file("none.json") + " -o " + folder.file("x.pc2"), "none.json"},
      {"compare " + folder.file("text.glb") + " " + folder.file("text.glb"), "measure"},
  };
  for (const auto& c : cases) {
    const Result r = run(c.arguments);
    EXPECT_EQ(r.exit_code, 1) << c.arguments << r.err;
    EXPECT_EQ(lines(r.err), 1U) << c.arguments << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(c.names)) << c.arguments;
    EXPECT_THAT(r.out, testing::IsEmpty()) << c.arguments;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator{}), 3)
      << "a failed run left a file behind";
}

TEST(Cli, NeverOverwritesItsInput) {
  const TemporaryFolder folder;
  const std::string file = folder.file("hand.glb");
  ASSERT_EQ(run("animate builtin:hand --frames 2 -o " + file).exit_code, 0);
  const std::string before = read_all(file);
  const Result r = run("animate " + file + " -o " + file);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("input"));
  EXPECT_EQ(read_all(file), before);
}

TEST(Measure, ReportsStatesAndResidualsOfImplicitSkinning) {
  const Result r = run("measure builtin:cylinder --clip bend --frames 3 --methods dqs,implicit --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  const json& frame = j["methods"]["implicit"]["frames"][1];
  EXPECT_GT(frame["states"]["contact"], 10);
  EXPECT_GT(frame["states"]["rigid"], 100);
  EXPECT_LE(frame["iso_residual_p95"], 1e-3);
  EXPECT_FALSE(j["methods"]["dqs"]["frames"][1].contains("states"));
}

TEST(Measure, TakesFramesOfOtherProgramsAsItTakesItsOwn) {
  const TemporaryFolder folder;
  const std::string motion = "builtin:cylinder --clip bend --frames 3 ", file = folder.file("theirs.pc2");
  ASSERT_EQ(run("animate " + motion + "--method ddm -o " + file).exit_code, 0);
  const Result r = run("measure " + motion + "--methods ddm --external theirs=" + file + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  json j = json::parse(r.out);
  json own = j["methods"]["ddm"]["summary"], theirs = j["methods"]["theirs"]["summary"];
  EXPECT_GT(own["ms"]["median"], 0);
  EXPECT_FALSE(theirs.contains("ms")) << "nobody knows what it took";
  EXPECT_GT(own["intersecting_pairs"]["worst"], 0);
  own.erase("ms");
  EXPECT_EQ(own, theirs);

  const Result few = run("measure " + motion + "--methods lbs --external x=" + file + " --frames 4");
  EXPECT_EQ(few.exit_code, 2) << "--frames twice";
  const Result other = run("measure builtin:cylinder --clip bend --frames 4 --methods lbs --external x=" + file);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("has 3 frames of"));
  const Result taken = run("measure " + motion + "--methods lbs --external lbs=" + file);
  EXPECT_EQ(taken.exit_code, 1);
  EXPECT_THAT(taken.err, HasSubstr("is taken"));
  const Result nameless = run("measure " + motion + "--methods lbs --external " + file);
  EXPECT_EQ(nameless.exit_code, 1);
  EXPECT_THAT(nameless.err, HasSubstr("NAME=FILE.pc2"));
  std::ofstream(folder.file("short.pc2"), std::ios::binary) << read_all(file).substr(0, 1000);
  const Result cut = run("measure " + motion + "--methods lbs --external x=" + folder.file("short.pc2"));
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_THAT(cut.err, HasSubstr("968 bytes"));
}

TEST(Animate, FollowsTrackedSpheres) {
  const TemporaryFolder folder;
  // Three spheres of the cylinder: its joints, and the top of the upper bone, which swings to -X.
  std::ofstream(folder.file("track.json"))
      << R"({"fps": 2, "spheres": ["lower", "upper", {"joint": "upper", "rest": [0, 0.8, 0]}, {"joint": "lower", "rest": [0.1, 0.1, 0]}],
      "frames": [[[0, 0, 0], [0, 0.45, 0], [0, 0.8, 0], [0.1, 0.1, 0]], [[0, 0, 0], [0, 0.45, 0], [-0.35, 0.45, 0], [0.1, 0.1, 0]]]})";
  const Result r = run("animate builtin:cylinder --spheres " + folder.file("track.json") +
                       " --method implicit --frames 2 --json -o " + folder.file("x.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["frames"], 2);
  EXPECT_EQ(j["nonfinite"], 0);
  EXPECT_EQ(
      run("animate builtin:cylinder --spheres " + folder.file("track.json") + " --clip bend -o " + folder.file("y.pc2"))
          .exit_code,
      2);
}

TEST(Spheres, MakesATrackFitsACharacterToItAndAnimatesIt) {
  const TemporaryFolder folder;
  const std::string track = folder.file("track.json"), fitted = folder.file("fitted.glb");
  const Result made = run("spheres builtin:hand:2000 --clip fist --frames 6 --noise 0.0005 --gaps 0.15 --make-track " +
                          track + " --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json m = json::parse(made.out)["made"];
  EXPECT_EQ(m["frames"], 6);
  EXPECT_LT(m["seen"], m["centres"]);
  EXPECT_GT(m["seen"].get<double>(), 0.6 * m["centres"].get<double>());
  // Seen from a hand that is a fifth larger.
  json larger = json::parse(read_all(track));
  for (json& frame : larger["frames"])
    for (json& center : frame["centers"])
      if (!center.is_null())
        for (json& x : center) x = 1.2 * x.get<double>();
  std::ofstream(track) << larger.dump();
  const Result followed = run("spheres builtin:hand:2000 --spheres " + track + " --fit --fitted " + fitted +
                              " --frames 3 -o " + folder.file("x.pc2") + " --json");
  ASSERT_EQ(followed.exit_code, 0) << followed.err;
  const json f = json::parse(followed.out);
  EXPECT_NEAR(f["followed"]["fit"]["size"].get<double>(), 1.2, 0.03);
  EXPECT_LT(f["followed"]["miss"]["mean"], 0.0015);
  EXPECT_GT(f["followed"]["fit"]["miss_before"], 5 * f["followed"]["fit"]["miss_after"].get<double>());
  EXPECT_EQ(f["animated"]["frames"], 3);
  EXPECT_EQ(f["animated"]["nonfinite"], 0);
  const json info = json::parse(run("info " + fitted + " --json").out);
  EXPECT_EQ(info["clips"].back()["name"], "fist tracked");
  EXPECT_EQ(run("spheres builtin:hand:2000").exit_code, 2);
  EXPECT_EQ(run("spheres builtin:hand:2000 --noise 1 --spheres " + track).exit_code, 2);  // of a track that is made
}

TEST(Spheres, WritesAModelThatOtherVerbsTake) {
  const TemporaryFolder folder;
  const std::string model = folder.file("model.json");
  const Result written = run("spheres builtin:cylinder --model " + model + " --json");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_GE(json::parse(written.out)["model"]["spheres"], 3);
  const Result bound =
      run("bind builtin:cylinder --sphere-model " + model + " --write-preset " + folder.file("p.json") + " --json");
  ASSERT_EQ(bound.exit_code, 0) << bound.err;
  const json report = json::parse(bound.out);
  ASSERT_FALSE(report["parts"].empty());
  for (const json& part : report["parts"]) EXPECT_EQ(part["shape"], part["vertices"] > 0 ? "spheres" : "none");
  EXPECT_EQ(json::parse(read_all(folder.file("p.json")))["spheres"]["blocks"], json::parse(read_all(model))["blocks"]);
  const Result drawn =
      run("render builtin:cylinder --sphere-model " + model + " --balls --size 64x64 -o " + folder.file("x.png"));
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  const Result none = run("render builtin:cylinder --balls --size 64x64 -o " + folder.file("y.png"));
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("made of no spheres"));
  const Result wrong = run("bind builtin:arm --sphere-model " + model + " -o " + folder.file("x.rig"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("has no joint"));
}

TEST(Render, DrawsBlendingWeightsOfMethodsWithAField) {
  const TemporaryFolder folder;
  const std::string view =
      "render builtin:cylinder --clip bend --at 0.8 --size 96x96 --color blend -o " + folder.file("x.png");
  const Result drawn = run(view + " --methods implicit");
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(run(view + " --methods dqs").err, HasSubstr("follow a field"));
}

TEST(Info, PrintsOneJsonDocumentWithTheCounts) {
  const Result r = run("info builtin:cylinder --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["bones"], 2);
  EXPECT_EQ(j["components"], 1);
  EXPECT_EQ(j["boundary_loops"], 0);
  EXPECT_EQ(j["vertices"], j["welded_vertices"]);
  EXPECT_EQ(j["clips"][0]["name"], "bend");
  EXPECT_GT(j["clips"][0]["seconds"], 0.5);
  EXPECT_TRUE(j["closed"]);
}

TEST(Info, SaysWhatIsWrongWithNastyMeshes) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string nasty = (test::shared_data() / "nasty_meshes").string() + "/";
  const auto info = [&](const char* file) { return json::parse(run("info " + nasty + file + " --json").out); };
  EXPECT_EQ(info("fan3.obj")["nonmanifold_edges"], 1);
  EXPECT_EQ(info("hourglass_ico.obj")["nonmanifold_vertices"], 1);
  EXPECT_EQ(info("hole_capsule.off")["boundary_loops"], 3);
  EXPECT_EQ(info("platonic_shelf.obj")["components"], 5);
  const json pin = info("bowling_pin_degenerate.glb");
  EXPECT_EQ(pin["vertices"], 625);
  EXPECT_EQ(pin["welded_vertices"], 481);
  EXPECT_EQ(pin["degenerate_triangles"], 32);
  const json bucket = info("pumpkin_bucket_nonmanifold.glb");
  EXPECT_EQ(bucket["welded_vertices"], 1343);
  EXPECT_EQ(bucket["components"], 21);
  EXPECT_EQ(bucket["nonmanifold_edges"], 31);
}

TEST(Info, TellsWhatIsInAMotion) {
  CUTIS_NEEDS_SHARED_DATA();
  const Result r = run("info " + (test::shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string() + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["joints"], 31);
  EXPECT_EQ(j["frames"], 344);
  EXPECT_NEAR(j["fps"].get<double>(), 120, 0.1);
}

TEST(Animate, SamplesFramesFromFirstToLastKeyAndReportsThem) {
  const TemporaryFolder folder;
  const Result r = run("animate builtin:arm --clip elbow --frames 7 --json -o " + folder.file("arm.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["frames"], 7);
  EXPECT_EQ(j["nonfinite"], 0);
  EXPECT_GT(j["iterations"].get<double>(), 1);
  EXPECT_EQ(std::filesystem::file_size(folder.file("arm.pc2")), 32 + 7 * 12 * j["vertices"].get<std::size_t>());
  const Result plain =
      run("animate builtin:arm --clip elbow --frames 2 --method lbs --json -o " + folder.file("lbs.pc2"));
  EXPECT_FALSE(json::parse(plain.out).contains("iterations")) << "linear blending has none";
}

TEST(Animate, WritesTheSameBytesForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  for (const char* method : {"lbs", "dqs"}) {
    for (const char* threads : {"1", "2"})
      ASSERT_EQ(run(std::string("animate builtin:hand --clip fist --frames 5 --method ") + method + " --threads " +
                    threads + " -o " + folder.file(std::string(method) + threads + ".pc2"))
                    .exit_code,
                0);
    EXPECT_EQ(read_all(folder.file(std::string(method) + "1.pc2")),
              read_all(folder.file(std::string(method) + "2.pc2")));
  }
}

TEST(Animate, SaysWhyABackEndCannotRun) {
  if (why_unusable(Backend::cuda).empty()) GTEST_SKIP() << "there is a device here";
  const TemporaryFolder folder;
  const Result r = run("animate builtin:arm --backend cuda -o " + folder.file("x.glb"));
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(lines(r.err), 1U) << r.err;
  EXPECT_THAT(r.err, HasSubstr("back end"));
  EXPECT_THAT(r.err, HasSubstr("cuda"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.glb")));
}

TEST(Animate, WritesTheSameBytesForEveryBackEndOfSkinning) {
  const TemporaryFolder folder;
  for (const char* method : {"lbs", "dqs"}) {
    for (const char* backend : {"scalar", "simd"})
      ASSERT_EQ(run(std::string("animate builtin:hand --clip fist --frames 5 --method ") + method + " --backend " +
                    backend + " -o " + folder.file(std::string(method) + backend + ".pc2"))
                    .exit_code,
                0);
    EXPECT_EQ(read_all(folder.file(std::string(method) + "scalar.pc2")),
              read_all(folder.file(std::string(method) + "simd.pc2")));
  }
}

TEST(Animate, HoldsTheDefaultPoseOfAFileWithoutClipsAndSaysSo) {
  CUTIS_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const Result r = run("animate " + (test::shared_data() / "hand_webxr/left_original.glb").string() +
                       " --frames 3 -o " + folder.file("still.glb"));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("no clip"));
}

TEST(Animate, FollowsABvh) {
  CUTIS_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const Result r = run("animate " + (test::shared_data() / "makehuman_male/makehuman_male.glb").string() + " --bvh " +
                       (test::shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string() +
                       " --method dqs --frames 4 --json -o " + folder.file("walk.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["clip"], "02_01_walk");
  ASSERT_EQ(report["joints"].size(), 22U);
  EXPECT_EQ(report["joints"][1]["joint"], "thigh_l");
  EXPECT_EQ(report["joints"][1]["motion_joint"], "LeftUpLeg");
  EXPECT_EQ(report["joints"][1]["role"], "left upper leg");
  EXPECT_GT(report["joints"][1]["confidence"], 0.9);
}

TEST(Animate, FollowsAClipOfAnotherCharacter) {
  CUTIS_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const std::string body = (test::shared_data() / "makehuman_male/makehuman_male.glb").string();
  const auto animate = [&](const std::string& flags) {
    return run("animate " + (test::shared_data() / "rigged_figure/rigged_figure.glb").string() + flags +
               " --method dqs --frames 2 --json -o " + folder.file("out.pc2"));
  };
  const Result r = animate(" --bvh " + body + " --bvh-clip deep_squat");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["clip"], "deep_squat");
  const Result by_number = animate(" --motion " + body + " --bvh-clip 16");
  ASSERT_EQ(by_number.exit_code, 0) << by_number.err;
  EXPECT_EQ(json::parse(by_number.out)["clip"], "cmu_02_01_walk");
  const Result none = animate(" --bvh " + body + " --bvh-clip dance");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, ::testing::AllOf(HasSubstr("no clip 'dance'"), HasSubstr("fist_both")));
  EXPECT_EQ(animate(" --bvh-clip dance").exit_code, 2);
}

TEST(Animate, SaysWhichJointsTakeTheMotion) {
  CUTIS_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  const Result r = run("animate " + (test::shared_data() / "cesium_man/cesium_man.glb").string() + " --bvh " +
                       (test::shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string() +
                       " --method dqs --frames 2 -o " + folder.file("walk.pc2"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out + r.err, HasSubstr("19 joints take the motion"));
  EXPECT_THAT(r.out + r.err, HasSubstr("leg_joint_R_2 < RightLeg 0."));
}

TEST(Render, DrawsAStillAndASheet) {
  const TemporaryFolder folder;
  ASSERT_EQ(run("render builtin:cylinder --size 64x48 -o " + folder.file("still.png")).exit_code, 0);
  const Result sheet = run("render builtin:cylinder --clip twist --frames 3 --methods lbs,dqs --size 64x48 --json -o " +
                           folder.file("sheet.png"));
  ASSERT_EQ(sheet.exit_code, 0) << sheet.err;
  EXPECT_GT(json::parse(sheet.out)["width"], 3 * 64);
  EXPECT_EQ(read_all(folder.file("still.png")).substr(1, 3), "PNG");
}

TEST(Render, ColoursFaultsAndZoomsInOnTheWorst) {
  const TemporaryFolder folder;
  const auto picture = [&](const std::string& options) {
    const std::string file = folder.file("p.png");
    const Result r =
        run("render builtin:cylinder --clip bend --at 1.5 --methods lbs --size 96x96 " + options + " -o " + file);
    EXPECT_EQ(r.exit_code, 0) << options << r.err;
    return read_all(file);
  };
  const std::string plain = picture("");
  for (const char* options :
       {"--color stretch", "--color overlap", "--color intersections", "--color scars", "--zoom worst"})
    EXPECT_NE(picture(options), plain) << options;
}

TEST(Cli, ShapesTheJointsOfTrackingByAnOperator) {
  const TemporaryFolder folder;
  const auto bent = [&](const std::string& options) {
    const std::string out = folder.file("bent.pc2");
    const Result r = run("animate builtin:cylinder --clip bend --frames 3 -o " + out + " " + options);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return read_all(out);
  };
  const std::string plain = bent("");
  EXPECT_NE(bent("--operator bulge"), plain);
  EXPECT_EQ(bent("--operator contact"), plain);
  std::ofstream(folder.file("p.json")) << R"({"all_joints": {"operator": "bulge"}})";
  EXPECT_EQ(bent("-p " + folder.file("p.json")), bent("--operator bulge"));
}

TEST(Render, PicksTheFrameInWhichMethodsDifferMostAndPutsThemSideBySide) {
  const TemporaryFolder folder;
  const auto size = [&](const std::string& options) {
    const Result r =
        run("render builtin:cylinder --clip bend --size 80x80 --json -o " + folder.file("p.png") + " " + options);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    const json j = json::parse(r.out);
    return std::pair<int, int>(j["width"], j["height"]);
  };
  // At rest all methods agree, at 150 degrees they do not: the picture of nine frames is that of the fifth.
  const auto sheet = size("--methods lbs,dqs --frames 9 --pick 1 --zoom differ --numbers");
  const std::string picked = read_all(folder.file("p.png"));
  EXPECT_GT(sheet.first, 2 * sheet.second * 2 / 3) << "side by side";
  (void)size("--methods lbs,dqs --at 1 --zoom differ --numbers");
  EXPECT_EQ(read_all(folder.file("p.png")), picked);
  (void)size("--methods lbs,dqs --at 1 --zoom differ");
  EXPECT_NE(read_all(folder.file("p.png")), picked) << "no numbers";
  EXPECT_GT(size("--methods lbs,dqs --frames 9 --pick 3").first, size("--methods lbs,dqs --frames 9 --pick 2").first);
  EXPECT_EQ(run("render builtin:cylinder --pick 0 -o " + folder.file("p.png")).exit_code, 2);
}

TEST(Render, ShowsTheColoursOfAFileThatHasSomeUnlessSkinIsAskedFor) {
  const TemporaryFolder folder;
  const auto picture = [&](const std::string& file, const std::string& options) {
    const Result r = run("render " + file + " --size 64x64 " + options + " -o " + folder.file("p.png"));
    EXPECT_EQ(r.exit_code, 0) << options << r.err;
    return read_all(folder.file("p.png"));
  };
  const std::string file = folder.file("square.ply");
  std::ofstream(file) << "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                         "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
                         "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                         "0 0 0 255 0 0\n1 0 0 0 255 0\n1 1 0 0 0 255\n0 1 0 255 255 0\n4 0 1 2 3\n";
  EXPECT_EQ(picture(file, ""), picture(file, "--color texture"));
  EXPECT_NE(picture(file, ""), picture(file, "--color shade"));
  EXPECT_EQ(picture("builtin:cylinder", ""), picture("builtin:cylinder", "--color shade"));
}

TEST(Measure, ReportsEveryMethodPerFrameAndInSum) {
  const TemporaryFolder folder;
  const Result r = run("measure builtin:cylinder --clip bend --frames 5 --reverse --json --csv " +
                       folder.file("m.csv") + " --plot " + folder.file("m.png") + " -o " + folder.file("m.json"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["frames"], 5);
  for (const char* method : {"lbs", "dqs"}) {
    const json& m = j["methods"][method];
    ASSERT_EQ(m["frames"].size(), 5U);
    for (const char* metric : {"intersecting_pairs", "overlap", "rest_overlap", "volume_change", "folds", "stretch_p95",
                               "stretch_max", "stretch_p1", "nonfinite"})
      EXPECT_TRUE(m["frames"][2].contains(metric)) << metric;
    EXPECT_TRUE(m["summary"].contains("scars"));
    EXPECT_EQ(m["frames"][0]["intersecting_pairs"], 0);
    EXPECT_GT(m["summary"]["intersecting_pairs"]["worst"], 0) << "a bend by 150 degrees runs into itself";
    EXPECT_EQ(m["summary"]["intersecting_pairs"]["worst_frame"], 2);
    EXPECT_EQ(m["summary"]["path"]["max"], 0.0);
    EXPECT_EQ(m["summary"]["return_to_rest"]["max"], 0.0);
    EXPECT_EQ(m["summary"]["nonfinite"]["worst"], 0);
  }
  EXPECT_EQ(j["methods"]["lbs"]["summary"]["pop"], 1.0);
  EXPECT_EQ(j["methods"]["tracking"]["summary"]["intersecting_pairs"]["worst"], 0);
  EXPECT_EQ(lines(read_all(folder.file("m.csv"))), 16U);
  EXPECT_EQ(json::parse(read_all(folder.file("m.json")))["methods"], j["methods"]);
}

TEST(Measure, PlaysTheMotionAgainForWhatOneRunCannotTell) {
  const TemporaryFolder folder;
  const auto measure = [](const std::string& more) {
    const Result r = run("measure builtin:cylinder --clip bend --frames 5 --methods dqs,tracking --json " + more);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(r.out)["methods"];
  };
  const json plain = measure(""), all = measure("--also untouched,memory,settled --plot " + folder.file("m.png"));
  for (const char* metric : {"untouched", "memory", "settled"}) {
    EXPECT_FALSE(plain["tracking"]["summary"].contains(metric)) << metric;
    EXPECT_TRUE(all["tracking"]["summary"].contains(metric)) << metric;
  }
  EXPECT_EQ(all["tracking"]["frames"][0]["untouched"], 0);
  EXPECT_FALSE(all["tracking"]["frames"][2].contains("memory")) << "skin touches skin at 150 degrees";
  EXPECT_FALSE(all["dqs"]["summary"].contains("untouched"));
  EXPECT_EQ(all["dqs"]["summary"]["settled"], 0);
  EXPECT_EQ(plain["dqs"]["summary"]["scars"]["worst"], 0) << "DQS against itself";
  for (const char* frame : {"volume_change", "intersecting_pairs", "stretch_max"})
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(plain["tracking"]["frames"][i][frame], all["tracking"]["frames"][i][frame]) << "the same run";
  EXPECT_EQ(run("measure builtin:cylinder --also all").exit_code, 1);
}

TEST(Compare, TellsBetterFromWorse) {
  const TemporaryFolder folder;
  ASSERT_EQ(run("measure builtin:cylinder --clip bend --frames 3 --methods lbs -o " + folder.file("a.json")).exit_code,
            0);
  json report = json::parse(read_all(folder.file("a.json")));
  auto& summary = report["methods"]["lbs"]["summary"];
  summary["intersecting_pairs"]["worst"] = 0;
  summary["folds"]["worst"] = 100000;
  std::ofstream(folder.file("b.json")) << report;
  const Result r = run("compare " + folder.file("a.json") + " " + folder.file("b.json") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["better"], 1);
  EXPECT_EQ(j["worse"], 1);
  EXPECT_EQ(json::parse(run("compare " + folder.file("a.json") + " " + folder.file("a.json") + " --json").out)["worse"],
            0);
}

TEST(Cli, MakesWeightsThatTheOtherVerbsRead) {
  const TemporaryFolder folder;
  const std::string output = folder.file("arm.glb");
  const Result r = run("weights builtin:arm --method heat --max-influences 2 --smooth 2 --json -o " + output);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  for (const char* key : {"seconds", "fallbacks", "mirror", "influences", "smoothness", "parts", "warnings"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_LE(report["influences"].size(), 3U);
  const json info = json::parse(run("info --json " + output).out);
  EXPECT_EQ(info["weights"]["max_influences"], 2);
  EXPECT_EQ(info["vertices"], report["vertices"]);

  EXPECT_EQ(run("weights builtin:arm --max-influences 0 -o " + output).exit_code, 2);
  const Result unknown = run("weights builtin:arm --method magic -o " + output);
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("heat"));
  EXPECT_EQ(run("weights builtin:arm -o " + folder.file("arm.obj")).exit_code, 1);
}

TEST(Cli, DrawsOperatorsAndControllers) {
  const TemporaryFolder folder;
  const std::string output = folder.file("operators.png");
  ::setenv("XDG_CACHE_HOME", folder.file("cache").c_str(), 1);
  const json first = json::parse(run("operators --json -o " + output).out);
  EXPECT_EQ(first["operators"].size(), 5U);
  EXPECT_GT(std::filesystem::file_size(output), 50000U);
  const json again = json::parse(run("operators --kind contact --json -o " + output).out);
  EXPECT_EQ(again["operators"][0]["from_cache"], true);
  ::unsetenv("XDG_CACHE_HOME");

  std::ofstream(folder.file("soft.json")) << R"({"name": "soft", "points": [[0.5, 0], [0.5, 0.2], [0.4, 0.4]]})";
  EXPECT_EQ(
      run("operators --kind profile --no-cache --profile " + folder.file("soft.json") + " -o " + output).exit_code, 0);
  EXPECT_EQ(run("operators --kind controllers --preset finger -o " + output).exit_code, 0);
  EXPECT_EQ(run("operators --kind dent -o " + output).exit_code, 2);
  std::ofstream(folder.file("bad.json")) << R"({"points": [[0.5, 0], [0.5, 0.2]]})";
  const Result bad = run("operators --kind profile --profile " + folder.file("bad.json") + " -o " + output);
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.json"));
  EXPECT_THAT(run("operators --kind controllers --preset tail -o " + output).err, HasSubstr("shoulder"));
}

TEST(Cli, BindsWritesAPresetAndReportsEveryPart) {
  const TemporaryFolder folder;
  const Result r =
      run("bind builtin:arm -o " + folder.file("arm.rig") + " --write-preset " + folder.file("arm.json") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["parts"].size(), 18U);
  for (const json& part : report["parts"]) {
    EXPECT_EQ(part["shape"], "hrbf") << part["joint"];
    EXPECT_GT(part["grid"]["nodes"], 0);
    EXPECT_LE(part["grid"]["error"], part["grid"]["bound"]);
  }
  EXPECT_GT(report["bytes"], 100000);
  const json preset = json::parse(read_all(folder.file("arm.json")));
  EXPECT_EQ(preset["joints"].size(), 18U);
  EXPECT_GT(preset["joints"]["forearm"]["support_radius"], 0.01);
  // The preset in force makes the same file.
  ASSERT_EQ(run("bind builtin:arm -p " + folder.file("arm.json") + " -o " + folder.file("again.rig")).exit_code, 0);
  EXPECT_EQ(read_all(folder.file("arm.rig")), read_all(folder.file("again.rig")));
  EXPECT_THAT(run("bind builtin:arm --write-preset " + folder.file("x.json")).out, HasSubstr("forearm"));
}

TEST(Cli, DrawsSlicesOfTheFieldAndWritesItsSurface) {
  const TemporaryFolder folder;
  const Result r = run("fields builtin:arm --slice forearm --clip elbow --at 0,0.9 --size 120 -o " +
                       folder.file("a.png") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  ASSERT_EQ(report["frames"].size(), 2U);
  EXPECT_LT(report["frames"][0]["bend_degrees"], report["frames"][1]["bend_degrees"]);
  EXPECT_THAT(read_all(folder.file("a.png")), HasSubstr("PNG"));
  EXPECT_EQ(run("fields builtin:arm --slice z=0 --size 120 -o " + folder.file("z.png")).exit_code, 0);
  const Result surface = run("fields builtin:arm --iso " + folder.file("skin.ply") + " --cell 0.02 --json");
  ASSERT_EQ(surface.exit_code, 0) << surface.err;
  EXPECT_GT(json::parse(surface.out)["iso"]["triangles"], 200);
  const Result info = run("info " + folder.file("skin.ply") + " --json");
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const Result part = run("fields builtin:arm --part forearm --iso " + folder.file("part.ply") + " --cell 0.02 --json");
  ASSERT_EQ(part.exit_code, 0) << part.err;
  EXPECT_LT(2 * json::parse(part.out)["iso"]["triangles"].get<int>(),
            json::parse(surface.out)["iso"]["triangles"].get<int>());
}

TEST(Cli, RegistersACharacterToAScan) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      run("animate builtin:cylinder --clip bend --frames 2 --method lbs -o " + folder.file("posed.obj")).exit_code, 0);
  const std::string fitted = folder.file("fitted.glb"), scan = folder.file("posed_0001.obj");
  const Result r = run("register builtin:cylinder " + scan + " --scan-points 1500 --candidates 1 --up y -o " + fitted +
                       " --picture " + folder.file("p.png") + " --report " + folder.file("r.json") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report, json::parse(read_all(folder.file("r.json"))));
  EXPECT_LT(report["scan_to_skin"]["mean_mm"].get<double>(), 10);  // of a cylinder of two metres
  EXPECT_GT(report["covered"].get<double>(), 0.8);
  EXPECT_TRUE(std::filesystem::exists(folder.file("p.png")));
  EXPECT_THAT(run("info " + fitted).out, HasSubstr("scan "));
  // What cannot be used: a sentence, nothing written, the scan stays.
  std::ofstream(folder.file("few.ply")) << "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float "
                                           "y\nproperty float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
  const Result few = run("register builtin:cylinder " + folder.file("few.ply") + " -o " + folder.file("none.glb"));
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_EQ(lines(few.err), 1U) << few.err;
  EXPECT_THAT(few.err, HasSubstr("3 points"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("none.glb")));
  EXPECT_EQ(run("register builtin:cylinder " + scan + " -o " + scan).exit_code, 1);
}

TEST(Cli, NamesWhatIsWrongWithPresetsAndSlices) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("bad.json")) << R"({"joints": {"forearm": {"oprator": "bulge"}}})";
  std::ofstream(folder.file("tail.json")) << R"({"joints": {"tail": {}}})";
  const struct {
    std::string arguments, names;
  } cases[] = {
      {"bind builtin:arm -p " + folder.file("bad.json") + " -o " + folder.file("x.rig"), "oprator"},
      {"bind builtin:arm -p " + folder.file("tail.json") + " -o " + folder.file("x.rig"), "tail"},
      {"bind builtin:arm -p " + folder.file("absent.json") + " -o " + folder.file("x.rig"), "absent.json"},
      {"fields builtin:arm --slice knee -o " + folder.file("x.png"), "forearm"},
      {"fields builtin:arm --slice y=up -o " + folder.file("x.png"), "y=up"},
      {"fields builtin:arm --slice forearm --at 1 -o " + folder.file("x.png"), "--clip"},
      {"fields builtin:arm --iso " + folder.file("x.ply") + " --cell 1e-7", "larger"},
  };
  for (const auto& [arguments, names] : cases) {
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 1) << arguments;
    EXPECT_EQ(lines(r.err), 1U) << arguments << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(names)) << arguments;
  }
  for (const char* wrong : {"bind builtin:arm", "bind builtin:arm -o x.txt", "fields builtin:arm",
                            "fields builtin:arm --slice forearm", "fields builtin:arm --iso x.obj"})
    EXPECT_EQ(run(wrong).exit_code, 2) << wrong;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

}  // namespace
}  // namespace cutis
