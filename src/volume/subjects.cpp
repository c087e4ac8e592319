// Who is in a take. Names with prefixes say so. Without, points that stay near each other over the take belong
// together: on a body the way from any marker to the next is short and stays so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

constexpr std::size_t kSampled = 60;
/// Points are linked when they are nearer than this many times the usual way to the nearest point, in nine of ten
/// frames: on bodies with 39 markers the widest gap is four times as wide.
constexpr double kLink = 5;
/// Fewer points than this are a prop.
constexpr std::size_t kLeastBody = 12;

std::string prefix_of(const std::string& name) {
  const auto at = name.rfind(':');
  return at == name.npos || at + 1 == name.size() ? std::string() : name.substr(0, at);
}

std::vector<TakeSubject> by_space(const MarkerTake& take) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (take.kinds[i] != PointKind::model) points.push_back(i);
  const std::size_t n = points.size(), step = std::max<std::size_t>(1, take.frames / kSampled);
  // How far apart two points are in nine of ten frames that show both.
  std::vector<double> apart(n * n, -1);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      std::vector<double> d;
      for (std::size_t f = 0; f < take.frames; f += step)
        if (take.seen(f, points[a]) && take.seen(f, points[b]))
          d.push_back(distance(take.at(f, points[a]), take.at(f, points[b])));
      if (d.empty()) continue;
      const auto most = d.begin() + static_cast<std::ptrdiff_t>(9 * (d.size() - 1) / 10);
      std::nth_element(d.begin(), most, d.end());
      apart[a * n + b] = apart[b * n + a] = *most;
    }
  std::vector<double> nearest;
  for (std::size_t a = 0; a < n; ++a) {
    double near = -1;
    for (std::size_t b = 0; b < n; ++b)
      if (apart[a * n + b] >= 0 && (near < 0 || apart[a * n + b] < near)) near = apart[a * n + b];
    if (near >= 0) nearest.push_back(near);
  }
  if (nearest.empty()) return {};
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::nth_element(nearest.begin(), middle, nearest.end());
  DisjointSets together(n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      if (apart[a * n + b] >= 0 && apart[a * n + b] < kLink * *middle)
        together.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  std::map<std::uint32_t, TakeSubject> groups;
  for (std::size_t a = 0; a < n; ++a) groups[together.find(static_cast<std::uint32_t>(a))].points.push_back(points[a]);
  std::vector<TakeSubject> list;
  for (auto& [root, group] : groups)
    if (group.points.size() >= kLeastBody) list.push_back(std::move(group));
  return list;
}

}  // namespace

std::vector<TakeSubject> find_subjects(const MarkerTake& take) {
  std::map<std::string, TakeSubject> named;
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (const std::string prefix = prefix_of(take.names[i]); !prefix.empty()) {
      named[prefix].name = prefix;
      named[prefix].points.push_back(i);
    }
  std::vector<TakeSubject> list;
  for (auto& [prefix, subject] : named) list.push_back(std::move(subject));
  const bool by_name = !list.empty();
  if (!by_name) list = by_space(take);
  std::stable_sort(list.begin(), list.end(),
                   [](const TakeSubject& a, const TakeSubject& b) { return a.points.size() > b.points.size(); });
  if (!by_name)
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = std::to_string(i + 1);
  return list;
}

MarkerTake take_of_subject(const MarkerTake& take, const std::string& subject, const Context& context) {
  const std::vector<TakeSubject> subjects = find_subjects(take);
  std::vector<std::string> names;
  for (const TakeSubject& s : subjects) names.push_back(fmt::format("{} ({} points)", s.name, s.points.size()));
  const auto chosen = subject.empty() ? subjects.begin()
                                      : std::find_if(subjects.begin(), subjects.end(),
                                                     [&](const auto& s) { return s.name == subject; });
  if (!subject.empty() && chosen == subjects.end())
    throw Error(ErrorCode::bad_argument, take.source,
                subjects.empty() ? fmt::format("has no subjects; leave out --subject {}", subject)
                                 : fmt::format("has no subject '{}'; there are {}", subject, fmt::join(names, ", ")));
  if (subjects.size() < 2) return take;
  if (subject.empty())
    context.warn(fmt::format("{}: shows {} subjects: {}; the first is taken, --subject chooses", take.source,
                             subjects.size(), fmt::join(names, ", ")));
  return take_of_points(take, chosen->points);
}

MarkerTake take_of_points(const MarkerTake& take, std::span<const std::size_t> points) {
  MarkerTake one;
  one.source = take.source;
  one.rate = take.rate;
  one.frames = take.frames;
  one.unit = take.unit;
  one.up = take.up;
  for (const std::size_t i : points) {
    one.names.push_back(take.names[i]);
    one.kinds.push_back(take.kinds[i]);
  }
  for (std::size_t f = 0; f < take.frames; ++f)
    for (const std::size_t i : points) {
      one.positions.push_back(take.at(f, i));
      one.residuals.push_back(take.residuals[f * take.names.size() + i]);
    }
  return one;
}

}  // namespace cutis
