// A batch on this machine: each task in a process of its own, as many at once as there are cores, so that one that
// crashes or runs out of memory takes no other with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch_task.h"

namespace cutis::cli {

struct BatchOptions {
  int max_parallel = 0;  ///< 0: as many as cores
  bool fail_fast = false;
  bool again = false;  ///< do what is done, too
};

enum class TaskState { waiting, done, skipped, failed };
[[nodiscard]] const char* to_string(TaskState state);

struct TaskOutcome {
  TaskState state = TaskState::waiting;
  std::string sentence;  ///< of a failure
};

/// The command that does one task: the same here, in a list for a farm, and in an array of Slurm.
[[nodiscard]] std::vector<std::string> task_command(const BatchPlan& plan, const BatchTask& task,
                                                    const CommonOptions& common, bool again);

/// What is done and what is not, by the records. A piece whose shot is joined counts as done.
[[nodiscard]] std::vector<TaskOutcome> look_at(const BatchPlan& plan);

/// Runs what is not done; a line a task on stdout when it ends, on a terminal a line for each that runs.
[[nodiscard]] std::vector<TaskOutcome> run_batch(const BatchPlan& plan, const Session& session,
                                                 const BatchOptions& options);

}  // namespace cutis::cli
