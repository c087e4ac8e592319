#include "volume/marker_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "volume/joint_limits.h"

namespace cutis {

PlacedMarker place_marker(const Character& character, const DrivenSkeleton& skeleton, const MarkerPlace& place) {
  const auto fail = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, "marker map › " + place.marker, sentence);
  };
  PlacedMarker placed;
  if (!place.bone.empty()) {
    const int joint = character.skeleton.find(place.bone);
    if (joint < 0) fail(fmt::format("{} has no joint '{}'", character.source, place.bone));
    int at = joint;
    while (at >= 0 && skeleton.bone_of_joint[static_cast<std::size_t>(at)] < 0)
      at = character.skeleton.joints[static_cast<std::size_t>(at)].parent;
    if (at < 0) fail(fmt::format("joint '{}' is no bone of the body", place.bone));
    placed.on_bone.bone = skeleton.bone_of_joint[static_cast<std::size_t>(at)];
    placed.p_rest =
        character.skeleton.joints[static_cast<std::size_t>(joint)].world_from_rest.translation + place.offset;
  } else {
    std::size_t v = 0;
    const Mesh* mesh = nullptr;
    if (place.vertex >= 0) {
      v = static_cast<std::size_t>(place.vertex);
      for (const Mesh& m : character.meshes) {
        if (v < m.positions.size()) {
          mesh = &m;
          break;
        }
        v -= m.positions.size();
      }
    }
    if (mesh == nullptr) fail(fmt::format("{} has no vertex {}", character.source, place.vertex));
    placed.p_rest = static_cast<Vec3d>(mesh->positions[v]) + place.offset;
    // The bone that moves it most; without weights the nearest.
    int bone = -1;
    if (!mesh->weights.empty()) {
      int at = static_cast<int>(mesh->weights.joint[mesh->weights.row_begin[v]]);
      while (at >= 0 && skeleton.bone_of_joint[static_cast<std::size_t>(at)] < 0)
        at = character.skeleton.joints[static_cast<std::size_t>(at)].parent;
      if (at >= 0) bone = skeleton.bone_of_joint[static_cast<std::size_t>(at)];
    }
    double least = std::numeric_limits<double>::max();
    for (const DrivenSegment& s : skeleton.segments) {
      if (bone >= 0 && least == std::numeric_limits<double>::max()) break;
      const Vec3d d = s.to - s.from;
      const double l2 = dot(d, d), t = l2 > 0 ? std::clamp(dot(placed.p_rest - s.from, d) / l2, 0.0, 1.0) : 0.0;
      const double far = distance(placed.p_rest, s.from + d * t);
      if (far < least) least = far, bone = s.bone;
    }
    placed.on_bone.bone = bone;
  }
  placed.on_bone.offset = placed.p_rest - skeleton.bones[static_cast<std::size_t>(placed.on_bone.bone)].rest;
  return placed;
}

std::string to_json(const MarkerMap& map) {
  nlohmann::ordered_json markers = nlohmann::ordered_json::object();
  const auto rounded = [](double v) { return std::round(v * 1e6) / 1e6; };
  for (const MarkerPlace& place : map.places) {
    nlohmann::ordered_json entry = nlohmann::ordered_json::object();
    if (!place.bone.empty()) {
      entry["bone"] = place.bone;
    } else {
      entry["vertex"] = place.vertex;
    }
    if (!place.bone.empty() || place.offset != Vec3d{})
      entry["offset"] = {rounded(place.offset.x), rounded(place.offset.y), rounded(place.offset.z)};
    if (place.weight != 1) entry["weight"] = place.weight;
    markers[place.marker] = std::move(entry);
  }
  return nlohmann::ordered_json{{"scale", map.scale}, {"markers", std::move(markers)}}.dump(2) + "\n";
}

MarkerMap load_marker_map(const std::string& file, const Character& character) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorCode::io, file, "cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  const auto fail = [&](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_file, place.empty() ? file : file + " › " + place, sentence);
  };
  // A name given twice is a slip that JSON readers swallow: looked for while parsing.
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json& value) {
    using Event = nlohmann::ordered_json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end && !open.empty()) open.pop_back();
    if (event == Event::key && !open.empty() && !open.back().insert(value.get<std::string>()).second && twice.empty())
      twice = value.get<std::string>();
    return true;
  };
  const auto json = nlohmann::ordered_json::parse(text.str(), watch, false);
  if (json.is_discarded()) fail("", "is not JSON");
  if (!twice.empty()) fail(twice, "is given twice; a marker has one place");
  if (!json.is_object() || !json.contains("markers") || !json["markers"].is_object() || json["markers"].empty())
    fail("", "has no \"markers\"; expected {\"markers\": {\"NAME\": {\"bone\": ..., \"offset\": [x, y, z]}, ...}}");
  MarkerMap map;
  if (json.contains("scale")) {
    if (!json["scale"].is_number() || !(json["scale"].get<double>() > 0)) fail("scale", "is not a positive number");
    map.scale = json["scale"].get<double>();
  }
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  for (const auto& [name, entry] : json["markers"].items()) {
    MarkerPlace place;
    place.marker = name;
    if (!entry.is_object()) fail(name, "is not an object");
    for (const auto& [key, value] : entry.items()) {
      if (key == "bone" && value.is_string()) {
        place.bone = value.get<std::string>();
      } else if (key == "vertex" && value.is_number_integer()) {
        place.vertex = value.get<std::int64_t>();
      } else if (key == "weight" && value.is_number() && value.get<double>() > 0 && value.get<double>() <= 1) {
        place.weight = value.get<double>();
      } else if (key == "offset" && value.is_array() && value.size() == 3 && value[0].is_number() &&
                 value[1].is_number() && value[2].is_number()) {
        place.offset = {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
      } else {
        fail(name + " › " + key,
             "is not one of bone (a name), vertex (a number), offset (three numbers), weight (0 to 1)");
      }
    }
    if (place.bone.empty() == (place.vertex < 0)) fail(name, "needs a bone or a vertex, and not both");
    try {
      (void)place_marker(character, skeleton, place);
    } catch (const Error& error) {
      const std::string what = error.what();
      fail(name, what.substr(what.find(": ") + 2));
    }
    map.places.push_back(std::move(place));
  }
  return map;
}

MarkerMap fit_marker_map(const Character& character, const MarkerMap& map, const MarkerTake& take,
                         const Context& context, MarkerFitReport* report) {
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  const double size = diagonal(character.bounds());
  std::vector<BoneMarker> markers;
  std::vector<int> index;
  std::vector<double> weights;
  for (const MarkerPlace& place : map.places) {
    markers.push_back(place_marker(character, skeleton, place).on_bone);
    index.push_back(take.find(place.marker));
    weights.push_back(place.weight);
  }
  // The frame that shows most; of those the first.
  std::size_t best = 0, most = 0;
  for (std::size_t f = 0; f < take.frames; ++f) {
    std::size_t seen = 0;
    for (const int i : index) seen += i >= 0 && take.seen(f, static_cast<std::size_t>(i)) ? 1U : 0U;
    if (seen > most) most = seen, best = f;
  }
  if (most < 3)
    throw Error(ErrorCode::bad_argument, take.source, "no frame shows three markers of the map; it cannot be fitted");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3d> targets;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const bool seen = index[m] >= 0 && take.seen(best, static_cast<std::size_t>(index[m]));
    targets.push_back(seen ? take.at(best, static_cast<std::size_t>(index[m])) : Vec3d{nan, nan, nan});
    if (!seen) weights[m] = 0;
  }

  // First as one rigid piece, then joint by joint, with the scale open all the time.
  BonePose pose = rest_bone_pose(skeleton);
  double scale = place_as_one(skeleton, markers, targets, weights, pose, true);
  const PoseFitReport fit = fit_pose(skeleton, JointLimits(skeleton.bones.size()), size, markers, targets, weights,
                                     {.iterations = 200, .rest_pull = 0.02, .fit_scale = true}, pose, scale);
  MarkerMap fitted;
  fitted.scale = scale;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    MarkerPlace place = map.places[m];
    if (weights[m] > 0) {
      const auto b = static_cast<std::size_t>(markers[m].bone);
      const int joint = skeleton.bones[b].joint;
      place.bone = character.skeleton.joints[static_cast<std::size_t>(joint)].name;
      place.vertex = -1;
      place.offset = rotate(conjugate(pose.rotation[b]), targets[m] * scale - pose.position[b]);
    } else {
      context.warn(
          fmt::format("{}: {} is not seen in the fitted frame; it keeps its usual place", take.source, place.marker));
    }
    fitted.places.push_back(std::move(place));
  }
  if (report != nullptr) *report = {scale, fit.rms, best, most, to_pose(character.skeleton, skeleton, pose)};
  return fitted;
}

Clip clip_of_poses(const Character& character, std::span<const Pose> poses, double rate, const std::string& name) {
  Clip clip;
  clip.name = name;
  if (poses.empty()) return clip;
  std::vector<float> times;
  for (std::size_t f = 0; f < poses.size(); ++f) times.push_back(static_cast<float>(static_cast<double>(f) / rate));
  const Pose still = default_pose(character.skeleton);
  for (std::size_t j = 0; j < character.skeleton.joints.size(); ++j) {
    bool turns = false, moves = false;
    for (const Pose& pose : poses) {
      turns = turns || std::abs(dot(pose.local[j].rotation, still.local[j].rotation)) < 1 - 1e-10;
      moves = moves || distance(pose.local[j].translation, still.local[j].translation) > 1e-6;
    }
    for (const bool rotation : {true, false}) {
      if (rotation ? !turns : !moves) continue;
      Channel channel;
      channel.joint = static_cast<int>(j);
      channel.path = rotation ? ChannelPath::rotation : ChannelPath::translation;
      channel.times = times;
      Quatd last;
      for (const Pose& pose : poses) {
        Quatd q = pose.local[j].rotation;
        if (dot(q, last) < 0) q = negated(q);  // neighbours on one side, for readers that blend plainly
        last = q;
        const Vec3d& t = pose.local[j].translation;
        if (rotation) {
          for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(static_cast<float>(x));
        } else {
          for (const double x : {t.x, t.y, t.z}) channel.values.push_back(static_cast<float>(x));
        }
      }
      clip.channels.push_back(std::move(channel));
    }
  }
  return clip;
}

}  // namespace cutis
