#include "contact/quiet_stars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "base/math.h"
#include "kernels/element_pair.h"
#include "support/support.h"

namespace cutis {
namespace {

// A step of one part.
struct Step {
  std::vector<Vec3f> last;
  std::vector<Triangle> triangles;
  std::vector<Vec3d> to;
  std::vector<float> pad;
  Affine3d frame;

  [[nodiscard]] ContactSurface surface(const Context& context) const {
    const std::vector<std::uint32_t> part(last.size(), 0);
    const std::vector<float> radius{1};
    return {{last, triangles, part, 1, radius}, context};
  }
  void stay(float near) {
    to.clear();
    for (const Vec3f& p : last) to.push_back(transform_point(frame, static_cast<Vec3d>(p)));
    pad.assign(last.size(), near);
  }
};

std::vector<char> quiet_of(const ContactSurface& surface, const Step& step, const Context& context) {
  QuietStars stars(surface);
  const std::vector<char> wanted{1};
  stars.update(step.last, step.to, step.pad, std::vector{step.frame}, wanted, 1e-6, context);
  std::vector<char> quiet;
  for (std::uint32_t v = 0; v < step.last.size(); ++v) quiet.push_back(stars.is_quiet(v) ? 1 : 0);
  return quiet;
}

// How much farther apart than their ways and pads are long the elements of the triangles at v are, at least.
double room_around(const Step& step, const ContactSurface& surface, std::uint32_t v) {
  std::set<std::uint32_t> vertices;
  std::set<std::array<std::uint32_t, 2>> edges;
  const auto faces = surface.topology().vertex_faces.row(v);
  for (const std::uint32_t f : faces)
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles()[f][k], b = surface.triangles()[f][(k + 1) % 3];
      vertices.insert(a);
      edges.insert({std::min(a, b), std::max(a, b)});
    }
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](ElementPair kind, const std::array<std::uint32_t, 4>& of) {
    if (std::set(of.begin(), of.end()).size() < 4) return;
    FourPoints x0, x1;
    float near = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      x0[k] = transform_point(step.frame, static_cast<Vec3d>(step.last[of[k]]));
      x1[k] = step.to[of[k]];
      near = std::max(near, step.pad[of[k]]);
    }
    least = std::min(least, separation(kind, x0).distance - motion_bound(kind, x0, x1) - 2 * near);
  };
  for (const std::uint32_t w : vertices)
    for (const std::uint32_t f : faces) {
      const Triangle& t = surface.triangles()[f];
      look(ElementPair::vertex_face, {w, t[0], t[1], t[2]});
    }
  for (const auto& a : edges)
    for (const auto& b : edges)
      if (a < b) look(ElementPair::edge_edge, {a[0], a[1], b[0], b[1]});
  return least;
}

// A fan of triangles around vertex 0 whose rim goes around `turns` times; a second vertex closes it from below.
Step make_fan(int spokes, int turns, float up) {
  Step step;
  step.last = {{0, 0, 0}, {0, 0, -3}};
  for (int i = 0; i < spokes; ++i) {
    const double angle = 2 * std::numbers::pi * turns * i / spokes;
    // Rims that go around twice lie above each other.
    step.last.push_back(
        {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), up * static_cast<float>(i)});
  }
  for (int i = 0; i < spokes; ++i) {
    const auto a = static_cast<std::uint32_t>(2 + i), b = static_cast<std::uint32_t>(2 + (i + 1) % spokes);
    step.triangles.push_back({0, a, b});
    step.triangles.push_back({1, b, a});
  }
  step.stay(0.01F);
  return step;
}

TEST(QuietStars, HaveNoElementsThatComeNearEachOther) {
  const Context context{2};
  std::size_t quiet_ones = 0, others = 0;
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const test::Surface ball = test::make_sphere(1, 12, 16);
    Step step{ball.positions, ball.triangles, {}, {}, {}};
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> bump(-0.1F, 0.1F), way(-0.02F, 0.02F);
    for (Vec3f& p : step.last) p += {bump(random), bump(random), bump(random)};
    step.frame.linear = to_matrix(axis_angle(normalized(Vec3d{1, 2, 3}), 0.7));
    step.frame.translation = {3, -1, 2};
    step.stay(0.01F);
    for (Vec3d& p : step.to) p += static_cast<Vec3d>(Vec3f{way(random), way(random), way(random)});
    const ContactSurface surface = step.surface(context);
    const std::vector<char> quiet = quiet_of(surface, step, context);
    for (std::uint32_t v = 0; v < quiet.size(); ++v) {
      if (quiet[v] != 0) {
        EXPECT_GT(room_around(step, surface, v), 0) << v;
      }
      ++(quiet[v] != 0 ? quiet_ones : others);
    }
  }
  EXPECT_GT(quiet_ones, 100U) << "the test is empty";
  EXPECT_GT(others, 100U);
}

TEST(QuietStars, AreFansThatGoAroundOnce) {
  const Context context{1};
  const auto is_quiet = [&](const Step& step) { return quiet_of(step.surface(context), step, context)[0] != 0; };
  EXPECT_TRUE(is_quiet(make_fan(6, 1, 0)));
  EXPECT_FALSE(is_quiet(make_fan(9, 2, 0.001F))) << "around twice, all triangles facing up";
  Step folded = make_fan(6, 1, 0);
  folded.last[2] = {-0.5F, 0.3F, 0.4F};
  folded.stay(0.01F);
  EXPECT_FALSE(is_quiet(folded));
  Step open = make_fan(6, 1, 0);
  open.triangles.erase(open.triangles.begin());
  EXPECT_FALSE(is_quiet(open)) << "a boundary";
}

TEST(QuietStars, EndWhereSkinMovesFarIsPaddedOrStretchedByItsPart) {
  const Context context{1};
  const auto is_quiet = [&](const Step& step) { return quiet_of(step.surface(context), step, context)[0] != 0; };
  Step fast = make_fan(6, 1, 0);
  fast.to[3].z += 0.5;
  EXPECT_FALSE(is_quiet(fast));
  Step padded = make_fan(6, 1, 0);
  padded.pad[3] = 0.5F;
  EXPECT_FALSE(is_quiet(padded));
  Step shrunk = make_fan(6, 1, 0);
  shrunk.frame.linear = shrunk.frame.linear * 0.01;
  shrunk.stay(0.01F);
  EXPECT_FALSE(is_quiet(shrunk)) << "distances at the start are not those of the last mesh";
}

}  // namespace
}  // namespace cutis
