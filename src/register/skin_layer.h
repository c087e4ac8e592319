// The skin itself moved to a scan, smoothly, at rest: docs/algorithms/register.md, "The skin".
#pragma once

#include <span>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/register.h"
#include "register/model_fit.h"

namespace cutis {

/// All vertices of all meshes in a pose, by linear blending.
[[nodiscard]] std::vector<Vec3f> blend_skin(const Character& character, const Pose& pose);

struct SkinLayerReport {
  // Triangles that would have folded, and pairs of them that would have met at rest: the skin around them stays as
  // smooth as the rest allows.
  std::size_t folded = 0, crossed = 0;
};
/// `original`: before it had its proportions, which pairs of triangles met there; `usual`: its vertices with bones
/// no thicker than what carries them, where skin goes that meets other skin otherwise; `outer`: per vertex, what a
/// scanner can see. Moves the rest positions so that the character in `pose` lies on the scan where that shows it.
SkinLayerReport add_skin_layer(Character& character, const Character& original, std::span<const Vec3f> usual,
                               std::span<const char> outer, const Pose& pose, const FitTarget& target,
                               const RegisterOptions& options, const Context& context);

/// Distances between a posed character and a scan.
struct SkinDistances {
  std::vector<float> of_points;    ///< from the skin
  std::vector<float> of_vertices;  ///< from the scan; NaN: the scan does not show it
  double covered = 0;              ///< share of the area of the outer skin that the scan shows
};
[[nodiscard]] SkinDistances skin_distances(const Character& character, std::span<const char> outer,
                                           std::span<const Vec3f> skin, const FitTarget& target,
                                           const Context& context);

}  // namespace cutis
