#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/math.h"
#include "contact/safe_step.h"
#include "cutis/error.h"
#include "metrics/self_intersection.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::Surface;

struct Scene {
  std::vector<Vec3f> rest;
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> part;
  std::vector<float> radius;

  void add(const Surface& surface, const Vec3f& at, float thickness) {
    const auto base = static_cast<std::uint32_t>(rest.size());
    for (const Vec3f& p : surface.positions) rest.push_back(p + at);
    for (const Triangle& t : surface.triangles) triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    part.resize(rest.size(), static_cast<std::uint32_t>(radius.size()));
    radius.push_back(thickness);
  }
  [[nodiscard]] ContactMesh mesh() const { return {rest, triangles, part, radius.size(), radius}; }
  [[nodiscard]] std::size_t intersections(const std::vector<Vec3f>& x, const Context& context) const {
    std::vector<std::uint32_t> all(triangles.size()), place(x.size());
    std::iota(all.begin(), all.end(), 0U);
    std::iota(place.begin(), place.end(), 0U);
    return self_intersecting_pairs(TriangleBvh(x, triangles, all), x, triangles, place, context).size();
  }
  [[nodiscard]] std::vector<Vec3f> moved(const std::vector<Affine3d>& motion) const {
    std::vector<Vec3f> x;
    for (std::size_t v = 0; v < rest.size(); ++v)
      x.push_back(static_cast<Vec3f>(transform_point(motion[part[v]], static_cast<Vec3d>(rest[v]))));
    return x;
  }
};

Scene two_spheres() {
  Scene scene;
  scene.add(test::make_sphere(0.5, 12, 16), {0, 0, 0}, 0.5F);
  scene.add(test::make_sphere(0.5, 11, 15), {1.1F, 0, 0}, 0.5F);
  return scene;
}

Affine3d shift(double x, double y, double z) { return {{}, {x, y, z}}; }

class SafeStepTest : public testing::Test {
 protected:
  Context context{2};
};

TEST_F(SafeStepTest, SpheresPressedTogetherDoNotIntersect) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{shift(0.1, 0, 0), shift(-0.1, 0, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  ASSERT_GT(scene.intersections(x, context), 0U);
  const std::vector<char> moved(x.size(), 0);
  const SafeStepReport report = safe.step(scene.rest, x, motion, moved, context);
  EXPECT_EQ(scene.intersections(x, context), 0U);
  EXPECT_TRUE(report.certified);
  EXPECT_GT(report.hits, 0U);
  EXPECT_GT(report.pushed, 0U);
  EXPECT_LT(report.max_lag_edges, 1);
}

TEST_F(SafeStepTest, WhatIsRigidDoesNotGiveWayAndTheOtherDoes) {
  const Scene scene = two_spheres();
  const std::vector<char> rigid{1, 0};
  ContactMesh mesh = scene.mesh();
  mesh.part_rigid = rigid;
  SafeStep safe(mesh, {}, context);
  const std::vector<Affine3d> motion{shift(0.05, 0, 0), shift(-0.1, 0, 0)};
  const std::vector<Vec3f> wanted = scene.moved(motion);
  std::vector<Vec3f> x = wanted;
  ASSERT_GT(scene.intersections(x, context), 0U);
  EXPECT_TRUE(safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context).certified);
  EXPECT_EQ(scene.intersections(x, context), 0U);
  double most[2] = {0, 0};
  for (std::size_t v = 0; v < x.size(); ++v)
    most[scene.part[v]] = std::max<double>(most[scene.part[v]], distance(x[v], wanted[v]));
  EXPECT_LT(most[0], 1e-3);
  EXPECT_GT(most[1], 0.03);
}

TEST_F(SafeStepTest, ContactsNameTheOtherPartAndAGap) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{shift(0.1, 0, 0), shift(-0.1, 0, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  (void)safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  ASSERT_FALSE(safe.contacts().empty());
  for (const ContactRecord& record : safe.contacts()) {
    EXPECT_NE(record.other_part, scene.part[record.vertex]);
    EXPECT_GT(record.distance, 0);
    EXPECT_NEAR(length(record.normal), 1, 1e-5);
    EXPECT_GT(record.normal.x * (scene.part[record.vertex] == 0 ? -1 : 1), 0);
  }
}

// The sides of a low-poly limb are nearer to each other than parts of its edges, at rest and later.
TEST_F(SafeStepTest, ALimbThatIsThinForItsEdgesTouchesItselfOnlyWhereItComesNearer) {
  Surface tube = test::make_sphere(0.5, 4, 48);
  for (Vec3f& p : tube.positions) p.y *= 20;
  for (const float squeezed : {0.97F, 0.4F}) {
    Scene scene;
    scene.add(tube, {}, 0.5F);
    SafeStep safe(scene.mesh(), {}, context);
    std::vector<Vec3f> x = scene.rest;
    for (Vec3f& p : x) p.x *= squeezed;
    (void)safe.step(scene.rest, x, std::vector<Affine3d>(1), std::vector<char>(x.size(), 1), context);
    if (squeezed > 0.9F)
      EXPECT_TRUE(safe.contacts().empty());
    else
      EXPECT_FALSE(safe.contacts().empty());
  }
}

TEST_F(SafeStepTest, ABulletDoesNotPassThroughAPlate) {
  Scene scene;
  scene.add(test::make_grid(12, 12, 2), {-1, 0, -1}, 1.0F);
  scene.add(test::make_sphere(0.1, 8, 10), {0, 0.5F, 0}, 0.1F);
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{shift(0, 0, 0), shift(0, -1.5, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  ASSERT_EQ(scene.intersections(x, context), 0U);  // a test at the end alone would see nothing
  const SafeStepReport report = safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  EXPECT_GT(report.hits, 0U);
  EXPECT_EQ(scene.intersections(x, context), 0U);
  EXPECT_GT(report.max_lag_edges, 1) << "such a step is too long, and says so";
  float plate_middle = 1;
  for (std::size_t v = 0; v < x.size(); ++v)
    if (scene.part[v] == 0 && std::abs(x[v].x) < 0.2F && std::abs(x[v].z) < 0.2F)
      plate_middle = std::min(plate_middle, x[v].y);
  for (std::size_t v = 0; v < x.size(); ++v)
    if (scene.part[v] == 1) {
      EXPECT_GT(x[v].y, plate_middle);
    }
}

TEST_F(SafeStepTest, WhatSlidesOverSkinPressesItDownAndDoesNotPlough) {
  Scene scene;
  scene.add(test::make_grid(24, 24, 2), {-1, 0, -1}, 1.0F);
  scene.add(test::make_sphere(0.3, 12, 16), {0, 0.32F, 0}, 0.1F);
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{shift(0, 0, 0), shift(0.08, -0.08, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  (void)safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  float along = 0, down = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (scene.part[v] != 0) continue;
    along = std::max(along, std::abs(x[v].x - scene.rest[v].x));
    down = std::max(down, scene.rest[v].y - x[v].y);
  }
  EXPECT_GT(down, 0.03F);
  EXPECT_LT(along, 0.45F * down);
}

TEST_F(SafeStepTest, AStepThatTakesTooManyTestsIsRefusedAndNamesWhoBlocks) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {.max_tests = 1}, context);
  const std::vector<Affine3d> motion{shift(0.5, 0.2, 0), shift(-0.5, 0.2, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  const SafeStepReport report = safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  EXPECT_TRUE(report.refused);
  EXPECT_EQ(scene.intersections(x, context), 0U);
  const std::vector<std::array<std::uint32_t, 2>> blocking(safe.blocking().begin(), safe.blocking().end());
  EXPECT_THAT(blocking, testing::Contains(std::array<std::uint32_t, 2>{0, 1}));
  const Vec3f carried = x[0] - scene.rest[0];
  for (std::size_t v = 0; v < x.size(); ++v)
    EXPECT_LT(distance(x[v], scene.rest[v] + carried), 1e-5F) << "the last mesh, moved as a whole";
}

// A ball between two that close on it until there is no room, on a body that moves on.
TEST_F(SafeStepTest, WhatIsPinchedIsNamedInsteadOfHoldingAllBack) {
  Scene scene;
  scene.add(test::make_sphere(0.5, 12, 16), {0, 0, 0}, 0.5F);
  scene.add(test::make_sphere(0.1, 8, 10), {0.75F, 0, 0}, 0.1F);
  scene.add(test::make_sphere(0.5, 11, 15), {1.5F, 0, 0}, 0.5F);
  scene.add(test::make_sphere(0.5, 16, 24), {0, 5, 0}, 0.5F);  // the body
  const std::vector<Affine3d> motion{shift(0.4, 0, 0), shift(0, 0, 0), shift(-0.4, 0, 0), shift(0, 0.5, 0)};
  const std::vector<char> moved(scene.rest.size(), 0);
  SafeStep safe(scene.mesh(), {.rounds = 1}, context);
  std::vector<Vec3f> x = scene.moved(motion);
  const SafeStepReport report = safe.step(scene.rest, x, motion, moved, context, nullptr, 0, Pinched::refuse);
  ASSERT_TRUE(report.refused);
  for (const auto& pair : safe.blocking()) EXPECT_LT(pair[1], 3U) << "the body pinches nothing";
  EXPECT_FALSE(safe.blocking().empty());

  for (const auto& [a, b] : std::vector<std::array<std::uint32_t, 2>>(safe.blocking().begin(), safe.blocking().end()))
    safe.release(a, b);
  x = scene.moved(motion);
  EXPECT_FALSE(safe.step(scene.rest, x, motion, moved, context, nullptr, 0, Pinched::refuse).refused);
}

TEST_F(SafeStepTest, TheMotionOfTheWholeBodyIsTakenAsItIs) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  const Affine3d turn{to_matrix(axis_angle(normalized(Vec3d{1, 2, 3}), 2.0)), {10, -3, 7}};
  const std::vector<Affine3d> motion{turn, turn};
  const std::vector<Vec3f> wanted = scene.moved(motion);
  std::vector<Vec3f> x = wanted;
  const SafeStepReport report = safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  EXPECT_EQ(x, wanted);
  EXPECT_EQ(report.hits, 0U);
  EXPECT_TRUE(report.certified);
}

TEST_F(SafeStepTest, ASheetFoldedOntoItselfKeepsItsLayersApart) {
  Scene scene;
  scene.add(test::make_grid(20, 6, 1), {0, 0, 0}, 0.1F);
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{Affine3d{}};
  std::vector<Vec3f> last = scene.rest;
  // The half beyond x = 0.5 turns about that line, in steps, until it lies under the other half and beyond.
  for (int step = 1; step <= 24; ++step) {
    const double angle = step * 8.0 * kPi / 180;
    std::vector<Vec3f> x = scene.rest;
    for (Vec3f& p : x)
      if (p.x > 0.5F) {
        const double r = p.x - 0.5;
        p.x = static_cast<float>(0.5 + r * std::cos(angle));
        p.y = static_cast<float>(r * std::sin(angle));
      }
    const SafeStepReport report = safe.step(last, x, motion, std::vector<char>(x.size(), 1), context);
    ASSERT_EQ(scene.intersections(x, context), 0U) << "step " << step;
    ASSERT_TRUE(report.certified);
    last = x;
  }
}

// Skin that rides along with its part and is pushed may meet the part's other skin: that pair must be looked for too.
void expect_no_intersections_of_random_proposals(unsigned first_seed, unsigned last_seed, const Context& context) {
  const Scene scene = two_spheres();
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    SafeStep safe(scene.mesh(), {}, context);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<Vec3f> last = scene.rest;
    for (int step = 0; step < 12; ++step) {
      const std::vector<Affine3d> motion{
          Affine3d{to_matrix(axis_angle(Vec3d{0, 0, 1}, 0.1 * unit(random))), {0.1 * unit(random), 0, 0}},
          Affine3d{to_matrix(axis_angle(Vec3d{0, 1, 0}, 0.1 * unit(random))), {0.2 * unit(random), 0, 0}}};
      std::vector<Vec3f> x;
      for (std::size_t v = 0; v < last.size(); ++v) {
        x.push_back(static_cast<Vec3f>(transform_point(motion[scene.part[v]], static_cast<Vec3d>(last[v]))));
        if (v % 3 == 0) x.back() += Vec3f{unit(random), unit(random), unit(random)} * 0.3F;  // three edges
      }
      const SafeStepReport report = safe.step(last, x, motion, std::vector<char>(x.size(), 0), context);
      ASSERT_TRUE(report.certified);
      ASSERT_EQ(scene.intersections(x, context), 0U) << "seed " << seed << ", step " << step;
      last = x;
    }
  }
}

TEST_F(SafeStepTest, RandomProposalsNeverIntersect) { expect_no_intersections_of_random_proposals(1, 2, context); }

using SafeStepSlow = SafeStepTest;
TEST_F(SafeStepSlow, RandomProposalsNeverIntersect) { expect_no_intersections_of_random_proposals(3, 20, context); }

// Two triangles keep apart only if all their elements do so on one way: at seams, where parts move differently, an
// element must be followed in the frames of all the parts that it borders on.
TEST_F(SafeStepTest, PartsThatSlideAlongTheirSeamsNeverIntersect) {
  Scene scene = two_spheres();
  scene.radius = {0.3F, 0.1F, 0.2F, 0.15F, 0.35F, 0.05F};
  for (std::size_t v = 0; v < scene.rest.size(); ++v)
    scene.part[v] = scene.part[v] * 3 + (scene.rest[v].y < -0.1F ? 0 : scene.rest[v].y < 0.15F ? 1 : 2);
  SafeStep safe(scene.mesh(), {}, context);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3f> last = scene.rest;
  std::vector<Affine3d> before(6);
  for (int step = 0; step < 30; ++step) {
    std::vector<Affine3d> now, motion;
    for (std::size_t p = 0; p < 6; ++p) {
      now.push_back({to_matrix(axis_angle(normalized(Vec3d{unit(random), unit(random), 1}), 0.2 * unit(random))),
                     {p < 3 ? 0.1 : -0.1, 0.1 * unit(random), 0.1 * unit(random)}});
      motion.push_back(now[p] * inverse(before[p]));
    }
    std::vector<Vec3f> x = scene.moved(now);
    const SafeStepReport report = safe.step(last, x, motion, std::vector<char>(x.size(), 0), context);
    ASSERT_TRUE(report.certified);
    ASSERT_EQ(scene.intersections(x, context), 0U) << "step " << step;
    last = x;
    before = now;
  }
}

TEST_F(SafeStepTest, TheResultDoesNotDependOnTheNumberOfThreads) {
  const Scene scene = two_spheres();
  const std::vector<Affine3d> motion{shift(0.15, 0, 0), shift(-0.15, 0.05, 0)};
  std::vector<std::vector<Vec3f>> results;
  for (const int threads : {1, 2, 5}) {
    const Context own(threads);
    SafeStep safe(scene.mesh(), {}, own);
    std::vector<Vec3f> x = scene.moved(motion);
    (void)safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), own);
    results.push_back(x);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_F(SafeStepTest, PiecesThatIntersectAtRestIgnoreEachOtherAndAreReported) {
  Scene scene;
  scene.add(test::make_sphere(0.5, 12, 16), {0, 0, 0}, 0.5F);
  scene.add(test::make_sphere(0.5, 11, 15), {0.8F, 0, 0}, 0.5F);
  std::vector<std::string> warnings;
  context.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  SafeStep safe(scene.mesh(), {}, context);
  EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("intersecting pairs")));
  EXPECT_GT(safe.surface().rest_report().intersecting_pairs, 0U);
  const std::vector<Affine3d> motion{shift(0.1, 0, 0), shift(-0.1, 0, 0)};
  const std::vector<Vec3f> wanted = scene.moved(motion);
  std::vector<Vec3f> x = wanted;
  (void)safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  EXPECT_EQ(x, wanted);
}

TEST_F(SafeStepTest, ReleasedPartsPassAndAreArmedAgainWhenApart) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  safe.release(0, 1);
  const std::vector<Affine3d> in{shift(0.1, 0, 0), shift(-0.1, 0, 0)}, out{shift(-0.1, 0, 0), shift(0.1, 0, 0)};
  std::vector<Vec3f> x = scene.moved(in);
  const std::vector<char> moved(x.size(), 0);
  SafeStepReport report = safe.step(scene.rest, x, in, moved, context);
  EXPECT_EQ(x, scene.moved(in));
  EXPECT_EQ(report.released, 1U);
  EXPECT_TRUE(safe.released(1, 0));
  std::vector<Vec3f> back = scene.rest;
  report = safe.step(x, back, out, moved, context);
  EXPECT_EQ(report.rearmed, 1U);
  EXPECT_FALSE(safe.released(0, 1));
  x = scene.moved(in);
  (void)safe.step(back, x, in, moved, context);
  EXPECT_EQ(scene.intersections(x, context), 0U);
}

TEST_F(SafeStepTest, ProposalsThatAreNotFiniteRideWithTheirPart) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  const std::vector<Affine3d> motion{shift(0, 0.1, 0), shift(0, 0.1, 0)};
  std::vector<Vec3f> x = scene.moved(motion);
  x[5].x = std::numeric_limits<float>::quiet_NaN();
  x[9].z = std::numeric_limits<float>::infinity();
  const SafeStepReport report = safe.step(scene.rest, x, motion, std::vector<char>(x.size(), 0), context);
  EXPECT_EQ(report.nonfinite, 2U);
  for (const Vec3f& p : x) EXPECT_TRUE(is_finite(p));
  EXPECT_EQ(x, scene.moved(motion));
}

TEST_F(SafeStepTest, WrongSizesAreRefusedInOneSentence) {
  const Scene scene = two_spheres();
  SafeStep safe(scene.mesh(), {}, context);
  std::vector<Vec3f> x(3);
  EXPECT_THAT(test::error_of([&] { (void)safe.step(scene.rest, x, {}, {}, context); }),
              testing::HasSubstr("a step takes"));
  ContactMesh bad = scene.mesh();
  bad.parts = 1;
  EXPECT_THAT(test::error_of([&] { SafeStep(bad, {}, context); }), testing::HasSubstr("radii"));
}

TEST_F(SafeStepTest, AnEmptySurfaceIsFine) {
  SafeStep safe(ContactMesh{}, {}, context);
  EXPECT_TRUE(safe.step({}, {}, {}, {}, context).certified);
}

}  // namespace
}  // namespace cutis
