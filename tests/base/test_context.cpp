#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "base/parallel_for.h"
#include "cutis/error.h"
#include "support/support.h"

namespace cutis {
namespace {

using testing::HasSubstr;

TEST(Context, RefusesNumbersOfThreadsThatNoMachineHas) {
  for (const int threads : {-1, 1025, 100'000}) {
    const std::string error = test::error_of([&] { const Context context(threads); });
    EXPECT_THAT(error, HasSubstr(std::to_string(threads)));
    EXPECT_THAT(error, HasSubstr("between 0 (all cores) and 1024"));
  }
}

TEST(Context, OutlivesTheOneThatItWasCopiedFrom) {
  auto original = std::make_unique<Context>(3);
  int warnings = 0;
  original->on_warning = [&](std::string_view) { ++warnings; };
  const Context copy = *original;
  original.reset();
  EXPECT_EQ(copy.threads(), 3);
  copy.warn("still here");
  EXPECT_EQ(warnings, 1);
  std::atomic<int> count{0};
  parallel_for(copy, 100, 1, [&](std::size_t, std::size_t) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(Context, IsAsGoodAsBeforeWhenItWasMovedFrom) {
  Context first(2);
  const Context second = std::move(first);
  for (const Context* context : std::initializer_list<const Context*>{&first, &second}) {
    EXPECT_EQ(context->threads(), 2);
    std::atomic<int> count{0};
    parallel_for(*context, 100, 1, [&](std::size_t, std::size_t) { ++count; });
    EXPECT_EQ(count, 100);
  }
}

TEST(Context, HasCallbacksOfItsOwnInEveryCopy) {
  Context first(1);
  const Context second = first;
  first.is_cancelled = [] { return true; };
  EXPECT_THROW(first.check_cancelled(), Error);
  EXPECT_NO_THROW(second.check_cancelled());
}

TEST(ParallelFor, StopsBetweenChunksWhenCancelled) {
  for (const int threads : {1, 3}) {
    Context context(threads);
    std::atomic<int> done{0};
    context.is_cancelled = [&] { return done >= 10; };
    try {
      parallel_for(context, 1'000'000, 1, [&](std::size_t, std::size_t) { ++done; });
      FAIL() << "went on";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::cancelled);
    }
    EXPECT_LT(done, 20);
  }
}

}  // namespace
}  // namespace cutis
