// The same on a body of 53,000 vertices.
#include <gtest/gtest.h>

#include "cancel/gaps.h"
#include "support/support.h"

namespace cutis {
namespace {

TEST(CancelSlow, IsAskedForOftenOnALargeBody) {
  CUTIS_NEEDS_SHARED_DATA();
  const test::TemporaryFolder folder;
  test::expect_small_gaps((test::shared_data() / "makehuman_male" / "makehuman_male_hires.glb").string(), "deep_squat",
                          folder.path().string(), test::kMostFactor, false);
}

}  // namespace
}  // namespace cutis
