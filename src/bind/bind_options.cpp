// The tables of binding: BindOptions, presets, and what they say of a joint.
#include "base/option_table.h"
#include "cutis/bind.h"
#include "cutis/preset.h"

namespace cutis {
namespace {

constexpr std::string_view kTurnChoices[] = {"skin", "rigid", "smooth"};
constexpr std::string_view kShapeChoices[] = {"hrbf", "spheres"};

constexpr OptionRange kFactor{.least = 0.1, .most = 10};

constexpr OptionRow<BindOptions> kBindRows[] = {
    flag_row<&BindOptions::implicit_skin>("implicit_skin",
                                          "fields of the parts: all methods but lbs and dqs need them"),
    of(kOfTracking,
       on("--turn", choice_row<&BindOptions::turn>(
                        "turn", kTurnChoices,
                        "weights that blend the bones' rotations: the character's own (skin), rigid parts, or spread "
                        "over half a limb's thickness (smooth)"))),
    other_row<BindOptions>("preset", "what a person decided, see Preset"),
};

constexpr OptionRow<JointPreset> kJointRows[] = {
    text_row<&JointPreset::op>("operator", "union, clean-union, blend, contact, bulge, or the name of a profile"),
    text_row<&JointPreset::controller>("controller", "a controller preset, or one of the preset's own"),
    on("--fields", choice_row<&JointPreset::shape>("shape", kShapeChoices,
                                                   "what the field of the part is made of: fitted to the surface "
                                                   "(hrbf), or balls and the hulls of two and three of "
                                                   "them, shared at joints (spheres)")),
    number_row<&JointPreset::support_radius>("support_radius", "m", {.least = 0, .most = 1e6},
                                             "of the field; 0: the part's own thickness"),
    number_row<&JointPreset::support_factor>("support_factor", "", kFactor, "times that"),
    count_row<&JointPreset::samples>("samples", 4, 160, "on the part's surface"),
    number_row<&JointPreset::cap>("cap", "radii of the seam", {.least = 0.05, .most = 4},
                                  "distance of an end's cap from the joint"),
    of(kOfAtlas,
       number_row<&JointPreset::atlas_overlap>("atlas_overlap", "diameters of the cut", {.least = 0.1, .most = 4},
                                               "how wide regions of atlas weights overlap")),
};

constexpr OptionRow<Preset> kPresetRows[] = {
    other_row<Preset>("all_joints", "joints that are not named, see JointPreset"),
    other_row<Preset>("joints", "by name, see JointPreset"),
    other_row<Preset>("controllers", "besides the named ones"),
    other_row<Preset>("profiles", "of free-form operators"),
    other_row<Preset>("regions", "of skin that is stiffer or softer"),
    other_row<Preset>("targets", "that the skin is drawn to"),
    other_row<Preset>("muscles", "under the skin"),
    other_row<Preset>("roles", "of pieces, where they are not as found"),
    other_row<Preset>("spheres", "shapes of parts, see SphereModel"),
    number_row<&Preset::support_factor>("support_factor", "", kFactor, "times what the joints say, all parts"),
    number_row<&Preset::cap_factor>("cap_factor", "", kFactor, "times what the joints say, all parts"),
};

}  // namespace

template <>
std::span<const OptionRow<BindOptions>> option_rows() {
  return kBindRows;
}
template <>
std::span<const OptionRow<JointPreset>> option_rows() {
  return kJointRows;
}
template <>
std::span<const OptionRow<Preset>> option_rows() {
  return kPresetRows;
}

}  // namespace cutis
