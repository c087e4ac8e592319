// The usual places of a take's markers: by their names in one of the sets, by joints' roles, or from the take itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "volume/body_roles.h"
#include "volume/marker_map.h"
#include "volume/marker_sets.h"
#include "volume/marker_sites.h"
#include "volume/nameless.h"

namespace cutis {
namespace {

/// A set is meant when it knows this share of the take's names, or when the take has this share of its names.
constexpr double kKnown = 0.4, kCovered = 0.6;
/// Names of a set that are missing are listed up to this many.
constexpr std::size_t kListed = 12;

/// What at least so many names, and this share of them, begin with is no part of them.
constexpr std::size_t kFewestSubject = 5;
constexpr double kMostNames = 0.8;

/// So many points with a label are a body.
constexpr std::size_t kLabelled = 20;

/// Points that may be markers, with their names.
struct NamedPoints {
  std::vector<std::size_t> points;
  std::vector<std::string> names;  // normalised
};

/// What most names begin with, up to a separator ("Anna_" of "Anna_LFHD"): the subject, as some programs write it.
/// Empty when they differ.
std::string common_beginning(const std::vector<std::string_view>& names) {
  std::map<std::string_view, std::size_t> count;
  for (const std::string_view name : names)
    if (const auto at = name.find_first_of("_.- "); at != name.npos && at > 0 && at + 1 < name.size())
      ++count[name.substr(0, at + 1)];
  for (const auto& [beginning, times] : count)
    if (times >= kFewestSubject && static_cast<double>(times) >= kMostNames * static_cast<double>(names.size()))
      return std::string(beginning);
  return {};
}

NamedPoints named_points(const MarkerTake& take, bool with_unlabelled) {
  NamedPoints c;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < take.names.size(); ++i)
    if (take.kinds[i] == PointKind::marker || (with_unlabelled && take.kinds[i] == PointKind::unlabelled)) {
      c.points.push_back(i);
      names.push_back(without_subject(take.names[i]));
    }
  const std::string subject = common_beginning(names);
  for (std::string_view name : names) {
    if (!subject.empty() && name.starts_with(subject)) name.remove_prefix(subject.size());
    c.names.push_back(normalised_marker(name));
  }
  return c;
}

/// Sets by how well they suit, best first; of equal ones the first.
std::vector<std::pair<double, const MarkerSet*>> ranked_sets(const NamedPoints& c) {
  std::vector<std::pair<double, const MarkerSet*>> ranked;
  for (const MarkerSet& set : marker_sets()) ranked.emplace_back(set_score(set, c.names), &set);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return ranked;
}

std::size_t known_to(const MarkerSet& set, const NamedPoints& c) {
  return static_cast<std::size_t>(
      std::count_if(c.names.begin(), c.names.end(), [&](const auto& n) { return !set.site_of(n).empty(); }));
}

/// Site of every candidate, by the set that suits best, then by the others; empty: no set knows it. `meant` is null
/// when no set suits.
std::vector<std::string> sites_by_name(const NamedPoints& c, const MarkerSet*& meant, double& score) {
  meant = nullptr;
  std::vector<std::string> sites(c.names.size());
  const auto ranked = ranked_sets(c);
  if (c.names.empty() || ranked.empty()) return sites;
  const std::size_t known = known_to(*ranked[0].second, c);
  const auto share = [&](std::size_t of) { return static_cast<double>(known) / static_cast<double>(of); };
  if (known < 3 || (share(c.names.size()) < kKnown && share(ranked[0].second->size()) < kCovered)) return sites;
  meant = ranked[0].second;
  score = ranked[0].first;
  // Only sets that know a good part of the take's names have a say: short names of others are other things by chance.
  for (std::size_t i = 0; i < c.names.size(); ++i)
    for (const auto& [suits, set] : ranked)
      if (suits > 0.3 * score && sites[i].empty()) sites[i] = set->site_of(c.names[i]);
  return sites;
}

/// Joints of a take onto joints of the same role.
MarkerMap joint_map(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take) {
  std::vector<NamedJoint> mine, theirs;
  for (const DrivenSkeleton::Bone& bone : skeleton.bones)
    mine.push_back({character.skeleton.joints[static_cast<std::size_t>(bone.joint)].name, bone.parent});
  for (const std::string& name : take.names) theirs.push_back({std::string(without_subject(name)), -1});
  MarkerMap map;
  for (const auto& [a, b] : match_joints(mine, theirs)) {
    MarkerPlace place;
    place.marker = std::string(without_subject(take.names[static_cast<std::size_t>(b)]));
    place.bone = mine[static_cast<std::size_t>(a)].name;
    map.places.push_back(place);
  }
  return map;
}

}  // namespace

namespace {

/// Directions that may be up in a take whose names tell nothing: +Y, but where the points stand along another axis in
/// nearly all frames, or where what is highest stands still while what is lowest moves, as heads and feet do not.
std::vector<Vec3d> possible_ups(const MarkerTake& take, std::span<const std::size_t> points) {
  constexpr double kOften = 0.6, kSeldom = 0.05;  // shares of the frames
  constexpr double kStill = 0.5, kMoves = 0.3;    // of the other end's speed; sizes of the body a second
  const std::size_t step = std::max<std::size_t>(1, take.frames / 200);
  const auto next = std::max<std::size_t>(1, static_cast<std::size_t>(take.rate / 30));
  std::array<double, 3> longest{};
  std::array<std::vector<double>, 2> speed;  // of what is lowest, and highest
  std::vector<double> sizes;
  double frames = 0;
  for (std::size_t f = 0; f + next < take.frames; f += step) {
    Vec3d mean, square;
    double count = 0;
    std::array<std::size_t, 2> end{points[0], points[0]};
    for (const std::size_t i : points) {
      if (!take.seen(f, i) || !take.seen(f + next, i)) continue;
      const Vec3d& p = take.at(f, i);
      mean += p, count += 1;
      for (int k = 0; k < 3; ++k) square[k] += p[k] * p[k];
      if (count <= 1 || p.y < take.at(f, end[0]).y) end[0] = i;
      if (count <= 1 || p.y > take.at(f, end[1]).y) end[1] = i;
    }
    if (count < 6) continue;
    mean = mean / count;
    Vec3d spread;
    for (int k = 0; k < 3; ++k) spread[k] = std::sqrt(std::max(0.0, square[k] / count - mean[k] * mean[k]));
    int axis = 0;
    for (int k = 1; k < 3; ++k)
      if (spread[k] > spread[axis]) axis = k;
    frames += 1;
    longest[static_cast<std::size_t>(axis)] += 1;
    sizes.push_back(length(spread));
    for (std::size_t e = 0; e < 2; ++e)
      speed[e].push_back(distance(take.at(f, end[e]), take.at(f + next, end[e])) * take.rate /
                         static_cast<double>(next));
  }
  if (frames < 20) return {{0, 1, 0}};
  for (const int k : {2, 0})
    if (longest[static_cast<std::size_t>(k)] > kOften * frames && longest[1] < kSeldom * frames) {
      Vec3d up;
      up[k] = 1;
      return {up, -up};
    }
  const auto middle = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  const double low = middle(speed[0]), high = middle(speed[1]);
  if (longest[1] > kOften * frames && low > kMoves * middle(sizes) && high < kStill * low)
    return {{0, 1, 0}, {0, -1, 0}};
  return {{0, 1, 0}};
}

/// Turns the take so that `up` is +Y.
Mat3d turn_upright(MarkerTake& take, const Vec3d& up) {
  if (up.y > 0.5) return Mat3d{{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  const Quatd turn = up.y < -0.5 ? axis_angle(Vec3d{0, 0, 1}, kPi) : axis_angle(cross(up, Vec3d{0, 1, 0}), kPi / 2);
  for (Vec3d& p : take.positions)
    if (is_finite(p)) p = rotate(turn, p);
  return to_matrix(turn);
}

/// Places on the body for each direction that may be up; the one that places the most, and nearest. Places hang on
/// bones: the take stays as it is, and that it is not upright is told.
NamelessMap find_in_any_way_up(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take,
                               std::span<const std::size_t> points, const Context& context) {
  constexpr double kMost = 0.95;  // of the points, that are placed when the way up is right
  std::vector<Vec3d> ups = possible_ups(take, points);
  std::optional<NamelessMap> best;
  std::optional<Error> refused;
  Vec3d up{0, 1, 0};
  for (std::size_t k = 0; k < ups.size(); ++k) {
    const Vec3d way = ups[k];
    MarkerTake turned = take;
    (void)turn_upright(turned, way);
    try {
      NamelessMap found = find_nameless_map(character, skeleton, turned, points, context);
      const auto worth = [](const NamelessMap& m) { return std::tuple(!m.doubtful, m.map.places.size(), -m.rms); };
      if (best && worth(found) <= worth(*best)) continue;
      best = std::move(found);
      up = way;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_argument) throw;
      refused = error;
    }
    const double placed = best ? static_cast<double>(best->map.places.size()) : 0;
    if (k == 0 && ups.size() == 1 && placed < kMost * static_cast<double>(points.size())) ups.push_back({0, -1, 0});
  }
  if (!best) throw *refused;
  if (up.y < 0.5) {
    const int axis = std::abs(up.x) > 0.5 ? 0 : std::abs(up.y) > 0.5 ? 1 : 2;
    context.warn(fmt::format(
        "{}: the body stands upright along {}{} of the scene, which is not what the file says is up; "
        "what is made of it lies as the take does{}",
        take.source, up[axis] > 0 ? '+' : '-', "XYZ"[axis], up[axis] > 0 ? " (--up says another axis)" : ""));
  }
  return *best;
}

}  // namespace

MarkerMap default_marker_map(const Character& character, const MarkerTake& take, const Context& context,
                             MarkerMapReport* report, bool use_names) {
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  MarkerMapReport told;
  MarkerMap map;
  const NamedPoints named = named_points(take, false);
  const MarkerSet* set = nullptr;
  std::vector<std::string> sites;
  MarkerMap joints;
  if (use_names) {
    sites = sites_by_name(named, set, told.score);
    joints = joint_map(character, skeleton, take);
    // Joints of a skeleton have names that some marker sets use for skin beside them ("LeftKnee").
    const auto known = std::count_if(sites.begin(), sites.end(), [](const auto& site) { return !site.empty(); });
    if (joints.places.size() > static_cast<std::size_t>(known)) set = nullptr;
  }
  if (set != nullptr) {
    told.set = set->title;
    const MarkerSites places = find_marker_sites(character, skeleton);
    std::set<std::string> taken, twice;
    std::vector<std::string> absent, homeless;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const std::string& name = take.names[named.points[i]];
      if (sites[i].empty()) {
        told.left_out.push_back(name);
        continue;
      }
      const auto place = places.find(sites[i]);
      if (place == places.end()) {
        homeless.push_back(name);
        told.left_out.push_back(name);
      } else if (const std::string key = named.names[i]; !taken.insert(key).second) {
        twice.insert(std::string(without_subject(name)));
        told.left_out.push_back(name);
      } else {
        map.places.push_back(place->second);
        map.places.back().marker = std::string(without_subject(name));
        told.sites.push_back(sites[i]);
      }
    }
    for (const MarkerSet::Entry& e : set->entries)
      for (const char* side : {"L", "R"}) {
        std::string name(e.name);
        const auto at = name.find('?');
        if (at == name.npos && side[0] == 'R') continue;
        if (at != name.npos) name.replace(at, 1, side);
        if (std::find(named.names.begin(), named.names.end(), name) == named.names.end()) absent.push_back(name);
      }
    if (!twice.empty())
      context.warn(fmt::format("{}: has {} more than once; the first is taken", take.source, fmt::join(twice, ", ")));
    if (!absent.empty() && absent.size() <= kListed)
      context.warn(fmt::format("{}: does not have {}; the others drive", take.source, fmt::join(absent, ", ")));
    if (!homeless.empty())
      context.warn(fmt::format("{}: its joints have no place for {}; name them in a map", character.source,
                               fmt::join(homeless, ", ")));
  } else if (use_names) {
    map = std::move(joints);
    told.set = "joints";
    told.score =
        static_cast<double>(map.places.size()) / static_cast<double>(std::max<std::size_t>(named.names.size(), 1));
  }
  if (map.places.size() < 3) {
    const std::vector<TakeSubject> subjects = find_subjects(take);
    // Of all points: a computed frame reaches out of whose it is. Where many have a label, those without are what the
    // laboratory put aside.
    std::vector<std::size_t> points = measured_points(take, named_points(take, true).points);
    const auto is_labelled = [&](std::size_t i) { return take.kinds[i] == PointKind::marker; };
    if (static_cast<std::size_t>(std::count_if(points.begin(), points.end(), is_labelled)) >= kLabelled)
      std::erase_if(points, [&](std::size_t i) { return !is_labelled(i); });
    if (!subjects.empty())
      std::erase_if(points, [&](std::size_t i) {
        return std::find(subjects[0].points.begin(), subjects[0].points.end(), i) == subjects[0].points.end();
      });
    if (points.size() < kLeastNameless)
      throw Error(
          ErrorCode::bad_argument, take.source,
          fmt::format("fewer than three of its points have a usual place on {} by their names, and {} are too few to "
                      "find out without; give a map with --map",
                      character.source, points.size()));
    NamelessMap found = find_in_any_way_up(character, skeleton, take, points, context);
    told = {};
    told.by_names = false;
    told.set = found.set;
    told.sites = std::move(found.sites);
    told.rms = found.rms;
    told.doubtful = found.doubtful;
    for (const std::size_t i : found.left_out) told.left_out.push_back(take.names[i]);
    map = std::move(found.map);
    context.warn(fmt::format("{}: its names tell nothing; {} of {} markers were found on the body by how they move{}",
                             take.source, map.places.size(), points.size(),
                             told.set.empty() ? std::string() : fmt::format(", as in {}", told.set)));
    if (told.doubtful)
      context.warn(
          fmt::format("{}: whether they were found is doubtful: points anywhere on a body would suit {} as well, whose "
                      "proportions may be other than the person's; places may be off by decimetres. Look at them "
                      "(--places), and give names, a map (--map) or another character",
                      take.source, character.source));
    if (!told.left_out.empty())
      context.warn(fmt::format("{}: {} belong to no bone of the body and are left out", take.source,
                               told.left_out.size() <= kListed ? fmt::format("{}", fmt::join(told.left_out, ", "))
                                                               : fmt::format("{} points", told.left_out.size())));
  }
  if (report != nullptr) *report = std::move(told);
  return map;
}

std::vector<std::string> marker_set_titles() {
  std::vector<std::string> titles;
  for (const MarkerSet& set : marker_sets()) titles.emplace_back(set.title);
  return titles;
}

Mat3d mend_axes(MarkerTake& take, const Context& context) {
  Mat3d done{{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  const NamedPoints named = named_points(take, false);
  const MarkerSet* set = nullptr;
  double score = 0;
  const std::vector<std::string> sites = sites_by_name(named, set, score);
  if (set == nullptr) return done;
  // Means over frames of what names say: head above feet, left beside right, toes before heels.
  const auto ends_with = [](const std::string& site, std::initializer_list<std::string_view> list) {
    return std::any_of(list.begin(), list.end(), [&](std::string_view s) { return site.ends_with(s); });
  };
  struct Direction {
    Vec3d sum;
    double count = 0;
    void add(const Vec3d& v) {
      if (const double l = length(v); l > 0 && is_finite(v)) sum += v / l, count += 1;
    }
  };
  Direction up;
  double mirrored = 0, right_way = 0;
  const std::size_t step = std::max<std::size_t>(1, take.frames / 100);
  for (std::size_t f = 0; f < take.frames; f += step) {
    std::array<Vec3d, 6> mean{};
    std::array<double, 6> count{};
    const auto add = [&](std::size_t k, const Vec3d& p) { mean[k] += p, count[k] += 1; };
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (sites[i].empty() || !take.seen(f, named.points[i])) continue;
      const Vec3d& p = take.at(f, named.points[i]);
      if (ends_with(sites[i], {"FHD", "BHD", "HTOP", "HFRT", "HSD", "C7", "SHO", "CLAV"})) add(0, p);
      if (ends_with(sites[i], {"ANK", "HEE", "TOE", "MT5", "ANM", "KNE"})) add(1, p);
      if (ends_with(sites[i], {"SHO", "ASI", "KNE", "TRO"})) add(sites[i][0] == 'L' ? 2 : 3, p);
      if (ends_with(sites[i], {"TOE", "MT1", "MT5", "ASI", "CLAV", "STRN"})) add(4, p);
      if (ends_with(sites[i], {"HEE", "PSI", "SACR", "T10", "C7"})) add(5, p);
    }
    if (count[0] == 0 || count[1] == 0) continue;
    const Vec3d upward = mean[0] / count[0] - mean[1] / count[1];
    up.add(upward);
    if (count[2] == 0 || count[3] == 0 || count[4] == 0 || count[5] == 0) continue;
    const double hand =
        dot(cross(mean[2] / count[2] - mean[3] / count[3], upward), mean[4] / count[4] - mean[5] / count[5]);
    (hand > 0 ? right_way : mirrored) += 1;
  }
  if (up.count < 1) return done;
  // A body that stands shows its axis; one that tumbles does not.
  const Vec3d mean = up.sum / up.count;
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(mean[k]) > std::abs(mean[axis])) axis = k;
  const bool clear = std::abs(mean[axis]) > 0.7;
  if (clear && (axis != 1 || mean[axis] < 0)) {
    const double sign = mean[axis] < 0 ? -1 : 1;
    done = turn_upright(take, axis == 0 ? Vec3d{sign, 0, 0} : axis == 1 ? Vec3d{0, sign, 0} : Vec3d{0, 0, sign});
    context.warn(fmt::format("{}: heads are {} of feet, so its up axis is not what it says; turned (--up tells)",
                             take.source, axis == 1 ? "below" : "beside"));
  }
  if (mirrored > 4 * right_way && mirrored > 0) {
    for (Vec3d& column : done.col) column.x = -column.x;
    for (Vec3d& p : take.positions) p.x = -p.x;
    context.warn(fmt::format("{}: left is on the right of a body that faces forward, so its space is mirrored; mended",
                             take.source));
  }
  return done;
}

}  // namespace cutis
