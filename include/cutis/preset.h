// What a person may decide about a character's skin: operators and controllers of joints, fields of parts. Everything
// has a default; a file says only what differs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutis/compose.h"

namespace cutis {

enum class PartForm {
  hrbf,     ///< fitted to the surface; spheres when no fit is good
  spheres,  ///< fitted bispheres
};

/// How the part of one joint is made and how it meets that of its parent.
struct JointPreset {
  std::string op = "contact";          ///< union, clean-union, blend, contact, bulge, or the name of a profile
  std::string controller = "default";  ///< of controller_preset_names() or of Preset::controllers
  PartForm shape = PartForm::hrbf;
  double support_radius = 0;  ///< metres; 0: the part's own thickness
  double support_factor = 1;  ///< times that
  int samples = 50;           ///< on the part's surface (and 2% of its vertices)
  double cap = 1;             ///< distance of an end's cap from the joint, in radii of the seam

  friend bool operator==(const JointPreset&, const JointPreset&) = default;
};

struct Preset {
  JointPreset all = {};                                          ///< joints that are not named
  std::vector<std::pair<std::string, JointPreset>> joints = {};  ///< by name
  std::vector<ControllerPreset> controllers = {};                ///< besides the named ones
  std::vector<OperatorProfile> profiles = {};
  // For all parts at once, times what the joints say.
  double support_factor = 1;
  double cap_factor = 1;

  [[nodiscard]] const JointPreset& of(std::string_view joint) const;
};

}  // namespace cutis
