#include "compose/controller.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis {
namespace {

// Slopes in double: the harmonic mean of the neighbouring secants, weighted by the spacing, keeps each piece monotone
// (Fritsch and Butland 1984) and is 0 where the curve turns.
double monotone_slope(const std::vector<ControllerPoint>& p, std::size_t i) {
  if (i == 0 || i + 1 >= p.size()) return 0;
  const double before = p[i].angle - p[i - 1].angle, after = p[i + 1].angle - p[i].angle;
  const double rise0 = (p[i].value - p[i - 1].value) / before, rise1 = (p[i + 1].value - p[i].value) / after;
  if (!(rise0 * rise1 > 0)) return 0;
  const double w0 = 2 * after + before, w1 = after + 2 * before;
  return (w0 + w1) / (w0 / rise0 + w1 / rise1);
}

}  // namespace

void check_controller(const Controller& controller, double lo, double hi, const std::string& place) {
  const auto fail = [&](const std::string& sentence) { throw Error(ErrorCode::bad_argument, place, sentence); };
  const auto& p = controller.points;
  if (p.empty() || p.size() > 64) fail(fmt::format("the curve has {} points; give 1 to 64", p.size()));
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i].angle >= 0 && p[i].angle <= kPi + 1e-6))
      fail(fmt::format("the angle of point {} must be between 0 and 180 degrees", i + 1));
    if (!(p[i].value >= lo && p[i].value <= hi + 1e-9))
      fail(fmt::format("the value of point {} is out of range", i + 1));
    if (i > 0 && !(p[i].angle > p[i - 1].angle + 1e-6))
      fail(fmt::format("angles must rise from point to point, and do not at point {}", i + 1));
  }
}

std::vector<ControllerKnot> controller_knots(const Controller& controller) {
  std::vector<ControllerKnot> knots;
  for (std::size_t i = 0; i < controller.points.size(); ++i)
    knots.push_back({static_cast<float>(controller.points[i].angle), static_cast<float>(controller.points[i].value),
                     static_cast<float>(monotone_slope(controller.points, i))});
  return knots;
}

double Controller::operator()(double angle) const {
  if (points.empty()) throw Error(ErrorCode::bad_argument, "controller", "the curve has no points; give at least one");
  if (!(angle > points.front().angle)) return points.front().value;
  if (angle >= points.back().angle) return points.back().value;
  std::size_t k = 1;
  while (angle >= points[k].angle) ++k;
  const ControllerPoint &a = points[k - 1], &b = points[k];
  const double h = b.angle - a.angle, t = (angle - a.angle) / h, s = 1 - t;
  return a.value * (1 + 2 * t) * s * s + h * monotone_slope(points, k - 1) * t * s * s + b.value * t * t * (3 - 2 * t) -
         h * monotone_slope(points, k) * t * t * s;
}

double OpeningCurve::operator()(double alpha) const {
  // kappa(0) = 0 and kappa(1) = 1, with all derivatives 0 there.
  const auto kappa = [](double x) {
    if (!(x > 0)) return 0.0;
    if (x >= 1) return 1.0;
    return 1 - std::exp(1 - 1 / (1 - std::exp(1 - 1 / x)));
  };
  if (alpha <= alpha0) return theta0;
  if (alpha <= alpha1)
    return std::pow(kappa((alpha - alpha1) / (alpha0 - alpha1)), omega0) * (theta0 - theta1) + theta1;
  if (alpha <= alpha2)
    return std::pow(kappa((alpha - alpha1) / (alpha2 - alpha1)), omega1) * (theta2 - theta1) + theta1;
  return theta2;
}

double gradient_angle(const Vec3d& grad1, const Vec3d& grad2) {
  const double a = length(grad1), b = length(grad2);
  if (!(a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b))) return 0;
  const Vec3d u = grad1 / a, v = grad2 / b;
  return 2 * std::atan2(length(u - v), length(u + v));  // accurate near 0 and pi, where the arc cosine is not
}

}  // namespace cutis
