// What became of a batch, for people (HTML) and for programs (JSON): states, times, quality, failures with their
// sentence.
#pragma once

#include "batch_run.h"

namespace cutis::cli {

[[nodiscard]] Json batch_json(const BatchPlan& plan, const std::vector<TaskOutcome>& outcomes);
/// Writes report.json and report.html into the batch's folder.
void write_batch_report(const BatchPlan& plan, const Json& report, const std::string& jobs_file);

}  // namespace cutis::cli
