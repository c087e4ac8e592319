#include "compose/profile.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis {
namespace {

constexpr int kSamples = 193;
constexpr double kSmallReturn = 0.05;  // a bulge may come back by this much before it meets the other one

// Clamped uniform cubic B-spline by de Boor's scheme; t in [0,1]; at least four control points.
ProfilePoint b_spline(std::span<const ProfilePoint> control, double t) {
  const int spans = static_cast<int>(control.size()) - 3;
  const double u = t * spans;
  const int span = std::min(static_cast<int>(u), spans - 1);
  const auto knot = [&](int i) { return static_cast<double>(std::clamp(i - 3, 0, spans)); };
  std::array<ProfilePoint, 4> p{};
  for (int i = 0; i < 4; ++i) p[static_cast<std::size_t>(i)] = control[static_cast<std::size_t>(span + i)];
  for (int r = 1; r <= 3; ++r) {
    for (int i = 3; i >= r; --i) {
      const double lo = knot(span + i), hi = knot(span + i + 4 - r);
      const double a = (u - lo) / (hi - lo);
      ProfilePoint& q = p[static_cast<std::size_t>(i)];
      const ProfilePoint& before = p[static_cast<std::size_t>(i - 1)];
      q = {before.f1 + a * (q.f1 - before.f1), before.f2 + a * (q.f2 - before.f2)};
    }
  }
  return p[3];
}

// Straight line of four control points when fewer are given: a cubic needs four.
std::vector<ProfilePoint> at_least_four(const std::vector<ProfilePoint>& points) {
  if (points.size() >= 4) return points;
  std::vector<ProfilePoint> more;
  for (int i = 0; i < 4; ++i) {
    const double t = i / 3.0 * static_cast<double>(points.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(t), points.size() - 2);
    const double a = t - static_cast<double>(k);
    more.push_back(
        {points[k].f1 + a * (points[k + 1].f1 - points[k].f1), points[k].f2 + a * (points[k + 1].f2 - points[k].f2)});
  }
  return more;
}

}  // namespace

void check_profile(const OperatorProfile& profile) {
  const auto fail = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, fmt::format("profile '{}'", profile.name), sentence);
  };
  const auto& p = profile.points;
  if (p.size() < 2 || p.size() > 64) fail(fmt::format("has {} points; give 2 to 64", p.size()));
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i].f1 >= 0.05 && p[i].f1 <= 0.9 && p[i].f2 >= 0 && p[i].f2 <= p[i].f1 + 1e-9))
      fail(fmt::format("point {} ({:g}, {:g}) must have f1 between 0.05 and 0.9 and f2 between 0 and f1", i + 1,
                       p[i].f1, p[i].f2));
    if (i > 0 && !(p[i].f2 > p[i - 1].f2))
      fail(fmt::format("f2 must rise from point to point, and does not at point {}", i + 1));
  }
  if (std::abs(p.front().f1 - 0.5) > 1e-9 || p.front().f2 != 0) fail("must start at (0.5, 0)");
  if (std::abs(p.back().f1 - p.back().f2) > 1e-9) fail("must end on the diagonal f1 = f2");
  // Below, the table's cells cannot follow: g would fall in places where it must rise.
  if (p.back().f1 < 0.3 || p.back().f1 > 0.8) fail("must meet the diagonal between 0.3 and 0.8");
  if (!(profile.contact_depth >= 0 && profile.contact_depth <= 1)) fail("the contact depth must be between 0 and 1");
}

ProfileCurve profile_at(const OperatorProfile& profile, double d) {
  std::vector<ProfilePoint> control = at_least_four(profile.points);
  const double crossing = control.back().f2;
  for (ProfilePoint& p : control) {
    const ProfilePoint straight{0.5, p.f2 * 0.5 / crossing};
    p = {straight.f1 + d * (p.f1 - straight.f1), straight.f2 + d * (p.f2 - straight.f2)};
  }
  ProfileCurve curve;
  curve.aligned = true;
  for (const ProfilePoint& p : control) curve.aligned = curve.aligned && std::abs(p.f1 - 0.5) < 1e-12;
  for (int i = 0; i < kSamples; ++i) {
    const ProfilePoint p = b_spline(control, i / static_cast<double>(kSamples - 1));
    // The curve may touch the diagonal only at its end.
    curve.side.push_back({std::max(p.f1, p.f2), p.f2});
  }
  double least = 1;
  curve.widening = true;
  for (const ProfilePoint& p : curve.side) {
    least = std::min(least, p.f1);
    curve.widening = curve.widening && p.f1 <= 0.5 + 1e-9 && p.f1 - least <= kSmallReturn;
  }
  curve.crossing = curve.side.back().f2;
  // Ends of contact lines are nodes: an end inside a cell would leave g below 0.5 beyond it.
  const double steps = std::round(profile.contact_depth * d * kContactSteps);
  curve.contact_end = curve.crossing;
  if (steps > 0) curve.contact_end = std::max(curve.crossing, 0.5 + steps / kContactSteps * (kDeepestContact - 0.5));
  return curve;
}

double side_distance(const ProfileCurve& curve, double f1, double f2) {
  double nearest = 1e300, sign = f2 > curve.side.back().f2 ? 1 : -1;
  for (std::size_t i = 0; i + 1 < curve.side.size(); ++i) {
    const ProfilePoint &a = curve.side[i], &b = curve.side[i + 1];
    const double x = b.f1 - a.f1, y = b.f2 - a.f2, length2 = x * x + y * y;
    const double t = std::clamp(((f1 - a.f1) * x + (f2 - a.f2) * y) / length2, 0.0, 1.0);
    nearest = std::min(nearest, std::hypot(f1 - a.f1 - t * x, f2 - a.f2 - t * y));
    if (f2 >= a.f2 && f2 <= b.f2) sign = f1 >= a.f1 + (f2 - a.f2) / (b.f2 - a.f2) * x ? 1 : -1;
  }
  return sign * nearest;
}

}  // namespace cutis
