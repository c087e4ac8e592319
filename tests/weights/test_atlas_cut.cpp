// Where joints are cut, on bodies where the answer is known.
#include "weights/atlas_cut.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "cutis/io.h"
#include "support/support.h"
#include "weights/weight_shapes.h"

namespace {

using namespace cutis;
using namespace cutis::test;

std::vector<AtlasCut> cuts_of(const WeightProblem& problem) {
  const Context context(2);
  const PlaneSections sections(problem.positions, problem.topology);
  return find_cuts(problem, atlas_skeleton(problem), sections, context);
}

double angle_between(const Vec3d& a, const Vec3d& b) { return std::atan2(length(cross(a, b)), dot(a, b)) * 180 / kPi; }

// A bend of 90 degrees: down the y axis, then along +x.
Character make_elbow() {
  const auto field = [](const Vec3d& p) {
    return std::min(capsule(p, {0, 1, 0}, {0, 0, 0}, 0.2), capsule(p, {0, 0, 0}, {1, 0, 0}, 0.2));
  };
  return make_body(trace(field, {-0.35, -0.35, -0.3}, {1.35, 1.35, 0.3}, 0.05, {0, 0.5, 0}),
                   {{"upper", -1, {0, 0.95, 0}}, {"lower", 0, {0, 0, 0}}, {"end", 1, {0.95, 0, 0}}});
}

TEST(AtlasCut, OfATubeIsTheCircleAtTheJoint) {
  for (const double y : {1.0, 0.97}) {  // on a ring of vertices and between two
    const auto p = make_problem(make_body(make_tube(40, 2, true), {{"a", -1, {0, 0.1, 0}}, {"b", 0, {0, y, 0}}}));
    const auto cuts = cuts_of(p->problem);
    ASSERT_EQ(cuts.size(), 1U);
    EXPECT_EQ(cuts[0].bone, p->bone("b"));
    EXPECT_EQ(cuts[0].place, CutPlace::at_joint);
    EXPECT_TRUE(cuts[0].curve.closed);
    EXPECT_NEAR(cuts[0].perimeter, 32 * 2 * 0.3 * std::sin(kPi / 32), 1e-6);
    EXPECT_NEAR(cuts[0].diameter(), 0.6, 0.002);
    EXPECT_LT(cuts[0].tilt, 1e-9);
    for (const SectionPoint& q : cuts[0].curve.points) EXPECT_NEAR(q.position.y, y, 1e-7);
  }
}

TEST(AtlasCut, OfABendBisectsIt) {
  const auto p = make_problem(make_elbow());
  const auto cuts = cuts_of(p->problem);
  ASSERT_EQ(cuts[0].bone, p->bone("lower"));
  EXPECT_EQ(cuts[0].place, CutPlace::at_joint);
  EXPECT_LT(angle_between(cuts[0].plane.normal, {1, -1, 0}), 2);
  EXPECT_LT(cuts[0].tilt * 180 / kPi, 2);
}

TEST(AtlasCut, TakesTheShorterOfTheFamilyOnATaperedBend) {
  // A cone along the bones' straight line: the curve across is the shortest.
  const auto field = [](const Vec3d& p) { return std::hypot(p.x, p.z) - (0.15 + 0.1 * p.y); };
  const auto p = make_problem(make_body(trace(field, {-0.5, 0, -0.5}, {0.5, 2, 0.5}, 0.05, {0, 1, 0}),
                                        {{"a", -1, {0, 0.2, 0}}, {"b", 0, {0, 1, 0}}, {"c", 1, {0, 1.8, 0}}}));
  const auto cuts = cuts_of(p->problem);
  ASSERT_TRUE(cuts[0].found());
  EXPECT_LT(angle_between(cuts[0].plane.normal, {0, 1, 0}), 3);
  EXPECT_NEAR(cuts[0].diameter(), 0.5, 0.06);
}

TEST(AtlasCut, OfAForkPartsEachBranchFromTheTrunkAndFromTheOther) {
  // Both branches start at the same point, the end of the trunk.
  const auto field = [](const Vec3d& p) {
    return std::min({capsule(p, {0, -1, 0}, {0, 0, 0}, 0.25), capsule(p, {0, 0, 0}, {-0.9, 0.9, 0}, 0.2),
                     capsule(p, {0, 0, 0}, {0.9, 0.9, 0}, 0.2)});
  };
  const auto p = make_problem(make_body(trace(field, {-1.3, -1.4, -0.4}, {1.3, 1.3, 0.4}, 0.05, {0, -0.5, 0}),
                                        {{"trunk", -1, {0, -0.9, 0}},
                                         {"left", 0, {0, 0, 0}},
                                         {"left_end", 1, {-0.85, 0.85, 0}},
                                         {"right", 0, {0, 0, 0}},
                                         {"right_end", 3, {0.85, 0.85, 0}}}));
  int branches = 0;
  for (const AtlasCut& cut : cuts_of(p->problem)) {
    const double side = cut.bone == p->bone("left") ? -1 : cut.bone == p->bone("right") ? 1 : 0;
    if (side == 0) continue;
    ++branches;
    ASSERT_TRUE(cut.found());
    EXPECT_LT(cut.perimeter, 2.2);
    EXPECT_GT(cut.plane.normal.x * side, 0.3);
    for (const SectionPoint& q : cut.curve.points) EXPECT_GT(q.position.x * side, -0.05);
  }
  EXPECT_EQ(branches, 2);
}

TEST(AtlasCut, AJointOutsideTakesTheNearestCurve) {
  const auto p = make_problem(
      make_body(make_tube(40, 2, true), {{"a", -1, {0.45, 0.1, 0}}, {"b", 0, {0.45, 1, 0}}, {"c", 1, {0.45, 1.9, 0}}}));
  for (const AtlasCut& cut : cuts_of(p->problem)) {
    if (cut.bone != p->bone("b")) continue;
    EXPECT_EQ(cut.place, CutPlace::nearest_curve);
    EXPECT_NEAR(cut.diameter(), 0.6, 0.01);
    for (const SectionPoint& q : cut.curve.points) EXPECT_NEAR(q.position.y, 1, 1e-6);
  }
}

TEST(AtlasCut, AJointWithoutAnySurfaceAroundHasNone) {
  const auto p = make_problem(
      make_body(make_tube(40, 2, true), {{"a", -1, {0, 1, 0}}, {"b", 0, {0, 2.9, 0}}, {"c", 1, {0, 4, 0}}}));
  for (const AtlasCut& cut : cuts_of(p->problem))
    if (cut.bone == p->bone("b")) {
      EXPECT_FALSE(cut.found());
    }
}

TEST(AtlasCut, OfAnOpenSheetRunsAcrossIt) {
  SurfaceMesh sheet;
  for (int j = 0; j <= 20; ++j)
    for (int i = 0; i <= 4; ++i) sheet.positions.push_back({0.1 * i - 0.2, 0.1 * j, 0});
  for (std::uint32_t j = 0; j < 20; ++j) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t a = j * 5 + i;
      sheet.triangles.push_back({a, a + 1, a + 5});
      sheet.triangles.push_back({a + 1, a + 6, a + 5});
    }
  }
  const auto p =
      make_problem(make_body(sheet, {{"a", -1, {0, 0.05, 0}}, {"b", 0, {0, 1.02, 0}}, {"c", 1, {0, 1.9, 0}}}));
  const auto cuts = cuts_of(p->problem);
  ASSERT_TRUE(cuts[0].found());
  EXPECT_FALSE(cuts[0].curve.closed);
  EXPECT_NEAR(cuts[0].curve.length, 0.4, 0.02);
  for (const SectionPoint& q : cuts[0].curve.points) EXPECT_NEAR(q.position.y, 1.02, 0.01);
}

TEST(AtlasCut, CurvesNeverCross) {
  const Context context(2);
  const auto p = make_problem(load_character("builtin:human", context));
  const auto cuts = cuts_of(p->problem);
  // Two planar curves that do not cross: the points of one lie on one side of the other wherever they share a triangle.
  std::size_t shared = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t a = 0; a < cuts[i].curve.faces.size(); ++a) {
        for (std::size_t b = 0; b < cuts[j].curve.faces.size(); ++b) {
          if (cuts[i].curve.faces[a] != cuts[j].curve.faces[b]) continue;
          ++shared;
          const auto &ci = cuts[i].curve.points, &cj = cuts[j].curve.points;
          const auto height = [](const AtlasCut& cut, const Vec3d& q) {
            return dot(q - cut.plane.point, cut.plane.normal);
          };
          const double a0 = height(cuts[j], ci[a].position), a1 = height(cuts[j], ci[(a + 1) % ci.size()].position);
          const double b0 = height(cuts[i], cj[b].position), b1 = height(cuts[i], cj[(b + 1) % cj.size()].position);
          EXPECT_FALSE(a0 * a1 < -1e-18 && b0 * b1 < -1e-18) << i << " and " << j;
        }
      }
    }
  }
  RecordProperty("triangles_with_two_curves", static_cast<int>(shared));
}

TEST(AtlasCut, MirroredJointsAreCutAlike) {
  const Context context(2);
  const auto p = make_problem(load_character("builtin:human", context));
  const auto cuts = cuts_of(p->problem);
  std::size_t pairs = 0;
  for (const AtlasCut& left : cuts) {
    std::string name = p->character.skeleton.joints[static_cast<std::size_t>(p->problem.bones[left.bone].joint)].name;
    if (name.size() < 2 || name.substr(name.size() - 2) != "_l") continue;
    name.back() = 'r';
    const std::uint32_t mirrored = p->bone(name);
    for (const AtlasCut& right : cuts) {
      if (right.bone != mirrored) continue;
      ++pairs;
      EXPECT_EQ(left.place, right.place) << name;
      EXPECT_NEAR(left.perimeter, right.perimeter, 1e-9) << name;
      EXPECT_NEAR(left.plane.normal.x, -right.plane.normal.x, 1e-9) << name;
      EXPECT_NEAR(left.plane.normal.y, right.plane.normal.y, 1e-9) << name;
      EXPECT_EQ(left.curve.faces.size(), right.curve.faces.size()) << name;
    }
  }
  EXPECT_GE(pairs, 20U);
}

}  // namespace
