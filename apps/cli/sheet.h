// Comparison sheets: rows are methods, columns are frames.
#pragma once

#include <string>
#include <vector>

#include "cutis/cutis.h"
#include "pipeline.h"

namespace cutis::cli {

struct SheetChoice {
  std::vector<Method> methods{Method::dqs};
  std::string color;  ///< one of color_names(); empty: texture where the file has textures or colours, else shade
  std::string bone;   ///< with weights: one bone
  std::string zoom;   ///< empty: the whole motion; "worst", "differ": where skin is worst, methods differ; else a bone
  double zoom_size = 0;  ///< > 0: what a close-up shows, in sizes of the character; else as it finds it
  int pick = 0;          ///< > 0: only so many of the frames, those in which the methods differ most
  bool numbers = false;  ///< under each cell
  bool skeleton = false, samples = false;  ///< drawn through the skin: bones; what the fields were fitted through
  bool balls = false;                      ///< instead of the skin: the spheres that parts are made of
  std::string title;
  ContactChoice contact;
  bool follow = false;      ///< the camera goes with the character instead of framing its whole path
  bool view_given = false;  ///< else a close-up looks from outside the body
  ViewOptions view;
  RenderOptions render{.width = 360, .height = 360};
};

[[nodiscard]] std::vector<std::string> color_names();

/// A single still when there is one method and one time.
[[nodiscard]] Image draw_sheet(const Character& character, const Motion& motion, const SheetChoice& choice,
                               const Context& context);

}  // namespace cutis::cli
