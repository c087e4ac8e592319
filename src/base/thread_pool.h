// A small pool with one operation: run a job's chunks on all threads and wait.
//
// Chunks are handed out by an atomic counter, so who runs which chunk varies; what a chunk is does not. Code whose
// result depends on chunk borders only (never on the thread) gives the same bits for any number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cutis {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(chunk) for every chunk in [0, chunks), the caller's thread included; returns when all are done.
  /// The first exception is rethrown here. Calls from inside a body run serially.
  void run(std::size_t chunks, const std::function<void(std::size_t)>& body);

 private:
  struct Job;
  void work();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  std::size_t generation_ = 0;
  bool stop_ = false;
  std::mutex run_mutex_;  // one job at a time
};

}  // namespace cutis
