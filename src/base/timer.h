#pragma once

#include <chrono>

namespace cutis {

/// Milliseconds since construction.
class Timer {
 public:
  [[nodiscard]] double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds the time of a stage to what it took so far.
class StageTimer {
 public:
  explicit StageTimer(double& total) : total_(total) {}
  ~StageTimer() { total_ += timer_.milliseconds(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& total_;
  Timer timer_;
};

}  // namespace cutis
