// Options are checked against their tables: one sentence with place, option, value and range.
#include "cutis/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "support/support.h"

namespace cutis {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The largest number of initialisers that the aggregate takes: its fields.
template <class Options>
consteval std::size_t field_count() {
  // clang-format off
  using T = Options;
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 17;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 16;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 15;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 14;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 13;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 12;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 11;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 10;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 9;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}}; }) return 7;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}}; }) return 6;
  else if constexpr (requires { T{{}, {}, {}, {}, {}}; }) return 5;
  else if constexpr (requires { T{{}, {}, {}, {}}; }) return 4;
  else if constexpr (requires { T{{}, {}, {}}; }) return 3;
  else if constexpr (requires { T{{}, {}}; }) return 2;
  else return 1;
  // clang-format on
}

template <class Options>
class OptionTable : public testing::Test {};
using OptionStructs =
    testing::Types<ReadOptions, MotionOptions, OperatorOptions, Preset, BindOptions, JointPreset, WeightOptions,
                   SolveOptions, ImplicitOptions, TrackingOptions, TakeOptions, TargetOptions, MarkerOptions,
                   SpherePoseOptions, SphereNoiseOptions, RegisterOptions, MetricsOptions, ViewOptions, RenderOptions,
                   SheetOptions, ComposeOptions, PlotOptions, IsoLinesOptions>;
TYPED_TEST_SUITE(OptionTable, OptionStructs);

TYPED_TEST(OptionTable, HasARowForEveryField) {
  static_assert(field_count<TypeParam>() < 17, "field_count() must count further");
  EXPECT_EQ(option_rows<TypeParam>().size(), field_count<TypeParam>());
}

TYPED_TEST(OptionTable, NamesMethodsAndFlagsThatThereAre) {
  std::set<std::string> methods = {"contact"};
  for (const std::string& name : method_names()) methods.insert(name);
  for (const std::string& name : weight_method_names()) methods.insert(name);
  for (const auto& row : option_rows<TypeParam>()) {
    for (const std::string_view method : row.concerns) EXPECT_TRUE(methods.contains(std::string(method))) << row.name;
    EXPECT_TRUE(row.flag.empty() || row.flag.starts_with("--") || row.flag.starts_with("!--")) << row.flag;
  }
}

// Every value once more, through the text and through JSON.
TYPED_TEST(OptionTable, ComesBackFromTextAndJson) {
  TypeParam options, back;
  for (const OptionField& field : option_fields(options)) {
    const OptionInfo& info = *field.info;
    const OptionValue value = info.kind == OptionKind::text ? OptionValue("a name") : OptionValue(info.most);
    field.set(value);
    EXPECT_EQ(field.get(), value) << info.name;
    OptionValue read;
    EXPECT_EQ(read_option(info, option_text(info, value), read), "") << info.name;
    EXPECT_EQ(read, value) << info.name;
  }
  const std::string text = options_to_json(option_fields(options));
  options_from_json(text, option_fields(back), "back");
  EXPECT_EQ(options_to_json(option_fields(back)), text);
  for (const OptionField& field : option_fields(back)) {
    if (!field.info->may_be_empty) continue;
    field.set({});
    EXPECT_TRUE(std::holds_alternative<std::monostate>(field.get())) << field.info->name;
  }
  EXPECT_THAT(test::error_of([&] { options_from_json(R"({"no_such": 1})", option_fields(back), "x"); }),
              HasSubstr("no_such"));
}

TYPED_TEST(OptionTable, RefusesInOneSentenceWhereverAValueComesFrom) {
  for (const auto& row : option_rows<TypeParam>()) {
    if (row.kind != OptionKind::count && row.kind != OptionKind::number) continue;
    for (const double value : {row.most * 2 + 1, row.least - 1 - std::abs(row.least)}) {
      const std::string sentence = "x: " + option_fault(row, value);
      ASSERT_NE(sentence, "x: ") << row.name;
      TypeParam options;
      const std::string text = fmt::format(R"({{"{}": {}}})", row.name, value);
      EXPECT_EQ(test::error_of([&] { options_from_json(text, option_fields(options), "x"); }), sentence);
      OptionValue ignored;
      EXPECT_EQ("x: " + read_option(row, fmt::format("{}", value), ignored), sentence);
      row.set(options, value);
      if (row.get(options) != value) continue;  // an unsigned field cannot hold it
      EXPECT_EQ(test::error_of([&] { check_options(options, "x"); }), sentence);
    }
  }
}

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
    if (row.get == nullptr) continue;
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
            "implicit: initial is 4; it must be one of: lbs, dqs");
}

TEST(ReadOption, SaysWhatThereIs) {
  const auto fault = [](auto rows, std::string_view name, std::string_view text) {
    OptionValue ignored;
    for (const auto& row : rows)
      if (row.name == name) return read_option(row, text, ignored);
    return std::string("no such row");
  };
  EXPECT_EQ(fault(option_rows<TrackingOptions>(), "history", "past"),
            "history is 'past'; it must be one of: playback, stateless, canonical");
  EXPECT_EQ(fault(option_rows<TrackingOptions>(), "inner", "2.5"), "inner is 2.5; it must be whole");
  EXPECT_EQ(fault(option_rows<TrackingOptions>(), "inner", "2x"), "inner is '2x'; it must be between 1 and 1000");
  EXPECT_EQ(fault(option_rows<SolveOptions>(), "swell", "perhaps"), "swell is 'perhaps'; it must be on or off");
}

TEST(SolveOptionsJson, HoldsTheMethodsOptionsAndComesBack) {
  SolveOptions options{.method = Method::implicit, .relief_cap = 0.125};
  options.contact_pass = false;
  options.implicit.rounds = 7;
  options.tracking.history = History::canonical;
  const std::string text = to_json(options);
  const SolveOptions back = solve_options_from_json(text, "back");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.implicit.rounds, 7);
  EXPECT_EQ(back.tracking.history, History::canonical);
  EXPECT_EQ(back.contact_pass, std::optional(false));
  EXPECT_EQ(test::error_of([] { (void)solve_options_from_json(R"({"tracking": {"step": 0}})", "a.json"); }),
            "a.json › tracking: step is 0; it must be more than 0 and at most 1 rad");
  EXPECT_THAT(test::error_of([] { (void)solve_options_from_json(R"({"tracking": {"stop": 0}})", "a.json"); }),
              AllOf(HasSubstr("a.json › tracking"), HasSubstr("stop")));
}

}  // namespace
}  // namespace cutis
