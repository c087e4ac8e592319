// `cutis bench`, and `cutis compare` of its runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "cli/run.h"

namespace cutis {
namespace {

TEST(Bench, PrintsOneDocumentWithTheResultBesideTheTime) {
  const Result r = run("bench skinning --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json document = json::parse(r.out);
  EXPECT_EQ(document["backend"], "simd");
  std::map<std::string, json> rows;
  for (const json& row : document["rows"]) rows[row["name"]] = row;
  ASSERT_TRUE(rows.contains("skinning/lbs/simd") && rows.contains("skinning/dqs/scalar")) << r.out;
  const json& row = rows["skinning/lbs/simd"];
  for (const char* key : {"unit", "median", "spread", "best", "worst", "runs", "budget", "met", "hash", "quality"})
    EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_GT(row["median"].get<double>(), 0);
  EXPECT_EQ(row["hash"], rows["skinning/lbs/scalar"]["hash"]);
  EXPECT_EQ(row["hash"].get<std::string>().size(), 16U);
}

TEST(Bench, RunsTheRowsThatAreNamedAndProfilesTheirFrames) {
  const Result r = run("bench body/human/one_joint/tracking --profile --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json document = json::parse(r.out);
  ASSERT_EQ(document["rows"].size(), 1U);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["name"], "body/human/one_joint/tracking");
  EXPECT_EQ(row["quality"]["intersecting_pairs"], 0);
  EXPECT_EQ(row["quality"]["nonfinite"], 0);
  EXPECT_GT(row["quality"]["stretch_max"].get<double>(), 1.0);
  EXPECT_GT(row["profile"]["field_evaluations"].get<double>(), 0);
  EXPECT_GT(row["profile"]["operator_lookups"].get<double>(), 0);
  EXPECT_LT(row["profile"]["operator_lookups"].get<double>(), row["profile"]["field_evaluations"].get<double>());
  double sum = 0;
  for (const auto& [name, value] : row["profile"].items())
    if (name.ends_with("_ms") && name != "total_ms") sum += value.get<double>();
  EXPECT_NEAR(sum, row["profile"]["total_ms"].get<double>(), 1e-3 * sum);
}

TEST(Bench, NamesItsScenesAndRefusesOthers) {
  const Result list = run("bench --list");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("growth"));
  const Result r = run("bench speed");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << r.err;
  EXPECT_THAT(r.err, HasSubstr("skinning, body"));
  const Result row = run("bench skinning/none -q");
  EXPECT_EQ(row.exit_code, 1);
  EXPECT_THAT(row.err, HasSubstr("skinning/none"));
  EXPECT_EQ(run("bench skinning --data /no/such").exit_code, 1);
  EXPECT_THAT(run("bench skinning --plot x.png").err, HasSubstr("growth"));
  EXPECT_EQ(run("bench growth --plot x.jpg").exit_code, 2);
}

TEST(Compare, PutsTwoBenchesSideBySide) {
  const TemporaryFolder folder;
  const auto write = [&](const char* file, double ms, const char* hash, double pairs) {
    const json row{{"name", "a/b"},
                   {"unit", "ms/frame"},
                   {"cpu", 4 * ms},
                   {"median", ms},
                   {"spread", 0.1},
                   {"hash", hash},
                   {"quality", {{"pairs", pairs}, {"folds", 3}}}};
    std::ofstream(folder.file(file)) << json{{"backend", "simd"}, {"threads", 2}, {"rows", {row}}};
  };
  write("before.json", 2.0, "01", 0);
  write("after.json", 1.0, "02", 4);
  const Result r = run("compare " + folder.file("before.json") + " " + folder.file("after.json") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json document = json::parse(r.out);
  EXPECT_EQ(document["faster"], 1);
  EXPECT_EQ(document["other_result"], 1);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["ratio"], 0.5);
  EXPECT_EQ(row["cpu_ratio"], 0.5);
  EXPECT_EQ(row["same_hash"], false);
  ASSERT_EQ(row["quality"].size(), 1U);
  EXPECT_EQ(row["quality"][0]["after"], 4.0);
  const Result same = run("compare " + folder.file("before.json") + " " + folder.file("before.json"));
  EXPECT_THAT(same.out, HasSubstr("1 rows: 0 faster, 0 slower; 0 with another result, 0 with another quality"));
  std::ofstream(folder.file("measure.json")) << R"({"methods": {}})";
  const Result kinds = run("compare " + folder.file("before.json") + " " + folder.file("measure.json"));
  EXPECT_EQ(kinds.exit_code, 1);
  EXPECT_THAT(kinds.err, HasSubstr("another kind"));
}

}  // namespace
}  // namespace cutis
