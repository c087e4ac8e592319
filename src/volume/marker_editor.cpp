// The edit that is going on is a key like the others; a frame is the take with the layer, solved from the last frame.
// What is not pinned or edited counts little, so that a pin holds against it.
#include "cutis/marker_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "base/alive.h"
#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "volume/driven_skeleton.h"

namespace cutis {
namespace {

/// How much markers count that nobody holds, at a time that is edited: enough to choose, too little to hold anything.
constexpr double kFreeConfidence = 0.05;

double smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

void sort_keys(std::vector<EditKey>& keys) {
  std::stable_sort(keys.begin(), keys.end(), [](const EditKey& a, const EditKey& b) {
    return a.marker != b.marker ? a.marker < b.marker : a.time < b.time;
  });
}

}  // namespace

Vec3d EditLayer::offset(std::size_t marker, double time, double& weight) const {
  const EditKey *before = nullptr, *after = nullptr;
  for (const EditKey& k : keys) {
    if (k.marker != marker) continue;
    if (k.time <= time) before = &k;
    if (k.time >= time && after == nullptr) after = &k;
  }
  weight = 0;
  if (before == nullptr && after == nullptr) return {};
  if (before != nullptr && after != nullptr) {
    weight = 1;
    const double gap = after->time - before->time;
    return gap > 0 ? lerp(before->offset, after->offset, smooth((time - before->time) / gap)) : before->offset;
  }
  const EditKey& only = before != nullptr ? *before : *after;
  weight = 1 - smooth(std::abs(time - only.time) / blend_seconds);
  return only.offset * weight;
}

std::string to_json(const EditLayer& layer, const MarkerMap& map) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const EditKey& k : layer.keys)
    if (k.marker < map.places.size())
      keys.push_back({{"marker", map.places[k.marker].marker},
                      {"time", k.time},
                      {"offset", {k.offset.x, k.offset.y, k.offset.z}}});
  return nlohmann::ordered_json{{"blend_seconds", layer.blend_seconds}, {"keys", std::move(keys)}}.dump(
             2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

EditLayer load_edits(const std::string& file, const MarkerMap& map) {
  return edits_from_json(read_file(file), file, map);
}

EditLayer edits_from_json(std::string_view text, const std::string& file, const MarkerMap& map) {
  const auto fail = [&](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_file, place.empty() ? file : file + " › " + place, sentence);
  };
  if (const std::string fault = json_fault(text); !fault.empty()) fail("", "is not JSON: " + fault);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("keys") || !json["keys"].is_array())
    fail("", "has no \"keys\"; expected {\"keys\": [{\"marker\": ..., \"time\": ..., \"offset\": [x, y, z]}, ...]}");
  EditLayer layer;
  if (json.contains("blend_seconds")) {
    if (!json["blend_seconds"].is_number() || !(json["blend_seconds"].get<double>() > 0))
      fail("blend_seconds", "is not a positive number");
    layer.blend_seconds = json["blend_seconds"].get<double>();
  }
  for (std::size_t i = 0; i < json["keys"].size(); ++i) {
    const auto& entry = json["keys"][i];
    const std::string place = fmt::format("key {}", i);
    const auto has = [&](const char* name, auto&& good) {
      if (!entry.is_object() || !entry.contains(name) || !good(entry[name]))
        fail(place, "needs a marker (a name), a time (seconds) and an offset (three numbers)");
    };
    has("marker", [](const auto& v) { return v.is_string(); });
    has("time", [](const auto& v) { return v.is_number(); });
    has("offset", [](const auto& v) {
      return v.is_array() && v.size() == 3 && v[0].is_number() && v[1].is_number() && v[2].is_number();
    });
    const std::string name = entry["marker"].template get<std::string>();
    const auto found =
        std::find_if(map.places.begin(), map.places.end(), [&](const auto& p) { return p.marker == name; });
    if (found == map.places.end())
      fail(place, fmt::format("speaks of '{}', which the map does not have", printable(name)));
    const auto& o = entry["offset"];
    layer.keys.push_back({static_cast<std::size_t>(found - map.places.begin()),
                          entry["time"].template get<double>(),
                          {o[0].template get<double>(), o[1].template get<double>(), o[2].template get<double>()}});
  }
  sort_keys(layer.keys);
  return layer;
}

MarkerTargets with_edits(const MarkerTargets& take, const EditLayer& layer) {
  MarkerTargets result = take;
  std::vector<double> weight(take.markers);
  for (std::size_t f = 0; f < take.frames; ++f) {
    const double time = static_cast<double>(f) / take.rate;
    double most = 0;
    for (std::size_t m = 0; m < take.markers; ++m) {
      const Vec3d offset = layer.offset(m, time, weight[m]);
      most = std::max(most, weight[m]);
      if (weight[m] > 0 && take.confidence[f * take.markers + m] > 0) result.positions[f * take.markers + m] += offset;
    }
    for (std::size_t m = 0; m < take.markers; ++m) {
      double& c = result.confidence[f * take.markers + m];
      c *= 1 - (1 - kFreeConfidence) * most * (1 - weight[m]);
    }
  }
  return result;
}

MarkerMap joint_handles(const Character& character, std::size_t most) {
  const DrivenSkeleton driven = make_driven_skeleton(character);
  // How far from its joint is what a bone moves.
  std::vector<double> reach(driven.bones.size(), 0);
  for (const DrivenSegment& s : driven.segments)
    for (int b = s.bone; b >= 0; b = driven.bones[static_cast<std::size_t>(b)].parent) {
      double& far = reach[static_cast<std::size_t>(b)];
      far = std::max(far, distance(driven.bones[static_cast<std::size_t>(b)].rest, s.to));
    }
  std::vector<std::size_t> order(driven.bones.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reach[a] > reach[b]; });
  order.resize(std::min(order.size(), most));
  const auto joint_of = [&](std::size_t bone) { return driven.bones[bone].joint; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return joint_of(a) < joint_of(b); });
  MarkerMap map;
  for (const std::size_t bone : order) {
    const std::string& name = character.skeleton.joints[static_cast<std::size_t>(joint_of(bone))].name;
    map.places.emplace_back();
    map.places.back().marker = map.places.back().bone = name;
  }
  return map;
}

struct MarkerEditor::Impl {
  Impl(const Character& character, const MarkerMap& map, const MarkerOptions& options, const Context& context)
      : solver(character, map, options, context), markers(map.places.size()) {
    const std::vector<Vec3d> nowhere(markers);
    const std::vector<double> none(markers, 0.0);
    shown = &solver.solve(nowhere, none);  // at rest
    rest = shown->markers;
    const auto joint_of = [&](const MarkerPlace& place) {
      return place.bone.empty() ? -1 : character.skeleton.find(place.bone);
    };
    for (const MarkerPlace& place : map.places) {
      std::vector<std::size_t>& list = above.emplace_back();
      int joint = joint_of(place);
      while (joint >= 0 && (joint = character.skeleton.joints[static_cast<std::size_t>(joint)].parent) >= 0)
        for (std::size_t m = 0; m < markers; ++m)
          if (joint_of(map.places[m]) == joint) list.push_back(m);
    }
  }

  struct State {
    EditLayer layer;
    std::map<std::size_t, Vec3d> pinned;  // marker: where, without a take
  };
  struct Drag {
    std::size_t marker = 0;
    double time = 0;
    bool moved = false;
    State before;
  };

  void check(std::size_t marker) const {
    if (marker >= markers)
      throw Error(ErrorCode::bad_argument, "marker editor",
                  fmt::format("there is no marker {}; there are {}", marker, markers));
  }
  /// Where the take has a marker, or rest; false: the take does not see it.
  bool base(std::size_t marker, double time, Vec3d& p) const {
    p = rest[marker];
    if (!take) return true;
    const double at = std::clamp(time * take->rate, 0.0, static_cast<double>(take->frames - 1));
    const auto a = static_cast<std::size_t>(at);
    const std::size_t b = std::min(a + 1, take->frames - 1);
    const double ca = take->frame_confidence(a)[marker], cb = take->frame_confidence(b)[marker];
    if (ca <= 0 && cb <= 0) return false;
    p = ca <= 0   ? take->frame(b)[marker]
        : cb <= 0 ? take->frame(a)[marker]
                  : lerp(take->frame(a)[marker], take->frame(b)[marker], at - static_cast<double>(a));
    return true;
  }

  const MarkerFrame& show(double time) {
    std::vector<Vec3d> targets(markers);
    std::vector<double> sure(markers, 0.0);
    double most = 0;
    std::vector<double> weight(markers, 0.0);
    std::vector<char> moved(markers, 0);
    for (std::size_t m = 0; m < markers; ++m) {
      const Vec3d offset = state.layer.offset(m, time, weight[m]);
      moved[m] = weight[m] > 0;
      const bool seen = base(m, time, targets[m]);
      targets[m] += offset;
      if (const auto pin = state.pinned.find(m); pin != state.pinned.end() && weight[m] <= 0) {
        if (!take) targets[m] = pin->second;
        weight[m] = 1;
      }
      most = std::max(most, weight[m]);
      sure[m] = take ? (seen ? 1.0 : 0.0) : home ? 1.0 : weight[m];
    }
    if (take || home)
      for (std::size_t m = 0; m < markers; ++m) sure[m] *= 1 - (1 - kFreeConfidence) * most * (1 - weight[m]);
    // Fingers go along with a hand that is pulled, as they are to it: they do not hold it back.
    if (home)
      for (std::size_t m = 0; m < markers; ++m)
        if (weight[m] <= 0 && std::ranges::any_of(above[m], [&](std::size_t a) { return moved[a] != 0; })) sure[m] = 0;
    now = time;
    shown = &solver.solve(targets, sure);
    return *shown;
  }

  /// Solved anew from rest: what was moved by an edit that is gone does not stay behind.
  void show_again() {
    if (home)
      solver.stand(*home);
    else
      solver.reset();
    (void)show(now);
  }

  void remember(State before) {
    done.push_back(std::move(before));
    undone.clear();
  }

  MarkerSolver solver;
  std::size_t markers = 0;
  std::optional<MarkerTargets> take;
  std::optional<Pose> home;                     // else rest
  std::vector<Vec3d> rest;                      // places of markers there
  std::vector<std::vector<std::size_t>> above;  // of each marker on a joint, those on the joints above it
  State state;
  std::vector<State> done, undone;
  std::optional<Drag> drag;
  double now = 0;
  const MarkerFrame* shown = nullptr;
};

MarkerEditor::MarkerEditor(const Character& character, const MarkerMap& map, const MarkerOptions& options,
                           const Context& context)
    : impl_(std::make_unique<Impl>(character, map, options, context)) {}
MarkerEditor::~MarkerEditor() = default;
MarkerEditor::MarkerEditor(MarkerEditor&&) noexcept = default;
MarkerEditor& MarkerEditor::operator=(MarkerEditor&&) noexcept = default;

void MarkerEditor::set_take(MarkerTargets take) {
  Impl& s = alive(impl_, "marker editor");
  if (take.markers != s.markers || take.frames == 0)
    throw Error(ErrorCode::bad_argument, "marker editor", "the take was prepared with another map, or has no frames");
  s.take = std::move(take);
  s.solver.reset();
}

const MarkerFrame& MarkerEditor::stand(const Pose& pose) {
  Impl& s = alive(impl_, "marker editor");
  if (s.take) throw Error(ErrorCode::bad_argument, "marker editor", "has a take, whose frames are its poses");
  s.solver.stand(pose);
  s.home = pose;
  s.rest = s.shown->markers;
  s.state = {};
  s.done.clear();
  s.undone.clear();
  s.drag.reset();
  return *s.shown;
}

const MarkerFrame& MarkerEditor::show(double time) { return alive(impl_, "marker editor").show(time); }

const MarkerFrame& MarkerEditor::begin(std::size_t marker, double time) {
  Impl& s = alive(impl_, "marker editor");
  s.check(marker);
  if (s.drag) throw Error(ErrorCode::bad_argument, "marker editor", "a marker is held already; end() lets go of it");
  s.drag = Impl::Drag{marker, time, false, s.state};
  return time == s.now ? *s.shown : s.show(time);
}

const MarkerFrame& MarkerEditor::move(const Vec3d& position) {
  Impl& s = alive(impl_, "marker editor");
  if (!s.drag) throw Error(ErrorCode::bad_argument, "marker editor", "no marker is held; begin() takes hold of one");
  if (!is_finite(position)) throw Error(ErrorCode::bad_argument, "marker editor", "the position is not finite");
  Vec3d from;
  (void)s.base(s.drag->marker, s.drag->time, from);
  std::vector<EditKey>& keys = s.state.layer.keys;
  const auto same = [&](const EditKey& k) { return k.marker == s.drag->marker && k.time == s.drag->time; };
  if (const auto found = std::find_if(keys.begin(), keys.end(), same); found != keys.end()) {
    found->offset = position - from;
  } else {
    keys.push_back({s.drag->marker, s.drag->time, position - from});
    sort_keys(keys);
  }
  s.drag->moved = true;
  return s.show(s.drag->time);
}

const MarkerFrame& MarkerEditor::end() {
  Impl& s = alive(impl_, "marker editor");
  if (!s.drag) throw Error(ErrorCode::bad_argument, "marker editor", "no marker is held; begin() takes hold of one");
  if (s.drag->moved) s.remember(std::move(s.drag->before));
  s.drag.reset();
  return *s.shown;
}

void MarkerEditor::pin(std::size_t marker) {
  Impl& s = alive(impl_, "marker editor");
  s.check(marker);
  if (s.state.pinned.contains(marker)) return;
  s.remember(s.state);
  s.state.pinned[marker] = s.shown->markers[marker];
}

void MarkerEditor::release(std::size_t marker) {
  Impl& s = alive(impl_, "marker editor");
  s.check(marker);
  s.remember(s.state);
  s.state.pinned.erase(marker);
  std::erase_if(s.state.layer.keys, [&](const EditKey& k) { return k.marker == marker; });
}

bool MarkerEditor::is_pinned(std::size_t marker) const {
  return alive(impl_, "marker editor").state.pinned.contains(marker);
}

bool MarkerEditor::undo() {
  Impl& s = alive(impl_, "marker editor");
  if (s.drag) {
    s.state = std::move(s.drag->before);
    s.drag.reset();
  } else {
    if (s.done.empty()) return false;
    s.undone.push_back(std::move(s.state));
    s.state = std::move(s.done.back());
    s.done.pop_back();
  }
  s.show_again();
  return true;
}

bool MarkerEditor::redo() {
  Impl& s = alive(impl_, "marker editor");
  if (s.drag || s.undone.empty()) return false;
  s.done.push_back(std::move(s.state));
  s.state = std::move(s.undone.back());
  s.undone.pop_back();
  s.show_again();
  return true;
}

const EditLayer& MarkerEditor::layer() const { return alive(impl_, "marker editor").state.layer; }
void MarkerEditor::set_layer(const EditLayer& layer) {
  Impl& s = alive(impl_, "marker editor");
  for (const EditKey& k : layer.keys) s.check(k.marker);
  if (!(layer.blend_seconds > 0))
    throw Error(ErrorCode::bad_argument, "marker editor", "blend_seconds has to be positive");
  s.remember(s.state);
  s.state.layer = layer;
  sort_keys(s.state.layer.keys);
}
const ControlMeshInfo& MarkerEditor::info() const { return alive(impl_, "marker editor").solver.info(); }
const MarkerFrame& MarkerEditor::frame() const { return *alive(impl_, "marker editor").shown; }
void MarkerEditor::boundary(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles) const {
  alive(impl_, "marker editor").solver.boundary(positions, triangles);
}
void MarkerEditor::control_mesh(std::vector<Vec3f>& positions,
                                std::vector<std::array<std::uint32_t, 4>>& tetrahedra) const {
  alive(impl_, "marker editor").solver.control_mesh(positions, tetrahedra);
}
std::vector<JointRange> MarkerEditor::joint_ranges() const {
  return alive(impl_, "marker editor").solver.joint_ranges();
}
std::vector<Vec3d> MarkerEditor::pins() const {
  const Impl& s = alive(impl_, "marker editor");
  std::vector<Vec3d> list;
  for (const auto& [marker, p] : s.state.pinned) list.push_back(s.take ? s.shown->markers[marker] : p);
  return list;
}

}  // namespace cutis
