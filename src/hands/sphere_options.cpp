// The tables of SpherePoseOptions and SphereNoiseOptions.
#include "base/option_table.h"
#include "cutis/hands.h"

namespace cutis {
namespace {

constexpr OptionRange kUsualTurn{.least = 0, .most = 10, .above_least = true};

constexpr OptionRow<SpherePoseOptions> kSphereRows[] = {
    number_row<&SpherePoseOptions::noise>("noise", "m", {.least = 0, .most = 1e6},
                                          "of the centres; 0: 0.5% of the spheres' extent"),
    number_row<&SpherePoseOptions::swing>("swing", "rad", kUsualTurn, "how far joints usually turn"),
    number_row<&SpherePoseOptions::twist>("twist", "rad", kUsualTurn, "and about their own bone"),
    number_row<&SpherePoseOptions::outlier>("outlier", "times the noise",
                                            {.least = 0, .most = 1e6, .above_least = true},
                                            "centres that miss by more count less"),
    count_row<&SpherePoseOptions::iterations>("iterations", 1, 10000, "at most, each frame"),
};

constexpr OptionRow<SphereNoiseOptions> kNoiseRows[] = {
    on("--noise", number_row<&SphereNoiseOptions::noise>("noise", "m", {.least = 0, .most = 1e6},
                                                         "of a track that is made: standard deviation of the centres")),
    on("--gaps", number_row<&SphereNoiseOptions::gaps>("gaps", "", {.least = 0, .most = 0.9},
                                                       "of a track that is made: share of the centres that are not "
                                                       "seen")),
    on("--gap-length",
       number_row<&SphereNoiseOptions::length>("length", "s", {.least = 0, .most = 1e6, .above_least = true},
                                               "for so long at a time, in the mean")),
    on("--seed", count_row<&SphereNoiseOptions::seed>("seed", 0, 1e9, "of noise and gaps")),
};

}  // namespace

template <>
std::span<const OptionRow<SpherePoseOptions>> option_rows() {
  return kSphereRows;
}

template <>
std::span<const OptionRow<SphereNoiseOptions>> option_rows() {
  return kNoiseRows;
}

}  // namespace cutis
