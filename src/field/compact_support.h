// From a distance to a compact field, and how far the field of a part reaches.
//
// The radius of a part is the median distance of its vertices to the bone. The largest
// distance is spoilt by shoulders and pelvis; the smallest leaves vertices without a gradient.
#pragma once

#include <span>

#include "field/distance.h"
#include "kernels/eval_field.h"

namespace cutis {

struct CompactSupport {
  CompactMap map = CompactMap::quintic;
  double radius = 1;  ///< metres, > 0

  /// f in [0,1], 0.5 at distance 0, and its gradient, which points inward.
  [[nodiscard]] FieldSample<double> apply(const DistanceSample& d) const;
  /// The distance at which the field has the value f, clamped to [-radius, radius].
  [[nodiscard]] double distance_at(double f) const;
};

struct SupportOptions {
  CompactMap map = CompactMap::quintic;
  double factor = 1;      ///< times the part's thickness, > 0
  double quantile = 0.5;  ///< of the distances to the bone, in [0,1]
  double radius = 0;      ///< metres; > 0 overrides all of the above
};

/// Thickness of a part: the quantile of its points' distances to the bone segment. A bone that lies outside the part
/// or has no length would make it too large or too small: it is kept between 1/20 and 1/2 of the part's extent.
/// `smallest` (metres, > 0) is the least that is returned, for parts without extent.
[[nodiscard]] CompactSupport choose_support(std::span<const Vec3d> points, const Vec3d& bone_from, const Vec3d& bone_to,
                                            double smallest, const SupportOptions& options = {});


}  // namespace cutis
