// Compiled as the library is (CMakeLists.txt).
#include <gtest/gtest.h>

namespace cutis {
namespace {

// GCC 12 vectorises this into no rounding at all, unless it is told not to (cmake/cutis_options.cmake): grids were then
// measured, and made, a little differently by every level of optimisation.
struct Doubles {
  double x, y, z;
};
struct Floats {
  float x, y, z;
};
#if defined(__clang__)
[[gnu::noinline]]  // clang knows no noipa
#else
[[gnu::noipa]]
#endif
Doubles through_float(const Doubles& a, const Doubles& b) {
  const Floats p{static_cast<float>(a.x + b.x), static_cast<float>(a.y + b.y), static_cast<float>(a.z + b.z)};
  return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

TEST(Rounding, ToFloatAndBackIsNotLeftOut) {
  const Doubles r = through_float({0.1, 0.2, 0.3}, {1, 2, 3});
  EXPECT_EQ(r.x, static_cast<double>(1.1F));
  EXPECT_EQ(r.y, static_cast<double>(2.2F));
  EXPECT_EQ(r.z, static_cast<double>(3.3F));
}

}  // namespace
}  // namespace cutis
