// What a frame may still do: operations, counted, so that the bound is the same on every machine; and time, where a
// budget is set.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace cutis {

/// Spent from any thread. Work that all threads do counts whoever does it: whether a bound on operations is passed does
/// not depend on threads. What was done when it is must be thrown away.
class WorkMeter {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  /// From here on: so many operations, and so many milliseconds; 0: any.
  void start(std::uint64_t operations, double milliseconds) {
    limit_ = operations;
    used_.store(0, std::memory_order_relaxed);
    late_.store(false, std::memory_order_relaxed);
    timed_ = milliseconds > 0;
    if (timed_)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double, std::milli>(std::min(milliseconds, kLongest)));
  }
  /// Counts; false when no more may be done.
  bool spend(std::uint64_t operations) {
    used_.fetch_add(operations, std::memory_order_relaxed);
    if (timed_ && !late() && Clock::now() >= end_) late_.store(true, std::memory_order_relaxed);
    return !stopped();
  }
  [[nodiscard]] std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool late() const { return late_.load(std::memory_order_relaxed); }  ///< out of time
  [[nodiscard]] bool stopped() const { return late() || used() > limit_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kLongest = 1e12;  // milliseconds: fits a clock

  std::uint64_t limit_ = kNoLimit;
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<bool> late_ = false;
  bool timed_ = false;
  Clock::time_point end_;
};

/// Counts for one thread, and hands over now and then.
class WorkCount {
 public:
  explicit WorkCount(WorkMeter* meter) : meter_(meter) {}
  ~WorkCount() { flush(); }
  WorkCount(const WorkCount&) = delete;
  WorkCount& operator=(const WorkCount&) = delete;

  /// False when no more may be done.
  bool spend(std::uint64_t operations) {
    count_ += operations;
    return count_ < kHandOver || flush();
  }

 private:
  static constexpr std::uint64_t kHandOver = 2048;
  bool flush() {
    if (meter_ == nullptr) return true;
    const bool more = meter_->spend(count_);
    count_ = 0;
    return more;
  }
  WorkMeter* meter_;
  std::uint64_t count_ = 0;
};

}  // namespace cutis
