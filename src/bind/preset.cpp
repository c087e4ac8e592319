// Presets as values and as JSON. A new number of a joint is a member of the struct and a row of its table
// (bind_options.cpp); a new section is a row of kSections.
#include "cutis/preset.h"

#include <algorithm>

#include "base/atomic_file.h"
#include "base/json_input.h"
#include "base/math.h"
#include "bind/preset_elasticity.h"
#include "compose/controller.h"
#include "compose/profile.h"
#include "cutis/option_rows.h"

namespace cutis {
namespace {

using namespace json_input;

// ---- one joint ----

constexpr double kLeastFactor = 0.1, kLargestFactor = 10;

PartForm form_of(const std::string& name, const std::string& place) {
  for (const PartForm form : {PartForm::hrbf, PartForm::spheres})
    if (name == to_string(form)) return form;
  fail(place, fmt::format("\"shape\" is \"{}\"; choose hrbf or spheres", name));
}

JointPreset read_joint(const Json& json, const std::string& place, JointPreset joint) {
  need_object(json, place);
  std::vector<std::string> keys = {"operator", "controller"};
  for (const OptionRow<JointPreset>& row : option_rows<JointPreset>()) keys.emplace_back(row.name);
  allow_only(json, keys, place);
  if (json.contains("operator")) joint.op = text_of(json, "operator", place);
  if (json.contains("controller")) joint.controller = text_of(json, "controller", place);
  if (json.contains("shape")) joint.shape = form_of(text_of(json, "shape", place), place);
  for (const OptionRow<JointPreset>& row : option_rows<JointPreset>()) {
    const std::string key(row.name);
    if (row.kind == OptionKind::count) {
      int value = static_cast<int>(row.get(joint));
      read_number(json, key.c_str(), static_cast<int>(row.least), static_cast<int>(row.most), place, value);
      row.set(joint, value);
    } else if (row.kind == OptionKind::number) {
      double value = row.get(joint);
      read_number(json, key.c_str(), row.least, row.most, place, value);
      row.set(joint, value);
    }
  }
  return joint;
}

Json write_joint(const JointPreset& joint) {
  Json json = {{"operator", joint.op}, {"controller", joint.controller}, {"shape", to_string(joint.shape)}};
  for (const OptionRow<JointPreset>& row : option_rows<JointPreset>()) {
    if (row.kind == OptionKind::count) json[std::string(row.name)] = static_cast<int>(row.get(joint));
    if (row.kind == OptionKind::number) json[std::string(row.name)] = row.get(joint);
  }
  return json;
}

// ---- lists of named things that have a JSON form of their own ----

template <class Item, class Read>
void read_list(const Json& json, const std::string& place, Read read, std::vector<Item>& items) {
  if (!json.is_array()) fail(place, "must be a list [...]");
  for (const Json& entry : json) {
    const std::string where = fmt::format("{} › {}", place, items.size() + 1);
    items.push_back(read(entry, where));
    if (items.back().name.empty()) fail(where, "has no \"name\"");
    for (std::size_t i = 0; i + 1 < items.size(); ++i)
      if (items[i].name == items.back().name) fail(where, fmt::format("the name \"{}\" is taken", items[i].name));
  }
}

// What has a text form of its own.
template <auto kRead>
auto read_text(const Json& json, const std::string& place) {
  return kRead(json.dump(), place);
}

template <class Item>
Json write_list(const std::vector<Item>& items) {
  Json json = Json::array();
  for (const Item& item : items) json.push_back(Json::parse(to_json(item)));
  return json;
}

template <class Item>
Json write_items(const std::vector<Item>& items, Json (*write)(const Item&)) {
  Json json = Json::array();
  for (const Item& item : items) json.push_back(write(item));
  return json;
}

// ---- sections ----

struct Section {
  const char* key;
  void (*read)(const Json& json, const std::string& place, Preset& preset);
  Json (*write)(const Preset& preset);
};

constexpr Section kSections[] = {
    {"fields",
     [](const Json& json, const std::string& place, Preset& preset) {
       need_object(json, place);
       allow_only(json, {"support_factor", "cap_factor"}, place);
       read_number(json, "support_factor", kLeastFactor, kLargestFactor, place, preset.support_factor);
       read_number(json, "cap_factor", kLeastFactor, kLargestFactor, place, preset.cap_factor);
     },
     [](const Preset& preset) {
       return Json{{"support_factor", preset.support_factor}, {"cap_factor", preset.cap_factor}};
     }},
    {"all_joints",
     [](const Json& json, const std::string& place, Preset& preset) { preset.all = read_joint(json, place, {}); },
     [](const Preset& preset) { return write_joint(preset.all); }},
    {"joints",  // after all_joints, whose values are the defaults here
     [](const Json& json, const std::string& place, Preset& preset) {
       need_object(json, place);
       for (const auto& [name, settings] : json.items())
         preset.joints.emplace_back(name, read_joint(settings, fmt::format("{} › {}", place, name), preset.all));
     },
     [](const Preset& preset) {
       Json json = Json::object();
       for (const auto& [name, joint] : preset.joints) json[name] = write_joint(joint);
       return json;
     }},
    {"controllers",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, read_text<controller_preset_from_json>, preset.controllers);
     },
     [](const Preset& preset) { return write_list(preset.controllers); }},
    {"profiles",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, read_text<profile_from_json>, preset.profiles);
     },
     [](const Preset& preset) { return write_list(preset.profiles); }},
    {"regions",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, region_from_json, preset.regions);
     },
     [](const Preset& preset) { return write_items(preset.regions, region_json); }},
    {"targets",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, target_from_json, preset.targets);
     },
     [](const Preset& preset) { return write_items(preset.targets, target_json); }},
    {"muscles",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, muscle_from_json, preset.muscles);
     },
     [](const Preset& preset) { return write_items(preset.muscles, muscle_json); }},
};

}  // namespace

std::string_view to_string(PartForm form) { return form == PartForm::hrbf ? "hrbf" : "spheres"; }

const JointPreset& Preset::of(std::string_view joint) const {
  const auto it = std::ranges::find(joints, joint, [](const auto& entry) { return std::string_view(entry.first); });
  return it == joints.end() ? all : it->second;
}

std::string to_json(const Preset& preset) {
  Json json = Json::object();
  for (const Section& section : kSections) json[section.key] = section.write(preset);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Preset preset_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_object(text, place);
  std::vector<std::string> keys;
  for (const Section& section : kSections) keys.emplace_back(section.key);
  allow_only(json, keys, place);
  Preset preset;
  for (const Section& section : kSections)
    if (json.contains(section.key)) section.read(json[section.key], fmt::format("{} › {}", place, section.key), preset);
  return preset;
}

Preset load_preset(const std::string& path) { return preset_from_json(read_file(path), path); }

void save_preset(const Preset& preset, const std::string& path) { write_file(path, to_json(preset)); }

void check_preset(const Preset& preset, const Skeleton& skeleton) {
  const auto refuse = [](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, place, sentence);
  };
  const auto check_joint = [&](const std::string& place, const JointPreset& joint) {
    const bool profile = std::ranges::find(preset.profiles, joint.op, &OperatorProfile::name) != preset.profiles.end();
    if (!profile && (joint.op == "profile" || !operator_kind(joint.op)))
      refuse(place,
             fmt::format("there is no operator '{}'; choose contact, bulge, blend, union, clean-union, or give a "
                         "profile of that name",
                         joint.op));
    const std::vector<std::string> named = controller_preset_names();
    if (std::ranges::find(named, joint.controller) == named.end() &&
        std::ranges::find(preset.controllers, joint.controller, &ControllerPreset::name) == preset.controllers.end())
      refuse(place, fmt::format("there is no controller '{}'; choose {}, or give one of that name", joint.controller,
                                fmt::join(named, ", ")));
    check_options(joint, place);
  };
  for (const double factor : {preset.support_factor, preset.cap_factor})
    if (!(factor >= kLeastFactor && factor <= kLargestFactor))
      refuse("preset › fields",
             fmt::format("a factor is {:g}; it must be between {:g} and {:g}", factor, kLeastFactor, kLargestFactor));
  check_joint("preset › all_joints", preset.all);
  for (const auto& [name, joint] : preset.joints) {
    const std::string place = fmt::format("preset › joint '{}'", name);
    if (skeleton.find(name) < 0) refuse(place, "the character has no such joint; 'cutis info' lists them");
    check_joint(place, joint);
  }
  for (const ControllerPreset& controller : preset.controllers) {
    const std::string place = fmt::format("preset › controller '{}'", controller.name);
    check_controller(controller.contact, 0, 1, place);
    check_controller(controller.bulge, 0, 1, place);
    check_controller(controller.opening, 0, kPi / 4, place);
  }
  for (const OperatorProfile& profile : preset.profiles) {
    if (operator_kind(profile.name))
      refuse(fmt::format("preset › profile '{}'", profile.name), "an operator has that name; choose another");
    check_profile(profile);
  }
  for (const SkinRegion& region : preset.regions) check_region(region, skeleton);
  for (const SkinTarget& target : preset.targets) check_target(target, skeleton);
  for (const Muscle& muscle : preset.muscles) check_muscle(muscle, skeleton);
}

}  // namespace cutis
