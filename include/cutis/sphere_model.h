// A character made of spheres: each bone is the union of spheres and of the convex hulls of two and three of them. What
// hand trackers work with, and what the fields of parts may be made of instead of a fit to the surface.
//
//   BindOptions options;
//   options.preset.spheres = load_sphere_model("hand.json");   // the parts of the joints that it names
//   const auto rig = bind(character, context, options);
//
// Mathematics: docs/algorithms/fields.md, "Spheres"; the file: docs/formats.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/types.h"

namespace cutis {

/// Metres, scene space, rest pose.
struct SphereModel {
  struct Ball {
    std::string name;      ///< of its own
    std::string joint{};   ///< that it sits at
    std::string parent{};  ///< the ball that it is joined to where no blocks are listed; empty: none
    Vec3d center;
    double radius = 0;  ///< > 0

    friend bool operator==(const Ball&, const Ball&) = default;
  };
  /// One ball, or the convex hull of two (a bisphere) or three (a trisphere).
  struct Block {
    std::string joint;  ///< whose bone carries it
    std::vector<std::uint32_t> balls;

    friend bool operator==(const Block&, const Block&) = default;
  };
  std::vector<Ball> balls;
  /// Of a joint that has none here, but balls: made when a character is bound. A ball is joined to its parent; between
  /// neighbours among the children of a ball, and between bones side by side, trispheres fill what is flesh (a palm).
  std::vector<Block> blocks;

  [[nodiscard]] bool empty() const { return balls.empty(); }
  friend bool operator==(const SphereModel&, const SphereModel&) = default;
};

/// {"spheres": [{"name": "...", "joint": "wrist", "parent": null, "center": [x, y, z], "radius": r}, ...],
///  "blocks": [{"bone": "wrist", "spheres": ["wrist", "thumb", "index"]}, ...]}: names are those of the joints unless
/// given; "blocks" may be absent; "unit" ("m", "cm", "mm") too. Throws Error(bad_file) that names the place.
[[nodiscard]] SphereModel load_sphere_model(const std::string& file);
[[nodiscard]] SphereModel sphere_model_from_json(std::string_view text, const std::string& place);
[[nodiscard]] std::string to_json(const SphereModel& model);

}  // namespace cutis
