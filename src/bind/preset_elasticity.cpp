#include "bind/preset_elasticity.h"

#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

using namespace json_input;

constexpr double kFar = 1e6;  // metres
constexpr double kLeastInflation = -0.9, kMostInflation = 4;

Vec3d point_of(const Json& json, const std::string& place, const char* key) {
  const auto good = [](const Json& x) { return x.is_number() && std::abs(x.get<double>()) <= kFar; };
  if (!json.is_array() || json.size() != 3 || !good(json[0]) || !good(json[1]) || !good(json[2]))
    fail(place, fmt::format("\"{}\" must be a point [x, y, z] in metres", key));
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

Json point_json(const Vec3d& p) { return {p.x, p.y, p.z}; }

std::vector<std::string> names_of(const Json& json, const char* key, const std::string& place) {
  std::vector<std::string> names;
  if (!json.contains(key)) return names;
  if (!json[key].is_array()) fail(place, fmt::format("\"{}\" must be a list of names", key));
  for (const Json& entry : json[key]) {
    if (!entry.is_string()) fail(place, fmt::format("\"{}\" must be a list of names", key));
    names.push_back(entry.get<std::string>());
  }
  return names;
}

std::uint32_t vertex_of(const Json& json, const std::string& place) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0 || json.get<std::int64_t>() > 0xffffffffLL)
    fail(place, "vertices are whole numbers from 0 on, in the order of the file's meshes");
  return static_cast<std::uint32_t>(json.get<std::int64_t>());
}

// Its name; an object that has these keys and no others.
std::string name_of(const Json& json, const std::vector<std::string>& keys, const std::string& place) {
  need_object(json, place);
  allow_only(json, keys, place);
  return text_of(json, "name", place);
}

[[noreturn]] void refuse_preset(const std::string& place, const std::string& sentence) {
  throw Error(ErrorCode::bad_argument, place, sentence);
}

void need_joint(const Skeleton& skeleton, const std::string& joint, const std::string& place) {
  if (skeleton.find(joint) < 0)
    refuse_preset(place, fmt::format("the character has no joint '{}'; 'cutis info' lists them", joint));
}

void need_range(double value, double lo, double hi, const char* what, const std::string& place) {
  if (!(value >= lo && value <= hi))
    refuse_preset(place, fmt::format("\"{}\" is {:g}; it must be between {:g} and {:g}", what, value, lo, hi));
}

bool near(const Vec3d& p) { return is_finite(p) && std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= kFar; }

}  // namespace

std::string_view to_string(MuscleForm form) { return form == MuscleForm::ellipsoid ? "ellipsoid" : "capsule"; }

SkinRegion region_from_json(const Json& json, const std::string& place) {
  SkinRegion region;
  region.name = name_of(
      json, {"name", "joints", "meshes", "vertices", "spheres", "paint", "stiffness", "fade", "contact", "blend"},
      place);
  region.joints = names_of(json, "joints", place);
  region.meshes = names_of(json, "meshes", place);
  region.paint = text_of(json, "paint", place);
  if (json.contains("vertices")) {
    if (!json["vertices"].is_array()) fail(place, "\"vertices\" must be a list of numbers");
    for (const Json& entry : json["vertices"]) region.vertices.push_back(vertex_of(entry, place));
  }
  if (json.contains("spheres")) {
    if (!json["spheres"].is_array()) fail(place, "\"spheres\" must be a list");
    for (const Json& entry : json["spheres"]) {
      need_object(entry, place);
      allow_only(entry, {"center", "radius"}, place);
      RegionSphere sphere{point_of(member(entry, "center", place), place, "center"), 0};
      (void)member(entry, "radius", place);
      read_number(entry, "radius", 0, kFar, place, sphere.radius);
      region.spheres.push_back(sphere);
    }
  }
  if (json.contains("contact")) {
    if (!json["contact"].is_boolean()) fail(place, "\"contact\" must be true or false");
    region.contact = json["contact"].get<bool>();
    region.stiffness = 0;  // unless it says so: to leave hair alone is not to freeze it
  }
  if (json.contains("blend")) {
    region.stiffness = 0;
    region.blend = 0;
    read_number(json, "blend", 0, 1, place, *region.blend);
  }
  read_number(json, "stiffness", 0, 1, place, region.stiffness);
  read_number(json, "fade", 0, kFar, place, region.fade);
  return region;
}

Json region_json(const SkinRegion& region) {
  Json json = {{"name", region.name}};
  if (!region.joints.empty()) json["joints"] = region.joints;
  if (!region.meshes.empty()) json["meshes"] = region.meshes;
  if (!region.vertices.empty()) json["vertices"] = region.vertices;
  for (const RegionSphere& sphere : region.spheres)
    json["spheres"].push_back({{"center", point_json(sphere.center)}, {"radius", sphere.radius}});
  if (!region.paint.empty()) json["paint"] = region.paint;
  json["stiffness"] = region.stiffness;
  json["fade"] = region.fade;
  if (!region.contact) json["contact"] = false;
  if (region.blend) json["blend"] = *region.blend;
  return json;
}

SkinTarget target_from_json(const Json& json, const std::string& place) {
  SkinTarget target;
  target.name = name_of(json, {"name", "vertex", "joint", "radius", "keys"}, place);
  target.vertex = vertex_of(member(json, "vertex", place), place);
  target.joint = text_of(json, "joint", place);
  read_number(json, "radius", 0, kFar, place, target.radius);
  const Json& keys = member(json, "keys", place);
  if (!keys.is_array()) fail(place, "\"keys\" must be a list");
  for (const Json& entry : keys) {
    need_object(entry, place);
    allow_only(entry, {"time", "weight", "point"}, place);
    SkinTargetKey key;
    (void)member(entry, "time", place);
    (void)member(entry, "weight", place);
    read_number(entry, "time", -kFar, kFar, place, key.time);
    read_number(entry, "weight", 0, 1, place, key.weight);
    if (entry.contains("point")) key.point = point_of(entry["point"], place, "point");
    target.keys.push_back(key);
  }
  return target;
}

Json target_json(const SkinTarget& target) {
  Json keys = Json::array();
  for (const SkinTargetKey& key : target.keys) {
    Json entry = {{"time", key.time}, {"weight", key.weight}};
    if (key.point) entry["point"] = point_json(*key.point);
    keys.push_back(entry);
  }
  Json json = {{"name", target.name}, {"vertex", target.vertex}};
  if (!target.joint.empty()) json["joint"] = target.joint;
  json["radius"] = target.radius;
  json["keys"] = keys;
  return json;
}

Muscle muscle_from_json(const Json& json, const std::string& place) {
  Muscle muscle;
  muscle.name = name_of(json, {"name", "joint", "shape", "from", "to", "radius", "driver", "curve"}, place);
  muscle.joint = text_of(json, "joint", place);
  muscle.driver = text_of(json, "driver", place);
  const std::string form = text_of(json, "shape", place);
  if (form == "capsule") {
    muscle.form = MuscleForm::capsule;
  } else if (!form.empty() && form != "ellipsoid") {
    fail(place, fmt::format("\"shape\" is \"{}\"; choose ellipsoid or capsule", form));
  }
  muscle.from = point_of(member(json, "from", place), place, "from");
  muscle.to = point_of(member(json, "to", place), place, "to");
  (void)member(json, "radius", place);
  read_number(json, "radius", 0, kFar, place, muscle.radius);
  muscle.curve = pairs_of(member(json, "curve", place), place + " › curve");
  return muscle;
}

Json muscle_json(const Muscle& muscle) {
  return {{"name", muscle.name},
          {"joint", muscle.joint},
          {"shape", to_string(muscle.form)},
          {"from", point_json(muscle.from)},
          {"to", point_json(muscle.to)},
          {"radius", muscle.radius},
          {"driver", muscle.driver},
          {"curve", muscle.curve}};
}

void check_region(const SkinRegion& region, const Skeleton& skeleton) {
  const std::string place = fmt::format("preset › region '{}'", region.name);
  if (region.joints.empty() && region.meshes.empty() && region.vertices.empty() && region.spheres.empty() &&
      region.paint.empty())
    refuse_preset(place, "selects nothing; give joints, meshes, vertices, spheres or paint");
  for (const std::string& joint : region.joints) need_joint(skeleton, joint, place);
  for (const RegionSphere& sphere : region.spheres)
    if (!near(sphere.center) || !(sphere.radius >= 0 && sphere.radius <= kFar))
      refuse_preset(place, "a sphere is not finite or too large");
  need_range(region.stiffness, 0, 1, "stiffness", place);
  if (region.blend) need_range(*region.blend, 0, 1, "blend", place);
  need_range(region.fade, 0, kFar, "fade", place);
}

void check_target(const SkinTarget& target, const Skeleton& skeleton) {
  const std::string place = fmt::format("preset › target '{}'", target.name);
  if (!target.joint.empty()) need_joint(skeleton, target.joint, place);
  need_range(target.radius, 0, kFar, "radius", place);
  if (target.keys.empty()) refuse_preset(place, "has no keys; give at least one: {\"time\": 0, \"weight\": 1}");
  for (std::size_t k = 0; k < target.keys.size(); ++k) {
    const SkinTargetKey& key = target.keys[k];
    need_range(key.time, -kFar, kFar, "time", place);
    need_range(key.weight, 0, 1, "weight", place);
    if (k > 0 && !(key.time > target.keys[k - 1].time))
      refuse_preset(place, fmt::format("the times of its keys must rise; key {} does not", k + 1));
    if (key.point && !near(*key.point)) refuse_preset(place, "a point is not finite or too far away");
  }
}

void check_muscle(const Muscle& muscle, const Skeleton& skeleton) {
  const std::string place = fmt::format("preset › muscle '{}'", muscle.name);
  need_joint(skeleton, muscle.joint, place);
  need_joint(skeleton, muscle.driver, place);
  if (!near(muscle.from) || !near(muscle.to) || !(muscle.radius > 0 && muscle.radius <= kFar))
    refuse_preset(place, "needs two ends and a radius above 0");
  if (!(distance(muscle.from, muscle.to) > 1e-3 * muscle.radius))
    refuse_preset(place, "its ends are one point; put them where the muscle begins and ends");
  if (muscle.curve.empty()) refuse_preset(place, "has no curve; give pairs [degrees, inflation]");
  for (std::size_t k = 0; k < muscle.curve.size(); ++k) {
    need_range(muscle.curve[k].first, 0, 180, "curve: degrees", place);
    need_range(muscle.curve[k].second, kLeastInflation, kMostInflation, "curve: inflation", place);
    if (k > 0 && !(muscle.curve[k].first > muscle.curve[k - 1].first))
      refuse_preset(place, fmt::format("the angles of its curve must rise; pair {} does not", k + 1));
  }
}

}  // namespace cutis
