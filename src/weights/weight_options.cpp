// The table of WeightOptions.
#include "base/option_table.h"
#include "cutis/weights.h"

namespace cutis {
namespace {

constexpr std::string_view kWeightChoices[] = {"heat", "atlas"};

constexpr OptionRow<WeightOptions> kWeightRows[] = {
    on("--method", choice_row<&WeightOptions::method>("method", kWeightChoices,
                                                      "bone heat (heat), or regions cut at the joints (atlas)")),
    on("--max-influences",
       count_row<&WeightOptions::max_influences>("max_influences", 1, 64, "bones a vertex, at most")),
    on("--symmetric",
       flag_row<&WeightOptions::symmetric>("symmetric", "exactly equal weights on both sides of the mirror plane")),
    on("--smooth", count_row<&WeightOptions::smooth_steps>("smooth_steps", 0, 1000, "of Laplacian smoothing")),
    number_row<&WeightOptions::min_weight>("min_weight", "", {.least = 0, .most = 0.2}, "weights below it fade out"),
    of(kOfAtlas,
       on("--overlap", number_row<&WeightOptions::overlap>("overlap", "diameters of the cut", {.least = 0.1, .most = 4},
                                                           "how wide regions overlap at a joint"))),
    of(kOfAtlas, other_row<WeightOptions>("joint_overlap", "the same for single joints, by name")),
    flag_row<&WeightOptions::keep_helpers>("keep_helpers", "joints that no weight used stay without vertices"),
};

}  // namespace

template <>
std::span<const OptionRow<WeightOptions>> option_rows() {
  return kWeightRows;
}

}  // namespace cutis
