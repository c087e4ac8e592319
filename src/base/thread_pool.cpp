#include "base/thread_pool.h"

#include <atomic>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/cores.h"
#include "cutis/error.h"

namespace cutis {
namespace {
thread_local bool t_inside_job = false;

// Some tens of microseconds.
constexpr int kSpins = 2000;
constexpr std::uint32_t kClosed = 1U << 30;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Condition>
void spin_until(int spins, const Condition& condition) {
  for (int i = 0; i < spins && !condition(); ++i) pause_briefly();
}
}  // namespace

// Takes chunks until there are none. The first error ends the job.
void ThreadPool::drain() {
  const std::size_t chunks = chunks_;
  t_inside_job = true;
  for (std::size_t i = next_.fetch_add(1); i < chunks; i = next_.fetch_add(1)) {
    try {
      (*body_)(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
      next_.store(chunks);
    }
  }
  t_inside_job = false;
}

ThreadPool::ThreadPool(int threads) : users_(kClosed) {
  // More threads than cores: those that wait would keep others from working.
  spins_ = threads <= available_cores() ? kSpins : 0;
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const std::size_t got = workers_.size() + 1;
    stop();
    throw Error(ErrorCode::io, "threads", fmt::format("the system gives {} of {}; ask for fewer", got, threads));
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

// The last one out, after the job was closed, tells who waits for that.
void ThreadPool::leave() {
  if (users_.fetch_sub(1) != kClosed + 1) return;
  const std::lock_guard lock(mutex_);
  done_.notify_all();
}

void ThreadPool::work() {
  for (std::uint32_t seen = 0;;) {
    const auto is_called = [&] { return stop_ || generation_ != seen; };
    spin_until(spins_, is_called);
    if (!is_called()) {
      std::unique_lock lock(mutex_);
      ++sleepers_;  // before it looks once more: who starts a job looks at it after that
      wake_.wait(lock, is_called);
      --sleepers_;
    }
    if (stop_) return;
    seen = generation_;
    if (next_ >= chunks_) continue;  // nothing is left to take; a job that starts right now calls again
    if (users_.fetch_add(1) < kClosed) drain();
    leave();
  }
}

void ThreadPool::run(std::size_t chunks, const ChunkBody& body) {
  if (chunks == 0) return;
  if (workers_.empty() || chunks == 1 || t_inside_job) {
    for (std::size_t i = 0; i < chunks; ++i) body(i);
    return;
  }
  const std::lock_guard one_job(run_mutex_);
  body_ = &body;  // nobody is inside, and nobody comes in
  error_ = nullptr;
  next_ = 0;
  chunks_ = chunks;
  users_.fetch_sub(kClosed);
  ++generation_;
  if (sleepers_ > 0) {
    // One that has looked and is about to sleep does so first.
    std::unique_lock(mutex_).unlock();
    wake_.notify_all();
  }
  drain();
  users_.fetch_add(kClosed);
  const auto is_over = [&] { return users_ == kClosed; };
  spin_until(spins_, is_over);
  if (!is_over()) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, is_over);
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace cutis
