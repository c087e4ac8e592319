#include "batch_slurm.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/text.h"
#include "report.h"

extern char** environ;

namespace cutis::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestArray = 1000;  // Slurm's own default is 1001 (MaxArraySize), counted from 0

// What a program says on stdout and stderr, and its status.
std::pair<int, std::string> run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorCode::io, words.front(), fmt::format("no pipe could be made ({})", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = -1;
  const int fault = ::posix_spawnp(&process, words.front().c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (fault != 0) {
    ::close(ends[0]);
    throw Error(ErrorCode::io, words.front(),
                fmt::format("could not be started ({}); is Slurm installed here? 'cutis batch --list' prints the "
                            "commands for any other farm",
                            std::strerror(fault)));
  }
  std::string text;
  char block[4096];
  ssize_t bytes = 0;
  while ((bytes = ::read(ends[0], block, sizeof(block))) > 0 || (bytes < 0 && errno == EINTR))
    if (bytes > 0) text.append(block, static_cast<std::size_t>(bytes));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, text};
}

std::string submit(const BatchPlan& plan, const std::vector<std::string>& lines, const std::string& name,
                   const CommonOptions& common, const SlurmOptions& options, const std::vector<std::string>& after) {
  const fs::path folder(plan.folder);
  const std::string list = (folder / (name + ".txt")).string(), script = (folder / (name + ".sh")).string();
  write_text(list, fmt::format("{}\n", fmt::join(lines, "\n")));
  const std::string limit = options.max_parallel > 0 ? fmt::format("%{}", options.max_parallel) : "";
  write_text(script,
             fmt::format("#!/bin/bash\n"
                         "#SBATCH --job-name={}\n"
                         "#SBATCH --array=1-{}{}\n"
                         "#SBATCH --cpus-per-task={}\n"
                         "eval \"exec $(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {})\"\n",
                         folder.stem().string(), lines.size(), limit, std::max(1, common.threads), shell_line({list})));
  // The path as an argument: lines of #SBATCH know no quotes.
  std::vector<std::string> words{"sbatch", "--parsable", "--output=" + (folder / "slurm-%A_%a.log").string()};
  if (!after.empty()) words.push_back(fmt::format("--dependency=afterany:{}", fmt::join(after, ":")));
  words.insert(words.end(), options.more.begin(), options.more.end());
  words.push_back(script);
  const auto [status, text] = run_program(words);
  if (status != 0) throw Error(ErrorCode::io, "sbatch", "refused the jobs: " + printable(text, 300));
  return text.substr(0, text.find_first_of(";\n"));
}

}  // namespace

std::string shell_line(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 || std::strchr("_-./:=+,@%", c) != nullptr;
    });
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> submit_to_slurm(const BatchPlan& plan, const std::vector<std::size_t>& tasks,
                                         const CommonOptions& common, const SlurmOptions& options) {
  CommonOptions mine = common;
  mine.threads = std::max(1, common.threads);
  std::vector<std::string> jobs;
  for (const bool joins : {false, true}) {
    std::vector<std::string> lines;
    for (const std::size_t i : tasks)
      if (!plan.tasks[i].pieces.empty() == joins)
        lines.push_back(shell_line(task_command(plan, plan.tasks[i], mine, false)));
    const std::vector<std::string> after = joins ? jobs : std::vector<std::string>{};
    for (std::size_t first = 0; first < lines.size(); first += kLongestArray) {
      const std::vector<std::string> some(
          lines.begin() + static_cast<std::ptrdiff_t>(first),
          lines.begin() + static_cast<std::ptrdiff_t>(std::min(first + kLongestArray, lines.size())));
      jobs.push_back(submit(plan, some, fmt::format("array-{}", jobs.size() + 1), mine, options, after));
    }
  }
  return jobs;
}

}  // namespace cutis::cli
