// What the caller injects: threads, log, progress, cancel. No globals.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace cutis {

class ThreadPool;  // src/base/thread_pool.h

class Context {
 public:
  /// `threads` = 0 takes the number of cores. Results do not depend on it.
  explicit Context(int threads = 0);
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  [[nodiscard]] int threads() const noexcept;
  [[nodiscard]] ThreadPool& pool() const noexcept { return *pool_; }

  /// A remark worth telling the user ("mesh 'hat' has no skin: left out").
  std::function<void(std::string_view)> on_warning;
  /// Work done in [0,1], with the stage's name.
  std::function<void(std::string_view stage, double done)> on_progress;
  /// Return true to stop long work with ErrorCode::cancelled.
  std::function<bool()> is_cancelled;

  void warn(std::string_view text) const {
    if (on_warning) on_warning(text);
  }
  void progress(std::string_view stage, double done) const {
    if (on_progress) on_progress(stage, done);
  }

 private:
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace cutis
