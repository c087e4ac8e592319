// The table of WeightOptions.
#include "base/option_table.h"
#include "cutis/weights.h"

namespace cutis {
namespace {

constexpr std::string_view kWeightChoices[] = {"heat", "atlas"};

constexpr OptionRow<WeightOptions> kWeightRows[] = {
    choice_row<&WeightOptions::method>("method", kWeightChoices, "how weights are made"),
    count_row<&WeightOptions::max_influences>("max_influences", 1, 64, "a vertex"),
    flag_row<&WeightOptions::symmetric>("symmetric", "mirrored vertices get exactly mirrored weights"),
    count_row<&WeightOptions::smooth_steps>("smooth_steps", 0, 1000, "of Laplacian smoothing"),
    number_row<&WeightOptions::min_weight>("min_weight", "", {.least = 0, .most = 0.2}, "weights below it fade out"),
    number_row<&WeightOptions::overlap>("overlap", "diameters of the cut", {.least = 0.1, .most = 4},
                                        "atlas: how wide regions overlap"),
    flag_row<&WeightOptions::keep_helpers>("keep_helpers", "joints that no weight used stay without vertices"),
};

}  // namespace

template <>
std::span<const OptionRow<WeightOptions>> option_rows() {
  return kWeightRows;
}

}  // namespace cutis
