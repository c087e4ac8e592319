#include "field/sphere_file.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/json_input.h"
#include "base/math.h"
#include "cutis/files.h"
#include "cutis/text.h"

namespace cutis {

namespace {

using namespace json_input;

struct Named {
  std::string joint, parent;
  Sphere sphere;
};

std::string text_in(const Json& value, const char* what, const std::string& place) {
  if (!value.is_string()) fail(place, fmt::format("{} must be a text", what));
  return value.get<std::string>();
}

Named read_sphere(const Json& entry, const std::string& place) {
  Named s;
  s.joint = text_in(member(entry, "joint", place), "\"joint\"", place);
  const std::string here = place + " '" + s.joint + "'";
  if (entry.contains("parent") && !entry["parent"].is_null()) s.parent = text_in(entry["parent"], "\"parent\"", here);
  const Json& center = member(entry, "center", here);
  const Json& radius = member(entry, "radius", here);
  if (!center.is_array() || center.size() != 3) fail(here, "\"center\" must be three numbers");
  for (std::size_t i = 0; i < 3; ++i) {
    if (!center[i].is_number()) fail(here, "\"center\" must be three numbers");
    s.sphere.center[static_cast<int>(i)] = center[i].get<double>();
  }
  if (!radius.is_number()) fail(here, "\"radius\" must be a number");
  s.sphere.radius = radius.get<double>();
  if (!is_finite(s.sphere.center) || !std::isfinite(s.sphere.radius) || s.sphere.radius <= 0)
    fail(here, "needs a finite centre and a radius above 0, in metres");
  return s;
}

}  // namespace

std::vector<BoneSpheres> parse_sphere_sets(const std::string& text, const std::string& place) {
  if (const std::string fault = json_fault(text); !fault.empty()) fail(place, "is not JSON: " + fault);
  const Json json = Json::parse(text, nullptr, false);
  const Json& entries = member(json, "spheres", place);
  if (!entries.is_array()) fail(place, "\"spheres\" must be a list");
  std::vector<Named> spheres;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    spheres.push_back(read_sphere(entries[i], fmt::format("{} › sphere {}", place, i)));
    if (!index.emplace(spheres.back().joint, i).second)
      fail(place, fmt::format("has two spheres for joint '{}'; keep one", spheres.back().joint));
  }
  for (const Named& s : spheres)
    if (!s.parent.empty() && !index.contains(s.parent))
      fail(place, fmt::format("sphere '{}' names the parent '{}', which has no sphere; add it or use null", s.joint,
                              s.parent));

  std::vector<BoneSpheres> result;
  std::map<std::string, std::size_t> bone_index;
  const auto bone = [&](const std::string& name) -> SphereSet& {
    const auto [it, added] = bone_index.emplace(name, result.size());
    if (added) result.push_back({name, {}});
    return result[it->second].set;
  };
  for (const Named& s : spheres) bone(s.joint);
  if (json.contains("blocks")) {
    if (!json["blocks"].is_array()) fail(place, "\"blocks\" must be a list");
    for (std::size_t i = 0; i < json["blocks"].size(); ++i) {
      const Json& entry = json["blocks"][i];
      const std::string here = fmt::format("{} › block {}", place, i);
      const std::string name = text_in(member(entry, "bone", here), "\"bone\"", here);
      const Json& members = member(entry, "spheres", here);
      if (!members.is_array() || members.empty() || members.size() > 3)
        fail(here, "\"spheres\" must name one, two or three joints");
      SphereBlock block;
      for (const Json& m : members) {
        const auto found = index.find(text_in(m, "each sphere", here));
        if (found == index.end()) fail(here, fmt::format("names '{}', which has no sphere", m.get<std::string>()));
        block.spheres.push_back(spheres[found->second].sphere);
      }
      bone(name).blocks.push_back(block);
    }
  }
  std::vector<bool> listed;
  for (const BoneSpheres& b : result) listed.push_back(!b.set.empty());
  for (const Named& s : spheres)
    if (!s.parent.empty() && !listed[bone_index[s.parent]])
      bone(s.parent).blocks.push_back({{spheres[index[s.parent]].sphere, s.sphere}});
  for (const Named& s : spheres)
    if (bone(s.joint).empty()) bone(s.joint).blocks.push_back({{s.sphere}});
  return result;
}

std::vector<BoneSpheres> load_sphere_sets(const std::string& path) { return parse_sphere_sets(read_file(path), path); }

}  // namespace cutis
