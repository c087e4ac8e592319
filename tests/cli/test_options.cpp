// The program's flags are those of the tables, and docs/options.md is what the program prints.
#include <map>

#include <fmt/format.h>

#include "cli/run.h"
#include "cutis/options.h"

namespace cutis {
namespace {

// A command that takes the flags of a table, up to them. Without an output file: nothing is ever run.
const std::map<std::string, std::string>& verbs() {
  static const std::map<std::string, std::string> kVerbs = {
      {"WeightOptions", "weights builtin:arm"},
      {"BindOptions", "animate builtin:arm"},
      {"JointPreset", "animate builtin:arm"},
      {"SolveOptions", "animate builtin:arm"},
      {"ImplicitOptions", "animate builtin:arm"},
      {"TrackingOptions", "animate builtin:arm"},
      {"OperatorOptions", "operators"},
      {"ReadOptions", "animate builtin:arm"},
      {"MotionOptions", "animate builtin:arm --bvh x.bvh"},
      {"TakeOptions", "markers builtin:human"},
      {"TargetOptions", "markers builtin:human"},
      {"MarkerOptions", "markers builtin:human"},
      {"RenderOptions", "render builtin:arm"},
      {"SphereNoiseOptions", "spheres builtin:arm --make-track x.json"},
      {"RegisterOptions", "register builtin:human x.ply"}};
  return kVerbs;
}

TEST(CliOptions, ThePageIsWhatTheProgramPrints) {
  const Result r = run("options --markdown");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out, read_all(std::string(CUTIS_SOURCE_FOLDER) + "/docs/options.md")) << "run scripts/write-options";
}

TEST(CliOptions, EveryFlagOfTheTablesExistsWithItsDefaultAndRange) {
  const Result r = run("options --json");
  ASSERT_EQ(r.exit_code, 0);
  std::map<std::string, std::string> help;
  std::size_t flags = 0;
  const json tables = json::parse(r.out);
  for (const auto& [table, content] : tables.items()) {
    for (const json& row : content["options"]) {
      const auto flag = row["flag"].get<std::string>();
      if (flag.empty()) continue;
      ++flags;
      ASSERT_TRUE(verbs().contains(table)) << table;
      const std::string verb = verbs().at(table).substr(0, verbs().at(table).find(' '));
      if (!help.contains(verb)) help[verb] = run(verb + " --help").out;
      EXPECT_THAT(help[verb], HasSubstr("  " + flag)) << table;
      EXPECT_TRUE(row["kind"] != "number" || row["default"].is_null() ||
                  help[verb].find(fmt::format("]={}", row["default"].get<double>())) != std::string::npos)
          << flag;
      for (const json& choice : row.value("choices", json::array()))
        EXPECT_THAT(help[verb], HasSubstr(choice.get<std::string>())) << flag;
    }
  }
  EXPECT_GE(flags, 28U);
}

// Out of range on the command line, in a file and through the library: the same words.
template <class Options>
void refuses_alike(const std::string& table, const std::string& group, bool set) {
  for (const OptionRow<Options>& row : option_rows<Options>()) {
    if (row.kind != OptionKind::count && row.kind != OptionKind::number) continue;
    const double value = row.most * 2 + 1;
    const std::string fault = option_fault(row, value);
    if (!row.flag.empty()) {
      const Result r = run(fmt::format("{} {} {} -o x.glb", verbs().at(table), row.flag, value));
      EXPECT_EQ(r.exit_code, 2) << row.flag;
      EXPECT_THAT(r.err, HasSubstr(fmt::format("{}: {} (see", row.flag, fault)));
    }
    if (!set) continue;
    const Result r = run(fmt::format("animate builtin:arm --set {}{}={} -o x.glb", group, row.name, value));
    EXPECT_EQ(r.exit_code, 2) << row.name;
    EXPECT_THAT(r.err, HasSubstr("--set: " + fault + " (see"));
  }
}

TEST(CliOptions, AValueOutOfRangeIsRefusedInTheLibrarysWords) {
  refuses_alike<SolveOptions>("SolveOptions", "", true);
  refuses_alike<ImplicitOptions>("ImplicitOptions", "implicit.", true);
  refuses_alike<TrackingOptions>("TrackingOptions", "tracking.", true);
  refuses_alike<WeightOptions>("WeightOptions", "", false);
  refuses_alike<MarkerOptions>("MarkerOptions", "", false);
  refuses_alike<TargetOptions>("TargetOptions", "", false);
}

TEST(CliOptions, AReportsOptionsAreReadAgain) {
  const TemporaryFolder folder;
  const std::string animate = "animate builtin:cylinder --method lbs --frames 2 --json -o " + folder.file("x.pc2");
  const Result first = run(animate + " --set tracking.inner=9 --history canonical --swell off --no-contact-pass");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const json options = json::parse(first.out)["options"];
  EXPECT_EQ(options["tracking"]["inner"], 9);
  EXPECT_EQ(options["tracking"]["history"], "canonical");
  EXPECT_EQ(options["swell"], false);
  EXPECT_EQ(options["contact_pass"], false);
  std::ofstream(folder.file("o.json")) << options;
  EXPECT_EQ(json::parse(run(animate + " --options " + folder.file("o.json")).out)["options"], options);
  const json over = json::parse(run(animate + " --history playback --options " + folder.file("o.json")).out)["options"];
  EXPECT_EQ(over["tracking"]["history"], "playback") << "flags go over the file";
  std::ofstream(folder.file("bad.json")) << R"({"tracking": {"step": 0}})";
  const Result bad = run(animate + " --options " + folder.file("bad.json"));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.json › tracking: step is 0; it must be more than 0 and at most 1 rad"));
  EXPECT_EQ(run(animate + " --set stop=1").exit_code, 2);
}

}  // namespace
}  // namespace cutis
