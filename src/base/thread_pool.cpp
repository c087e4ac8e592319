#include "base/thread_pool.h"

#include <atomic>
#include <system_error>

#include <fmt/format.h>

#include "base/cores.h"
#include "cutis/error.h"

namespace cutis {
namespace {
thread_local bool t_inside_job = false;

// Some tens of microseconds.
constexpr int kSpins = 2000;

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

struct ThreadPool::Job {
  std::size_t chunks = 0;
  const ChunkBody* body = nullptr;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> users{0};  // workers inside the job; written under the pool's mutex
  std::exception_ptr error;
  std::mutex error_mutex;

  void drain() {
    t_inside_job = true;
    for (std::size_t i = next.fetch_add(1); i < chunks; i = next.fetch_add(1)) {
      try {
        (*body)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(chunks);
      }
    }
    t_inside_job = false;
  }
};

ThreadPool::ThreadPool(int threads) {
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

void ThreadPool::work() {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!stop_ && generation_ == seen) {
      lock.unlock();
      spin_until(spins_, [&] { return stop_ || generation_ != seen; });
      lock.lock();
      if (!stop_ && job_ == nullptr && generation_ != seen) {  // over before this one came to it
        seen = generation_;
        continue;
      }
    }
    wake_.wait(lock, [&] { return stop_ || (job_ != nullptr && generation_ != seen); });
    if (stop_) return;
    seen = generation_;
    Job* job = job_;
    ++job->users;
    lock.unlock();
    job->drain();
    lock.lock();
    if (--job->users == 0) done_.notify_all();
  }
}

void ThreadPool::run(std::size_t chunks, const ChunkBody& body) {
  if (chunks == 0) return;
  if (workers_.empty() || chunks == 1 || t_inside_job) {
    for (std::size_t i = 0; i < chunks; ++i) body(i);
    return;
  }
  const std::lock_guard one_job(run_mutex_);
  Job job;
  job.chunks = chunks;
  job.body = &body;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    ++generation_;
  }
  wake_.notify_all();
  job.drain();
  std::unique_lock lock(mutex_);
  job_ = nullptr;  // late workers do not enter any more
  if (job.users > 0) {
    lock.unlock();
    spin_until(spins_, [&] { return job.users == 0; });
    lock.lock();
  }
  done_.wait(lock, [&] { return job.users == 0; });
  lock.unlock();
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace cutis
