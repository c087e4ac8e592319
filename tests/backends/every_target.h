// Runs a test body on every instruction set of this machine that the simd back end is compiled for.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace cutis::test {

/// Calls body() once per instruction set; failures name it. The machine's own choice is restored afterwards.
template <class Body>
void on_every_target(Body&& body) {
  const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  int targets = 0;
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1, ++targets) {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GE(targets, 1);
}

}  // namespace cutis::test
