// Named controllers.
//
// Contact and bulge: the papers have plots only. Tracking 4.1 fixes the ends: no contact up to 90 degrees at an elbow,
// full contact at 180, bulges from low angles on; what lies between is ours. Opening: elbow, knee, shoulder and hip are
// those of the 2013 authors' program, read off at every 15 degrees; finger is figure 10 of Implicit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/math.h"
#include "cutis/compose.h"
#include "cutis/error.h"

namespace cutis {
namespace {

struct Degrees {
  double angle, value;
};

Controller curve(std::initializer_list<Degrees> points, double unit = 1) {
  Controller c;
  for (const Degrees& p : points) c.points.push_back({p.angle * kDegree, p.value * unit});
  return c;
}

// Open around 45 degrees, closed again where the fold begins.
Controller elbow_opening() {
  return curve({{0, 45}, {15, 40.1}, {30, 27.4}, {45, 19.4}, {60, 26.7}, {75, 44.3}, {90, 45}}, kDegree);
}
// Fully open at 90 degrees.
Controller soft_opening() {
  return curve({{0, 45},
                {15, 43.1},
                {30, 37.1},
                {45, 26.5},
                {60, 12.8},
                {75, 2.7},
                {90, 0},
                {105, 2.7},
                {120, 12.8},
                {135, 26.5},
                {150, 37.1},
                {180, 45}},
               kDegree);
}
Controller finger_opening() {
  const OpeningCurve figure10;
  Controller c;
  for (int i = 0; i <= 16; ++i) {
    const double alpha = figure10.alpha0 + i / 16.0 * (figure10.alpha1 - figure10.alpha0);
    c.points.push_back({alpha, figure10(alpha)});
  }
  return c;
}

const std::array<std::string_view, 6> kPresetNames = {"default", "elbow", "knee", "shoulder", "hip", "finger"};

}  // namespace

std::vector<std::string> controller_preset_names() { return {kPresetNames.begin(), kPresetNames.end()}; }

ControllerPreset controller_preset(std::string_view name) {
  const std::string text(name);
  if (name == "default")
    return {text, curve({{90, 0}, {180, 1}}), curve({{40, 0}, {90, 0.45}, {160, 1}}), elbow_opening()};
  if (name == "elbow")
    return {text, curve({{90, 0}, {120, 0.3}, {150, 0.8}, {180, 1}}), curve({{45, 0}, {100, 0.4}, {160, 1}}),
            elbow_opening()};
  if (name == "knee")
    return {text, curve({{80, 0}, {115, 0.4}, {145, 0.85}, {180, 1}}), curve({{45, 0}, {95, 0.45}, {150, 1}}),
            elbow_opening()};
  if (name == "shoulder")
    return {text, curve({{100, 0}, {150, 0.5}, {180, 1}}), curve({{60, 0}, {120, 0.4}, {180, 1}}), soft_opening()};
  if (name == "hip")
    return {text, curve({{90, 0}, {130, 0.4}, {180, 1}}), curve({{50, 0}, {110, 0.4}, {170, 1}}), soft_opening()};
  if (name == "finger")
    return {text, curve({{70, 0}, {110, 0.5}, {160, 1}}), curve({{20, 0}, {60, 0.35}, {90, 0.65}, {150, 1}}),
            finger_opening()};
  throw Error(ErrorCode::bad_argument, fmt::format("controller '{}'", name),
              fmt::format("is not known; there are {}", fmt::join(kPresetNames, ", ")));
}

}  // namespace cutis
