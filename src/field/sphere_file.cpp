// Sphere models as JSON.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/json_input.h"
#include "base/math.h"
#include "cutis/files.h"
#include "cutis/sphere_model.h"
#include "cutis/text.h"

namespace cutis {
namespace {

using namespace json_input;

constexpr double kFarthest = 1e6;  // metres
constexpr std::size_t kMostBalls = 4096;

std::string text_in(const Json& value, const char* what, const std::string& place) {
  if (!value.is_string()) fail(place, fmt::format("{} must be a text", what));
  return value.get<std::string>();
}

// "units": what hand_left_spheres.json of shared data has.
double unit_in(const Json& json, const std::string& place) {
  const char* key = json.contains("unit") ? "unit" : json.contains("units") ? "units" : nullptr;
  if (key == nullptr) return 1;
  const std::string unit = json[key].is_string() ? json[key].get<std::string>() : "";
  if (unit == "m" || unit == "metres" || unit == "meters") return 1;
  if (unit == "cm") return 0.01;
  if (unit == "mm") return 0.001;
  fail(place, fmt::format("\"{}\" must be \"m\", \"cm\" or \"mm\"", key));
}

SphereModel::Ball read_ball(const Json& entry, double unit, const std::string& place) {
  SphereModel::Ball ball;
  ball.joint = text_in(member(entry, "joint", place), "\"joint\"", place);
  ball.name = entry.contains("name") ? text_in(entry["name"], "\"name\"", place) : ball.joint;
  const std::string here = place + " '" + ball.name + "'";
  if (entry.contains("parent") && !entry["parent"].is_null())
    ball.parent = text_in(entry["parent"], "\"parent\"", here);
  const Json& center = member(entry, "center", here);
  const Json& radius = member(entry, "radius", here);
  if (!center.is_array() || center.size() != 3) fail(here, "\"center\" must be three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    if (!center[i].is_number()) fail(here, "\"center\" must be three numbers");
    ball.center[static_cast<int>(i)] = center[i].get<double>() * unit;
  }
  if (!radius.is_number()) fail(here, "\"radius\" must be a number");
  ball.radius = radius.get<double>() * unit;
  if (!(length(ball.center) <= kFarthest) || !(ball.radius > 0 && ball.radius <= kFarthest))
    fail(here, "needs a finite centre and a radius above 0");
  return ball;
}

}  // namespace

SphereModel sphere_model_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_object(text, place);
  const Json& entries = member(json, "spheres", place);
  if (!entries.is_array()) fail(place, "\"spheres\" must be a list");
  if (entries.size() > kMostBalls) fail(place, fmt::format("has more than {} spheres", kMostBalls));
  const double unit = unit_in(json, place);
  SphereModel model;
  std::map<std::string, std::uint32_t> index;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    model.balls.push_back(read_ball(entries[i], unit, fmt::format("{} › sphere {}", place, i)));
    if (!index.emplace(model.balls.back().name, static_cast<std::uint32_t>(i)).second)
      fail(place,
           fmt::format("has two spheres of the name '{}'; keep one, or give \"name\"s", model.balls.back().name));
  }
  if (model.empty()) fail(place, "has no spheres");
  for (const SphereModel::Ball& ball : model.balls) {
    if (!ball.parent.empty() && !index.contains(ball.parent))
      fail(place, fmt::format("sphere '{}' names the parent '{}', which has no sphere; add it or use null", ball.name,
                              ball.parent));
    std::size_t steps = 0;
    for (const SphereModel::Ball* b = &ball; !b->parent.empty(); b = &model.balls[index[b->parent]])
      if (++steps > model.balls.size())
        fail(place, fmt::format("sphere '{}' is its own ancestor; use null for the first", ball.name));
  }
  if (!json.contains("blocks")) return model;
  if (!json["blocks"].is_array()) fail(place, "\"blocks\" must be a list");
  if (json["blocks"].size() > kMostBalls) fail(place, fmt::format("has more than {} blocks", kMostBalls));
  for (std::size_t i = 0; i < json["blocks"].size(); ++i) {
    const Json& entry = json["blocks"][i];
    const std::string here = fmt::format("{} › block {}", place, i);
    SphereModel::Block block{text_in(member(entry, "bone", here), "\"bone\"", here), {}};
    const Json& members = member(entry, "spheres", here);
    if (!members.is_array() || members.empty() || members.size() > 3)
      fail(here, "\"spheres\" must name one, two or three spheres");
    for (const Json& m : members) {
      const auto found = index.find(text_in(m, "each sphere", here));
      if (found == index.end()) fail(here, fmt::format("names '{}', which has no sphere", m.get<std::string>()));
      block.balls.push_back(found->second);
    }
    model.blocks.push_back(std::move(block));
  }
  return model;
}

SphereModel load_sphere_model(const std::string& file) { return sphere_model_from_json(read_file(file), file); }

std::string to_json(const SphereModel& model) {
  Json spheres = Json::array(), blocks = Json::array();
  for (const SphereModel::Ball& ball : model.balls) {
    Json entry = Json::object();
    if (ball.name != ball.joint) entry["name"] = ball.name;
    entry["joint"] = ball.joint;
    entry["parent"] = ball.parent.empty() ? Json(nullptr) : Json(ball.parent);
    entry["center"] = {ball.center.x, ball.center.y, ball.center.z};
    entry["radius"] = ball.radius;
    spheres.push_back(std::move(entry));
  }
  for (const SphereModel::Block& block : model.blocks) {
    Json names = Json::array();
    for (const std::uint32_t ball : block.balls) names.push_back(model.balls[ball].name);
    blocks.push_back({{"bone", block.joint}, {"spheres", std::move(names)}});
  }
  Json json{{"unit", "m"}, {"spheres", std::move(spheres)}};
  if (!model.blocks.empty()) json["blocks"] = std::move(blocks);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cutis
