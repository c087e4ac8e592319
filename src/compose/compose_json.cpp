// Profiles and controllers as people write them: degrees, short arrays.
#include <cmath>

#include <fmt/format.h>

#include "base/json_input.h"
#include "base/math.h"
#include "compose/controller.h"
#include "compose/profile.h"
#include "cutis/error.h"

namespace cutis {
namespace {

using namespace json_input;

// Numbers short enough to read: nine digits, far below what any curve shows.
double rounded(double value) { return std::round(value * 1e9) / 1e9; }

Json json_of(const Controller& controller, double unit) {
  Json json = Json::array();
  for (const ControllerPoint& p : controller.points)
    json.push_back({rounded(p.angle / kDegree), rounded(p.value / unit)});
  return json;
}

// A bad curve in a file is the file's fault.
void read_curve(const Json& json, const char* key, double unit, double hi, const std::string& place,
                Controller& controller) {
  if (!json.contains(key)) return;
  const std::string where = fmt::format("{} › {}", place, key);
  controller.points.clear();
  for (const auto& [angle, value] : pairs_of(json[key], where))
    controller.points.push_back({angle * kDegree, value * unit});
  try {
    check_controller(controller, 0, hi, where);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_file, {}, error.what());
  }
}

}  // namespace

std::string to_json(const OperatorProfile& profile) {
  Json points = Json::array();
  for (const ProfilePoint& p : profile.points) points.push_back({rounded(p.f1), rounded(p.f2)});
  const Json json = {{"name", profile.name}, {"points", points}, {"contact_depth", rounded(profile.contact_depth)}};
  return json.dump(2) + "\n";
}

OperatorProfile profile_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_object(text, place);
  allow_only(json, {"name", "points", "contact_depth"}, place);
  OperatorProfile profile{.name = text_of(json, "name", place)};
  if (!json.contains("points")) fail(place, "has no \"points\"; give pairs [f1, f2] from [0.5, 0] to the diagonal");
  for (const auto& [f1, f2] : pairs_of(json["points"], place + " › points")) profile.points.push_back({f1, f2});
  if (json.contains("contact_depth")) {
    if (!json["contact_depth"].is_number()) fail(place, "\"contact_depth\" must be a number");
    profile.contact_depth = json["contact_depth"].get<double>();
  }
  try {
    check_profile(profile);
  } catch (const Error& error) {
    fail(place, error.what());
  }
  return profile;
}

std::string to_json(const ControllerPreset& preset) {
  const Json json = {{"name", preset.name},
                     {"contact", json_of(preset.contact, 1)},
                     {"bulge", json_of(preset.bulge, 1)},
                     {"opening", json_of(preset.opening, kDegree)}};
  return json.dump() + "\n";
}

ControllerPreset controller_preset_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_object(text, place);
  allow_only(json, {"name", "like", "contact", "bulge", "opening"}, place);
  const std::string like = text_of(json, "like", place);
  ControllerPreset preset;
  try {
    preset = controller_preset(like.empty() ? "default" : like);
  } catch (const Error& error) {
    fail(place + " › like", error.what());
  }
  preset.name = text_of(json, "name", place);
  read_curve(json, "contact", 1, 1, place, preset.contact);
  read_curve(json, "bulge", 1, 1, place, preset.bulge);
  read_curve(json, "opening", kDegree, kPi / 4, place, preset.opening);
  return preset;
}

}  // namespace cutis
