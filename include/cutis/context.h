// What the caller injects: threads, back end, log, progress, cancel. No globals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cutis {

/// How all vertices get done.
enum class Backend {
  scalar,  ///< one after the other: the reference
  simd,    ///< packs of vertices, with the widest instructions that the machine has
};
[[nodiscard]] std::string_view to_string(Backend backend);
/// Throws Error(bad_argument) that lists what is built in.
[[nodiscard]] Backend backend_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> backend_names();

class ThreadPool;  // src/base/thread_pool.h

class Context {
 public:
  /// `threads` = 0 takes the number of cores. Results do not depend on it.
  explicit Context(int threads = 0, Backend backend = Backend::simd);
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  [[nodiscard]] int threads() const noexcept;
  [[nodiscard]] Backend backend() const noexcept { return backend_; }
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
  Backend backend_;
};

}  // namespace cutis
