// Tracks as JSON.
#include <cmath>

#include <fmt/format.h>

#include "base/json_input.h"
#include "base/math.h"
#include "cutis/files.h"
#include "cutis/hands.h"
#include "cutis/text.h"

namespace cutis {
namespace {

using namespace json_input;

constexpr double kLargest = 1e6;  // metres, seconds: what is beyond is not a hand
constexpr std::size_t kMostSpheres = 4096;

double number_of(const Json& value, const char* what, const std::string& place) {
  if (!value.is_number()) fail(place, fmt::format("{} must be a number", what));
  const auto number = value.get<double>();
  if (!(std::abs(number) <= kLargest)) fail(place, fmt::format("{} is not a usable number", what));
  return number;
}

Vec3d point_of(const Json& value, double unit, const char* what, const std::string& place) {
  if (!value.is_array() || value.size() != 3) fail(place, fmt::format("{} must be three numbers", what));
  return Vec3d{number_of(value[0], what, place), number_of(value[1], what, place), number_of(value[2], what, place)} *
         unit;
}

double unit_of(const Json& json, const std::string& place) {
  if (!json.contains("unit")) return 1;
  const std::string unit = json["unit"].is_string() ? json["unit"].get<std::string>() : "";
  if (unit == "m") return 1;
  if (unit == "cm") return 0.01;
  if (unit == "mm") return 0.001;
  fail(place, "\"unit\" must be \"m\", \"cm\" or \"mm\"");
}

TrackedSphere read_sphere(const Json& entry, double unit, const std::string& place) {
  TrackedSphere sphere;
  if (entry.is_string()) {
    sphere.joint = entry.get<std::string>();
    return sphere;
  }
  if (!entry.is_object() || !entry.contains("joint") || !entry["joint"].is_string())
    fail(place, "must be the name of a joint, or an object with a \"joint\"");
  sphere.joint = entry["joint"].get<std::string>();
  if (entry.contains("rest")) sphere.rest = point_of(entry["rest"], unit, "\"rest\"", place);
  if (entry.contains("radius")) {
    sphere.radius = number_of(entry["radius"], "\"radius\"", place) * unit;
    if (!(sphere.radius > 0)) fail(place, "\"radius\" must be above 0");
  }
  return sphere;
}

void read_frame(const Json& frame, double unit, double fps, const std::string& place, SphereTrack& track) {
  const bool timed = frame.is_object();
  if (timed && !frame.contains("centers")) fail(place, "has no \"centers\"");
  const Json& centers = timed ? frame["centers"] : frame;
  if (!centers.is_array() || centers.size() != track.spheres.size())
    fail(place, fmt::format("must have one centre (or null) for each of the {} spheres", track.spheres.size()));
  const double time = timed && frame.contains("time") ? number_of(frame["time"], "\"time\"", place)
                                                      : static_cast<double>(track.times.size()) / fps;
  if (!track.times.empty() && !(time > track.times.back())) fail(place, "times must rise from frame to frame");
  track.times.push_back(time);
  auto& row = track.centers.emplace_back();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    if (centers[i].is_null()) {
      row.emplace_back();
    } else {
      row.emplace_back(point_of(centers[i], unit, "a centre", fmt::format("{} › sphere {}", place, i)));
    }
  }
}

Json to_json(const Vec3d& p) { return Json::array({p.x, p.y, p.z}); }

}  // namespace

SphereTrack sphere_track_from_json(std::string_view text, const std::string& place) {
  if (const std::string fault = json_fault(text); !fault.empty()) fail(place, "is not JSON: " + fault);
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) fail(place, "must be an object with \"spheres\" and \"frames\"");
  for (const char* name : {"spheres", "frames"})
    if (!json.contains(name) || !json[name].is_array()) fail(place, fmt::format("has no list \"{}\"; add it", name));
  SphereTrack track;
  if (json.contains("name") && json["name"].is_string()) track.name = json["name"].get<std::string>();
  const double unit = unit_of(json, place);
  const double fps = json.contains("fps") ? number_of(json["fps"], "\"fps\"", place) : 30.0;
  if (!(fps > 1e-3)) fail(place, "\"fps\" must be above 0");
  if (json["spheres"].size() > kMostSpheres) fail(place, fmt::format("has more than {} spheres", kMostSpheres));
  for (std::size_t i = 0; i < json["spheres"].size(); ++i)
    track.spheres.push_back(read_sphere(json["spheres"][i], unit, fmt::format("{} › sphere {}", place, i)));
  for (std::size_t i = 0; i < json["frames"].size(); ++i)
    read_frame(json["frames"][i], unit, fps, fmt::format("{} › frame {}", place, i), track);
  if (track.spheres.empty()) fail(place, "has no spheres");
  if (track.times.empty()) fail(place, "has no frames");
  return track;
}

SphereTrack load_sphere_track(const std::string& file) { return sphere_track_from_json(read_file(file), file); }

std::string to_json(const SphereTrack& track) {
  Json spheres = Json::array(), frames = Json::array();
  for (const TrackedSphere& s : track.spheres) {
    Json entry{{"joint", s.joint}};
    if (s.rest) entry["rest"] = to_json(*s.rest);
    if (s.radius > 0) entry["radius"] = s.radius;
    spheres.push_back(std::move(entry));
  }
  for (std::size_t f = 0; f < track.times.size(); ++f) {
    Json centers = Json::array();
    for (const auto& c : track.centers[f]) centers.push_back(c ? to_json(*c) : Json(nullptr));
    frames.push_back({{"time", track.times[f]}, {"centers", std::move(centers)}});
  }
  return Json{{"name", track.name}, {"unit", "m"}, {"spheres", spheres}, {"frames", frames}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cutis
