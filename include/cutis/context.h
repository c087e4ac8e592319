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
  cuda,    ///< on a device of NVIDIA's; in builds with CUTIS_CUDA
};
[[nodiscard]] std::string_view to_string(Backend backend);
/// Throws Error(bad_argument) that lists what is built in.
[[nodiscard]] Backend backend_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> backend_names();

class ThreadPool;  // src/base/thread_pool.h

/// A cheap handle: copies share the threads, and each has callbacks of its own. What works with a context for longer
/// than a call (Solver, Metrics, …) keeps a copy made when it was given: the original may go, and what is set on it
/// later is not heard of.
class Context {
 public:
  static constexpr int kMostThreads = 1024;

  /// `threads` = 0 takes the cores that the process may run on. Results do not depend on it. Throws Error(bad_argument)
  /// when it is negative or more than kMostThreads, Error(io) when the system does not give so many.
  explicit Context(int threads = 0, Backend backend = Backend::simd);
  // There is no move: a context that was moved from is as good as before.
  ~Context();
  Context(const Context&);
  Context& operator=(const Context&);

  [[nodiscard]] int threads() const noexcept;
  [[nodiscard]] Backend backend() const noexcept { return backend_; }
  [[nodiscard]] ThreadPool& pool() const noexcept { return *pool_; }

  /// A remark worth telling the user ("mesh 'hat' has no skin: left out").
  std::function<void(std::string_view)> on_warning;
  /// Work done in [0,1], with the stage's name.
  std::function<void(std::string_view stage, double done)> on_progress;
  /// Return true to stop long work: it ends within 100 ms with Error(cancelled) and leaves no file behind. Called often
  /// and from any thread, so it has to be quick and safe to call from several at once (an atomic flag). Once true, it
  /// has to stay true until the work has returned.
  std::function<bool()> is_cancelled;

  void warn(std::string_view text) const {
    if (on_warning) on_warning(text);
  }
  void progress(std::string_view stage, double done) const {
    if (on_progress) on_progress(stage, done);
  }
  /// Throws Error(cancelled) when is_cancelled says so. Long loops call it; parallel_for does before every chunk.
  void check_cancelled() const {
    if (is_cancelled && is_cancelled()) throw_cancelled();
  }

 private:
  [[noreturn]] static void throw_cancelled();

  std::shared_ptr<ThreadPool> pool_;
  Backend backend_;
};

}  // namespace cutis
