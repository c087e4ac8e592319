// Patches with known answers.
#pragma once

#include <cmath>
#include <string>

#include "base/math.h"
#include "field/part_patch.h"
#include "support/support.h"

namespace cutis::test {

/// An open tube of that radius around the x axis from 0 to `length`, bone along the axis, joints at both ends.
inline PartPatch tube_patch(double radius, double length, int rings = 13, int sectors = 24) {
  PartPatch patch;
  patch.name = "tube";
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < sectors; ++j) {
      const double angle = 2 * kPi * j / sectors;
      const Vec3d normal{0, std::cos(angle), std::sin(angle)};
      patch.points.push_back(Vec3d{length * i / (rings - 1), 0, 0} + normal * radius);
      patch.normals.push_back(normal);
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * sectors + j % sectors); };
  for (int i = 0; i + 1 < rings; ++i)
    for (int j = 0; j < sectors; ++j) {
      patch.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      patch.triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
    }
  patch.own_points = patch.points.size();
  patch.bone_to = {length, 0, 0};
  patch.joints = {patch.bone_from, patch.bone_to};
  patch.character_size = 2 * length;
  return patch;
}

/// A closed sphere around the origin, bone from the centre to the surface along +x.
inline PartPatch sphere_patch(double radius) {
  const Surface surface = make_sphere(radius, 16, 24);
  PartPatch patch;
  patch.name = "ball";
  for (const Vec3f& p : surface.positions) {
    patch.points.push_back(static_cast<Vec3d>(p));
    patch.normals.push_back(normalized(static_cast<Vec3d>(p)));
  }
  patch.triangles = surface.triangles;
  patch.own_points = patch.points.size();
  patch.bone_to = {radius, 0, 0};
  patch.joints = {patch.bone_from};
  patch.character_size = 4 * radius;
  return patch;
}

}  // namespace cutis::test
