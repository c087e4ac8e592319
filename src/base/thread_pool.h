// A small pool with one operation: run a job's chunks on all threads and wait.
//
// Workers look out for the next job for some microseconds before they go to sleep: loops of a frame follow each other
// closely, and waking a thread up takes longer than many of them.
//
// Chunks are handed out by an atomic counter, so who runs which chunk varies; what a chunk is does not. Code whose
// result depends on chunk borders only (never on the thread) gives the same bits for any number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cutis {

/// What run() calls, seen and not owned: nothing is allocated for it.
class ChunkBody {
 public:
  template <class Body>
  explicit ChunkBody(const Body& body)
      : body_(&body), call_([](const void* b, std::size_t chunk) { (*static_cast<const Body*>(b))(chunk); }) {}
  void operator()(std::size_t chunk) const { call_(body_, chunk); }

 private:
  const void* body_;
  void (*call_)(const void*, std::size_t);
};

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(chunk) for every chunk in [0, chunks), the caller's thread included; returns when all are done.
  /// The first exception is rethrown here. Calls from inside a body run serially.
  void run(std::size_t chunks, const ChunkBody& body);

 private:
  void work();
  void drain();
  void leave();
  void stop();

  std::vector<std::thread> workers_;
  // The job. Workers come in and go by `users_` alone: a lock that sixteen of them take one after the other lasts as
  // long as a loop of a frame.
  const ChunkBody* body_ = nullptr;
  std::atomic<std::size_t> chunks_{0}, next_{0};
  std::atomic<std::uint32_t> users_;          // workers inside, and a high bit while nobody may come in
  std::atomic<std::uint32_t> generation_{0};  // of jobs
  std::exception_ptr error_;
  std::mutex error_mutex_;

  std::mutex mutex_;  // of those who sleep
  std::condition_variable wake_, done_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};
  int spins_ = 0;
  std::mutex run_mutex_;  // one job at a time
};

}  // namespace cutis
