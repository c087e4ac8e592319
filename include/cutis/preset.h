// What a person may decide about a character's skin: operators and controllers of joints, fields of parts, stiff
// regions, targets, muscles, roles of pieces. Everything has a default; a file says only what differs. docs/formats.md
// describes the file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutis/character.h"
#include "cutis/compose.h"
#include "cutis/elasticity.h"
#include "cutis/option_rows.h"
#include "cutis/roles.h"
#include "cutis/sphere_model.h"

namespace cutis {

enum class PartForm {
  hrbf,     ///< fitted to the surface; spheres when no fit is good
  spheres,  ///< a sphere model fitted to all such parts together, with balls shared at joints
};

[[nodiscard]] std::string_view to_string(PartForm form);

/// How the part of one joint is made and how it meets that of its parent.
struct JointPreset {
  std::string op = "contact";          ///< union, clean-union, blend, contact, bulge, or the name of a profile
  std::string controller = "default";  ///< of controller_preset_names() or of Preset::controllers
  PartForm shape = PartForm::hrbf;
  double support_radius = 0;   ///< metres; 0: the part's own thickness
  double support_factor = 1;   ///< times that, 0.1 to 10
  int samples = 50;            ///< on the part's surface (and 2% of its vertices), 4 to 160
  double cap = 1;              ///< distance of an end's cap from the joint, in radii of the seam, 0.05 to 4
  double atlas_overlap = 1.5;  ///< WeightOptions::overlap

  friend bool operator==(const JointPreset&, const JointPreset&) = default;
};

struct Preset {
  JointPreset all = {};                                          ///< joints that are not named
  std::vector<std::pair<std::string, JointPreset>> joints = {};  ///< by name
  std::vector<ControllerPreset> controllers = {};                ///< besides the named ones
  std::vector<OperatorProfile> profiles = {};
  std::vector<SkinRegion> regions = {};
  std::vector<SkinTarget> targets = {};
  std::vector<Muscle> muscles = {};
  std::vector<RoleChoice> roles = {};  ///< of pieces; what is not named is found
  SphereModel spheres = {};            ///< the shapes of the parts of the joints that it names, whatever theirs says
  // For all parts at once, times what the joints say.
  double support_factor = 1;
  double cap_factor = 1;

  [[nodiscard]] const JointPreset& of(std::string_view joint) const;
};

/// {"fields": {...}, "all_joints": {...}, "joints": {NAME: {...}}, "controllers": [...], "profiles": [...], "regions":
/// [...], "targets": [...], "muscles": [...], "roles": [...], "spheres": {...} or a file's name, from where the preset
/// is}. What is absent has its default (for a joint: what
/// "all_joints" says); what is not known is an error that names it.
[[nodiscard]] std::string to_json(const Preset& preset);
[[nodiscard]] Preset preset_from_json(std::string_view text, const std::string& place);
/// Throws Error(bad_file) that names the file and the key.
[[nodiscard]] Preset load_preset(const std::string& path);
void save_preset(const Preset& preset, const std::string& path);

/// Throws Error(bad_argument) that names the joint, operator or controller that `skeleton` or the program does not
/// know, or the number that is out of range.
void check_preset(const Preset& preset, const Skeleton& skeleton);

template <>
[[nodiscard]] std::span<const OptionRow<Preset>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<JointPreset>> option_rows();

}  // namespace cutis
