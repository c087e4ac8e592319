// Presets as values and as JSON. A new number of a joint is a member of the struct and a row of its table
// (bind_options.cpp); a new section is a row of kSections.
#include "cutis/preset.h"

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/json_input.h"
#include "base/math.h"
#include "base/option_json.h"
#include "bind/preset_elasticity.h"
#include "compose/controller.h"
#include "compose/profile.h"
#include "cutis/option_rows.h"

namespace cutis {
namespace {

using namespace json_input;

// ---- one joint ----

JointPreset read_joint(const Json& json, const std::string& place, JointPreset joint) {
  need_object(json, place);
  const std::vector<OptionField> fields = option_fields(joint);
  allow_only(json, option_json::keys(fields), place);
  option_json::read(json, fields, place);
  return joint;
}

Json write_joint(JointPreset joint) { return option_json::write(option_fields(joint)); }

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

// ---- roles ----

RoleChoice role_choice_from_json(const Json& json, const std::string& place) {
  need_object(json, place);
  allow_only(json, {"name", "pieces", "meshes", "role"}, place);
  RoleChoice choice;
  choice.name = text_of(json, "name", place);
  for (const Json& piece : json.value("pieces", Json::array())) {
    if (!piece.is_number_integer() || piece.get<std::int64_t>() < 0 || piece.get<std::int64_t>() > 0xffffffffLL)
      fail(place, "\"pieces\" must be whole numbers from 0 on, as 'cutis info' lists them");
    choice.pieces.push_back(static_cast<std::uint32_t>(piece.get<std::int64_t>()));
  }
  for (const Json& mesh : json.value("meshes", Json::array())) {
    if (!mesh.is_string()) fail(place, "\"meshes\" must be a list of names");
    choice.meshes.push_back(mesh.get<std::string>());
  }
  (void)member(json, "role", place);
  choice.role = piece_role_from_string(text_of(json, "role", place), place);
  return choice;
}

Json role_choice_json(const RoleChoice& choice) {
  return {{"name", choice.name},
          {"pieces", choice.pieces},
          {"meshes", choice.meshes},
          {"role", std::string(to_string(choice.role))}};
}

// ---- spheres ----

constexpr const char* kSpheres = "spheres";

// The file of a preset names the model's from its own folder.
SphereModel spheres_from_json(const Json& json, const std::string& place, const std::string& preset_file) {
  if (!json.is_string()) return sphere_model_from_json(json.dump(), place);
  const std::filesystem::path file = json.get<std::string>();
  return load_sphere_model(file.is_absolute() ? file.string()
                                              : (std::filesystem::path(preset_file).parent_path() / file).string());
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
       const std::vector<OptionField> fields = option_fields(preset);
       allow_only(json, option_json::keys(fields), place);
       option_json::read(json, fields, place);
     },
     [](const Preset& preset) {
       Preset factors{.support_factor = preset.support_factor, .cap_factor = preset.cap_factor};
       return option_json::write(option_fields(factors));
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
    {"roles",
     [](const Json& json, const std::string& place, Preset& preset) {
       read_list(json, place, role_choice_from_json, preset.roles);
     },
     [](const Preset& preset) { return write_items(preset.roles, role_choice_json); }},
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
  if (!preset.spheres.empty()) json[kSpheres] = Json::parse(to_json(preset.spheres));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Preset preset_from_json(std::string_view text, const std::string& place) {
  const Json json = parse_object(text, place);
  std::vector<std::string> keys;
  for (const Section& section : kSections) keys.emplace_back(section.key);
  keys.emplace_back(kSpheres);
  allow_only(json, keys, place);
  Preset preset;
  for (const Section& section : kSections)
    if (json.contains(section.key)) section.read(json[section.key], fmt::format("{} › {}", place, section.key), preset);
  if (json.contains(kSpheres))
    preset.spheres = spheres_from_json(json[kSpheres], fmt::format("{} › {}", place, kSpheres), place);
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
  check_options(preset, "preset › fields");
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
  for (const SphereModel::Ball& ball : preset.spheres.balls)
    if (skeleton.find(ball.joint) < 0)
      refuse(fmt::format("preset › sphere '{}'", ball.name),
             fmt::format("the character has no joint '{}'; 'cutis info' lists them", ball.joint));
  for (const SphereModel::Block& block : preset.spheres.blocks)
    if (skeleton.find(block.joint) < 0)
      refuse("preset › spheres", fmt::format("the character has no joint '{}'; 'cutis info' lists them", block.joint));
  for (const SkinRegion& region : preset.regions) check_region(region, skeleton);
  for (const SkinTarget& target : preset.targets) check_target(target, skeleton);
  for (const Muscle& muscle : preset.muscles) check_muscle(muscle, skeleton);
}

}  // namespace cutis
