#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/math.h"
#include "field/sphere_fit.h"
#include "field/sphere_model.h"
#include "field/spheres.h"
#include "support/support.h"

namespace cutis {
namespace {

using ::testing::HasSubstr;

// The definition: the least distance to a sphere of the family c(u,v), r(u,v) over the triangle of weights. Convex in
// (u, v): a grid, then ever smaller grids around the best.
double brute_force(const Vec3d& p, const Sphere& a, const Sphere& b, const Sphere& c) {
  const auto at = [&](double u, double v) {
    const double w = 1 - u - v;
    return distance(p, a.center * w + b.center * u + c.center * v) - (a.radius * w + b.radius * u + c.radius * v);
  };
  double best_u = 0, best_v = 0, best = at(0, 0);
  double size = 1;
  for (int level = 0; level < 60; ++level) {
    const double u0 = best_u, v0 = best_v;
    for (int i = -10; i <= 10; ++i)
      for (int j = -10; j <= 10; ++j) {
        double u = std::clamp(u0 + size * i / 10, 0.0, 1.0), v = std::clamp(v0 + size * j / 10, 0.0, 1.0);
        if (u + v > 1) {
          const double over = (u + v - 1) / 2;
          u = std::clamp(u - over, 0.0, 1.0);
          v = 1 - u;
        }
        if (const double d = at(u, v); d < best) {
          best = d;
          best_u = u;
          best_v = v;
        }
      }
    size *= 0.6;
  }
  return best;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine_); }
  Vec3d point(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Sphere sphere() { return {point(1), in(0.05, 0.9)}; }

 private:
  std::mt19937 engine_;
};

void expect_gradient(const std::function<DistanceSample(const Vec3d&)>& f, const Vec3d& p) {
  const DistanceSample d = f(p);
  EXPECT_NEAR(length(d.gradient), 1, 1e-9);
  constexpr double kStep = 1e-6;
  Vec3d numeric;
  double bend = 0;
  for (int a = 0; a < 3; ++a) {
    Vec3d hi = p, lo = p;
    hi[a] += kStep;
    lo[a] -= kStep;
    numeric[a] = (f(hi).value - f(lo).value) / (2 * kStep);
    bend = std::max(bend, std::abs(f(hi).value + f(lo).value - 2 * d.value) / kStep);
  }
  if (bend > 1e-4) return;  // at a crease (medial surface) there is no derivative
  EXPECT_LT(distance(numeric, d.gradient), 1e-4);
}

TEST(spheres, bisphere_equals_the_family_of_spheres) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    Sphere a = random.sphere(), b = random.sphere();
    if (i % 5 == 1) b.radius = a.radius;
    if (i % 5 == 2) b = {a.center + random.point(0.02), a.radius * 0.3};  // contained
    if (i % 5 == 3) b = a;
    const Vec3d p = random.point(2);
    EXPECT_NEAR(bisphere_distance(p, a, b).value, brute_force(p, a, b, b), 1e-6);
    EXPECT_NEAR(bisphere_distance(p, b, a).value, bisphere_distance(p, a, b).value, 1e-12);
    expect_gradient([&](const Vec3d& q) { return bisphere_distance(q, a, b); }, p);
  }
}

TEST(spheres, trisphere_equals_the_family_of_spheres) {
  Random random(2);
  for (int i = 0; i < 400; ++i) {
    Sphere a = random.sphere(), b = random.sphere(), c = random.sphere();
    if (i % 6 == 1) a.radius = b.radius = c.radius;
    if (i % 6 == 2) c = {lerp(a.center, b.center, random.in(-0.5, 1.5)), random.in(0.05, 0.9)};  // collinear
    if (i % 6 == 3) b.radius = a.radius;
    if (i % 6 == 4) c = {lerp(a.center, b.center, 0.5) + random.point(0.01), 0.05};  // contained
    if (i % 6 == 5) c = b;
    const Vec3d p = i % 2 == 0 ? random.point(2) : random.point(0.7);
    const double d = trisphere_distance(p, a, b, c).value;
    EXPECT_NEAR(d, brute_force(p, a, b, c), 1e-6) << i;
    EXPECT_NEAR(trisphere_distance(p, c, a, b).value, d, 1e-9);
    EXPECT_NEAR(trisphere_distance(p, b, a, c).value, d, 1e-9);
    expect_gradient([&](const Vec3d& q) { return trisphere_distance(q, a, b, c); }, p);
  }
}

// The signed distance of a convex body is the largest, over all directions u, of u.p less how far the body goes that
// way: outside and inside. Nothing of it is known to the code.
TEST(spheres, trisphere_is_the_signed_distance_of_the_convex_hull) {
  Random random(5);
  for (int i = 0; i < 45; ++i) {
    const Sphere s[3] = {random.sphere(), random.sphere(), random.sphere()};
    const Vec3d p = i % 3 == 0 ? (s[0].center + s[1].center + s[2].center) / 3.0 : random.point(i % 3 == 1 ? 1 : 2);
    const auto apart = [&](const Vec3d& u) {
      double reach = -1e30;
      for (const Sphere& ball : s) reach = std::max(reach, dot(ball.center, u) + ball.radius);
      return dot(p, u) - reach;
    };
    Vec3d best{1, 0, 0};
    for (int k = 0; k < 4000; ++k)
      if (const Vec3d u = normalized(random.point(1), {0, 0, 1}); apart(u) > apart(best)) best = u;
    for (double step = 0.1; step > 1e-9; step *= 0.93)
      for (int k = 0; k < 60; ++k)
        if (const Vec3d u = normalized(best + random.point(step)); apart(u) > apart(best)) best = u;
    EXPECT_NEAR(trisphere_distance(p, s[0], s[1], s[2]).value, apart(best), 1e-5) << i;
  }
}

TEST(spheres, weights_of_a_block_are_the_derivatives_by_its_balls) {
  Random random(6);
  int checked = 0;
  for (int i = 0; i < 200; ++i) {
    SphereBlock block{{random.sphere(), random.sphere(), random.sphere()}};
    block.spheres.resize(static_cast<std::size_t>(1 + i % 3));
    const Vec3d p = random.point(2);
    const BlockSample s = sample_block(p, block);
    EXPECT_NEAR(s.weight[0] + s.weight[1] + s.weight[2], 1, 1e-12);
    for (std::size_t k = 0; k < block.spheres.size(); ++k) {
      constexpr double kStep = 1e-6;
      const auto changed = [&](double by, bool radius) {
        SphereBlock other = block;
        if (radius)
          other.spheres[k].radius += by;
        else
          other.spheres[k].center += Vec3d{by, 0, 0};
        return sample_block(p, other).distance.value;
      };
      for (const bool radius : {true, false}) {
        const double up = changed(kStep, radius), down = changed(-kStep, radius);
        if (std::abs(up + down - 2 * s.distance.value) > 1e-10) continue;  // at a crease
        const double slope = -s.weight[k] * (radius ? 1.0 : s.distance.gradient.x);
        EXPECT_NEAR((up - down) / (2 * kStep), slope, 1e-4) << i << " " << k;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(spheres, points_on_the_axis_and_at_centres_have_finite_unit_gradients) {
  const Sphere a{{0, 0, 0}, 1}, b{{4, 0, 0}, 0.5}, c{{2, 3, 0}, 0.5};
  for (const double x : {-2.0, 0.0, 1.0, 2.0, 4.0, 6.0}) {
    const DistanceSample d = bisphere_distance({x, 0, 0}, a, b);
    EXPECT_NEAR(length(d.gradient), 1, 1e-12) << x;
    EXPECT_NEAR(d.value, brute_force({x, 0, 0}, a, b, b), 1e-9);
    const DistanceSample t = trisphere_distance({x, 0, 0}, a, b, c);
    EXPECT_NEAR(length(t.gradient), 1, 1e-12) << x;
  }
  EXPECT_NEAR(length(sphere_distance({0, 0, 0}, a).gradient), 1, 1e-12);
  EXPECT_DOUBLE_EQ(sphere_distance({0, 0, 0}, a).value, -1);
  // On the axis of a cone the gradient leans by the cone's angle.
  EXPECT_NEAR(bisphere_distance({2, 0, 0}, a, b).gradient.x, 0.5 / 4, 1e-12);
}

TEST(spheres, capsule_has_the_distance_of_a_segment) {
  const Sphere a{{0, 0, 0}, 0.5}, b{{2, 0, 0}, 0.5};
  EXPECT_NEAR(bisphere_distance({1, 2, 0}, a, b).value, 1.5, 1e-12);
  EXPECT_NEAR(bisphere_distance({-1, 0, 0}, a, b).value, 0.5, 1e-12);
  EXPECT_NEAR(bisphere_distance({1, 0.1, 0}, a, b).value, -0.4, 1e-12);
}

TEST(spheres, set_is_the_least_of_its_blocks) {
  SphereSet set;
  EXPECT_GT(set.eval({0, 0, 0}).value, 1e20);
  set.blocks.push_back({{Sphere{{0, 0, 0}, 1}}});
  set.blocks.push_back({{Sphere{{5, 0, 0}, 1}, Sphere{{9, 0, 0}, 1}}});
  set.blocks.push_back({{Sphere{{0, 5, 0}, 1}, Sphere{{0, 9, 0}, 1}, Sphere{{0, 9, 4}, 1}}});
  EXPECT_NEAR(set.eval({2, 0, 0}).value, 1, 1e-12);
  EXPECT_NEAR(set.eval({7, 3, 0}).value, 2, 1e-12);
  EXPECT_NEAR(set.eval({0.5, 8, 1}).value, -0.5, 1e-12);
}

std::vector<Vec3d> points_on(const Sphere& a, const Sphere& b, Random& random, std::size_t n) {
  std::vector<Vec3d> points;
  while (points.size() < n) {
    Vec3d p = random.point(3);
    for (int i = 0; i < 3; ++i) {
      const DistanceSample d = bisphere_distance(p, a, b);
      p -= d.gradient * d.value;
    }
    points.push_back(p);
  }
  return points;
}

TEST(sphere_fit, bisphere_is_found_again_despite_outliers) {
  Random random(5);
  const Sphere a{{-1, 0.2, 0.1}, 0.6}, b{{1.2, -0.1, 0.3}, 0.35};
  std::vector<Vec3d> points = points_on(a, b, random, 300);
  for (std::size_t i = 0; i < 15; ++i) points[i * 20] += random.point(0.6);
  const SphereFit fit = fit_spheres(points, {-1.3, 0, 0}, {1.3, 0, 0}, 1e-3, {.max_blocks = 1});
  ASSERT_EQ(fit.set.blocks.size(), 1U);
  EXPECT_LT(fit.median_error, 0.005);
  const std::vector<Sphere>& s = fit.set.blocks[0].spheres;
  EXPECT_LT(distance(s[0].center, a.center), 0.03);
  EXPECT_LT(distance(s[1].center, b.center), 0.03);
  EXPECT_NEAR(s[0].radius, a.radius, 0.02);
  EXPECT_NEAR(s[1].radius, b.radius, 0.02);
}

TEST(sphere_fit, bent_shapes_get_more_blocks) {
  Random random(6);
  std::vector<Vec3d> points = points_on({{-2, 0, 0}, 0.3}, {{0, 0, 0}, 0.3}, random, 200);
  const std::vector<Vec3d> more = points_on({{0, 0, 0}, 0.3}, {{2, 1.5, 0}, 0.3}, random, 200);
  points.insert(points.end(), more.begin(), more.end());
  const SphereFit one = fit_spheres(points, {-2, 0, 0}, {2, 1.5, 0}, 1e-3, {.max_blocks = 1});
  const SphereFit three = fit_spheres(points, {-2, 0, 0}, {2, 1.5, 0}, 1e-3, {.max_blocks = 3});
  EXPECT_GT(three.set.blocks.size(), 1U);
  EXPECT_LT(three.p95_error, 0.7 * one.p95_error);
}

TEST(sphere_fit, degenerate_points_give_usable_sets) {
  EXPECT_TRUE(fit_spheres({}, {}, {}, 0.1).set.empty());
  const std::vector<Vec3d> one{{1, 2, 3}}, same(20, Vec3d{1, 2, 3}), two{{0, 0, 0}, {1, 0, 0}};
  const std::vector<Vec3d> flat{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
  const std::vector<Vec3d> line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  for (const std::vector<Vec3d>& points : {one, same, two, flat, line})
    for (const Vec3d& to : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 0, 5}}) {
      const SphereFit fit = fit_spheres(points, {}, to, 0.01);
      ASSERT_FALSE(fit.set.empty());
      const DistanceSample d = fit.set.eval({0.3, 0.2, 0.1});
      EXPECT_TRUE(std::isfinite(d.value) && is_finite(d.gradient));
      for (const SphereBlock& block : fit.set.blocks)
        for (const Sphere& s : block.spheres) EXPECT_GE(s.radius, 0.01);
    }
}

TEST(sphere_file, hand_has_a_ball_for_every_joint) {
  CUTIS_NEEDS_SHARED_DATA();
  SphereModel model = load_sphere_model((test::shared_data() / "hand_webxr" / "hand_left_spheres.json").string());
  EXPECT_EQ(model.balls.size(), 25U);
  EXPECT_TRUE(model.blocks.empty());
  (void)connect_balls(model, nullptr);
  const SphereSet wrist = sphere_set(model, "wrist");
  EXPECT_EQ(wrist.blocks.size(), 5U);  // one to each finger's root
  EXPECT_LT(wrist.eval({-0.037324, 0.055986, 0.008114}).value, -0.015);
  const SphereSet tip = sphere_set(model, "thumb-tip");
  ASSERT_EQ(tip.blocks.size(), 1U);
  EXPECT_EQ(tip.blocks[0].spheres.size(), 1U);
}

TEST(sphere_file, blocks_name_one_to_three_spheres_and_are_written_back) {
  const std::string text = R"({"unit": "cm", "spheres": [
    {"joint": "a", "parent": null, "center": [0, 0, 0], "radius": 100},
    {"joint": "b", "parent": "a", "center": [400, 0, 0], "radius": 100},
    {"name": "side", "joint": "a", "parent": "a", "center": [0, 400, 0], "radius": 100}],
    "blocks": [{"bone": "a", "spheres": ["a", "b", "side"]}]})";
  SphereModel model = sphere_model_from_json(text, "test");
  EXPECT_EQ(sphere_model_from_json(to_json(model), "again"), model);
  (void)connect_balls(model, nullptr);
  const SphereSet a = sphere_set(model, "a");
  ASSERT_EQ(a.blocks.size(), 1U);
  EXPECT_NEAR(a.eval({1, 1, 3}).value, 2, 1e-12);
  ASSERT_EQ(sphere_set(model, "b").blocks.size(), 1U);
  EXPECT_EQ(sphere_set(model, "b").blocks[0].spheres.size(), 1U);
}

TEST(sphere_file, faults_are_named_with_their_place) {
  const auto fault = [](const std::string& text) {
    return test::error_of([&] { (void)sphere_model_from_json(text, "x.json"); });
  };
  EXPECT_THAT(fault("{"), HasSubstr("x.json: is not JSON"));
  EXPECT_THAT(fault("{}"), HasSubstr("has no \"spheres\""));
  EXPECT_THAT(fault(R"({"spheres": 3})"), HasSubstr("must be a list"));
  EXPECT_THAT(fault(R"({"spheres": []})"), HasSubstr("has no spheres"));
  EXPECT_THAT(fault(R"({"spheres": [{"joint": 3}]})"), HasSubstr("sphere 0: \"joint\" must be a text"));
  EXPECT_THAT(fault(R"({"spheres": [{"joint": "a", "center": [0, 0], "radius": 1}]})"), HasSubstr("'a'"));
  EXPECT_THAT(fault(R"({"spheres": [{"joint": "a", "center": [0, 0, 0], "radius": 0}]})"), HasSubstr("radius above 0"));
  EXPECT_THAT(fault(R"({"spheres": [{"joint": "a", "parent": "b", "center": [0, 0, 0], "radius": 1}]})"),
              HasSubstr("parent 'b'"));
  EXPECT_THAT(fault(R"({"spheres": [{"joint": "a", "parent": "a", "center": [0, 0, 0], "radius": 1}]})"),
              HasSubstr("its own ancestor"));
  const std::string a = R"({"joint": "a", "center": [0, 0, 0], "radius": 1})";
  EXPECT_THAT(fault(R"({"unit": "inch", "spheres": [)" + a + "]}"), HasSubstr("\"m\", \"cm\" or \"mm\""));
  EXPECT_THAT(fault(R"({"spheres": [)" + a + "," + a + "]}"), HasSubstr("two spheres of the name 'a'"));
  EXPECT_THAT(fault(R"({"spheres": [)" + a + R"(], "blocks": [{"bone": "a", "spheres": []}]})"), HasSubstr("block 0"));
  EXPECT_THAT(fault(R"({"spheres": [)" + a + R"(], "blocks": [{"bone": "a", "spheres": ["q"]}]})"), HasSubstr("'q'"));
  EXPECT_THAT(test::error_of([] { (void)load_sphere_model("no/such/file.json"); }), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace cutis
