#include "batch_report.h"

#include <filesystem>

#include <fmt/format.h>

#include "cutis/text.h"
#include "cutis/version.h"
#include "report.h"

namespace cutis::cli {
namespace {

namespace fs = std::filesystem;

std::string digits(const Json& value, const char* format = "{:.3g}") {
  return value.is_number() ? fmt::format(fmt::runtime(format), value.get<double>()) : "-";
}

}  // namespace

Json batch_json(const BatchPlan& plan, const std::vector<TaskOutcome>& outcomes) {
  Json tasks = Json::array();
  std::size_t done = 0, skipped = 0, failed = 0, waiting = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const BatchTask& task = plan.tasks[i];
    const TaskOutcome& outcome = outcomes[i];
    done += outcome.state == TaskState::done ? 1 : 0;
    skipped += outcome.state == TaskState::skipped ? 1 : 0;
    failed += outcome.state == TaskState::failed ? 1 : 0;
    waiting += outcome.state == TaskState::waiting ? 1 : 0;
    Json row{{"name", task.name}, {"state", to_string(outcome.state)}, {"character", task.character}};
    if (!outcome.sentence.empty()) row["sentence"] = outcome.sentence;
    if (!task.range.empty()) row["range"] = task.range;
    if (!task.pieces.empty()) row["pieces"] = task.pieces.size();
    row["outputs"] = task.outputs;
    const std::optional<TaskRecord> record = read_record(task_file(plan, task));
    if (record && record->done && (outcome.state == TaskState::done || outcome.state == TaskState::skipped)) {
      const ShotQuality& q = record->quality;
      seconds += record->seconds;
      row["clip"] = record->clip;
      row["method"] = record->method;
      row["frames"] = record->frames;
      row["vertices"] = record->vertices;
      row["seconds"] = rounded(record->seconds);
      row["ms"] = {{"bind", rounded(record->bind_ms)}, {"frame_median", rounded(record->frame_ms)}};
      if (q.frames > 0)
        row["quality"] = {{"frames", q.frames},
                          {"intersecting_pairs", q.pairs},
                          {"rest_intersecting_pairs", q.rest_pairs},
                          {"folds", q.folds},
                          {"nonfinite", q.nonfinite},
                          {"stretch_max", rounded(q.stretch)},
                          {"volume_change", rounded(q.volume)}};
      row["warnings"] = record->warnings;
    }
    tasks.push_back(std::move(row));
  }
  return {{"version", std::string(version())},
          {"tasks", plan.tasks.size()},
          {"done", done},
          {"up_to_date", skipped},
          {"failed", failed},
          {"not_done", waiting},
          {"task_seconds", rounded(seconds)},
          {"shots", std::move(tasks)}};
}

void write_batch_report(const BatchPlan& plan, const Json& report, const std::string& jobs_file) {
  const fs::path folder(plan.folder);
  HtmlReport page(fs::path(jobs_file).stem().string(),
                  fmt::format("{} tasks: {} done, {} up to date, {} failed, {} not done; {} s of work. Cutis {}.",
                              report["tasks"].get<std::size_t>(), report["done"].get<std::size_t>(),
                              report["up_to_date"].get<std::size_t>(), report["failed"].get<std::size_t>(),
                              report["not_done"].get<std::size_t>(), digits(report["task_seconds"]), version()));
  std::vector<std::vector<std::string>> failures{{"task", "sentence"}};
  std::vector<std::vector<std::string>> rows{{"task", "state", "method", "frames", "vertices", "s", "ms a frame",
                                              "pairs (at rest)", "folds", "stretch", "volume %"}};
  for (const Json& shot : report["shots"]) {
    const std::string name = shot["name"], state = shot["state"];
    if (shot.contains("sentence")) failures.push_back({name, printable(shot["sentence"].get<std::string>())});
    std::vector<std::string> row{name, state};
    if (shot.contains("frames")) {
      row.insert(row.end(), {printable(shot["method"].get<std::string>()), shot["frames"].dump(),
                             shot["vertices"].dump(), digits(shot["seconds"]), digits(shot["ms"]["frame_median"])});
      if (shot.contains("quality")) {
        const Json& q = shot["quality"];
        row.insert(
            row.end(),
            {fmt::format("{} ({})", q["intersecting_pairs"].dump(), q["rest_intersecting_pairs"].dump()),
             q["folds"].dump(), digits(q["stretch_max"]),
             q["volume_change"].is_number() ? fmt::format("{:.2f}", 100 * q["volume_change"].get<double>()) : "-"});
      }
    }
    row.resize(rows.front().size());
    rows.push_back(std::move(row));
  }
  page.style("td:last-child{white-space:normal}");
  if (failures.size() > 1) {
    page.section("Failures", "Each with the sentence that the task ended with.");
    page.table(failures);
  }
  page.section(
      "Tasks",
      "Quality is the worst of the frames that were measured; what each number means: docs/algorithms/metrics.md.");
  page.table(rows);
  page.link("report.json", "All of this as JSON");
  write_text((folder / "report.json").string(), json_text(report, 1));
  write_text((folder / "report.html").string(), page.str());
}

}  // namespace cutis::cli
