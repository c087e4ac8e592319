// A file of shots, as tasks: what to run, with which arguments, writing what. docs/batch.md has the file's format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "animating.h"

namespace cutis::cli {

/// One task: a shot, a piece of one, or the pieces put together. Self-contained: whatever becomes of the file of shots,
/// a task file says it all.
struct BatchTask {
  std::string name;                    ///< unique in the batch, fit for a file name
  std::vector<std::string> arguments;  ///< of 'cutis animate', without FILE and outputs; paths are absolute
  std::string character;               ///< FILE
  std::vector<std::string> outputs;    ///< absolute
  int measure = 10;                    ///< every how many frames quality is measured; 0: never
  std::string range;                   ///< of a piece: "FIRST:END"
  std::vector<std::string> pieces;     ///< of a join: names of its tasks
  std::string whole;                   ///< of a piece: the name of the task that joins it
};

struct BatchPlan {
  std::string folder;            ///< the batch's own: task files, records, logs, report
  std::vector<BatchTask> tasks;  ///< pieces before what joins them
};

/// Reads and expands the file of shots. Throws Error that names the shot and the key.
[[nodiscard]] BatchPlan plan_batch(const std::string& jobs_file, const Context& context);
/// The same of text; the file that it stands for need not be there.
[[nodiscard]] BatchPlan plan_batch(std::string_view text, const std::string& jobs_file, const Context& context);

/// Where the task, its record and what it says on stderr lie in the batch's folder.
[[nodiscard]] std::string task_file(const BatchPlan& plan, const BatchTask& task);
/// Also makes the folder.
void write_task_files(const BatchPlan& plan);
/// The other way. Throws Error.
[[nodiscard]] BatchTask read_task_file(const std::string& file);
[[nodiscard]] BatchTask read_task(std::string_view text, const std::string& file);

/// The arguments as `animate` has them; checked as the program checks its own.
[[nodiscard]] AnimateArguments animate_arguments(const BatchTask& task);

}  // namespace cutis::cli
