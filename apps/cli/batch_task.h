// One task of a batch, run to its end and recorded. The record says what was read and written, with hashes: a task
// whose record still holds is done, and is not done again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "batch_plan.h"

namespace cutis::cli {

/// Worst over the frames that were measured.
struct ShotQuality {
  std::size_t frames = 0;  ///< measured
  std::size_t pairs = 0, rest_pairs = 0, folds = 0, nonfinite = 0;
  double stretch = 0, volume = 0;  ///< largest edge stretch; largest change of volume in either direction
};

struct TaskRecord {
  bool done = false;     ///< else it failed, and `sentence` says why
  std::string sentence;  ///< of the failure
  std::string program;   ///< version and hash of what ran it
  std::vector<std::string> arguments;
  std::string clip, method;
  std::size_t frames = 0, vertices = 0;
  double seconds = 0, bind_ms = 0, frame_ms = 0;
  ShotQuality quality;
  std::vector<std::string> warnings;
  std::map<std::string, std::uint64_t> inputs, outputs;  ///< hash by file
};

/// Hashes of files, each taken once in the life of the object.
class FileHashes {
 public:
  /// None when the file is not there or cannot be read.
  std::optional<std::uint64_t> of(const std::string& file);

 private:
  std::map<std::string, std::optional<std::uint64_t>> known_;
};

/// The record beside a task file; none when there is none that can be read.
[[nodiscard]] std::optional<TaskRecord> read_record(const std::string& task_file);
/// Whether the task's outputs are there, and were made by this program from what its inputs and arguments are now.
[[nodiscard]] bool is_done(const BatchTask& task, const std::optional<TaskRecord>& record, FileHashes& hashes);

/// Does it, unless it is done, and records what became of it. Throws the Error that is recorded.
/// Returns false when there was nothing to do.
bool run_task(const std::string& task_file, const Session& session, bool again);

}  // namespace cutis::cli
