// The operators behind one interface.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/parallel_for.h"
#include "base/timer.h"
#include "compose/operator_table.h"
#include "cutis/error.h"

namespace cutis {
namespace {

constexpr std::array<std::pair<OperatorKind, std::string_view>, 6> kOperatorNames = {
    {{OperatorKind::unite, "union"},
     {OperatorKind::clean_union, "clean-union"},
     {OperatorKind::blend, "blend"},
     {OperatorKind::contact, "contact"},
     {OperatorKind::bulge, "bulge"},
     {OperatorKind::profile, "profile"}}};

constexpr std::size_t kGrain = 4096;

}  // namespace

std::string_view name_of(OperatorKind kind) {
  for (const auto& [k, name] : kOperatorNames)
    if (k == kind) return name;
  return {};
}

std::optional<OperatorKind> operator_kind(std::string_view name) {
  for (const auto& [kind, n] : kOperatorNames)
    if (n == name) return kind;
  return std::nullopt;
}

OperatorProfile contact_profile() { return {.name = "contact", .points = {{0.5, 0}, {0.5, 0.5}}}; }

// After the bulge profile of the 2013 authors' program, in polar form r = 1.012, 1.043, 1.110, 1.273 at tan = .25, .5,
// .75, 1 (scaled by 1/2 here): straight at first, swollen most at f2 = 0.35, meeting its mirror image at 0.45.
OperatorProfile bulge_profile() {
  return {.name = "bulge", .points = {{0.5, 0}, {0.5, 0.12}, {0.47, 0.22}, {0.43, 0.32}, {0.44, 0.4}, {0.45, 0.45}}};
}

struct CompositionOperator::Impl {
  OperatorKind kind = OperatorKind::unite;
  OperatorReport report;
  OperatorProfile profile;
  OperatorTable table;
  OperatorView view;
};

CompositionOperator::CompositionOperator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompositionOperator::~CompositionOperator() = default;

OperatorKind CompositionOperator::kind() const { return impl_->kind; }
const OperatorReport& CompositionOperator::report() const { return impl_->report; }
const OperatorView& CompositionOperator::view() const { return impl_->view; }

Composed CompositionOperator::operator()(float f1, float f2, float parameter) const {
  return compose_fields(impl_->view, f1, f2, parameter);
}

void CompositionOperator::evaluate(std::span<const float> f1, std::span<const float> f2,
                                   std::span<const float> parameter, std::span<Composed> out,
                                   const Context& context) const {
  if (f2.size() != f1.size() || parameter.size() != f1.size() || out.size() != f1.size())
    throw Error(ErrorCode::bad_argument, fmt::format("operator '{}'", name_of(kind())),
                fmt::format("{} values of f1, {} of f2, {} parameters and {} results; give as many of each", f1.size(),
                            f2.size(), parameter.size(), out.size()));
  parallel_for(context, f1.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = compose_fields(impl_->view, f1[i], f2[i], parameter[i]);
  });
}

std::vector<ProfilePoint> CompositionOperator::profile(double parameter) const {
  const double d = std::clamp(parameter, 0.0, 1.0);
  if (impl_->view.form == OperatorForm::table) return profile_at(impl_->profile, d).side;
  // Of the closed forms: straight to k(0.5), then the arc.
  const double k = kind() == OperatorKind::blend ? 0.5 * d : 0.5;
  std::vector<ProfilePoint> points = {{0.5, 0}, {0.5, k}};
  for (int i = 1; i <= 32 && k < 0.5; ++i) {
    const double angle = i / 32.0 * kPi / 4;
    points.push_back({k + (0.5 - k) * std::cos(angle), k + (0.5 - k) * std::sin(angle)});
  }
  return points;
}

double CompositionOperator::contact_end(double parameter) const {
  if (impl_->view.form == OperatorForm::table)
    return profile_at(impl_->profile, std::clamp(parameter, 0.0, 1.0)).contact_end;
  return profile(parameter).back().f1;
}

std::shared_ptr<const CompositionOperator> make_operator(OperatorKind kind, const Context& context,
                                                         const OperatorOptions& options) {
  auto impl = std::make_unique<CompositionOperator::Impl>();
  impl->kind = kind;
  switch (kind) {
    case OperatorKind::unite:
      impl->view.form = OperatorForm::unite;
      break;
    case OperatorKind::clean_union:
      impl->view.form = OperatorForm::clean_union;
      break;
    case OperatorKind::blend:
      impl->view.form = OperatorForm::blend;
      break;
    case OperatorKind::contact:
      impl->profile = contact_profile();
      break;
    case OperatorKind::bulge:
      impl->profile = bulge_profile();
      break;
    case OperatorKind::profile:
      impl->profile = options.profile;
      break;
  }
  if (kind == OperatorKind::contact || kind == OperatorKind::bulge || kind == OperatorKind::profile) {
    check_profile(impl->profile);
    const Timer timer;
    impl->table = cached_table(impl->profile, options.monotone, options.cache_folder.value_or(default_cache_folder()),
                               context, impl->report.cache);
    impl->report.milliseconds = timer.milliseconds();
    impl->report.bytes = impl->table.nodes.size() * sizeof(OperatorNode);
    impl->view = {OperatorForm::table, impl->table.view()};
  }
  return std::make_shared<const CompositionOperator>(std::move(impl));
}

}  // namespace cutis
