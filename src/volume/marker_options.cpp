// The tables of marker-driven animation.
#include "base/option_table.h"
#include "cutis/marker_solver.h"

namespace cutis {
namespace {

constexpr std::string_view kEmbeddingChoices[] = {"tets", "smooth", "green"};
constexpr OptionRange kEnergyWeight{.least = 0, .most = 1e6, .above_least = true};
constexpr OptionRange kSeconds{.least = 0, .most = 1e6};

constexpr OptionRow<TargetOptions> kTargetRows[] = {
    on("--fill",
       number_row<&TargetOptions::fill_seconds>("fill_seconds", "s", kSeconds, "gaps up to so long are filled")),
    number_row<&TargetOptions::blend_seconds>("blend_seconds", "s", kSeconds, "confidence fades over this at gaps"),
    number_row<&TargetOptions::jump_speed>("jump_speed", "m/s", {.least = 0, .most = 1e6, .above_least = true},
                                           "what moves faster is a jump or a swap"),
};

constexpr OptionRow<MarkerOptions> kMarkerRows[] = {
    on("--resolution",
       count_row<&MarkerOptions::resolution>("resolution", 100, 50000, "vertices of the control mesh, about")),
    on("!--no-cage", flag_row<&MarkerOptions::cage>("cage", "off: the character's own surface as control mesh")),
    on("--wl", number_row<&MarkerOptions::w_l>("w_l", "", kEnergyWeight, "weight of the cells' rigidity")),
    on("--wu", number_row<&MarkerOptions::w_u>("w_u", "", kEnergyWeight, "weight of the markers")),
    on("--wd", number_row<&MarkerOptions::w_d>("w_d", "", kEnergyWeight, "weight of the skeleton")),
    on("!--no-limits", flag_row<&MarkerOptions::limits>("limits", "off: joints turn as far as markers ask")),
    on("--limits",
       text_row<&MarkerOptions::limits_file>("limits_file", "JSON file of joint limits, over the usual ones")),
    on("!--no-skeleton", flag_row<&MarkerOptions::skeleton>("skeleton", "off: no bones at all, for comparison")),
    flag_row<&MarkerOptions::start_from_pose>("start_from_pose", "off: frames start from the last one as it is"),
    on("--embed",
       choice_row<&MarkerOptions::embedding>("embedding", kEmbeddingChoices, "how the skin hangs on the control mesh")),
    on("!--no-keep-volume",
       flag_row<&MarkerOptions::keep_volume>("keep_volume", "off: parts that bending squeezes get no thicker")),
    on("--iterations", count_row<&MarkerOptions::max_iterations>("max_iterations", 1, 100000, "at most, a frame")),
    number_row<&MarkerOptions::tolerance>("tolerance", "sizes of the character",
                                          {.least = 0, .most = 1, .above_least = true},
                                          "a frame is done when no vertex moves farther in a step"),
};

}  // namespace

template <>
std::span<const OptionRow<TargetOptions>> option_rows() {
  return kTargetRows;
}
template <>
std::span<const OptionRow<MarkerOptions>> option_rows() {
  return kMarkerRows;
}

}  // namespace cutis
