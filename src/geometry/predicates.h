// Exact signs of orientation determinants of float points.
//
// The sign returned is that of the real determinant of the coordinates given, for every finite float: a rounded
// evaluation answers when its error bound allows, exact expansion arithmetic otherwise.
#pragma once

#include "cutis/types.h"

namespace cutis {

/// Sign of det[a-d, b-d, c-d]: +1 when d lies behind plane abc (seen against its normal (b-a)x(c-a)), -1 in front of
/// it, 0 exactly in it.
[[nodiscard]] int orient3d(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3f& d);

/// +1 when a, b, c turn counter-clockwise, -1 when clockwise, 0 exactly on a line.
[[nodiscard]] int orient2d(const Vec2f& a, const Vec2f& b, const Vec2f& c);

/// The point without coordinate `axis`; the order of the other two keeps the orientation.
[[nodiscard]] inline Vec2f drop_axis(const Vec3f& p, int axis) {
  return axis == 0 ? Vec2f{p.y, p.z} : axis == 1 ? Vec2f{p.z, p.x} : Vec2f{p.x, p.y};
}

/// Exactly: all three points on one line (or in one point).
[[nodiscard]] bool has_zero_area(const Vec3f& a, const Vec3f& b, const Vec3f& c);

}  // namespace cutis
