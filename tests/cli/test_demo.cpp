// The demo, played once in one test, and what its folder holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "run.h"

namespace cutis {
namespace {

using testing::Not;

std::string cell(const std::string& text) { return "<td>" + text + "</td>"; }

std::string digits(const json& number) { return std::to_string(number.get<long>()); }

class Demo : public testing::Test {
 protected:
  void SetUp() override {
    const Result result = run("demo --json -o " + folder_.file("demo"));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    report_ = json::parse(result.out);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file("demo/" + name); }
  [[nodiscard]] const json& report() const { return report_; }
  [[nodiscard]] std::string html() const { return read_all(file("report.html")); }

  void writes_pictures_an_animation_and_a_report();
  void is_small();
  void shows_a_table_of_every_method_for_each_scene();
  void shows_that_tracking_passes_nothing_through();
  void shows_the_numbers_that_measure_gives();
  void refers_to_nothing_outside_its_folder();
  void has_the_viewer_where_it_was_built();

 private:
  TemporaryFolder folder_;
  json report_;
};

void Demo::writes_pictures_an_animation_and_a_report() {
  EXPECT_GE(report()["pictures"].size(), 6U);
  const std::string page = html();
  for (const auto& picture : report()["pictures"]) {
    EXPECT_GT(std::filesystem::file_size(file(picture.get<std::string>())), 10000U) << picture;
    if (picture.get<std::string>() == "overview.png") continue;  // for README.md, not on the page
    EXPECT_THAT(page, HasSubstr(picture.get<std::string>()));
  }
  const std::string animation = report()["animation"];
  EXPECT_THAT(page, HasSubstr("href=\"" + animation + "\""));
  const json info = json::parse(run("info --json " + file(animation)).out);
  EXPECT_EQ(animation, "human_squat.glb");
  for (const json& row : report()["timings"])
    if (row["clip"].get<std::string>() == "squat") {
      EXPECT_EQ(info["vertices"], row["vertices"]);
    }
  EXPECT_EQ(json::parse(read_all(file("report.json"))), report());
  for (const json& row : report()["timings"]) EXPECT_EQ(row["nonfinite"], 0) << row;
}

void Demo::is_small() {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file(""))) bytes += entry.file_size();
  EXPECT_LT(bytes, 15'000'000U);
}

void Demo::shows_a_table_of_every_method_for_each_scene() {
  const std::string page = html();
  ASSERT_EQ(report()["scenes"].size(), 3U);
  for (const json& scene : report()["scenes"]) {
    ASSERT_EQ(scene["methods"].size(), 5U);
    for (const auto& [method, numbers] : scene["methods"].items()) {
      EXPECT_THAT(
          page, HasSubstr(cell(method) + cell(digits(numbers["intersecting_pairs"])) + cell(digits(numbers["folds"]))));
      EXPECT_EQ(numbers["pairs"].size(), scene["frames"].get<std::size_t>());
    }
  }
}

void Demo::shows_that_tracking_passes_nothing_through() {
  for (const json& scene : report()["scenes"]) {
    EXPECT_GT(scene["methods"]["dqs"]["intersecting_pairs"], 100) << scene["clip"];
    EXPECT_EQ(scene["methods"]["tracking"]["intersecting_pairs"], 0) << scene["clip"];
  }
}

void Demo::shows_the_numbers_that_measure_gives() {
  const json& scene = report()["scenes"][0];
  std::string command = scene["command"];
  command = command.substr(command.find(' ') + 1);
  const json measured = json::parse(run(command + " --json").out);
  for (const auto& [method, numbers] : scene["methods"].items()) {
    const json& expected = measured["methods"][method];
    for (const char* metric : {"intersecting_pairs", "folds", "roughness", "scars", "volume_change", "stretch_max"})
      EXPECT_EQ(numbers[metric], expected["summary"][metric]["worst"]) << method << " " << metric;
    for (std::size_t i = 0; i < numbers["pairs"].size(); ++i)
      EXPECT_EQ(numbers["pairs"][i], expected["frames"][i]["intersecting_pairs"]) << method << " frame " << i;
  }
  // Under the first two pictures: the counts of that moment.
  const std::size_t moment = scene["moment"];
  const std::string page = html();
  std::size_t at = 0;
  for (const char* method : {"dqs", "tracking"}) {
    at = page.find("<span class=\"count", at + 1);
    const std::string count = digits(measured["methods"][method]["frames"][moment]["intersecting_pairs"]);
    EXPECT_EQ(page.substr(page.find('>', at) + 1, count.size() + 13), count + " intersecting") << method;
  }
}

void Demo::refers_to_nothing_outside_its_folder() {
  const std::string page = html();
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"/")));
  const std::regex reference("(?:src|href|data-film)=\"([^\"]*)\"");
  std::size_t found = 0;
  for (std::sregex_iterator i(page.begin(), page.end(), reference), end; i != end; ++i, ++found)
    EXPECT_TRUE(std::filesystem::exists(file((*i)[1]))) << (*i)[1];
  EXPECT_GT(found, 15U);
}

void Demo::has_the_viewer_where_it_was_built() {
  const bool built = std::filesystem::exists(std::filesystem::path(CUTIS_PROGRAM).parent_path() / "viewer/index.html");
  EXPECT_EQ(report().contains("viewer"), built);
  EXPECT_EQ(html().find("<iframe") != std::string::npos, built);
  if (!built) return;
  EXPECT_THAT(html(), HasSubstr("<iframe class=\"viewer\" src=\"viewer.html\""));
  EXPECT_THAT(read_all(file("viewer.html")), HasSubstr(R"(data-name="builtin:hand" data-clip="fist")"));
}

TEST_F(Demo, ShowsWhatCutisIsForInAPageThatStandsAlone) {
  writes_pictures_an_animation_and_a_report();
  is_small();
  shows_a_table_of_every_method_for_each_scene();
  shows_that_tracking_passes_nothing_through();
  shows_the_numbers_that_measure_gives();
  refers_to_nothing_outside_its_folder();
  has_the_viewer_where_it_was_built();
}

}  // namespace
}  // namespace cutis
