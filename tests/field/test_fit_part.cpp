#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "field/fit_part.h"
#include "shapes.h"

namespace cutis {
namespace {

using test::sphere_patch;
using test::tube_patch;
using ::testing::HasSubstr;

std::string remarks_of(const FitReport& report) {
  std::string all;
  for (const std::string& r : report.remarks) all += r + "\n";
  return all;
}

TEST(fit_part, tube_is_met_at_unseen_points) {
  const FittedPart part = fit_part(tube_patch(0.5, 4));
  EXPECT_EQ(part.report.kind, FitKind::hrbf);
  EXPECT_EQ(part.report.attempts, 1);
  EXPECT_LE(part.report.hrbf.worst_value, 1e-9);
  EXPECT_GT(part.report.checked, 100U);
  EXPECT_LT(part.report.p95, 0.02 * 0.5);
  EXPECT_NEAR(part.support.radius, 0.5, 0.01);
  EXPECT_TRUE(part.report.bone_inside);
  EXPECT_TRUE(part.report.sign_ok);
  EXPECT_EQ(part.report.stray_pieces, 0U);
  EXPECT_EQ(part.report.voids, 0U);
}

TEST(fit_part, box_along_the_bone_holds_the_whole_support) {
  const FittedPart part = fit_part(tube_patch(0.5, 4));
  EXPECT_NEAR(part.box.axes.col[0].x, 1, 1e-12);
  const Mat3d inverse_axes = transpose(part.box.axes);
  for (double x = -3; x < 7; x += 0.21)
    for (double y = -2; y < 2; y += 0.11)
      for (double z = -2; z < 2; z += 0.11) {
        if (part.shape.eval({x, y, z}).value >= part.support.radius) continue;
        const Vec3d local = inverse_axes * (Vec3d{x, y, z} - part.box.corner);
        for (int a = 0; a < 3; ++a) {
          EXPECT_GT(local[a], 0);
          EXPECT_LT(local[a], part.box.size[a]);
        }
      }
}

TEST(fit_part, sphere_is_met) {
  const FittedPart part = fit_part(sphere_patch(0.2));
  EXPECT_EQ(part.report.kind, FitKind::hrbf);
  EXPECT_LT(part.report.worst, 0.02 * 0.2);
}

TEST(fit_part, part_without_vertices_has_no_field) {
  PartPatch patch;
  patch.name = "helper";
  patch.character_size = 1;
  const FittedPart part = fit_part(patch);
  EXPECT_EQ(part.report.kind, FitKind::none);
  EXPECT_TRUE(part.shape.empty());
  EXPECT_THAT(remarks_of(part.report), HasSubstr("owns no vertices"));
}

TEST(fit_part, one_vertex_gives_a_small_sphere) {
  PartPatch patch;
  patch.points = {{1, 2, 3}};
  patch.normals = {{0, 1, 0}};
  patch.own_points = 1;
  patch.character_size = 2;
  const FittedPart part = fit_part(patch);
  ASSERT_EQ(part.report.kind, FitKind::spheres);
  EXPECT_LT(part.shape.eval({1, 2, 3}).value, 0);
  EXPECT_GT(part.shape.eval({1, 2.1, 3}).value, 0);
  EXPECT_THAT(remarks_of(part.report), HasSubstr("too few"));
}

TEST(fit_part, flat_part_has_a_bounded_field) {
  PartPatch patch;
  patch.name = "flat";
  const test::Surface grid = test::make_grid(8, 8, 1);
  for (const Vec3f& p : grid.positions) {
    patch.points.push_back(static_cast<Vec3d>(p));
    patch.normals.push_back({0, 1, 0});
  }
  patch.triangles = grid.triangles;
  patch.own_points = patch.points.size();
  patch.bone_from = patch.points.front();
  patch.bone_to = patch.points.back();
  patch.character_size = 3;
  const FittedPart part = fit_part(patch);
  EXPECT_NE(part.report.kind, FitKind::none);
  EXPECT_LT(length(part.box.size), 10);
}

TEST(fit_part, bone_outside_the_part_is_reported) {
  PartPatch patch = tube_patch(0.5, 4);
  patch.bone_from = {0, 9, 0};
  patch.bone_to = {4, 9, 0};
  patch.joints = {patch.bone_from, patch.bone_to};
  const FittedPart part = fit_part(patch);
  EXPECT_FALSE(part.report.bone_inside);
  EXPECT_THAT(remarks_of(part.report), HasSubstr("bone does not run inside"));
  EXPECT_NE(part.report.kind, FitKind::none);
  EXPECT_LT(part.report.p95, 0.05);
}

TEST(fit_part, degenerate_bones_and_normals_do_no_harm) {
  PartPatch patch = tube_patch(0.5, 4);
  patch.bone_to = patch.bone_from = {2, 0, 0};
  EXPECT_NE(fit_part(patch).report.kind, FitKind::none);
  patch.normals.assign(patch.normals.size(), Vec3d{});
  const FittedPart part = fit_part(patch);
  EXPECT_EQ(part.report.kind, FitKind::spheres);
  patch.character_size = 0;
  EXPECT_EQ(fit_part(patch).report.kind, FitKind::spheres);
}

TEST(fit_part, points_that_are_not_finite_are_left_out_and_counted) {
  PartPatch patch = tube_patch(0.5, 4);
  patch.points[5].x = std::numeric_limits<double>::quiet_NaN();
  patch.normals[9].y = std::numeric_limits<double>::infinity();
  patch.joints.push_back({std::numeric_limits<double>::infinity(), 0, 0});
  const FittedPart part = fit_part(patch);
  EXPECT_EQ(part.report.kind, FitKind::hrbf);
  EXPECT_LT(part.report.p95, 0.05);
  EXPECT_THAT(remarks_of(part.report), HasSubstr("1 points are not finite"));
}

TEST(fit_part, tiny_parts_far_from_the_origin_fit_as_well) {
  PartPatch patch = tube_patch(0.5, 4);
  const auto move = [](Vec3d& p) { p = p * 1e-4 + Vec3d{1, 2, 3}; };
  for (Vec3d& p : patch.points) move(p);
  for (Vec3d& p : patch.joints) move(p);
  move(patch.bone_from);
  move(patch.bone_to);
  patch.character_size = 4e-4;
  const FittedPart part = fit_part(patch);
  EXPECT_EQ(part.report.kind, FitKind::hrbf);
  EXPECT_LT(part.report.p95, 0.02 * 0.5e-4);
}

TEST(fit_part, one_sided_part_stays_inside_the_character) {
  // A third of a tube; the rest of the tube is other parts'.
  PartPatch patch = tube_patch(0.5, 3);
  PartPatch third = patch;
  third.points.clear();
  third.normals.clear();
  third.triangles.clear();
  std::vector<std::uint32_t> place(patch.points.size(), 0xffffffffU);
  for (std::size_t i = 0; i < patch.points.size(); ++i) {
    const Vec3d& p = patch.points[i];
    const bool own = p.y > 0.2 && p.x > 0.9 && p.x < 2.1;
    (own ? third.points : third.other_points).push_back(p);
    (own ? third.normals : third.other_normals).push_back(patch.normals[i]);
    if (own) place[i] = static_cast<std::uint32_t>(third.points.size() - 1);
  }
  for (const Triangle& t : patch.triangles)
    if (place[t[0]] != 0xffffffffU && place[t[1]] != 0xffffffffU && place[t[2]] != 0xffffffffU)
      third.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  third.own_points = third.points.size();
  const FittedPart part = fit_part(third);
  ASSERT_NE(part.report.kind, FitKind::none);
  for (const Vec3d& p : third.other_points) EXPECT_GT(part.shape.eval(p).value, -0.15 * part.support.radius);
}

TEST(fit_part, spheres_can_be_asked_for) {
  const FittedPart part = fit_part(tube_patch(0.5, 4), {.shape = ShapeChoice::spheres});
  EXPECT_EQ(part.report.kind, FitKind::spheres);
  EXPECT_EQ(part.report.attempts, 0);
  EXPECT_LT(part.report.p95, 0.02);
}

TEST(fit_part, given_spheres_are_checked_and_kept) {
  SphereSet good, bad;
  good.blocks.push_back({{Sphere{{0, 0, 0}, 0.5}, Sphere{{4, 0, 0}, 0.5}}});
  bad.blocks.push_back({{Sphere{{0, 30, 0}, 0.5}}});
  const PartPatch patch = tube_patch(0.5, 4);
  const FittedPart a = check_shape(patch, good);
  EXPECT_EQ(a.report.kind, FitKind::spheres);
  EXPECT_LT(a.report.worst, 0.01);
  EXPECT_TRUE(a.report.remarks.empty());
  const FittedPart b = check_shape(patch, bad);
  EXPECT_THAT(remarks_of(b.report), HasSubstr("the bone is outside"));
  PartPatch nothing;
  nothing.character_size = 5;
  const FittedPart c = check_shape(nothing, good);
  EXPECT_EQ(c.report.kind, FitKind::spheres);
  EXPECT_NEAR(c.support.radius, 0.5, 1e-12);
}

}  // namespace
}  // namespace cutis
