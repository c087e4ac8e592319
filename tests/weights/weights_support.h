// What the tests of weights share.
#pragma once

#include <string>

#include "cutis/character.h"
#include "cutis/weights.h"
#include "support/support.h"

namespace cutis::test {

/// A file of the shared data without its weights.
[[nodiscard]] Character load_unweighted(const std::string& file);

/// Two bones along the longest extent of the mesh: from a tenth of it to the middle, and on to nine tenths.
[[nodiscard]] Skeleton two_bones_through(const Character& character);

/// Of one mesh without a skeleton.
[[nodiscard]] Character make_character(const Surface& surface, const std::string& name = "mesh");

/// Weights in [0,1], sums of 1 within 1e-6, at most `most` influences, copies of a vertex alike; valid as a whole.
void expect_good_weights(const Character& character, int most = 4);

/// The entry whose text contains `what`, or one with count 0.
[[nodiscard]] WeightFallback fallback(const WeightReport& report, const std::string& what);
[[nodiscard]] std::string text_of(const WeightReport& report);

/// Weight of a joint at a vertex of a mesh.
[[nodiscard]] double weight_at(const Mesh& mesh, std::size_t vertex, int joint);

}  // namespace cutis::test
