#include "batch_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "cutis/text.h"
#include "signals.h"
#include "terminal.h"

extern char** environ;

namespace cutis::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr auto kGrace = std::chrono::seconds(3);  // between asking a task to stop and ending it

struct Child {
  std::size_t task = 0;
  pid_t process = -1;
  int progress = -1;  ///< what it writes on stdout: lines "PERCENT STAGE"
  std::string line;
  int percent = 0;
  Clock::time_point start = Clock::now();
};

std::string program_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorCode::io, "/proc/self/exe", "does not tell where this program is");
  return path.string();
}

// The last line of what it said, for processes that ended without a record.
std::string last_words(const std::string& log) {
  std::string text;
  try {
    text = read_file(log);
  } catch (const Error&) {  // it never began
    return {};
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return printable(line == std::string::npos ? text : text.substr(line + 1), 300);
}

class Runner {
 public:
  Runner(const BatchPlan& plan, const Session& session, const BatchOptions& options)
      : plan_(plan), session_(session), options_(options), outcomes_(plan.tasks.size()) {
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) number_of_[plan.tasks[i].name] = i;
    terminal_ = ::isatty(STDERR_FILENO) == 1 && !session.options().quiet;
  }
  ~Runner() {
    for (const Child& child : children_) {  // an exception is on its way
      ::kill(child.process, SIGKILL);
      ::waitpid(child.process, nullptr, 0);
      ::close(child.progress);
    }
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  std::vector<TaskOutcome> run() {
    if (!options_.again) outcomes_ = look_at(plan_);
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (outcomes_[i].state == TaskState::done) outcomes_[i].state = TaskState::skipped;
      if (outcomes_[i].state == TaskState::failed) outcomes_[i] = {};
      left_ += outcomes_[i].state == TaskState::waiting ? 1 : 0;
      if (outcomes_[i].state == TaskState::skipped) tell_end(i);
    }
    const int cores = session_.context().threads();
    const std::size_t wanted =
        options_.max_parallel > 0 ? static_cast<std::size_t>(options_.max_parallel) : static_cast<std::size_t>(cores);
    parallel_ = std::max<std::size_t>(1, std::min(wanted, left_));
    common_ = session_.options();
    common_.threads = std::max(1, cores / static_cast<int>(parallel_));
    while (true) {
      if (stop_signal() != 0) stop_all();
      if (!stopping_) start_tasks();
      if (children_.empty()) break;
      listen();
      reap();
      draw();
    }
    erase_lines();
    return std::move(outcomes_);
  }

 private:
  // A join waits for its pieces; where one of them failed it fails.
  bool is_ready(std::size_t i) {
    for (const std::string& name : plan_.tasks[i].pieces) {
      const TaskOutcome& piece = outcomes_[number_of_.at(name)];
      if (piece.state == TaskState::failed) {
        end(i, {TaskState::failed, fmt::format("its piece {} failed", name)});
        return false;
      }
      if (piece.state == TaskState::waiting) return false;
    }
    return true;
  }

  void start_tasks() {
    for (std::size_t i = first_; i < plan_.tasks.size() && children_.size() < parallel_ && !stopping_; ++i) {
      if (outcomes_[i].state != TaskState::waiting || is_running(i) || !is_ready(i)) {
        if (i == first_ && outcomes_[i].state != TaskState::waiting) ++first_;
        continue;
      }
      start(i);
    }
  }

  [[nodiscard]] bool is_running(std::size_t i) const {
    return std::ranges::find(children_, i, &Child::task) != children_.end();
  }

  void start(std::size_t i) {
    std::vector<std::string> words = task_command(plan_, plan_.tasks[i], common_, options_.again);
    words.emplace_back("--progress");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw Error(ErrorCode::io, "batch", fmt::format("no pipe could be made ({})", std::strerror(errno)));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_file(i).c_str(), O_CREAT | O_WRONLY | O_TRUNC,
                                       0666);
    // A group of its own: who interrupts at the terminal interrupts this process, which asks its tasks to stop.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    Child child;
    child.task = i;
    const int status =
        ::posix_spawn(&child.process, program_path().c_str(), &actions, &attributes, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    if (status != 0) {
      ::close(ends[0]);
      end(i, {TaskState::failed, fmt::format("no process could be started for it ({})", std::strerror(status))});
      return;
    }
    child.progress = ends[0];
    children_.push_back(std::move(child));
  }

  void listen() {
    std::vector<pollfd> watched;
    for (const Child& child : children_) watched.push_back({child.progress, POLLIN, 0});
    ::poll(watched.data(), watched.size(), kPollMs);
    for (Child& child : children_) take_progress(child);
  }

  static void take_progress(Child& child) {
    char block[4096];
    ssize_t bytes = 0;
    while ((bytes = ::read(child.progress, block, sizeof(block))) > 0) {
      child.line.append(block, static_cast<std::size_t>(bytes));
      for (std::size_t end = child.line.find('\n'); end != std::string::npos; end = child.line.find('\n')) {
        child.percent = std::clamp(std::atoi(child.line.c_str()), 0, 100);
        child.line.erase(0, end + 1);
      }
    }
  }

  void reap() {
    for (std::size_t k = 0; k < children_.size();) {
      int status = 0;
      if (::waitpid(children_[k].process, &status, WNOHANG) != children_[k].process) {
        ++k;
        continue;
      }
      ::close(children_[k].progress);
      const std::size_t task = children_[k].task;
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(k));
      if (stopping_ && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;  // asked to: waits for another run
      end(task, outcome_of(task, status));
    }
  }

  TaskOutcome outcome_of(std::size_t i, int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {TaskState::done, {}};
    if (WIFSIGNALED(status))
      return {TaskState::failed, fmt::format("was ended by signal {} ({}); run the batch again", WTERMSIG(status),
                                             ::strsignal(WTERMSIG(status)))};
    const std::optional<TaskRecord> record = read_record(task_file(plan_, plan_.tasks[i]));
    if (record && !record->done && !record->sentence.empty()) return {TaskState::failed, record->sentence};
    const std::string words = last_words(log_file(i));
    return {TaskState::failed, words.empty() ? fmt::format("ended with status {}", WEXITSTATUS(status)) : words};
  }

  void end(std::size_t i, TaskOutcome outcome) {
    outcomes_[i] = std::move(outcome);
    ++ended_;
    tell_end(i);
    if (outcomes_[i].state == TaskState::failed && options_.fail_fast) stop_all();
  }

  void tell_end(std::size_t i) {
    erase_lines();
    const TaskOutcome& outcome = outcomes_[i];
    const std::string& name = plan_.tasks[i].name;
    if (outcome.state == TaskState::failed) {
      session_.say(fmt::format("failed  {}: {}", name, outcome.sentence));
    } else if (outcome.state == TaskState::skipped) {
      session_.say(fmt::format("skipped {}: its outputs are up to date", name));
    } else {
      const std::optional<TaskRecord> record = read_record(task_file(plan_, plan_.tasks[i]));
      session_.say(record ? fmt::format("done    {}: {} frames, {:.3g} s", name, record->frames, record->seconds)
                          : fmt::format("done    {}", name));
    }
    if (!session_.options().json && !session_.options().quiet) flush_output();
  }

  void stop_all() {
    const auto now = Clock::now();
    if (!stopping_) {
      stopping_ = true;
      stopped_at_ = now;
      for (const Child& child : children_) ::kill(child.process, SIGTERM);
    } else if (now - stopped_at_ > kGrace) {
      for (const Child& child : children_) ::kill(child.process, SIGKILL);
    }
  }

  void draw() {
    if (!terminal_) return;
    erase_lines();
    std::string text;
    for (const Child& child : children_)
      text += fmt::format("\x1b[K{:3d}%  {:5.0f} s  {}\n", child.percent,
                          std::chrono::duration<double>(Clock::now() - child.start).count(),
                          printable(plan_.tasks[child.task].name, 60));
    text += fmt::format("\x1b[K{} of {} done\n", ended_, left_);
    lines_ = children_.size() + 1;
    show_progress(text);
    std::fflush(stderr);
  }
  void erase_lines() {
    if (lines_ == 0) return;
    show_progress(fmt::format("\x1b[{}A\x1b[J", lines_));
    lines_ = 0;
    std::fflush(stderr);
  }

  [[nodiscard]] std::string log_file(std::size_t i) const {
    return (fs::path(plan_.folder) / (plan_.tasks[i].name + ".log")).string();
  }

  const BatchPlan& plan_;
  const Session& session_;
  BatchOptions options_;
  CommonOptions common_;
  std::vector<TaskOutcome> outcomes_;
  std::map<std::string, std::size_t> number_of_;
  std::vector<Child> children_;
  std::size_t parallel_ = 1, first_ = 0, left_ = 0, ended_ = 0, lines_ = 0;
  bool terminal_ = false, stopping_ = false;
  Clock::time_point stopped_at_;
};

}  // namespace

const char* to_string(TaskState state) {
  switch (state) {
    case TaskState::waiting:
      return "not done";
    case TaskState::done:
      return "done";
    case TaskState::skipped:
      return "up to date";
    case TaskState::failed:
      return "failed";
  }
  return "";
}

std::vector<std::string> task_command(const BatchPlan& plan, const BatchTask& task, const CommonOptions& common,
                                      bool again) {
  std::vector<std::string> words{program_path(), "batch", "--task", task_file(plan, task)};
  if (common.threads > 0) words.insert(words.end(), {"--threads", fmt::format("{}", common.threads)});
  if (common.backend != CommonOptions{}.backend) words.insert(words.end(), {"--backend", common.backend});
  if (common.max_memory > 0) words.insert(words.end(), {"--max-memory", fmt::format("{}", common.max_memory)});
  if (common.max_vertices > 0) words.insert(words.end(), {"--max-vertices", fmt::format("{}", common.max_vertices)});
  if (again) words.emplace_back("--again");
  return words;
}

std::vector<TaskOutcome> look_at(const BatchPlan& plan) {
  FileHashes hashes;
  std::vector<TaskOutcome> outcomes(plan.tasks.size());
  std::map<std::string, std::size_t> number_of;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) number_of[plan.tasks[i].name] = i;
  // Joins first: what they are made of is removed when they are done.
  for (std::size_t i = plan.tasks.size(); i-- > 0;) {
    const BatchTask& task = plan.tasks[i];
    if (outcomes[i].state == TaskState::done) continue;
    const std::optional<TaskRecord> record = read_record(task_file(plan, task));
    if (is_done(task, record, hashes)) {
      outcomes[i].state = TaskState::done;
      for (const std::string& piece : task.pieces) outcomes[number_of.at(piece)].state = TaskState::done;
    } else if (record && !record->done) {
      outcomes[i] = {TaskState::failed, record->sentence};
    }
  }
  return outcomes;
}

std::vector<TaskOutcome> run_batch(const BatchPlan& plan, const Session& session, const BatchOptions& options) {
  return Runner(plan, session, options).run();
}

}  // namespace cutis::cli
