// The tables of binding: BindOptions, and the numbers of a joint's preset.
#include "base/option_table.h"
#include "cutis/bind.h"
#include "cutis/preset.h"

namespace cutis {
namespace {

constexpr std::string_view kTurnChoices[] = {"skin", "rigid", "smooth", "smoother"};
constexpr std::string_view kShapeChoices[] = {"hrbf", "spheres"};

constexpr OptionRow<BindOptions> kBindRows[] = {
    flag_row<&BindOptions::implicit_skin>("implicit_skin", "fields of the parts"),
    choice_row<&BindOptions::turn>("turn", kTurnChoices, "weights that blend the bones' rotations"),
};

constexpr OptionRow<JointPreset> kJointRows[] = {
    choice_row<&JointPreset::shape>("shape", kShapeChoices, "what the field of the part is made of"),
    count_row<&JointPreset::samples>("samples", 4, 160, "on the part's surface"),
    number_row<&JointPreset::support_radius>("support_radius", "m", {.least = 0, .most = 1e6},
                                             "of the field; 0: the part's own thickness"),
    number_row<&JointPreset::support_factor>("support_factor", "", {.least = 0.1, .most = 10}, "times that"),
    number_row<&JointPreset::cap>("cap", "radii of the seam", {.least = 0.05, .most = 4},
                                  "distance of an end's cap from the joint"),
    number_row<&JointPreset::atlas_overlap>("atlas_overlap", "diameters of the cut", {.least = 0.1, .most = 4},
                                            "how wide regions of atlas weights overlap"),
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

}  // namespace cutis
