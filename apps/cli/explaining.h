// `measure --explain`: intersections by cause over a clip, and what contact did about them.
#pragma once

#include <string>
#include <vector>

#include "common.h"
#include "cutis/explain.h"
#include "cutis/solve.h"

namespace cutis::cli {

/// One cause between two parts, over all frames.
struct ExplainedRow {
  std::string part_a, part_b, cause;
  std::size_t pairs = 0, own_side = 0;  ///< summed over the frames
  std::size_t first_frame = 0, last_frame = 0, worst_frame = 0, worst_pairs = 0;
  double depth = 0;    ///< bone_inside: largest, metres
  std::string inside;  ///< bone_inside: whose bone
};

/// Most pairs first.
[[nodiscard]] std::vector<ExplainedRow> explained_rows(const Skeleton& skeleton,
                                                       const std::vector<std::vector<PairGroup>>& frames);
[[nodiscard]] Json to_json(const std::vector<ExplainedRow>& rows);
void print_explanation(const std::string& method, const std::vector<ExplainedRow>& rows);

/// Of one frame.
[[nodiscard]] Json to_json(const ContactReport& report, const Skeleton& skeleton);

}  // namespace cutis::cli
