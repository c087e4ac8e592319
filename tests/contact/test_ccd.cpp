#include <gtest/gtest.h>

#include <random>

#include "base/math.h"
#include "kernels/element_pair.h"

namespace cutis {
namespace {

constexpr auto kVertexFace = ElementPair::vertex_face;
constexpr auto kEdgeEdge = ElementPair::edge_edge;

TEST(Ccd, SeparationOfAVertexAboveAFaceIsItsHeight) {
  const Separation s = separation(kVertexFace, FourPoints{{{0.2, 0.5, 0.2}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}}});
  EXPECT_NEAR(s.distance, 0.5, 1e-15);
  EXPECT_NEAR(s.delta.y, 0.5, 1e-15);
  EXPECT_EQ(s.weight[0], 1);
  EXPECT_NEAR(s.weight[1] + s.weight[2] + s.weight[3], -1, 1e-15);
}

TEST(Ccd, SeparationOfCrossedEdgesIsBetweenTheirMiddles) {
  const Separation s = separation(kEdgeEdge, FourPoints{{{-1, 0.3, 0}, {1, 0.3, 0}, {0, 0, -1}, {0, 0, 1}}});
  EXPECT_NEAR(s.distance, 0.3, 1e-15);
  EXPECT_NEAR(s.weight[0], 0.5, 1e-15);
  EXPECT_NEAR(s.weight[2], -0.5, 1e-15);
}

TEST(Ccd, SeparationOfParallelEdgesIsThatOfTheirLinesWhereTheyRunBesideEachOther) {
  EXPECT_NEAR(separation(kEdgeEdge, FourPoints{{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {3, 1, 0}}}).distance, 1, 1e-15);
  EXPECT_NEAR(separation(kEdgeEdge, FourPoints{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}}).distance, 1, 1e-15);
}

TEST(Ccd, SeparationOfEdgesMatchesADenseSearch) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    FourPoints x;
    for (Vec3d& p : x) p = {unit(random), unit(random), unit(random)};
    if (trial % 3 == 0) x[3] = x[2] + (x[1] - x[0]) * unit(random) + Vec3d{1e-7, 0, 0} * unit(random);
    double best = 1e9;
    for (int i = 0; i <= 100; ++i)
      for (int j = 0; j <= 100; ++j)
        best = std::min(best, distance(lerp(x[0], x[1], i / 100.0), lerp(x[2], x[3], j / 100.0)));
    const double found = separation(kEdgeEdge, x).distance;
    EXPECT_LE(found, best + 1e-12);
    EXPECT_GE(found, best - 0.03);
  }
}

TEST(Ccd, AVertexThatFliesThroughAFaceIsStoppedBeforeIt) {
  const FourPoints x0{{{0.2, 1, 0.2}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}}};
  FourPoints x1 = x0;
  x1[0].y = -1;
  const Impact impact = first_impact(kVertexFace, x0, x1, 1.0, 0);
  ASSERT_TRUE(impact.hit);
  EXPECT_LT(impact.time, 0.5);
  EXPECT_GT(impact.time, 0.4);
  EXPECT_GT(impact.at_time.delta.y, 0);
}

TEST(Ccd, AVertexThatPassesBesideAFaceIsNotStopped) {
  const FourPoints x0{{{-0.5, 1, 0.2}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}}};
  FourPoints x1 = x0;
  x1[0].y = -1;
  EXPECT_FALSE(first_impact(kVertexFace, x0, x1, separation(kVertexFace, x0).distance, 0).hit);
}

TEST(Ccd, PointsThatMoveTogetherNeverMeet) {
  const FourPoints x0{{{0.2, 1e-6, 0.2}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}}};
  FourPoints x1 = x0;
  for (Vec3d& p : x1) p += {100, -50, 3};
  EXPECT_FALSE(first_impact(kVertexFace, x0, x1, 1e-6, 1e-9).hit);
}

// Random motions, sampled finely: wherever the samples come to nothing, a hit was reported before.
TEST(Ccd, NoMeetingIsMissed) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  int hits = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const ElementPair kind = trial % 2 == 0 ? kVertexFace : kEdgeEdge;
    FourPoints x0, x1;
    for (std::size_t k = 0; k < 4; ++k) {
      x0[k] = {unit(random), unit(random), unit(random)};
      x1[k] = {unit(random), unit(random), unit(random)};
    }
    const double d0 = separation(kind, x0).distance;
    if (d0 < 1e-3) continue;
    const Impact impact = first_impact(kind, x0, x1, d0, 1e-6);
    hits += impact.hit;
    const double until = impact.hit ? impact.time : 1;
    for (int i = 0; i <= 400; ++i) {
      FourPoints x;
      for (std::size_t k = 0; k < 4; ++k) x[k] = lerp(x0[k], x1[k], until * i / 400.0);
      ASSERT_GT(separation(kind, x).distance, 0.9e-6) << trial << " " << i;
    }
    if (!impact.hit) {
      // No sign change of the volume together with a crossing inside: the end is on the side of the start, or beside.
      EXPECT_GE(separation(kind, x1).distance, 1e-6);
    }
  }
  EXPECT_GT(hits, 100);
}

}  // namespace
}  // namespace cutis
