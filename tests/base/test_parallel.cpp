#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel_for.h"

namespace cutis {
namespace {

TEST(ParallelFor, VisitsEveryItemOnce) {
  for (const int threads : {1, 2, 5}) {
    const Context context(threads);
    std::vector<int> visits(10007, 0);
    parallel_for(context, visits.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const int v : visits) ASSERT_EQ(v, 1);
  }
}

// Short loops one after the other, and pauses in which the threads fall asleep: nobody works for a loop that is over.
TEST(ParallelFor, VisitsEveryItemOnceInManyShortLoops) {
  for (const int threads : {2, 3, 8}) {
    const Context context(threads);
    for (std::size_t round = 0; round < 4000; ++round) {
      std::vector<std::size_t> visits(1 + round * 7919 % 37, 0);
      parallel_for(context, visits.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) visits[i] += i + round;
      });
      for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], i + round);
      if (round % 1000 == 999) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

TEST(ParallelFor, HandsTheFirstExceptionToTheCallerAndGoesOn) {
  const Context context(3);
  EXPECT_THROW(parallel_for(context, 1000, 1,
                            [](std::size_t begin, std::size_t) {
                              if (begin == 500) throw std::runtime_error("boom");
                            }),
               std::runtime_error);
  std::atomic<int> count{0};
  parallel_for(context, 100, 1, [&](std::size_t, std::size_t) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(ParallelFor, RunsSeriallyInsideItself) {
  const Context context(4);
  std::atomic<int> count{0};
  parallel_for(context, 8, 1, [&](std::size_t, std::size_t) {
    parallel_for(context, 8, 1, [&](std::size_t, std::size_t) { ++count; });
  });
  EXPECT_EQ(count, 64);
}

TEST(OrderedSum, HasTheSameBitsForAnyNumberOfThreads) {
  const auto sum = [](int threads) {
    const Context context(threads);
    return ordered_sum(context, 100000, 333, 0.0F, [](std::size_t begin, std::size_t end) {
      float s = 0;
      for (std::size_t i = begin; i < end; ++i) s += std::sin(static_cast<float>(i)) / 3;
      return s;
    });
  };
  const float one = sum(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(one, sum(2));
    EXPECT_EQ(one, sum(7));
  }
}

}  // namespace
}  // namespace cutis
