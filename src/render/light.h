// The studio: lights, skin, background.
#pragma once

#include "cutis/render.h"
#include "render/camera.h"
#include "render/occlusion.h"

namespace cutis {

/// A neutral warm clay.
[[nodiscard]] Color default_tone();

/// What reaches the eye from one point of the skin.
struct SurfacePoint {
  Vec3f normal;  ///< unit, towards the eye
  Vec3f to_eye;  ///< unit
  Color albedo;
  Visibility visibility;
  bool inside = false;  ///< a back face: the inside of the skin
};

/// Lights stand in fixed places around the camera, so that every view of a sheet is lit alike.
class Studio {
 public:
  /// `data_colors`: white lights and hardly any gloss, so that colours keep their meaning.
  Studio(const View& view, bool data_colors);

  [[nodiscard]] const Vec3f& to_key() const { return to_key_; }
  [[nodiscard]] Color shade(const SurfacePoint& point) const;
  /// At the height `v` of the picture: 0 top, 1 bottom.
  [[nodiscard]] Color background(double v) const;
  /// The floor has the background's colour where no shadow falls.
  [[nodiscard]] Color floor(const Color& background, float dark) const;

 private:
  Vec3f to_key_, to_fill_, to_rim_;
  Color key_, fill_, rim_, sky_, ground_;
  float gloss_ = 0;
};

/// Leaves what is below 0.7 alone and bends the rest so that nothing clips.
[[nodiscard]] Color soft_shoulder(const Color& color);

}  // namespace cutis
