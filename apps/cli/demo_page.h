// The report of the demo: scenes that play, their numbers, close-ups, and where to go from there.
#pragma once

#include <string>
#include <vector>

#include "common.h"
#include "demo_scene.h"

namespace cutis::cli {

/// Names of a scene's pictures beside the page.
struct DemoFiles {
  std::string scene;                                        ///< DemoScene::name()
  int columns = 1;                                          ///< of the films
  [[nodiscard]] std::string still(Method method) const;     ///< the whole figure at the scene's moment
  [[nodiscard]] std::string film(Method method) const;      ///< all frames in one picture
  [[nodiscard]] std::string close_up(Method method) const;  ///< where dqs is worst
  [[nodiscard]] std::string methods() const;                ///< every method at the scene's moment
};

/// `animation`: the GLB beside the page; `viewer`: the live one, or empty.
[[nodiscard]] std::string demo_page(const std::vector<DemoResult>& results, const std::vector<DemoFiles>& files,
                                    const std::string& animation, const std::string& viewer, int threads);

/// The numbers that the page shows, for machines.
[[nodiscard]] Json demo_numbers(const DemoResult& result);

/// "0 intersecting pairs", "1 intersecting pair".
[[nodiscard]] std::string pairs_text(std::size_t pairs);
/// The command that gives the numbers of the scene.
[[nodiscard]] std::string measure_command(const DemoScene& scene);

}  // namespace cutis::cli
