// Spheres, their convex hulls two and three at a time, and sets of them: exact signed distances with gradients.
//
// Implicit §3.3.2, with its missing cases. All three are the lower envelope, over a segment or a
// triangle of centres, of spheres whose radius changes linearly: d(p) = min over l of |p - c(l)| - r(l). That function
// of l is convex, so one candidate from the inside and those of the border settle it, with no special radii.
#pragma once

#include <array>
#include <vector>

#include "field/distance.h"

namespace cutis {

struct Sphere {
  Vec3d center;
  double radius = 0;  ///< >= 0
};

/// Where the direction is not unique (a centre, a point on the axis inside the cone) any of the possible unit
/// gradients is returned.
[[nodiscard]] DistanceSample sphere_distance(const Vec3d& p, const Sphere& s);
/// Convex hull of two spheres. One sphere inside the other: the other alone.
[[nodiscard]] DistanceSample bisphere_distance(const Vec3d& p, const Sphere& a, const Sphere& b);
/// Convex hull of three spheres; collinear centres and contained spheres included.
[[nodiscard]] DistanceSample trisphere_distance(const Vec3d& p, const Sphere& a, const Sphere& b, const Sphere& c);

/// Which sphere of a bisphere a point is nearest to: 0 the first, 1 the second, linear in between.
[[nodiscard]] double bisphere_parameter(const Vec3d& p, const Sphere& a, const Sphere& b);

/// One to three spheres.
struct SphereBlock {
  std::vector<Sphere> spheres;
};

/// The distance to a block and the sphere of it that is nearest: its centre and radius are the means of the block's
/// with these weights, which are >= 0 and sum to 1. They are the distance's derivatives too: moving sphere i by c and
/// growing it by r changes it by -weight[i] (gradient . c + r), to first order.
struct BlockSample {
  DistanceSample distance;
  std::array<double, 3> weight{};
};
[[nodiscard]] BlockSample sample_block(const Vec3d& p, const SphereBlock& block);

/// The union of a bone's blocks: the smallest of their distances.
struct SphereSet {
  std::vector<SphereBlock> blocks;

  [[nodiscard]] bool empty() const { return blocks.empty(); }
  /// Far away (1e30) with a gradient of 0 when there is no block. Of equally near blocks the first one's gradient.
  [[nodiscard]] DistanceSample eval(const Vec3d& p) const;
};

}  // namespace cutis
