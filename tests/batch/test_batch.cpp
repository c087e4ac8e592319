// Files of shots through the program: what is run, skipped, done again, cut up and put together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/run.h"
#include "support/support.h"

namespace cutis {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Not;
namespace fs = std::filesystem;

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// What the batch says of itself, by --json.
json report_of(const std::string& arguments, int exit_code = 0) {
  const Result r = run("batch --json " + arguments);
  EXPECT_EQ(r.exit_code, exit_code) << r.err;
  return json::accept(r.out) ? json::parse(r.out) : json();
}

const std::string kThreeShots = R"({"folder": "out", "defaults": {"frames": 3, "method": "lbs", "measure": 1},
  "shots": [{"character": "builtin:cylinder", "clip": ["bend", "twist"], "outputs": ["{name}.pc2", "{clip}/a.glb"]},
            {"name": "arm", "character": "builtin:arm", "outputs": "arm.obj"}]})";

TEST(Batch, RunsEveryShotAndReportsItsQuality) {
  const TemporaryFolder folder;
  write(folder.file("shots.json"), kThreeShots);
  const json report = report_of(folder.file("shots.json"));
  EXPECT_EQ(report["done"], 3);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_EQ(report["shots"][0]["name"], "cylinder-bend");
  EXPECT_EQ(report["shots"][0]["quality"]["frames"], 3);
  EXPECT_EQ(report["shots"][0]["frames"], 3);
  for (const char* file : {"cylinder-bend.pc2", "bend/a.glb", "twist/a.glb", "arm_0002.obj", "shots.batch/report.html"})
    EXPECT_TRUE(fs::exists(folder.path() / "out" / file)) << file;
  EXPECT_EQ(json::parse(read_all(folder.file("out/shots.batch/report.json"))), report);
  // The bits of the verb that does one.
  ASSERT_EQ(run("animate builtin:cylinder --clip bend --frames 3 --method lbs -o " + folder.file("one.pc2")).exit_code,
            0);
  EXPECT_EQ(read_all(folder.file("one.pc2")), read_all(folder.file("out/cylinder-bend.pc2")));
}

TEST(Batch, DoesAgainOnlyWhatIsNotUpToDate) {
  const TemporaryFolder folder;
  ASSERT_EQ(run("weights builtin:cylinder --method heat -o " + folder.file("c.glb")).exit_code, 0);
  write(folder.file("s.json"), R"({"defaults": {"frames": 2, "method": "lbs"}, "shots": [
    {"name": "own", "character": "c.glb", "outputs": "own.pc2"},
    {"name": "other", "character": "builtin:arm", "outputs": "other.ply"}]})");
  const std::string jobs = folder.file("s.json");
  EXPECT_EQ(report_of(jobs)["done"], 2);
  EXPECT_EQ(report_of(jobs)["up_to_date"], 2);
  EXPECT_EQ(report_of(jobs + " --again")["done"], 2);

  write(folder.file("other_0001.ply"), "damaged");  // one file of its sequence
  json report = report_of(jobs);
  EXPECT_EQ(report["done"], 1);
  EXPECT_EQ(report["shots"][1]["state"], "done");

  ASSERT_EQ(run("weights builtin:cylinder --method atlas -o " + folder.file("c.glb")).exit_code, 0);
  report = report_of(jobs);
  EXPECT_EQ(report["done"], 1) << "the character changed";
  EXPECT_EQ(report["shots"][0]["state"], "done");

  fs::remove(folder.file("own.pc2"));
  EXPECT_EQ(report_of(jobs)["done"], 1);
  write(folder.file("s.batch/own.record.json"), "{\"state\": \"done\"");
  EXPECT_EQ(report_of(jobs)["done"], 1) << "a damaged record is none";

  std::string text = read_all(jobs);
  text.replace(text.find("\"frames\": 2"), 11, "\"frames\": 3");
  write(jobs, text);
  EXPECT_EQ(report_of(jobs)["done"], 2) << "the options changed";
}

TEST(Batch, GoesOnAfterAFailureOrStopsAtIt) {
  const TemporaryFolder folder;
  write(folder.file("bad.glb"), "glTF");
  write(folder.file("s.json"), R"({"defaults": {"frames": 2, "method": "lbs"}, "shots": [
    {"name": "first", "character": "bad.glb", "outputs": "first.pc2"},
    {"name": "second", "character": "builtin:arm", "outputs": "second.pc2"}]})");
  const std::string jobs = folder.file("s.json");
  json report = report_of(jobs + " --max-parallel 1 --fail-fast", 1);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["not_done"], 1);
  const Result r = run("batch " + jobs);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("1 of 2 tasks failed and 0 were not run"));
  EXPECT_THAT(r.out, AllOf(HasSubstr("failed  first: "), HasSubstr("bad.glb"), HasSubstr("done    second: 2 frames")));
  EXPECT_THAT(read_all(folder.file("s.batch/report.html")), HasSubstr("bad.glb"));
  report = report_of(jobs + " --report");
  EXPECT_EQ(report["failed"], 1);
  EXPECT_THAT(report["shots"][0]["sentence"], HasSubstr("bad.glb"));
}

TEST(Batch, ListsCommandsThatEachDoOneTaskOnce) {
  const TemporaryFolder folder;
  write(folder.file("it's.json"), kThreeShots);
  const std::string jobs = "\"" + folder.file("it's.json") + "\"";
  const Result list = run("batch --list " + jobs);
  ASSERT_EQ(list.exit_code, 0) << list.err;
  ASSERT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 3);
  EXPECT_FALSE(fs::exists(folder.file("out/cylinder-bend.pc2")));
  const std::string first = list.out.substr(0, list.out.find('\n'));
  ASSERT_EQ(std::system((first + " >/dev/null").c_str()), 0) << first;
  EXPECT_TRUE(fs::exists(folder.file("out/cylinder-bend.pc2")));
  const auto written = fs::last_write_time(folder.file("out/cylinder-bend.pc2"));
  ASSERT_EQ(std::system((first + " >/dev/null").c_str()), 0);
  EXPECT_EQ(fs::last_write_time(folder.file("out/cylinder-bend.pc2")), written) << "it was done already";
  const Result rest = run("batch --list --resume " + jobs);
  EXPECT_EQ(std::count(rest.out.begin(), rest.out.end(), '\n'), 2) << rest.out;
  EXPECT_THAT(rest.out, Not(HasSubstr(first)));
}

TEST(Batch, PiecesOfACanonicalShotAreTheShotToTheBit) {
  const TemporaryFolder folder;
  const std::string shot = R"("character": "builtin:cylinder", "clip": "bend", "history": "canonical", "frames": 7,
    "outputs": ["{name}.glb", "{name}.usda", "{name}.pc2"])";
  write(folder.file("s.json"),
        R"({"shots": [{"name": "whole", )" + shot + R"(}, {"name": "cut", "split": 3, )" + shot + "}]}");
  const json report = report_of(folder.file("s.json"));
  EXPECT_EQ(report["done"], 5) << "one, three pieces, their join";
  for (const std::string end : {".glb", ".pc2"})
    EXPECT_EQ(read_all(folder.file("whole" + end)), read_all(folder.file("cut" + end))) << end;
  EXPECT_EQ(read_all(folder.file("whole.usda")), read_all(folder.file("cut.usda")));
  EXPECT_EQ(report["shots"][4]["quality"]["frames"], report["shots"][0]["quality"]["frames"]);
  for (const auto& entry : fs::directory_iterator(folder.path() / "s.batch"))
    EXPECT_NE(entry.path().extension(), ".frames") << "pieces go when they are joined";
  EXPECT_EQ(report_of(folder.file("s.json"))["up_to_date"], 5);
  // A farm that runs the whole list once more does none of it.
  ASSERT_EQ(
      std::system((run("batch --list " + folder.file("s.json")).out.insert(0, "set -e\n") + "true >/dev/null").c_str()),
      0);
  for (const auto& entry : fs::directory_iterator(folder.path() / "s.batch"))
    EXPECT_NE(entry.path().extension(), ".frames") << "it was joined already";
}

TEST(Batch, RefusesFilesThatMakeNoSense) {
  const TemporaryFolder folder;
  const std::string good = R"("character": "builtin:cylinder", "outputs": "a.pc2")";
  const struct {
    std::string text, says;
  } cases[] = {
      {"[]", "must be a JSON object"},
      {"{\"shots\": [", "is not JSON"},
      {"{}", "has no \"shots\""},
      {R"({"shots": [], "folder": "x"})", "has no \"shots\""},
      {R"({"shots": [3]})", "shot 1: must be an object"},
      {R"({"shot": []})", "\"shot\" is not known"},
      {R"({"shots": [{"outputs": "a.pc2"}]})", "has no \"character\""},
      {R"({"shots": [{"character": "builtin:arm"}]})", "has no \"outputs\""},
      {R"({"shots": [{"character": "*.glb", "outputs": "a.pc2"}]})", "matches no file"},
      {R"({"shots": [{)" + good + R"(, "clip": "z*"}]})", "matches no clip"},
      {R"({"shots": [{)" + good + R"(, "dance": 3}]})", "keys are the flags of 'cutis animate'"},
      {R"({"shots": [{)" + good + R"(, "method": "dqs", "fps": -4}]})", "--fps"},
      {R"({"shots": [{)" + good + R"(, "range": "0:4"}]})", "is set by the batch"},
      {R"({"shots": [{)" + good + R"(, "fps": []}]})", "is an empty list"},
      {R"({"shots": [{)" + good + R"(, "measure": 0.5}]})", "must be a whole number"},
      {R"({"shots": [{)" + good + R"(, "contact-pass": "*.bvh"}]})",
       "--contact-pass: '*.bvh' is neither true nor false"},
      {R"({"shots": [{)" + good + R"(, "contact-pass": "99999999999999999999"}]})", "is neither true nor false"},
      {R"({"shots": [{)" + good + R"(, "split": 10}]})", "depend on earlier ones"},
      {R"({"shots": [{)" + good + "}, {" + good + "}]}", "two tasks are named 'cylinder'"},
      {R"({"shots": [{)" + good + R"(, "clip": ["bend", "twist"]}]})", "two tasks write"},
      {R"({"shots": [{)" + good + R"(, "name": "{dance}"}]})", "{dance} stands for nothing"},
  };
  for (const auto& [text, says] : cases) {
    write(folder.file("s.json"), text);
    const Result r = run("batch " + folder.file("s.json"));
    EXPECT_EQ(r.exit_code, 1) << text;
    EXPECT_THAT(r.err, AllOf(HasSubstr(says), HasSubstr("s.json"))) << text;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  EXPECT_EQ(run("batch").exit_code, 2);
  EXPECT_EQ(run("batch a.json --task b.json").exit_code, 2);
  write(folder.file("s.json"), R"({"shots": [{)" + good + "}]}");
  EXPECT_THAT(run("batch --resume " + folder.file("s.json")).err, HasSubstr("there is no run to go on with"));
}

/// Processes of the program whose command line has the text in it.
std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string line = read_all(entry.path() / "cmdline");
    std::ranges::replace(line, '\0', ' ');
    if (line.starts_with(CUTIS_PROGRAM) && line.find("--task") != std::string::npos &&
        line.find(text) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

TEST(Batch, AKilledTaskLeavesNothingHalfWrittenAndIsDoneAgain) {
  const TemporaryFolder folder;
  write(folder.file("s.json"), R"({"defaults": {"method": "lbs", "measure": 0}, "shots": [
    {"name": "long", "character": "builtin:cylinder", "frames": 200000, "outputs": "long.pc2"},
    {"name": "short", "character": "builtin:cylinder", "frames": 2, "outputs": "short.pc2"}]})");
  std::thread killer([&] {
    for (int i = 0; i < 3000; ++i) {
      for (const pid_t process : processes_with(folder.file("s.batch/long.task"))) {
        std::this_thread::sleep_for(100ms);
        ::kill(process, SIGKILL);
        return;
      }
      std::this_thread::sleep_for(5ms);
    }
  });
  const json report = report_of(folder.file("s.json") + " --max-parallel 2", 1);
  killer.join();
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["done"], 1);
  EXPECT_THAT(report["shots"][0]["sentence"], HasSubstr("signal 9"));
  EXPECT_FALSE(fs::exists(folder.file("long.pc2")));
  std::string text = read_all(folder.file("s.json"));
  text.replace(text.find("200000"), 6, "200");
  write(folder.file("s.json"), text);
  const json after = report_of(folder.file("s.json") + " --resume");
  EXPECT_EQ(after["done"], 1);
  EXPECT_EQ(after["up_to_date"], 1);
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".tmp"))) << "what the killed task left is removed";
}

}  // namespace
}  // namespace cutis
