#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "field/part_field.h"
#include "shapes.h"

namespace cutis {
namespace {

using test::sphere_patch;
using test::tube_patch;

TEST(field_grid, interpolation_is_exact_for_quadratic_functions) {
  // d = x^2 - y z + 3 x - 1 in node numbers; steps so fine that rounding to 16 bits is the only error.
  std::vector<GridNode> nodes;
  const double step = 2e-3, slope = 1e-3;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        const auto whole = [](double x) { return static_cast<std::int16_t>(std::lround(x)); };
        nodes.push_back({whole((i * i - j * k + 3 * i - 1) / step), whole((2 * i + 3) / 2.0 / slope),
                         whole(-k / 2.0 / slope), whole(-j / 2.0 / slope)});
      }
  GridView grid;
  grid.nodes = nodes.data();
  grid.nx = grid.ny = grid.nz = 4;
  grid.value_step = static_cast<float>(step);
  grid.slope_step = static_cast<float>(slope);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(0, 3);
  for (int n = 0; n < 500; ++n) {
    const Vec3f p{unit(random), unit(random), unit(random)};
    const FieldSample<float> d = grid_distance(grid, p);
    EXPECT_NEAR(d.value, p.x * p.x - p.y * p.z + 3 * p.x - 1, 1e-4);
    EXPECT_NEAR(d.gradient.x, 2 * p.x + 3, 1e-4);
    EXPECT_NEAR(d.gradient.y, -p.z, 1e-4);
    EXPECT_NEAR(d.gradient.z, -p.y, 1e-4);
  }
}

class PartFields : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static PartField make(const GridOptions& grid = {}) {
    const ShapeChoice shape = GetParam() ? ShapeChoice::spheres : ShapeChoice::automatic;
    return {fit_part(tube_patch(0.5, 4), {.shape = shape}), grid};
  }
};

TEST_P(PartFields, grid_keeps_its_error_bound) {
  for (const double bound : {1e-2, 4e-3, 1e-3}) {
    const PartField field = make({.error = bound, .max_nodes = 1'000'000});
    const GridReport& report = field.grid().report();
    ASSERT_TRUE(report.met) << bound;
    EXPECT_LE(report.worst, bound);
    EXPECT_EQ(report.bytes, report.nodes * 8);
    // At other points than those that the grid was measured at.
    std::mt19937 random(77);
    std::uniform_real_distribution<double> unit(0, 1);
    std::size_t over = 0, inside = 0;
    for (int i = 0; i < 20000; ++i) {
      const Vec3d local{unit(random) * field.box().size.x, unit(random) * field.box().size.y,
                        unit(random) * field.box().size.z};
      const Vec3d p = field.box().corner + field.box().axes * local;
      const double exact = field.eval_exact(p).value, value = field.eval(static_cast<Vec3f>(p)).value;
      if (exact <= 0 || exact >= 1) continue;
      ++inside;
      if (std::abs(exact - value) > bound) ++over;
      EXPECT_LE(std::abs(exact - value), 3 * bound);
    }
    EXPECT_LT(over * 200, inside);  // the measured worst of 600 points is exceeded by few
  }
}

TEST_P(PartFields, coarse_limit_is_kept_and_reported) {
  const PartField field = make({.error = 1e-7, .max_nodes = 4000});
  EXPECT_FALSE(field.grid().report().met);
  EXPECT_LE(field.grid().report().nodes, 4000U);
}

TEST_P(PartFields, surface_inside_and_outside_have_the_right_values) {
  const PartField field = make();
  for (int j = 0; j < 12; ++j) {
    const double angle = 2 * kPi * j / 12;
    const Vec3d n{0, std::cos(angle), std::sin(angle)};
    const FieldSample<float> f = field.eval(static_cast<Vec3f>(Vec3d{2, 0, 0} + n * 0.5));
    EXPECT_NEAR(f.value, 0.5, 0.02);
    const Vec3d inward = normalized(static_cast<Vec3d>(f.gradient));
    EXPECT_LT(dot(inward, n), -0.98);
    EXPECT_NEAR(length(f.gradient), 15 / (16 * field.support().radius), 0.15 * 15 / (16 * 0.5));
  }
  EXPECT_GT(field.eval({2, 0, 0}).value, 0.85);
  EXPECT_EQ(field.eval({2, 3, 0}).value, 0);
  EXPECT_EQ(length(field.eval({2, 3, 0}).gradient), 0);
  EXPECT_EQ(field.eval({200, 3, 0}).value, 0);
  EXPECT_EQ(field.eval_exact({200, 3, 0}).value, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(field.eval({nan, 0, 0}).value, 0);
}

TEST_P(PartFields, gradient_is_the_derivative_of_the_value) {
  const PartField field = make();
  std::mt19937 random(4);
  std::uniform_real_distribution<float> unit(-1, 1);
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3f p{2 + 2.5F * unit(random), unit(random), unit(random)};
    const FieldSample<float> f = field.eval(p);
    if (f.value <= 0.01F || f.value >= 0.99F) continue;
    constexpr float kStep = 2e-3F;
    Vec3f numeric;
    for (int a = 0; a < 3; ++a) {
      Vec3f hi = p, lo = p;
      hi[a] += kStep;
      lo[a] -= kStep;
      numeric[a] = (field.eval(hi).value - field.eval(lo).value) / (2 * kStep);
    }
    EXPECT_LT(distance(numeric, f.gradient), 0.05 * 15 / (16 * 0.5));  // cells meet with a small jump of the gradient
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST_P(PartFields, many_points_give_the_same_bits_as_one_by_one) {
  const PartField field = make();
  std::vector<Vec3f> points;
  for (int i = 0; i < 333; ++i)
    points.push_back({0.02F * static_cast<float>(i) - 1, 0.3F, 0.001F * static_cast<float>(i)});
  std::vector<FieldSample<float>> samples(points.size());
  field.eval(points, samples);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(samples[i].value, field.eval(points[i]).value);
    EXPECT_EQ(samples[i].gradient, field.eval(points[i]).gradient);
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, PartFields, ::testing::Bool());

TEST(part_field, empty_field_is_zero_everywhere) {
  const PartField field;
  EXPECT_TRUE(field.empty());
  EXPECT_EQ(field.eval({0, 0, 0}).value, 0);
  EXPECT_EQ(field.eval_exact({0, 0, 0}).value, 0);
  std::vector<Vec3f> points(3);
  std::vector<FieldSample<float>> samples(3, {1, {1, 1, 1}});
  field.eval(points, samples);
  EXPECT_EQ(samples[2].value, 0);
}

// A sheet that bends every which way: no fit of it is good.
PartPatch crumpled_patch(int side) {
  PartPatch patch;
  patch.name = "sheet";
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * side + j); };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      patch.points.push_back({0.1 * i, 0.1 * j, 0.2 * ((i * 7 + j * 5) % 3)});
      patch.normals.push_back({0, 0, 1});
    }
  for (int i = 0; i + 1 < side; ++i)
    for (int j = 0; j + 1 < side; ++j) {
      patch.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      patch.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  patch.own_points = patch.points.size();
  patch.bone_from = {0, 0, -1};
  patch.bone_to = {0, 0, -2};
  patch.joints = {patch.bone_from};
  patch.character_size = 4;
  return patch;
}

TEST(part_field, fits_and_grids_of_all_parts_together_stay_within_what_there_is_for_them) {
  std::vector<PartPatch> patches(12, crumpled_patch(9));
  for (std::size_t i = 0; i < patches.size(); ++i) patches[i].name += std::to_string(i);
  const auto used = [&](const FieldOptions& options) {
    double work = 0;
    std::size_t nodes = 0, stinted = 0;
    for (const PartField& field : make_fields(patches, options, Context(2))) {
      work += field.report().work;
      nodes += field.grid().report().nodes;
      stinted += field.report().stinted ? 1 : 0;
    }
    return std::tuple{work, nodes, stinted};
  };
  const FieldOptions plenty{.grid_nodes = 100'000'000, .fit_work = 1e12};
  const auto [all_work, all_nodes, none] = used(plenty);
  EXPECT_EQ(none, 0U);
  // Half of what they took, and a quarter: it is kept to.
  for (const double share : {0.5, 0.25}) {
    FieldOptions scarce;
    scarce.fit_work = share * all_work;
    scarce.grid_nodes = static_cast<std::size_t>(share * static_cast<double>(all_nodes));
    const auto [work, nodes, stinted] = used(scarce);
    EXPECT_LE(work, scarce.fit_work) << share;
    EXPECT_LE(nodes, scarce.grid_nodes) << share;
    EXPECT_GT(stinted, 0U) << share;
  }
}

TEST(part_field, small_part_is_left_with_its_share_and_a_large_one_gets_what_is_over) {
  std::vector<PartPatch> patches(10, tube_patch(0.5, 4));
  for (std::size_t i = 0; i < patches.size(); ++i) patches[i].name += std::to_string(i);
  patches[0] = crumpled_patch(9);
  for (Vec3d& p : patches[0].points) p *= 5;
  patches[1] = crumpled_patch(4);
  patches[1].name = "lip";
  const std::vector<PartField> fields = make_fields(patches, {.fit_work = 1e7}, Context(2));
  EXPECT_GT(fields[0].report().work, 1e6) << "more than a tenth of all";
  EXPECT_LT(fields[1].report().work, 0.5e6);
}

TEST(part_field, bits_do_not_depend_on_the_number_of_threads) {
  std::vector<PartPatch> patches{tube_patch(0.5, 4), sphere_patch(0.3), tube_patch(0.2, 1), PartPatch{}};
  patches[2].name = "other";
  const auto hash = [&](int threads) {
    std::uint64_t h = kHashSeed;
    for (const PartField& field : make_fields(patches, {}, Context(threads))) {
      h = hash_span(std::span<const GridNode>(field.grid().nodes()), h);
      const double numbers[] = {field.support().radius, field.report().p95};
      h = hash_span(std::span<const double>(numbers), h);
    }
    return h;
  };
  const std::uint64_t one = hash(1);
  EXPECT_EQ(hash(2), one);
  EXPECT_EQ(hash(5), one);
}

}  // namespace
}  // namespace cutis
