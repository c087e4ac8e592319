// Comparison sheets: rows are methods, columns are frames.
#pragma once

#include <string>
#include <vector>

#include "cutis/cutis.h"
#include "pipeline.h"

namespace cutis::cli {

struct SheetChoice {
  std::vector<Method> methods{Method::dqs};
  std::string color = "shade";  ///< shade, part, weights
  std::string bone;             ///< with weights: one bone
  std::string title;
  ViewOptions view;
  RenderOptions render{.width = 360, .height = 360};
};

[[nodiscard]] std::vector<std::string> color_names();

/// A single still when there is one method and one time.
[[nodiscard]] Image draw_sheet(const Character& character, const Motion& motion, const SheetChoice& choice,
                               const Context& context);

}  // namespace cutis::cli
