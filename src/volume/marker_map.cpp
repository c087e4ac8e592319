#include "volume/marker_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/math.h"
#include "base/segment.h"
#include "base/tree.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "volume/joint_limits.h"

namespace cutis {
namespace {

/// Shares below this are left out: they would make unknowns of bones that the marker says nothing about.
constexpr double kLeastShare = 0.15;

/// Largest first, small ones left out, sum 1.
std::vector<BoneMarker::Share> trimmed(std::vector<BoneMarker::Share> shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  double sum = 0;
  std::vector<BoneMarker::Share> kept;
  for (const BoneMarker::Share& s : shares)
    if (kept.empty() || s.weight >= kLeastShare) {
      kept.push_back(s);
      sum += s.weight;
    }
  for (BoneMarker::Share& s : kept) s.weight /= sum;
  return kept;
}

/// Skin on a limb goes with its bone; within a radius of a joint it goes over to the next bone.
std::vector<BoneMarker::Share> shares_by_place(const DrivenSkeleton& skeleton, const Vec3d& p) {
  int bone = 0;
  double radius = std::numeric_limits<double>::max();
  for (const DrivenSegment& s : skeleton.segments) {
    if (const double far = distance_to_segment(p, s.from, s.to); far < radius) radius = far, bone = s.bone;
  }
  std::vector<BoneMarker::Share> shares{{bone, 1.0, {}}};
  const auto share_with = [&](int upper, int lower) {
    const DrivenSkeleton::Bone &a = skeleton.bones[static_cast<std::size_t>(upper)],
                               &b = skeleton.bones[static_cast<std::size_t>(lower)];
    const Vec3d axis = normalized(normalized(b.rest - a.rest, Vec3d{}) + normalized(b.end - b.rest, Vec3d{}), Vec3d{});
    const double below = radius > 0 ? std::clamp(0.5 + 0.5 * dot(p - b.rest, axis) / radius, 0.0, 1.0) : 1.0;
    const double other = bone == lower ? 1 - below : below;
    if (axis == Vec3d{} || other <= 0 || other > 0.5) return;
    shares.push_back({bone == lower ? upper : lower, other, {}});
    shares.front().weight -= other;
  };
  const DrivenSkeleton::Bone& own = skeleton.bones[static_cast<std::size_t>(bone)];
  if (own.parent >= 0 && distance(p, own.rest) < 2 * radius) share_with(own.parent, bone);
  if (shares.size() == 1 && own.children.size() == 1 &&
      distance(p, skeleton.bones[static_cast<std::size_t>(own.children.front())].rest) < 2 * radius)
    share_with(bone, own.children.front());
  return trimmed(std::move(shares));
}

/// The driven bone of the joint or of the nearest one above it that has one, or -1.
int bone_that_moves(const Character& character, const DrivenSkeleton& skeleton, int joint) {
  const auto bone_of = [&](int j) { return skeleton.bone_of_joint[static_cast<std::size_t>(j)]; };
  const int at = first_upwards(character.skeleton.joints, joint, [&](int j) { return bone_of(j) >= 0; });
  return at < 0 ? -1 : bone_of(at);
}

std::vector<BoneMarker::Share> shares_by_weights(const Character& character, const DrivenSkeleton& skeleton,
                                                 const Weights& weights, std::size_t v) {
  std::vector<BoneMarker::Share> shares;
  for (std::uint32_t k = weights.row_begin[v]; k < weights.row_begin[v + 1]; ++k) {
    const int bone = bone_that_moves(character, skeleton, static_cast<int>(weights.joint[k]));
    if (bone < 0) continue;
    const auto known = std::find_if(shares.begin(), shares.end(), [&](const auto& s) { return s.bone == bone; });
    if (known == shares.end()) {
      shares.push_back({bone, static_cast<double>(weights.weight[k]), {}});
    } else {
      known->weight += static_cast<double>(weights.weight[k]);
    }
  }
  if (shares.empty()) shares.push_back({0, 1.0, {}});
  return trimmed(std::move(shares));
}

}  // namespace

PlacedMarker place_marker(const Character& character, const DrivenSkeleton& skeleton, const MarkerPlace& place) {
  const auto fail = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, "marker map › " + place.marker, sentence);
  };
  PlacedMarker placed;
  if (!place.bone.empty()) {
    const int joint = character.skeleton.find(place.bone);
    if (joint < 0) fail(fmt::format("{} has no joint '{}'", character.source, place.bone));
    placed.on_bone.bone = bone_that_moves(character, skeleton, joint);
    if (placed.on_bone.bone < 0) fail(fmt::format("joint '{}' is no bone of the body", place.bone));
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
    std::vector<BoneMarker::Share> shares = mesh->weights.empty()
                                                ? shares_by_place(skeleton, placed.p_rest)
                                                : shares_by_weights(character, skeleton, mesh->weights, v);
    placed.on_bone.bone = shares.front().bone;
    placed.on_bone.weight = shares.front().weight;
    for (BoneMarker::Share& share : shares)
      share.offset = placed.p_rest - skeleton.bones[static_cast<std::size_t>(share.bone)].rest;
    placed.on_bone.others.assign(shares.begin() + 1, shares.end());
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
  // Laboratories name markers in whatever their machine writes; JSON is UTF-8.
  return nlohmann::ordered_json{{"scale", map.scale}, {"markers", std::move(markers)}}.dump(
             2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

MarkerMap load_marker_map(const std::string& file, const Character& character) {
  return marker_map_from_json(read_file(file), file, character);
}

MarkerMap marker_map_from_json(std::string_view text, const std::string& file, const Character& character) {
  const auto fail = [&](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_file, place.empty() ? file : file + " › " + place, sentence);
  };
  if (const std::string fault = json_fault(text); !fault.empty()) fail("", "is not JSON: " + fault);
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
  const auto json = nlohmann::ordered_json::parse(text, watch, false);
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

FittedFrame fit_to_take(const Character& character, const DrivenSkeleton& skeleton, std::span<const BoneMarker> markers,
                        std::span<const int> point, std::span<const double> weights, const MarkerTake& take) {
  FittedFrame fitted;
  const auto seen = [&](std::size_t f, std::size_t m) {
    return point[m] >= 0 && take.seen(f, static_cast<std::size_t>(point[m]));
  };
  for (std::size_t f = 0; f < take.frames; ++f) {
    std::size_t count = 0;
    for (std::size_t m = 0; m < markers.size(); ++m) count += seen(f, m) ? 1U : 0U;
    if (count > fitted.markers) fitted.markers = count, fitted.frame = f;
  }
  if (fitted.markers < 3)
    throw Error(ErrorCode::bad_argument, take.source, "no frame shows three markers of the map; it cannot be fitted");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3d> targets;
  std::vector<double> used(weights.begin(), weights.end());
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const bool is_seen = seen(fitted.frame, m);
    targets.push_back(is_seen ? take.at(fitted.frame, static_cast<std::size_t>(point[m])) : Vec3d{nan, nan, nan});
    if (!is_seen) used[m] = 0;
  }
  // First as one rigid piece, then joint by joint, with the scale open all the time.
  fitted.pose = rest_bone_pose(skeleton);
  fitted.scale = place_as_one(skeleton, markers, targets, used, fitted.pose, true);
  fitted.rms =
      fit_pose(skeleton, JointLimits(skeleton.bones.size()), diagonal(character.bounds()), markers, targets, used,
               {.iterations = 200, .rest_pull = 0.04, .open_pull = 0.2, .fit_scale = true}, fitted.pose, fitted.scale)
          .rms;
  return fitted;
}

MarkerMap fit_marker_map(const Character& character, const MarkerMap& map, const MarkerTake& take,
                         const Context& context, MarkerFitReport* report) {
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  std::vector<BoneMarker> markers;
  std::vector<int> index;
  std::vector<double> weights;
  for (const MarkerPlace& place : map.places) {
    markers.push_back(place_marker(character, skeleton, place).on_bone);
    index.push_back(take.find(place.marker));
    weights.push_back(place.weight);
  }
  const FittedFrame fit = fit_to_take(character, skeleton, markers, index, weights, take);
  MarkerMap fitted;
  fitted.scale = fit.scale;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    MarkerPlace place = map.places[m];
    if (index[m] >= 0 && weights[m] > 0 && take.seen(fit.frame, static_cast<std::size_t>(index[m]))) {
      const auto b = static_cast<std::size_t>(markers[m].bone);
      const int joint = skeleton.bones[b].joint;
      place.bone = character.skeleton.joints[static_cast<std::size_t>(joint)].name;
      place.vertex = -1;
      place.offset = rotate(conjugate(fit.pose.rotation[b]),
                            take.at(fit.frame, static_cast<std::size_t>(index[m])) * fit.scale - fit.pose.position[b]);
    } else {
      context.warn(
          fmt::format("{}: {} is not seen in the fitted frame; it keeps its usual place", take.source, place.marker));
    }
    fitted.places.push_back(std::move(place));
  }
  if (report != nullptr)
    *report = {fit.scale, fit.rms, fit.frame, fit.markers, to_pose(character.skeleton, skeleton, fit.pose)};
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
