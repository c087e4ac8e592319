// Spheres and bispheres fitted to points of a part.
#pragma once

#include <span>

#include "field/spheres.h"

namespace cutis {

struct SphereFitOptions {
  int max_blocks = 3;       ///< bispheres in a row along the bone, >= 1
  double tolerance = 0.05;  ///< of the mean radius: more blocks are used until the 95th percentile is below it
  int iterations = 40;      ///< Gauss-Newton steps per block
};

struct SphereFit {
  SphereSet set;
  double median_error = 0, p95_error = 0;  ///< |d| at the points, metres
};

/// Least squares with Huber weights, from the bone segment with the points' median distance. Always gives a usable set:
/// points without extent give a sphere of radius `smallest` (metres, > 0); no points give no block.
[[nodiscard]] SphereFit fit_spheres(std::span<const Vec3d> points, const Vec3d& bone_from, const Vec3d& bone_to,
                                    double smallest, const SphereFitOptions& options = {});

}  // namespace cutis
