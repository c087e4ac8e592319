// A batch as job arrays of Slurm: one element a task, each the command that `--list` prints.
#pragma once

#include <string>
#include <vector>

#include "batch_run.h"

namespace cutis::cli {

/// `command` as a line of a shell.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& command);

struct SlurmOptions {
  int max_parallel = 0;             ///< elements that run at once; 0: as the cluster likes
  std::vector<std::string> more{};  ///< options of sbatch, as they are
};

/// Writes array scripts for the tasks into the batch's folder and submits them; joins wait for their pieces. Returns
/// the numbers of the jobs. Throws Error with what sbatch said.
[[nodiscard]] std::vector<std::string> submit_to_slurm(const BatchPlan& plan, const std::vector<std::size_t>& tasks,
                                                       const CommonOptions& common, const SlurmOptions& options);

}  // namespace cutis::cli
