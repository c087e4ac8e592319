// Parts of a rig made by hand, and how bones move them.
#include "rig/parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rig/motion.h"

namespace cutis {
namespace {

TEST(PartRadii, AreMedianDistancesToTheBone) {
  Rig rig;
  rig.bones.resize(3);
  rig.bones[0].rest_end = {1, 0, 0};
  rig.bones[1].rest_origin = rig.bones[1].rest_end = {5, 0, 0};  // no segment: its point
  rig.surface.positions = {{0.5F, 1, 0}, {0.2F, 0, 2}, {1, 7, 0}, {5, 3, 0}, {9, 9, 9}};
  rig.surface.owner = {0, 0, 0, 1, RigSurface::kNoBone};
  EXPECT_EQ(part_radii(rig), (std::vector<float>{2, 3, 0}));
}

// Square rings along x, 1 apart, each owned as given.
Rig rings_of(const std::vector<std::uint32_t>& owners) {
  Rig rig;
  const auto count = static_cast<std::uint32_t>(owners.size());
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t j = 0; j < 4; ++j) {
      const double angle = kPi / 2 * j;
      rig.surface.positions.push_back(
          {static_cast<float>(i), static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
      rig.surface.owner.push_back(owners[i]);
      const std::uint32_t a = 4 * i + j, b = 4 * i + (j + 1) % 4;
      if (i + 1 == count) continue;
      rig.surface.triangles.push_back({a, b, a + 4});
      rig.surface.triangles.push_back({b, b + 4, a + 4});
    }
  rig.bones.resize(4);
  rig.fields.resize(4);
  for (std::size_t b = 0; b < 3; ++b) rig.fields[b].nodes.resize(8);
  return rig;
}

TEST(CoarseParts, AreRingsWithoutATriangleOfTheirOwn) {
  // Four rings of bone 0, one of bone 1, two of bone 2, one of bone 3, which has no field.
  const std::vector<float> coarse = coarse_parts(rings_of({0, 0, 0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(coarse[0], 0);
  EXPECT_EQ(coarse[1], 1);
  EXPECT_EQ(coarse[2], 0) << "a third of the surface at it is its own";
  EXPECT_EQ(coarse[3], 0) << "has no field to do without";
  EXPECT_EQ(coarse_parts(rings_of({0, 0, RigSurface::kNoBone, 1, 1})), (std::vector<float>(4, 0.0F)));
}

TEST(CoarsePieces, AreThoseWhoseEdgesAreAsLongAsFieldsReach) {
  Rig rig = rings_of({0, 0, 1, 1});
  const std::size_t n = rig.surface.size();
  // A second piece, of bone 2, which is fine; a third without a field.
  for (std::uint32_t i = 0; i < 6; ++i) {
    rig.surface.positions.emplace_back(static_cast<float>(i), 9.0F, 0.0F);
    rig.surface.owner.push_back(i < 3 ? 2 : 3);
  }
  rig.surface.edge.assign(rig.surface.size(), 1.2F);
  for (std::uint32_t b = 0; b < 3; ++b) rig.fields[b].grid.radius = b == 2 ? 3.0F : 1.0F;
  rig.surface.neighbours.begin.assign(1, 0);
  for (std::uint32_t v = 0; v < rig.surface.size(); ++v) {
    if (v % 4 != 3 && v < n) rig.surface.neighbours.items.push_back(v + 1);
    if (v >= 4 && v < n) rig.surface.neighbours.items.push_back(v - 4);
    if (v + 4 < n) rig.surface.neighbours.items.push_back(v + 4);
    if (v >= n && (v - n) % 3 != 2) rig.surface.neighbours.items.push_back(v + 1);
    rig.surface.neighbours.begin.push_back(static_cast<std::uint32_t>(rig.surface.neighbours.items.size()));
  }
  const std::vector<std::uint32_t> piece = coarse_pieces(rig);
  for (std::size_t v = 0; v < piece.size(); ++v) EXPECT_EQ(piece[v], v < n ? 0 : kNotCoarse) << v;
  for (std::uint32_t b = 0; b < 2; ++b) rig.fields[b].grid.radius = 1.5F;
  EXPECT_EQ(coarse_pieces(rig), std::vector<std::uint32_t>(piece.size(), kNotCoarse));
}

TEST(ParentPart, IsTheNearestAboveWithAField) {
  Rig rig;
  rig.bones.resize(4);
  for (int b = 0; b < 4; ++b) rig.bones[static_cast<std::size_t>(b)].parent = b - 1;
  rig.fields.resize(4);
  rig.fields[1].nodes.resize(8);
  rig.fields[3].nodes.resize(8);
  EXPECT_EQ(parent_part(rig, 3), 1);  // over 2, which has none
  EXPECT_EQ(parent_part(rig, 2), 1);
  EXPECT_EQ(parent_part(rig, 1), -1);
  EXPECT_EQ(parent_part(rig, 0), -1);
}

TEST(MotionOfABone, TakesRestToThePose) {
  RigBone bone;
  bone.joint = 1;
  bone.rest_from_world.translation = {-2, 0, 0};
  std::vector<Affine3d> world(2);
  world[1] = {to_matrix(axis_angle(Vec3d{0, 0, 1}, kPi / 2)), {5, 5, 0}};
  EXPECT_LT(distance(transform_point(motion_of(bone, world), Vec3d{3, 0, 0}), Vec3d{5, 6, 0}), 1e-15);
}

}  // namespace
}  // namespace cutis
