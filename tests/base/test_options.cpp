// Options are checked against their tables: one sentence with place, option, value and range.
#include "cutis/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "support/support.h"

namespace cutis {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Options>
class OptionTable : public testing::Test {};
using OptionStructs =
    testing::Types<BindOptions, JointPreset, WeightOptions, SolveOptions, ImplicitOptions, TrackingOptions, TakeOptions,
                   TargetOptions, MarkerOptions, SpherePoseOptions, MetricsOptions, ViewOptions, RenderOptions,
                   SheetOptions, ComposeOptions, PlotOptions, IsoLinesOptions>;
TYPED_TEST_SUITE(OptionTable, OptionStructs);

TYPED_TEST(OptionTable, DescribesEveryOptionOnceAndAllowsItsDefault) {
  std::set<std::string_view> names;
  for (const auto& row : option_rows<TypeParam>()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_LT(row.least, row.most) << row.name;
    EXPECT_EQ(row.choices.empty(), row.kind != OptionKind::choice) << row.name;
  }
  EXPECT_FALSE(names.empty());
  EXPECT_NO_THROW(check_options(TypeParam{}, "defaults"));
}

TYPED_TEST(OptionTable, AllowsTheEndsOfARangeAndNothingBeyond) {
  for (const auto& row : option_rows<TypeParam>()) {
    const bool whole = row.kind != OptionKind::number;
    const double step = whole ? 1 : 1e-3 * (row.most - row.least);
    const auto with = [&](double value) {
      TypeParam options;
      row.set(options, value);
      EXPECT_TRUE(row.has(options));
      return options;
    };
    EXPECT_EQ(row.get(with(row.most)), row.most) << row.name;
    EXPECT_NO_THROW(check_options(with(row.most), "x")) << row.name;
    EXPECT_NO_THROW(check_options(with(row.least + (row.above_least ? step : 0)), "x")) << row.name;
    if (row.kind == OptionKind::flag) continue;
    const auto refused = [&](double value) {
      EXPECT_THAT(test::error_of([&] { check_options(with(value), "the place"); }),
                  AllOf(HasSubstr("the place: "), HasSubstr(std::string(row.name) + " is ")))
          << value;
    };
    refused(row.most + step);
    if (row.above_least) refused(row.least);
    if (row.least > 0 || row.kind == OptionKind::number) refused(row.least - step);
    if (whole) continue;
    refused(kNan);
    refused(std::numeric_limits<double>::infinity());
    refused(-std::numeric_limits<double>::infinity());
  }
}

TEST(CheckOptions, SaysOptionValueAndRange) {
  EXPECT_EQ(test::error_of([] { check_options(TrackingOptions{.step = 0}, "tracking"); }),
            "tracking: step is 0; it must be more than 0 and at most 1 rad");
  EXPECT_EQ(test::error_of([] { check_options(TrackingOptions{.inner = -5}, "tracking"); }),
            "tracking: inner is -5; it must be between 1 and 1000");
  EXPECT_EQ(test::error_of([] { check_options(SolveOptions{.relief_cap = 99}, "solve"); }),
            "solve: relief_cap is 99; it must be between 0 and 0.2 sizes of the character");
  EXPECT_EQ(test::error_of([] { check_options(SolveOptions{.relief_cap = kNan}, "solve"); }),
            "solve: relief_cap is nan; it must be between 0 and 0.2 sizes of the character");
  EXPECT_EQ(test::error_of([] { check_options(ImplicitOptions{.initial = Method::tracking}, "implicit"); }),
            "implicit: initial is 3; it must be one of: lbs, dqs");
}

}  // namespace
}  // namespace cutis
