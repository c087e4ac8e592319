// Implicit skinning in packs gives the bits of the scalar back end, on every instruction set.
#include <gtest/gtest.h>

#include "backends/same_bits.h"
#include "cutis/cutis.h"

namespace cutis {
namespace {

void expect_same_skin(const Character& c, const char* clip, int frames, const ImplicitOptions& options = {}) {
  (void)test::expect_scalar_bits(
      c, clip, frames, {}, {.method = Method::implicit, .implicit = options, .contact_pass = false},
      [](const Frame& frame, const Frame& expected) {
        EXPECT_EQ(frame.report.active, expected.report.active);
        EXPECT_EQ(frame.report.iterations, expected.report.iterations);
        EXPECT_EQ(frame.report.residual_max, expected.report.residual_max);
        EXPECT_EQ(frame.report.contact.overlaps.size(), expected.report.contact.overlaps.size());
      });
}

TEST(SimdImplicit, IsTheScalarOneBitForBitInAFold) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 7);
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWithManyPartsNearEachOther) {
  const Context context;
  expect_same_skin(load_character("builtin:hand", context), "fist", 4);
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWhenPartsBlend) {
  const Context context;
  expect_same_skin(load_character("builtin:hand", context), "fist", 3, {.blend = true});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitFromLinearBlending) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 5, {.initial = Method::lbs});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitInTheComposedField) {
  const Context context;
  expect_same_skin(load_character("builtin:cylinder", context), "bend", 5, {.contact = ContactModel::composed});
}

TEST(SimdImplicit, IsTheScalarOneBitForBitWithBonesThatStretch) {
  const Context context;
  expect_same_skin(test::stretching_cylinder(context), "bend", 5);
}

}  // namespace
}  // namespace cutis
