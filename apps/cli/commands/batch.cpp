#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "batch_report.h"
#include "batch_run.h"
#include "batch_slurm.h"
#include "terminal.h"

namespace cutis::cli {
namespace {

struct BatchArguments {
  CommonOptions common;
  std::string jobs, task;
  bool list = false, sbatch = false, resume = false, report = false, progress = false;
  BatchOptions run;
  std::vector<std::string> sbatch_options;
};

// With --resume those that are not done, else all.
std::vector<std::size_t> chosen_tasks(const BatchPlan& plan, const std::vector<TaskOutcome>& outcomes, bool resume) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (!resume || outcomes[i].state != TaskState::done) chosen.push_back(i);
  return chosen;
}

void run_one(const BatchArguments& arguments) {
  CommonOptions common = arguments.common;
  common.progress_lines = arguments.progress;
  const Session session(common);
  if (!run_task(arguments.task, session, arguments.run.again) && !arguments.progress)
    session.say(fmt::format("{}: its outputs are up to date", arguments.task));
}

void finish(const Session& session, const BatchPlan& plan, const std::vector<TaskOutcome>& outcomes,
            const std::string& jobs) {
  const Json report = batch_json(plan, outcomes);
  write_batch_report(plan, report, jobs);
  const std::string page = (std::filesystem::path(plan.folder) / "report.html").string();
  session.say(fmt::format("{} tasks: {} done, {} up to date, {} failed, {} not done; {}", report["tasks"].dump(),
                          report["done"].dump(), report["up_to_date"].dump(), report["failed"].dump(),
                          report["not_done"].dump(), page));
  session.print(report);
  flush_output();
}

void run_batch_verb(const BatchArguments& arguments) {
  if (!arguments.task.empty()) {
    run_one(arguments);
    return;
  }
  const Session session(arguments.common);
  const BatchPlan plan = plan_batch(arguments.jobs, session.context());
  if (arguments.resume && !std::filesystem::exists(plan.folder))
    throw Error(ErrorCode::bad_argument, "--resume",
                fmt::format("there is no run to go on with: {} is not there; leave --resume out", plan.folder));
  write_task_files(plan);
  if (arguments.report) {
    finish(session, plan, look_at(plan), arguments.jobs);
    return;
  }
  if (arguments.list || arguments.sbatch) {
    const std::vector<std::size_t> chosen =
        chosen_tasks(plan, arguments.resume ? look_at(plan) : std::vector<TaskOutcome>{}, arguments.resume);
    if (arguments.list) {
      for (const std::size_t i : chosen)
        put(shell_line(task_command(plan, plan.tasks[i], arguments.common, arguments.run.again)) + "\n");
      return;
    }
    const std::vector<std::string> jobs =
        submit_to_slurm(plan, chosen, arguments.common, {arguments.run.max_parallel, arguments.sbatch_options});
    session.say(jobs.empty() ? "nothing is left to do"
                             : fmt::format("{} tasks in jobs {}; 'cutis batch {} --report' tells what became of them",
                                           chosen.size(), fmt::join(jobs, " "), arguments.jobs));
    session.print({{"jobs", jobs}, {"tasks", chosen.size()}, {"folder", plan.folder}});
    return;
  }
  const std::vector<TaskOutcome> outcomes = run_batch(plan, session, arguments.run);
  finish(session, plan, outcomes, arguments.jobs);
  const auto failed = std::ranges::count(outcomes, TaskState::failed, &TaskOutcome::state);
  const auto waiting = std::ranges::count(outcomes, TaskState::waiting, &TaskOutcome::state);
  if (failed + waiting > 0)
    throw Error(ErrorCode::bad_argument, arguments.jobs,
                fmt::format("{} of {} tasks failed and {} were not run; {}/report.html has their sentences", failed,
                            outcomes.size(), waiting, plan.folder));
}

}  // namespace

void add_batch(CLI::App& app) {
  auto options = std::make_shared<BatchArguments>();
  CLI::App* verb = app.add_subcommand("batch", "Many shots: on this machine, on a farm, or with Slurm (docs/batch.md)");
  auto* jobs = verb->add_option("JOBS", options->jobs, "File of shots: .json");
  auto* list =
      verb->add_flag("--list", options->list, "Run nothing; print one command a line, each of which does a task");
  auto* sbatch = verb->add_flag("--sbatch", options->sbatch, "Submit the tasks to Slurm as job arrays");
  auto* report = verb->add_flag("--report", options->report, "Run nothing; write the report of what is done so far");
  auto* resume = verb->add_flag("--resume", options->resume,
                                "Go on with an earlier run: with --list and --sbatch only what is not done");
  verb->add_option("--max-parallel", options->run.max_parallel, "Tasks at once; 0: as many as cores, or as Slurm likes")
      ->check(CLI::Range(0, 100'000));
  auto* fail_fast =
      verb->add_flag("--fail-fast", options->run.fail_fast, "Stop at the first failure; without it the others go on");
  auto* again = verb->add_flag("--again", options->run.again, "Do also what is up to date");
  verb->add_option("--sbatch-option", options->sbatch_options,
                   "An option of sbatch, as --sbatch-option=--partition=night")
      ->needs(sbatch)
      ->allow_extra_args(false)
      ->type_name("TEXT");
  auto* task =
      verb->add_option("--task", options->task, "Do one task, by its file, unless it is done: what --list prints");
  verb->add_flag("--progress", options->progress, "Lines 'PERCENT STAGE' on stdout, for programs")->needs(task);
  task->excludes(jobs)->excludes(list)->excludes(sbatch)->excludes(report)->excludes(resume)->excludes(fail_fast);
  list->excludes(sbatch)->excludes(report);
  sbatch->excludes(report);
  again->excludes(resume);
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis batch shots.json\n"
      "  cutis batch shots.json --max-parallel 4 --fail-fast\n"
      "  cutis batch shots.json --list | parallel\n"
      "  cutis batch shots.json --sbatch --sbatch-option=--partition=night\n"
      "  cutis batch shots.json --sbatch --resume\n"
      "  cutis batch shots.json --report\n"
      "shots.json: {\"folder\": \"out\", \"shots\": [{\"character\": \"*.glb\", \"clip\": \"*\", \"outputs\": "
      "\"{name}.pc2\"}]}");
  verb->callback([options] {
    if (options->jobs.empty() && options->task.empty()) throw CLI::RequiredError("JOBS");
    run_batch_verb(*options);
  });
}

}  // namespace cutis::cli
