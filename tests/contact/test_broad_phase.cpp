#include "contact/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/math.h"
#include "support/support.h"

namespace cutis {
namespace {

using Elements = std::array<std::uint32_t, 4>;

// The same pair has one name: edges and the two ends of an edge may be swapped, and so may the corners of a face.
Elements named(ElementPair kind, Elements v) {
  if (kind == ElementPair::vertex_face) {
    std::sort(v.begin() + 1, v.end());
    return v;
  }
  std::sort(v.begin(), v.begin() + 2);
  std::sort(v.begin() + 2, v.end());
  if (v[0] > v[2]) v = {v[2], v[3], v[0], v[1]};
  return v;
}

// Two balls side by side, a part each, that come nearer and are shaken.
struct TwoBalls {
  test::Surface mesh = test::make_sphere(1, 6, 8);
  std::vector<std::uint32_t> part;
  std::vector<float> radius{1, 0.8F}, pad;
  std::vector<Vec3d> to;
  std::vector<Affine3d> frame = std::vector<Affine3d>(2);
  const Context context{2};

  explicit TwoBalls(unsigned seed) {
    const std::vector<Vec3f> ball = mesh.positions;
    const std::vector<Triangle> faces = mesh.triangles;
    const auto n = static_cast<std::uint32_t>(ball.size());
    part.assign(n, 0);
    part.resize(2 * n, 1);
    for (const Vec3f& p : ball) mesh.positions.push_back(p + Vec3f{2.2F, 0.1F, 0});
    for (const Triangle& t : faces) mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    frame[0].linear = to_matrix(axis_angle(Vec3d{0, 1, 0}, 0.1));
    frame[1].translation = {-0.5, 0, 0};
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> shake(-0.3, 0.3);
    for (std::size_t v = 0; v < part.size(); ++v) {
      to.push_back(transform_point(frame[part[v]], static_cast<Vec3d>(mesh.positions[v])) +
                   Vec3d{shake(random), shake(random), shake(random)});
      pad.push_back(0.03F);
    }
  }
};

// All pairs that come nearer than nothing on their way, or end nearer than their pads, by trying.
TEST(BroadPhase, MissesNoPairThatMeetsOrEndsNear) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const TwoBalls balls(seed);
    const ContactSurface surface({balls.mesh.positions, balls.mesh.triangles, balls.part, 2, balls.radius},
                                 balls.context);
    BroadPhase broad(surface);
    const std::vector<char> flagged(balls.part.size(), 1);
    std::vector<CandidatePair> pairs;
    ASSERT_TRUE(broad.collect({balls.mesh.positions, balls.to, balls.pad, balls.frame}, flagged, true, {},
                              {0.1F, 1000000}, pairs, balls.context));
    std::set<std::pair<int, Elements>> found;
    for (const CandidatePair& pair : pairs) {
      EXPECT_TRUE(found.emplace(static_cast<int>(pair.kind), named(pair.kind, pair.vertex)).second) << "twice";
      const bool touches_first = std::ranges::any_of(pair.vertex, [&](std::uint32_t v) { return balls.part[v] == 0; });
      EXPECT_EQ(pair.frame, touches_first ? 0U : 1U) << "the frame of the thicker part";
      FourPoints start;
      for (std::size_t k = 0; k < 4; ++k)
        start[k] = transform_point(balls.frame[pair.frame], static_cast<Vec3d>(balls.mesh.positions[pair.vertex[k]]));
      EXPECT_NEAR(pair.distance, separation(pair.kind, start).distance, 1e-6);
    }
    std::size_t near = 0;
    const auto try_pair = [&](ElementPair kind, const Elements& v) {
      const bool same_part = balls.part[v[0]] == balls.part[v[3]];
      const Affine3d& frame = balls.frame[same_part ? balls.part[v[0]] : 0];
      FourPoints x0, x1;
      for (std::size_t k = 0; k < 4; ++k) {
        x0[k] = transform_point(frame, static_cast<Vec3d>(balls.mesh.positions[v[k]]));
        x1[k] = balls.to[v[k]];
      }
      bool needed = separation(kind, x1).distance < 0.05;  // of two pads of 0.03
      for (int i = 0; i < 16 && !needed; ++i) {
        FourPoints x;
        for (std::size_t k = 0; k < 4; ++k) x[k] = lerp(x0[k], x1[k], i / 16.0);
        needed = separation(kind, x).distance < 0.005;
      }
      if (!needed) return;
      ++near;
      EXPECT_TRUE(found.contains({static_cast<int>(kind), named(kind, v)}))
          << static_cast<int>(kind) << ": " << v[0] << ' ' << v[1] << ' ' << v[2] << ' ' << v[3];
    };
    for (std::uint32_t v = 0; v < balls.part.size(); ++v)
      for (const Triangle& t : surface.triangles())
        if (v != t[0] && v != t[1] && v != t[2]) try_pair(ElementPair::vertex_face, {v, t[0], t[1], t[2]});
    const auto& edges = surface.topology().edges;
    for (std::size_t i = 0; i < edges.size(); ++i)
      for (std::size_t j = i + 1; j < edges.size(); ++j) {
        const Edge &a = edges[i], &b = edges[j];
        if (a.a != b.a && a.a != b.b && a.b != b.a && a.b != b.b)
          try_pair(ElementPair::edge_edge, {a.a, a.b, b.a, b.b});
      }
    EXPECT_GT(near, 20U) << "the test is empty";
  }
}

TEST(BroadPhase, FindsTheSameWhenOnlyTheFlaggedMoveOn) {
  TwoBalls balls(4);
  const ContactSurface surface({balls.mesh.positions, balls.mesh.triangles, balls.part, 2, balls.radius},
                               balls.context);
  BroadPhase broad(surface), fresh(surface);
  const std::vector<char> all(balls.part.size(), 1);
  std::vector<CandidatePair> first, again, whole;
  const std::vector<Vec3d> wanted = balls.to;
  for (std::size_t v = 0; v < balls.to.size(); v += 7) balls.to[v].x += 0.2;
  std::vector<char> moved(balls.part.size(), 0);
  for (std::size_t v = 0; v < moved.size(); v += 7) moved[v] = 1;
  const BroadPhaseOptions options{0.1F, 1000000};
  ASSERT_TRUE(broad.collect({balls.mesh.positions, wanted, balls.pad, balls.frame}, all, true, {}, options, first,
                            balls.context));
  ASSERT_TRUE(broad.collect({balls.mesh.positions, balls.to, balls.pad, balls.frame}, moved, false, {}, options, again,
                            balls.context));
  ASSERT_TRUE(fresh.collect({balls.mesh.positions, balls.to, balls.pad, balls.frame}, all, true, {}, options, whole,
                            balls.context));
  const auto names = [&](const std::vector<CandidatePair>& pairs) {
    std::set<std::pair<int, Elements>> result;
    for (const CandidatePair& pair : pairs)
      if (std::ranges::any_of(pair.vertex, [&](std::uint32_t v) { return moved[v] != 0; }))
        result.emplace(static_cast<int>(pair.kind), named(pair.kind, pair.vertex));
    return result;
  };
  EXPECT_EQ(names(again), names(whole));
  EXPECT_EQ(names(again).size(), again.size()) << "only pairs with a flagged vertex";
  EXPECT_GT(again.size(), 20U);
}

}  // namespace
}  // namespace cutis
