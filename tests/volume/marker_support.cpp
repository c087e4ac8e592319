#include "volume/marker_support.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/math.h"
#include "volume/marker_sets.h"
#include "volume/marker_sites.h"

namespace cutis::test {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * kPi * uniform()); }
  Vec3d normals() {
    const double x = normal(), y = normal();
    return {x, y, normal()};
  }

 private:
  std::uint64_t state_;
};

/// Names of a set's markers and their sites, one name a site.
std::vector<std::pair<std::string, std::string>> names_and_sites(const std::string& title, const MarkerSites& sites) {
  std::vector<std::pair<std::string, std::string>> list;
  std::set<std::string> taken;
  for (const MarkerSet& set : marker_sets()) {
    if (set.title != title) continue;
    for (const MarkerSet::Entry& e : set.entries)
      for (const char* side : {"L", "R"}) {
        std::string name(e.name), site(e.site);
        if (const auto at = name.find('?'); at != name.npos) name.replace(at, 1, side);
        if (const auto at = site.find('?'); at != site.npos) site.replace(at, 1, side);
        if (sites.contains(site) && taken.insert(site).second) list.emplace_back(name, site);
      }
  }
  return list;
}

}  // namespace

MarkerTake lab_take(const Character& character, const Clip& clip, const TakeMaking& making, const Context& context) {
  Chance chance(making.seed);
  const MarkerSites sites = find_marker_sites(character, make_driven_skeleton(character));
  std::vector<Vec3d> skin;
  for (const Mesh& mesh : character.meshes)
    for (const Vec3f& p : mesh.positions) skin.push_back(static_cast<Vec3d>(p));
  const Box box = character.bounds();
  const double size = (box.hi.y - box.lo.y) / 1.7;  // metres of the character a metre of the laboratory
  MarkerTake take;
  take.source = "laboratory";
  take.rate = making.rate;
  std::vector<std::size_t> vertex;
  for (const auto& [name, site] : names_and_sites(making.set, sites)) {
    const MarkerPlace& place = sites.at(site);
    const auto joint = static_cast<std::size_t>(character.skeleton.find(place.bone));
    const Vec3d p = character.skeleton.joints[joint].world_from_rest.translation + place.offset +
                    chance.normals() * (making.habit * size);
    const auto near = std::min_element(skin.begin(), skin.end(),
                                       [&](const Vec3d& a, const Vec3d& b) { return distance(a, p) < distance(b, p); });
    vertex.push_back(static_cast<std::size_t>(near - skin.begin()));
    take.names.push_back(name);
  }
  for (int k = 0; k < making.more; ++k) {
    vertex.push_back(static_cast<std::size_t>(chance.uniform() * static_cast<double>(skin.size())));
    take.names.push_back("X" + std::to_string(k));
  }
  take.kinds.assign(take.names.size(), PointKind::marker);
  take.frames = static_cast<std::size_t>(std::min(clip.end() - clip.start(), making.seconds) * making.rate) + 1;
  const Quatd turn = axis_angle(Vec3d{0, 1, 0}, 2 * kPi * chance.uniform());
  const double stature = 0.9 + 0.2 * chance.uniform();
  Solver solver(bind(character, context, {.implicit_skin = false}), {.method = Method::dqs}, context);
  for (std::size_t f = 0; f < take.frames; ++f) {
    const double time = clip.start() + static_cast<double>(f) / making.rate;
    const Frame& frame = solver.solve(sample(character.skeleton, clip, time));
    for (const std::size_t v : vertex) {
      const Vec3d p = static_cast<Vec3d>(frame.positions[v]) + static_cast<Vec3d>(frame.normals[v]) * (0.01 * size) +
                      chance.normals() * (0.001 * size);
      take.positions.push_back(rotate(turn, p) * (stature / size) + Vec3d{1, 0, -2});
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < vertex.size(); ++i)
    for (std::size_t f = 0; f < take.frames; ++f)
      if (chance.uniform() < 0.002)
        for (auto left = static_cast<std::size_t>(4 + 20 * chance.uniform()); left > 0 && f < take.frames; --left, ++f)
          take.at(f, i) = {nan, nan, nan};
  take.residuals.assign(take.positions.size(), 0.0F);
  return take;
}

MarkerTake without_names(const MarkerTake& take, std::uint64_t seed, std::vector<std::size_t>& order) {
  Chance chance(seed);
  order.resize(take.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(chance.uniform() * static_cast<double>(i + 1))]);
  MarkerTake blank = take_of_points(take, order);
  for (std::size_t i = 0; i < order.size(); ++i) blank.names[i] = std::to_string(1000 + i);
  return blank;
}

MarkerTake plug_in_gait_names() {
  MarkerTake take;
  take.source = "virtual";
  take.rate = 30;
  for (const char* name :
       {"LFHD", "RFHD", "LBHD", "RBHD", "C7",   "T10",  "CLAV", "STRN", "RBAK", "LSHO", "LUPA", "LELB", "LFRM",
        "LWRA", "LWRB", "LFIN", "RSHO", "RUPA", "RELB", "RFRM", "RWRA", "RWRB", "RFIN", "LASI", "RASI", "LPSI",
        "RPSI", "LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE", "RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"})
    take.names.emplace_back(name);
  take.kinds.assign(take.names.size(), PointKind::marker);
  return take;
}

MarkerMap markers_on_vertices(const Character& character, const Context& context) {
  MarkerMap map = default_marker_map(character, plug_in_gait_names(), context);
  const auto& positions = character.meshes[0].positions;
  for (MarkerPlace& place : map.places) {
    const auto joint = static_cast<std::size_t>(character.skeleton.find(place.bone));
    const Vec3d p = character.skeleton.joints[joint].world_from_rest.translation + place.offset;
    std::size_t best = 0;
    for (std::size_t v = 0; v < positions.size(); ++v)
      if (distance(static_cast<Vec3d>(positions[v]), p) < distance(static_cast<Vec3d>(positions[best]), p)) best = v;
    place.vertex = static_cast<std::int64_t>(best);
    place.bone.clear();
    place.offset = {};
  }
  return map;
}

MarkerTake capture(const Character& character, const MarkerMap& map, const std::string& clip_name, int frames,
                   const Context& context) {
  MarkerTake take;
  take.source = "virtual";
  const Clip& clip = character.clip(clip_name);
  const std::vector<double> times = sample_times(clip, frames, 30);
  take.rate = times.size() > 1 ? 1 / (times[1] - times[0]) : 30;
  take.frames = times.size();
  for (const MarkerPlace& place : map.places) take.names.push_back(place.marker);
  take.kinds.assign(take.names.size(), PointKind::marker);
  Solver solver(bind(character, context, {.implicit_skin = false}), {.method = Method::dqs}, context);
  for (const double time : times) {
    const Frame& frame = solver.solve(sample(character.skeleton, clip, time));
    for (const MarkerPlace& place : map.places)
      take.positions.push_back(static_cast<Vec3d>(frame.positions[static_cast<std::size_t>(place.vertex)]));
  }
  take.residuals.assign(take.positions.size(), 0.0F);
  return take;
}

}  // namespace cutis::test
