// All planes of a family contain one line, the normal of the plane Q of the two bones; whatever closed curve of any of
// them encloses the joint meets that line. So one line per joint finds the triangles from which all curves are traced,
// and nothing else of the mesh is looked at.
//
// A curve is worth its perimeter (the paper's F), raised a little by the tilt of its plane against the bisector and by
// its distance from the joint: of curves about as short as each other, the one an anatomist would take.
#include "weights/atlas_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.h"

namespace cutis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Closer than this, relative to the size, is the same place.
constexpr double kSamePlace = 1e-6;
/// Planes of a family are this far apart before the best is refined.
constexpr double kStep = 5 * kDegree;
/// The plane keeps this angle to both bones: it has to come between them.
constexpr double kBetween = 8 * kDegree;
/// ... and no more than this to their bisector: beyond, it cuts lengthwise rather than across.
constexpr double kMaxTilt = 40 * kDegree;
/// Bones that bend by less have no plane of their own; the normals then lie in a cone around their direction.
constexpr double kCollinear = 3 * kDegree;
/// A squared radian of tilt costs this share of the perimeter,
constexpr double kTiltCost = 0.3;
/// and a diameter of distance from the joint this.
constexpr double kDistanceCost = 0.7;
/// Longer ones than this many times the best are not worth keeping as second choice.
constexpr double kSecondChoice = 1.6;
/// Waists are looked for so far along both bones, at most this many diameters away.
constexpr std::array kWaists{-0.5, -0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3, 0.4, 0.5};
constexpr double kNearWaist = 0.4;
/// A family is judged by these planes before it is looked at in full.
constexpr std::array kQuickLook{0.0, 15 * kDegree, -15 * kDegree};
/// Where to look down the bone.
constexpr std::array kDownTheBone{0.1, 0.2, 0.3, 0.4, 0.5};

void best_first(std::vector<CutCandidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const CutCandidate& a, const CutCandidate& b) { return a.score < b.score; });
  while (candidates.size() > 1 && candidates.back().score > kSecondChoice * candidates.front().score)
    candidates.pop_back();
}

void append(std::vector<CutCandidate>& to, std::vector<CutCandidate> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::string_view to_string(CutPlace place) {
  switch (place) {
    case CutPlace::at_joint:
      return "at the joint";
    case CutPlace::at_waist:
      return "at the waist nearby";
    case CutPlace::down_the_bone:
      return "down the bone";
    case CutPlace::nearest_curve:
      return "nearest curve";
    case CutPlace::missing:
      break;
  }
  return "missing";
}

CutSearch::CutSearch(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton,
                     const std::vector<Strut>& struts, const PlaneSections& sections, std::uint32_t bone)
    : problem_(problem), skeleton_(skeleton), struts_(struts), sections_(sections), bone_(bone) {
  joint_ = problem.bones[bone].from;
  upper_ = skeleton[bone].upper;
  lower_ = skeleton[bone].lower;
  bisector_ = normalized(upper_ + lower_, lower_);
  const Vec3d q = cross(upper_, lower_);
  const double bend = std::atan2(length(q), dot(upper_, lower_));
  if (bend > kCollinear && bend < kPi - kCollinear) {
    axes_ = {normalized(q)};
  } else {
    const Vec3d first = sideways(), second = cross(bisector_, first);
    const double h = std::sqrt(0.5);
    axes_ = {first, (first + second) * h, second, (second - first) * h};
  }
}

// At right angles to the bisector, from the nearest bone that is not collinear: the same for mirrored joints.
Vec3d CutSearch::sideways() const {
  const auto across = [&](const Vec3d& direction) {
    const Vec3d m = cross(bisector_, direction);
    return length(m) > 0.3 ? std::optional(normalized(m)) : std::nullopt;
  };
  for (int b = skeleton_[bone_].parent; b >= 0; b = skeleton_[static_cast<std::size_t>(b)].parent) {
    const AtlasBone& ancestor = skeleton_[static_cast<std::size_t>(b)];
    if (const auto m = across(ancestor.lower)) return *m;
    if (const auto m = across(ancestor.upper)) return *m;
  }
  for (std::size_t b = bone_ + 1; b < skeleton_.size(); ++b)
    if (skeleton_[b].active && skeleton_[b].parent >= static_cast<int>(bone_))
      if (const auto m = across(skeleton_[b].lower)) return *m;
  return any_perpendicular(bisector_);
}

std::vector<CutCandidate> CutSearch::first_choice() {
  std::vector<CutCandidate> found = around(joint_, CutPlace::at_joint);
  if (found.empty()) return second_choice();
  if (const std::optional<Vec3d> point = waist(found.front().score)) {
    append(found, around(*point, CutPlace::at_waist));
    best_first(found);
  }
  if (shares_joint()) {
    append(found, down_the_bone());
    best_first(found);
  }
  return found;
}

// Several bones that start at one point: there the planes between them can only cut lengthwise.
bool CutSearch::shares_joint() const {
  for (std::size_t b = 0; b < skeleton_.size(); ++b)
    if (b != bone_ && skeleton_[b].active && skeleton_[b].parent == skeleton_[bone_].parent &&
        distance(problem_.bones[b].from, joint_) <= kSamePlace * problem_.size)
      return true;
  return false;
}

std::vector<CutCandidate> CutSearch::second_choice() {
  std::vector<CutCandidate> found = down_the_bone();
  return found.empty() ? nearest() : found;
}

std::vector<CutCandidate> CutSearch::around(const Vec3d& point, CutPlace place) {
  std::vector<CutCandidate> found;
  double best = kInfinity;
  for (const Vec3d& axis : axes_) {
    const std::vector<RayHit> hits = sections_.line_hits(point, axis);
    if (hits.empty()) continue;
    const auto at = [&](double angle) { return evaluate(point, place, axis, angle, hits, kSecondChoice * best); };
    double best_angle = 0, best_score = kInfinity;
    const int steps = static_cast<int>(std::lround(kMaxTilt / kStep));
    for (int i = 0; i <= 2 * steps; ++i) {
      // 0, +1, -1, +2, -2, ...: the bisector first, and both sides alike.
      const double angle = kStep * ((i + 1) / 2) * (i % 2 == 1 ? 1 : -1);
      std::optional<CutCandidate> c = at(angle);
      if (!c) continue;
      if (c->score < best_score) {
        best_score = c->score;
        best_angle = angle;
      }
      best = std::min(best, c->score);
      found.push_back(std::move(*c));
    }
    if (std::isfinite(best_score) && best_score <= best) {
      refine(best_angle, best_score, at, found);
      best = std::min(best, found.back().score);
    }
  }
  best_first(found);
  return found;
}

// The point along the two bones with the cheapest curve, if it beats `best`. A quick look only.
std::optional<Vec3d> CutSearch::waist(double best) {
  std::optional<Vec3d> result;
  const WeightBone& bone = problem_.bones[bone_];
  for (const double t : kWaists) {
    const Vec3d point = t < 0 ? joint_ + upper_ * (t * skeleton_[bone_].upper_length) : lerp(bone.from, bone.to, t);
    // Whatever beats the best is no longer than it.
    if (distance(point, joint_) > kNearWaist * best / kPi) continue;
    const std::vector<RayHit> hits = sections_.line_hits(point, axes_.front());
    for (const double angle : kQuickLook) {
      const auto c = evaluate(point, CutPlace::at_waist, axes_.front(), angle, hits, best);
      if (!c || distance(point, joint_) > kNearWaist * c->curve.perimeter() / kPi) continue;
      best = c->score;
      result = point;
    }
  }
  return result;
}

std::vector<CutCandidate> CutSearch::down_the_bone() {
  std::vector<CutCandidate> found;
  const WeightBone& bone = problem_.bones[bone_];
  for (const double t : kDownTheBone) append(found, around(lerp(bone.from, bone.to, t), CutPlace::down_the_bone));
  best_first(found);
  return found;
}

// The curve in the plane of the bisector through the joint whose centre is nearest, if that is nearer than its
// diameter; then the best of the family around its centre.
std::vector<CutCandidate> CutSearch::nearest() {
  const Plane plane{joint_, bisector_};
  std::optional<SectionCurve> curve;
  double best = 1;
  for (SectionCurve& c : sections_.all(plane, scratch_)) {
    const double diameter = c.perimeter() / kPi;
    if (!(diameter > 0)) continue;
    const double relative = distance(centroid(c), joint_) / diameter;
    if (relative < best && !pierced(c, plane)) {
      best = relative;
      curve = std::move(c);
    }
  }
  if (!curve) return {};
  std::vector<CutCandidate> found = around(centroid(*curve), CutPlace::nearest_curve);
  if (found.empty()) {  // a sheet, which encloses nothing
    const double perimeter = curve->perimeter();
    found.push_back({CutPlace::nearest_curve, plane, 0, perimeter, std::move(*curve)});
  }
  return found;
}

double CutSearch::cost(const Vec3d& point, double angle, double perimeter) const {
  const double away = distance(point, joint_) * kPi;  // over the perimeter: in diameters
  return perimeter * (1 + kTiltCost * angle * angle) + kDistanceCost * away;
}

// The shortest curve of one plane that encloses the point and has no other bone in it, if it costs less than `limit`.
std::optional<CutCandidate> CutSearch::evaluate(const Vec3d& point, CutPlace place, const Vec3d& axis, double angle,
                                                const std::vector<RayHit>& hits, double limit) {
  const Vec3d normal = normalized(bisector_ * std::cos(angle) + cross(axis, bisector_) * std::sin(angle));
  if (dot(normal, upper_) < std::sin(kBetween) || dot(normal, lower_) < std::sin(kBetween)) return {};
  const Plane plane{point, normal};
  std::optional<CutCandidate> result;
  double longest = limit;
  seen_.clear();
  SectionCurve curve;
  for (const RayHit& hit : hits) {
    if (std::find(seen_.begin(), seen_.end(), hit.face) != seen_.end()) continue;
    if (!sections_.trace(plane, hit.face, longest, scratch_, curve)) continue;
    for (const RayHit& other : hits)  // the other triangles of the line that this curve has been through
      if (scratch_.stamp[other.face] == scratch_.now) seen_.push_back(other.face);
    const double perimeter = curve.perimeter(), score = cost(point, angle, perimeter);
    if (perimeter >= longest || score >= limit) continue;
    if (winding(curve, point, normal) == 0 || pierced(curve, plane)) continue;
    longest = perimeter;
    result = CutCandidate{place, plane, std::abs(angle), score, curve};
  }
  return result;
}

// Golden section between the neighbours of the best of the samples.
template <class At>
void CutSearch::refine(double angle, double score, const At& at, std::vector<CutCandidate>& found) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double lo = angle - kStep, hi = angle + kStep;
  const auto probe = [&](double x) {
    std::optional<CutCandidate> c = at(x);
    const double value = c ? c->score : kInfinity;
    if (value < score * (1 - 1e-9)) {  // a tie keeps the sample
      score = value;
      found.push_back(std::move(*c));
    }
    return value;
  };
  double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
  double f1 = probe(x1), f2 = probe(x2);
  for (int i = 0; i < 9; ++i) {
    if (f1 < f2) {
      hi = x2;
      x2 = x1;
      f2 = f1;
      f1 = probe(x1 = hi - golden * (hi - lo));
    } else {
      lo = x1;
      x1 = x2;
      f1 = f2;
      f2 = probe(x2 = lo + golden * (hi - lo));
    }
  }
}

// Whether a bone other than those that meet here runs through the inside of the curve.
bool CutSearch::pierced(const SectionCurve& curve, const Plane& plane) const {
  const double close = kSamePlace * problem_.size;
  for (const Strut& s : struts_) {
    if (s.owner == static_cast<int>(bone_) || s.child == static_cast<int>(bone_)) continue;
    const double ha = dot(s.a - plane.point, plane.normal), hb = dot(s.b - plane.point, plane.normal);
    // One that starts at this very joint, a sibling's, has to stay above the plane.
    if (distance(s.a, plane.point) <= close || distance(s.b, plane.point) <= close) {
      if (std::max(ha, hb) > close) return true;
      continue;
    }
    if ((ha >= 0) == (hb >= 0)) continue;
    if (winding(curve, s.a + (s.b - s.a) * (ha / (ha - hb)), plane.normal) != 0) return true;
  }
  return false;
}

}  // namespace cutis
