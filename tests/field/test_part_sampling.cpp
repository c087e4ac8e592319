#include <gtest/gtest.h>

#include "field/compact_support.h"
#include "field/part_sampling.h"
#include "shapes.h"

namespace cutis {
namespace {

using test::sphere_patch;
using test::tube_patch;

TEST(part_sampling, count_is_met_and_samples_keep_apart) {
  const PartPatch patch = tube_patch(0.5, 4);
  const PartSamples s = sample_part(patch, Exposure(patch), 0.5, {.target = 50, .per_point = 0});
  EXPECT_EQ(s.surface, 50U);
  EXPECT_EQ(s.caps, 10U);  // a cap and four dome samples at each end
  EXPECT_EQ(s.samples.size(), 60U);
  // Area / count is a square whose side is about the spacing of an even set.
  EXPECT_GT(s.spacing, 0.4 * std::sqrt(2 * kPi * 0.5 * 4 / 50));
  for (std::size_t i = 0; i < s.surface; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE(distance(s.samples[i].position, s.samples[j].position), s.spacing);
}

TEST(part_sampling, samples_lie_on_the_surface_away_from_the_seams) {
  const PartPatch patch = tube_patch(0.5, 4);
  const SamplingOptions options{.seam_margin = 0.3};
  const PartSamples s = sample_part(patch, Exposure(patch), 0.5, options);
  for (std::size_t i = 0; i < s.surface; ++i) {
    const Vec3d& p = s.samples[i].position;
    EXPECT_NEAR(std::hypot(p.y, p.z), 0.5, 0.01);
    EXPECT_GE(p.x, 0.3 * 0.499);
    EXPECT_LE(p.x, 4 - 0.3 * 0.499);
    EXPECT_NEAR(length(s.samples[i].normal), 1, 1e-12);
  }
}

TEST(part_sampling, caps_lie_on_the_axis_one_radius_beyond_the_joints) {
  const PartPatch patch = tube_patch(0.5, 4);
  const PartSamples s = sample_part(patch, Exposure(patch), 0.5, {.domes = false});
  ASSERT_EQ(s.caps, 2U);
  for (std::size_t i = s.surface; i < s.samples.size(); ++i) {
    const SurfaceSample& cap = s.samples[i];
    EXPECT_NEAR(std::hypot(cap.position.y, cap.position.z), 0, 1e-9);
    const bool far_end = cap.position.x > 2;
    EXPECT_NEAR(cap.position.x, far_end ? 4.5 : -0.5, 0.01);
    EXPECT_NEAR(cap.normal.x, far_end ? 1 : -1, 1e-9);
  }
}

TEST(part_sampling, domes_of_a_tube_are_half_spheres_around_its_joints) {
  const PartPatch patch = tube_patch(0.5, 4);
  const PartSamples s = sample_part(patch, Exposure(patch), 0.5);
  ASSERT_EQ(s.caps, 10U);
  for (std::size_t i = s.surface; i < s.samples.size(); ++i) {
    const Vec3d joint{s.samples[i].position.x > 2 ? 4.0 : 0.0, 0, 0};
    EXPECT_NEAR(distance(s.samples[i].position, joint), 0.5, 0.01);
    EXPECT_GT(dot(s.samples[i].normal, normalized(s.samples[i].position - joint)), 0.99);
  }
}

TEST(part_sampling, closed_ends_get_no_cap) {
  const PartPatch ball = sphere_patch(0.3);
  EXPECT_EQ(sample_part(ball, Exposure(ball), 0.3).caps, 0U);
  PartPatch tip = tube_patch(0.5, 4);  // closed at the far end by a fan
  const auto apex = static_cast<std::uint32_t>(tip.points.size());
  tip.points.push_back({4.5, 0, 0});
  tip.normals.push_back({1, 0, 0});
  tip.own_points = tip.points.size();
  for (std::uint32_t j = 0; j < 24; ++j) tip.triangles.push_back({12 * 24 + j, 12 * 24 + (j + 1) % 24, apex});
  const PartSamples s = sample_part(tip, Exposure(tip), 0.5);
  ASSERT_EQ(s.caps, 5U);
  EXPECT_LT(s.samples.back().position.x, 0);
}

TEST(part_sampling, small_holes_get_no_cap) {
  PartPatch patch = tube_patch(0.5, 4, 49, 48);
  patch.triangles.erase(patch.triangles.begin() + 2 * 48 * 24, patch.triangles.begin() + 2 * 48 * 24 + 2);  // one quad
  EXPECT_EQ(find_ends(patch).size(), 3U);
  EXPECT_EQ(sample_part(patch, Exposure(patch), 0.5).caps, 10U);
}

TEST(part_sampling, inner_walls_get_no_samples) {
  PartPatch patch = sphere_patch(1);
  const PartPatch cavity = sphere_patch(0.5);  // a mouth: inside out
  const auto first = static_cast<std::uint32_t>(patch.points.size());
  for (std::size_t i = 0; i < cavity.points.size(); ++i) {
    patch.points.push_back(cavity.points[i]);
    patch.normals.push_back(-cavity.normals[i]);
  }
  for (const Triangle& t : cavity.triangles) patch.triangles.push_back({first + t[0], first + t[2], first + t[1]});
  patch.own_points = patch.points.size();
  const PartSamples s = sample_part(patch, Exposure(patch), 1);
  EXPECT_GT(s.hidden, 0U);
  for (const SurfaceSample& sample : s.samples) EXPECT_GT(length(sample.position), 0.9);
  for (const SurfaceSample& sample : check_points(patch, Exposure(patch), {}, 400))
    EXPECT_GT(length(sample.position), 0.9);
}

TEST(part_sampling, name_seeds_the_random_numbers) {
  PartPatch patch = tube_patch(0.5, 4);
  const PartSamples a = sample_part(patch, Exposure(patch), 0.5), b = sample_part(patch, Exposure(patch), 0.5);
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) EXPECT_EQ(a.samples[i].position, b.samples[i].position);
  patch.name = "another";
  EXPECT_FALSE(sample_part(patch, Exposure(patch), 0.5).samples[0].position == a.samples[0].position);
}

TEST(part_sampling, patches_without_surface_give_what_they_can) {
  PartPatch patch;
  EXPECT_TRUE(sample_part(patch, Exposure(patch), 1).samples.empty());
  patch.points = {{0, 0, 0}, {1, 0, 0}};
  patch.normals = {{0, 1, 0}, {0, 0, 0}};  // the second has no direction
  patch.own_points = 2;
  EXPECT_EQ(sample_part(patch, Exposure(patch), 1).surface, 1U);
}

TEST(part_sampling, coarse_patch_gives_three_samples_a_point_and_no_more) {
  const PartPatch patch = tube_patch(0.5, 4, 3, 4);
  EXPECT_EQ(sample_part(patch, Exposure(patch), 0.5).surface, 36U);
  EXPECT_EQ(sample_part(patch, Exposure(patch), 0.5, {.target = 20}).surface, 20U);
}

}  // namespace
}  // namespace cutis
