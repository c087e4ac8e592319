// Pictures of a demo scene: the same camera for every method, so that only the skin differs. Skin at triangles that
// intersect is red.
#pragma once

#include "cutis/render.h"
#include "demo_scene.h"

namespace cutis::cli {

class DemoPictures {
 public:
  DemoPictures(const DemoResult& result, const Context& context);

  /// At result.moment.
  [[nodiscard]] Image still(Method method, int side) const;
  /// The same moment, where dqs is worst.
  [[nodiscard]] Image close_up(Method method, int side) const;
  /// All frames in rows of `columns`, each `side` pixels wide and high.
  [[nodiscard]] Image film(Method method, int columns, int side) const;

 private:
  [[nodiscard]] Image draw(Method method, std::size_t frame, const Camera& camera, RenderOptions options) const;

  const DemoResult& result_;
  const Context& context_;
  Camera camera_, close_;
  double ground_ = 0;
};

/// Of half the width and height, each pixel the mean of four; a last odd row or column is left out.
[[nodiscard]] Image half_size(const Image& image);

}  // namespace cutis::cli
