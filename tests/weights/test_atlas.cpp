// Regions and weights of the atlas on bodies where they are known.
#include "weights/atlas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/math.h"
#include "cutis/weights.h"
#include "support/support.h"
#include "weights/weight_shapes.h"

namespace {

using namespace cutis;
using namespace cutis::test;

const WeightOptions kPaper{.method = WeightMethod::atlas, .overlap = 1};

bool mentions(const Fallbacks& fallbacks, const std::string& words) {
  return std::any_of(fallbacks.begin(), fallbacks.end(),
                     [&](const WeightFallback& f) { return f.what.find(words) != std::string::npos; });
}

TEST(Atlas, TheTransitionIsThePapersCubic) {
  EXPECT_EQ(transition(-1), 0);
  EXPECT_EQ(transition(0), 0);
  EXPECT_EQ(transition(1), 1);
  EXPECT_EQ(transition(2), 1);
  EXPECT_NEAR(transition(0.25), -2 * 0.015625 + 3 * 0.0625, 1e-15);
  for (double l = 0; l <= 1; l += 0.1) EXPECT_NEAR(transition(l) + transition(1 - l), 1, 1e-15);
}

TEST(Atlas, WeightsOfATubeAreTheCubicOfTheHeight) {
  const Context context(2);
  for (const bool capped : {true, false}) {
    const auto p = make_problem(make_body(make_tube(80, 2, capped), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}}));
    WeightReport report;
    const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
    expect_weights(matrix);
    EXPECT_TRUE(report.fallbacks.empty());
    const double diameter = 32 * 2 * 0.3 * std::sin(kPi / 32) / kPi;
    std::size_t blended = 0;
    for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
      const double expected = transition(0.5 + (p->problem.positions[v].y - 1) / diameter);
      EXPECT_NEAR(weight_of(matrix.rows[v], p->bone("b")), expected, 1e-6) << "at " << p->problem.positions[v].y;
      blended += expected > 0 && expected < 1;
    }
    EXPECT_GT(blended, 600U);
  }
}

TEST(Atlas, TheWidthOfTheOverlapFollowsItsFactor) {
  const Context context(2);
  const auto p = make_problem(make_body(make_tube(80, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}}));
  const Atlas narrow = make_atlas(p->problem, std::vector<double>{1.0, 0.5}, context);
  ASSERT_EQ(narrow.widths.size(), 1U);
  EXPECT_NEAR(narrow.widths[0], 0.3, 0.002);
  for (std::uint32_t v = 0; v < p->problem.positions.size(); ++v)
    EXPECT_EQ(narrow.shares(v).size(), std::abs(p->problem.positions[v].y - 1) < narrow.widths[0] / 2 - 1e-9 ? 2U : 1U);
}

TEST(Atlas, ThreeRegionsMeetWithoutAJump) {
  // The middle bone is much shorter than the overlaps are wide, so that all three regions reach each other.
  const Context context(2);
  const auto p = make_problem(
      make_body(make_tube(400, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 1.15, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  std::size_t three = 0;
  for (const auto& row : matrix.rows) three += row.size() == 3;
  EXPECT_GT(three, 1000U);
  // The cubic's steepest slope is 1.5 over the width; normalising among three can at most double it.
  for (const Edge& e : p->problem.topology.edges) {
    const double step = distance(p->problem.positions[e.a], p->problem.positions[e.b]);
    for (std::uint32_t b = 0; b < 3; ++b)
      EXPECT_LT(std::abs(weight_of(matrix.rows[e.a], b) - weight_of(matrix.rows[e.b], b)),
                2 * 1.5 / 0.59 * step + 1e-9);
  }
}

TEST(Atlas, EachBranchOfAForkIsItsOwnAndTheOtherNeverReachesIt) {
  const auto field = [](const Vec3d& p) {
    return std::min({capsule(p, {0, -1, 0}, {0, 0, 0}, 0.25), capsule(p, {0, 0, 0}, {-0.9, 0.9, 0}, 0.2),
                     capsule(p, {0, 0, 0}, {0.9, 0.9, 0}, 0.2)});
  };
  const Context context(2);
  const auto p = make_problem(make_body(trace(field, {-1.3, -1.4, -0.4}, {1.3, 1.3, 0.4}, 0.05, {0, -0.5, 0}),
                                        {{"trunk", -1, {0, -0.9, 0}},
                                         {"left", 0, {-0.1, 0.1, 0}},
                                         {"left_end", 1, {-0.85, 0.85, 0}},
                                         {"right", 0, {0.1, 0.1, 0}},
                                         {"right_end", 3, {0.85, 0.85, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const Vec3d& q = p->problem.positions[v];
    if (q.y < -0.6) {
      EXPECT_NEAR(weight_of(matrix.rows[v], p->bone("trunk")), 1, 1e-9);
    }
    if (std::abs(q.x) < 0.55) continue;
    const std::string mine = q.x < 0 ? "left" : "right", other = q.x < 0 ? "right" : "left";
    EXPECT_NEAR(weight_of(matrix.rows[v], p->bone(mine)) + weight_of(matrix.rows[v], p->bone(mine + "_end")), 1, 0.05);
    EXPECT_EQ(weight_of(matrix.rows[v], p->bone(other)), 0);
    EXPECT_EQ(weight_of(matrix.rows[v], p->bone(other + "_end")), 0);
  }
}

TEST(Atlas, ANarrowGapIsNotCrossed) {
  // Two prongs on one handle, a fifth of their thickness apart: near through the air, far along the surface.
  const auto field = [](const Vec3d& p) {
    return std::min({capsule(p, {0, -1, 0}, {0, 0, 0}, 0.25), capsule(p, {-0.12, 0, 0}, {-0.12, 1.2, 0}, 0.1),
                     capsule(p, {0.12, 0, 0}, {0.12, 1.2, 0}, 0.1)});
  };
  const Context context(2);
  const auto p = make_problem(make_body(trace(field, {-0.4, -1.35, -0.4}, {0.4, 1.4, 0.4}, 0.02, {0, -0.5, 0}),
                                        {{"handle", -1, {0, -0.9, 0}},
                                         {"left", 0, {-0.12, 0.3, 0}},
                                         {"left_2", 1, {-0.12, 0.7, 0}},
                                         {"left_end", 2, {-0.12, 1.2, 0}},
                                         {"right", 0, {0.12, 0.3, 0}},
                                         {"right_2", 4, {0.12, 0.7, 0}},
                                         {"right_end", 5, {0.12, 1.2, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, {.method = WeightMethod::atlas}, report, context);
  expect_weights(matrix);
  std::size_t facing = 0;
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const Vec3d& q = p->problem.positions[v];
    if (q.y < 0.45) continue;
    facing += std::abs(q.x) < 0.05;
    for (const auto& [bone, weight] : matrix.rows[v]) {
      EXPECT_GE(p->problem.bones[bone].from.x * q.x, 0) << "at " << q.x << " " << q.y << " weight " << weight;
    }
  }
  EXPECT_GT(facing, 100U);
}

// A ring in the xy plane, radius 1, tube radius 0.2.
double ring(const Vec3d& p) { return std::hypot(std::hypot(p.x, p.y) - 1, p.z) - 0.2; }

TEST(Atlas, AroundARingTheFirstAndTheLastBoneShareTheirRegion) {
  // Four bones around a handle: three cuts, and no cut where the ring closes.
  std::vector<JointAt> joints;
  for (int i = 0; i <= 4; ++i) {
    const double angle = kPi / 2 * i * 0.97;
    joints.push_back({"b" + std::to_string(i), i - 1, {std::cos(angle), std::sin(angle), 0}});
  }
  const Context context(2);
  const auto p = make_problem(make_body(trace(ring, {-1.3, -1.3, -0.3}, {1.3, 1.3, 0.3}, 0.06, {1, 0, 0}), joints));
  ASSERT_EQ(p->problem.topology.component_count, 1U);
  const Atlas atlas = make_atlas(p->problem, std::vector<double>(p->problem.bones.size(), 1.0), context);
  for (const char* name : {"b1", "b2", "b3"}) {
    const auto cut =
        std::find_if(atlas.cuts.begin(), atlas.cuts.end(), [&](const AtlasCut& c) { return c.bone == p->bone(name); });
    ASSERT_NE(cut, atlas.cuts.end());
    ASSERT_TRUE(cut->found()) << name;
    EXPECT_NEAR(cut->diameter(), 0.4, 0.03) << name;
  }
  EXPECT_NE(atlas.regions.group_of[p->bone("b1")], atlas.regions.group_of[p->bone("b2")]);
  EXPECT_NE(atlas.regions.group_of[p->bone("b0")], atlas.regions.group_of[p->bone("b1")]);
  EXPECT_EQ(atlas.regions.group_of[p->bone("b0")], atlas.regions.group_of[p->bone("b4")]);
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const Vec3d& q = p->problem.positions[v];
    const double turn = std::atan2(q.y, q.x) / (kPi / 2);  // 0.5: middle of the first bone, 1.5: of the second
    // The first and the last bone share the stretch without a cut.
    if (turn > 0.15 && turn < 0.6) {
      EXPECT_NEAR(weight_of(matrix.rows[v], p->bone("b0")) + weight_of(matrix.rows[v], p->bone("b4")), 1, 0.05);
    }
    if (turn > 0.4 && turn < 0.6) {
      EXPECT_GT(weight_of(matrix.rows[v], p->bone("b0")), 0.5);
    }
    if (std::abs(turn - 1.5) < 0.1) {
      EXPECT_GT(weight_of(matrix.rows[v], p->bone("b1")), 0.9);
    }
    if (std::abs(turn + 1.5) < 0.1) {
      EXPECT_GT(weight_of(matrix.rows[v], p->bone("b2")), 0.9);
    }
  }
}

TEST(Atlas, ABodyWithAHandleIsCutLikeOneWithout) {
  // A tube with a handle on its lower half.
  const auto field = [](const Vec3d& p) {
    return std::min(capsule(p, {0, -1, 0}, {0, 1, 0}, 0.3), ring((p - Vec3d{0.5, -0.6, 0}) * 3.0) / 3);
  };
  const Context context(2);
  const auto p = make_problem(make_body(trace(field, {-0.5, -1.4, -0.5}, {1.1, 1.4, 0.5}, 0.05, {0, 0, 0}),
                                        {{"a", -1, {0, -0.9, 0}}, {"b", 0, {0, 0.2, 0}}, {"c", 1, {0, 1, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const double y = p->problem.positions[v].y;
    EXPECT_NEAR(weight_of(matrix.rows[v], p->bone("a")), transition(0.5 - (y - 0.2) / 0.6), 0.05) << y;
  }
}

TEST(Atlas, RegionsAreConnectedAndPartedByTheCuts) {
  const Context context(2);
  const auto p = make_problem(
      make_body(make_tube(40, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 0.8, 0}}, {"c", 1, {0, 1.3, 0}}}));
  const Atlas atlas = make_atlas(p->problem, std::vector<double>(p->problem.bones.size(), 1.0), context);
  ASSERT_EQ(atlas.regions.patches.size(), 3U);
  EXPECT_EQ(atlas.regions.links.size(), 2U);
  for (std::uint32_t v = 0; v < p->problem.positions.size(); ++v) {
    const double y = p->problem.positions[v].y;
    if (std::abs(y - 0.8) < 1e-6 || std::abs(y - 1.3) < 1e-6) continue;  // on a curve
    const auto& group = atlas.regions.groups[atlas.regions.patches[atlas.regions.patch_of[v]].group];
    ASSERT_EQ(group.size(), 1U);
    EXPECT_EQ(group[0], p->bone(y < 0.8 ? "a" : y < 1.3 ? "b" : "c")) << y;
  }
}

TEST(Atlas, AJointOutsideStillBlendsWhereItIs) {
  const Context context(2);
  const auto p = make_problem(
      make_body(make_tube(80, 2, true), {{"a", -1, {0.45, 0.1, 0}}, {"b", 0, {0.45, 1, 0}}, {"c", 1, {0.45, 1.9, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  EXPECT_TRUE(mentions(report.fallbacks, "nearest"));
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const double y = p->problem.positions[v].y;
    if (y < 1.3) {
      EXPECT_NEAR(weight_of(matrix.rows[v], p->bone("a")), transition(0.5 - (y - 1) / 0.6), 0.02) << y;
    }
  }
}

TEST(Atlas, AMissingCutIsFilledByHeatAndSaidInTheReport) {
  // The second joint lies in the wide ball of a dumb-bell with another bone beside it: nothing encloses it alone.
  const Context context(2);
  const auto ball = [](const Vec3d& p) { return length(p) - 1; };
  const auto p = make_problem(
      make_body(trace(ball, {-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}, 0.1, {0, 0, 0}), {{"a", -1, {0, -0.6, 0}},
                                                                                   {"b", 0, {-0.1, 0, 0}},
                                                                                   {"b_end", 1, {-0.3, 0.7, 0}},
                                                                                   {"c", 0, {0.1, 0, 0}},
                                                                                   {"c_end", 3, {0.3, 0.7, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  EXPECT_TRUE(mentions(report.fallbacks, "by heat"));
  std::set<std::uint32_t> used;
  for (const auto& row : matrix.rows)
    for (const auto& [bone, weight] : row)
      if (weight > 0.2) used.insert(bone);
  EXPECT_TRUE(used.count(p->bone("b")) == 1 && used.count(p->bone("c")) == 1);
}

TEST(Atlas, BonesWithoutLengthTakeNothing) {
  const Context context(2);
  const auto p = make_problem(make_body(make_tube(80, 2, true), {{"a", -1, {0, 0.1, 0}},
                                                                 {"twin", 0, {0, 0.1, 0}},
                                                                 {"b", 1, {0, 1, 0}},
                                                                 {"b2", 2, {0, 1, 0}},
                                                                 {"end", 3, {0, 1.9, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  // Whichever of the coinciding joints owns the bone, the transition is at height 1.
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    const double y = p->problem.positions[v].y;
    double below = 0;
    for (const auto& [bone, weight] : matrix.rows[v])
      if (p->problem.bones[bone].from.y < 0.5) below += weight;
    if (y < 1.3) {
      EXPECT_NEAR(below, transition(0.5 - (y - 1) / 0.6), 0.02) << y;
    }
  }
}

TEST(Atlas, OneBoneTakesAll) {
  const Context context(2);
  const auto p = make_problem(make_body(make_tube(10, 2, true), {{"only", -1, {0, 0.1, 0}}}));
  WeightReport report;
  const WeightMatrix matrix = atlas_weights(p->problem, kPaper, report, context);
  expect_weights(matrix);
  for (const auto& row : matrix.rows) EXPECT_EQ(row, (WeightMatrix::Row{{0U, 1.0}}));
}

TEST(Atlas, ALoosePieceChangesNothingElse) {
  const Context context(2);
  SurfaceMesh tube = make_tube(40, 2, true);
  const std::vector<JointAt> joints{{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}};
  const auto before = make_problem(make_body(tube, joints));
  const auto n = static_cast<std::uint32_t>(tube.positions.size());
  tube.positions.insert(tube.positions.end(), {{0.5, 1.5, 0}, {0.6, 1.5, 0}, {0.5, 1.6, 0}});
  tube.triangles.push_back({n, n + 1, n + 2});
  const auto after = make_problem(make_body(tube, joints));
  WeightReport report;
  const WeightMatrix a = atlas_weights(before->problem, kPaper, report, context);
  EXPECT_TRUE(report.fallbacks.empty());
  const WeightMatrix b = atlas_weights(after->problem, kPaper, report, context);
  EXPECT_TRUE(mentions(report.fallbacks, "no cut touches"));
  expect_weights(b);
  for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(a.rows[v], b.rows[v]);
  for (std::size_t v = n; v < n + 3; ++v) EXPECT_GT(weight_of(b.rows[v], after->bone("b")), 0.5);
}

TEST(Atlas, SingleJointsMayOverlapMoreOrLess) {
  const Context context(2);
  Character tube = make_body(make_tube(80, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}});
  WeightOptions options{.method = WeightMethod::atlas};
  options.joint_overlap["b"] = 0.5;
  const WeightReport report = make_weights(tube, options, context);
  ASSERT_EQ(report.cuts.size(), 1U);
  EXPECT_EQ(report.cuts[0].joint, "b");
  EXPECT_EQ(report.cuts[0].place, "at the joint");
  EXPECT_NEAR(report.cuts[0].perimeter, 0.6 * kPi, 0.01);
  EXPECT_NEAR(report.cuts[0].width, 0.3, 0.002);
  EXPECT_NEAR(report.cuts[0].tilt, 0, 1e-9);
}

TEST(Atlas, AnOverlapForAnUnknownJointOrOutOfRangeIsRefused) {
  const Context context(1);
  Character tube = make_body(make_tube(8, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}});
  WeightOptions options{.method = WeightMethod::atlas};
  options.joint_overlap["elbow"] = 1;
  EXPECT_THAT(error_of([&] { make_weights(tube, options, context); }), testing::HasSubstr("'elbow'"));
  options.joint_overlap = {{"b", 40.0}};
  EXPECT_THAT(error_of([&] { make_weights(tube, options, context); }), testing::HasSubstr("between 0.1 and 4"));
  options = {.method = WeightMethod::atlas, .overlap = 0};
  EXPECT_THAT(error_of([&] { make_weights(tube, options, context); }), testing::HasSubstr("between 0.1 and 4"));
}

TEST(Atlas, TheReportNamesTheRegionOfEveryVertex) {
  const Context context(2);
  Character tube = make_body(make_tube(80, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 1, 0}}});
  const WeightReport report = make_weights(tube, {.method = WeightMethod::atlas}, context);
  ASSERT_EQ(report.regions.size(), tube.vertex_count());
  for (std::size_t v = 0; v < report.regions.size(); ++v) {
    const float y = tube.meshes[0].positions[v].y;
    if (std::abs(y - 1) > 1e-5F) {
      EXPECT_EQ(report.regions[v], y < 1 ? 0 : 1);
    }
  }
}

TEST(Atlas, TheNumberOfThreadsDoesNotMatter) {
  const auto p = make_problem(
      make_body(make_tube(40, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, 0.8, 0}}, {"c", 1, {0, 1.3, 0}}}));
  WeightReport report;
  const Context one(1), four(4);
  const WeightMatrix a = atlas_weights(p->problem, kPaper, report, one),
                     b = atlas_weights(p->problem, kPaper, report, four);
  EXPECT_EQ(a.rows, b.rows);
}

}  // namespace
