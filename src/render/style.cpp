#include "render/style.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace cutis::style {

std::string number(double value, double step) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  step = std::abs(step);
  if (!(step > 0) || !std::isfinite(step)) return fmt::format("{:.4g}", value);
  if (std::abs(value) < step * 1e-6) value = 0;
  const double size = std::max(std::abs(value), step);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3g}", value);
  // Enough digits for the step itself: 0.25 needs two, 0.5 one.
  int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step))));
  for (; digits < 6; ++digits) {
    const double scaled = step * std::pow(10.0, digits);
    if (std::abs(scaled - std::round(scaled)) < 0.02 * scaled) break;
  }
  std::string text = fmt::format("{:.{}f}", value, std::min(digits, 6));
  if (text.find('.') != std::string::npos && digits > 3) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

Ticks round_ticks(double lo, double hi, int count) {
  const double raw = (hi - lo) / std::max(1, count);
  if (!(raw > 0) || !std::isfinite(raw)) return {lo, 1, 1};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double ratio = raw / power;
  Ticks ticks;
  ticks.step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  ticks.first = std::ceil(lo / ticks.step - 1e-9) * ticks.step;
  ticks.count = static_cast<int>(std::floor((hi - ticks.first) / ticks.step + 1e-9)) + 1;
  return ticks;
}

}  // namespace cutis::style
