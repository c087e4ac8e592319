#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "character/welded_character.h"
#include "cutis/io.h"
#include "cutis/register.h"
#include "register/register_support.h"
#include "support/support.h"
#include "volume/tetrahedra.h"

namespace cutis {
namespace {

using ::testing::HasSubstr;

double largest_gap(const Character& c, const std::vector<Vec3f>& skin) {
  const std::vector<Vec3f> played = blend_skin(c, sample(c.skeleton, c.clip("scan"), 0));
  double gap = 0;
  for (std::size_t v = 0; v < skin.size(); ++v)
    gap = std::max<double>(gap, distance(static_cast<Vec3d>(skin[v]), static_cast<Vec3d>(played[v])));
  return gap;
}

std::vector<ScanLandmark> landmarks_of(const Character& c, const Pose& pose, const std::vector<std::string>& names) {
  std::vector<ScanLandmark> landmarks;
  const auto world = world_from_joint(c.skeleton, pose);
  for (const std::string& name : names)
    landmarks.push_back({name, world[static_cast<std::size_t>(c.skeleton.find(name))].translation});
  return landmarks;
}

/// Pairs of triangles that meet at rest.
std::size_t pairs_at_rest(const Character& character) {
  const WeldedCharacter welded = weld_character(character);
  std::vector<Vec3d> points;
  for (const Vec3f& p : welded.positions) points.push_back(static_cast<Vec3d>(p));
  return intersecting_pairs(points, welded.topology.triangles);
}

// Its middle is wider than its ends: a tube alone looks the same from both.
Character club() {
  Character tube = test::make_two_bone_tube();
  for (Vec3f& p : tube.meshes[0].positions) {
    const float wide = 0.6F + 0.5F * p.y;
    p.x *= wide;
    p.z *= wide;
  }
  return tube;
}

TEST(Register, FindsABentClubInMillimetresWithZUpAndTheClipStandsAsTheScan) {
  const Context context(2);
  const Character character = club();
  const Pose pose = sample(character.skeleton, character.clip("bend"), 0.6);
  Scan scan = test::scan_of(character, pose, {.noise = 0.002, .unit = 0.001, .z_up = true});
  const ScanFit fit = register_scan(character, scan, {}, {.up = ScanAxis::z, .candidates = 2}, context);
  EXPECT_EQ(fit.unit, 0.001);
  EXPECT_EQ(fit.up, 'z');
  EXPECT_TRUE(fit.good);
  const double size = diagonal(character.bounds());
  EXPECT_LT(fit.to_skin.mean, 0.002 * size);
  EXPECT_LT(fit.to_skin.p95, 0.005 * size);
  EXPECT_GT(fit.covered, 0.9);
  EXPECT_GT(fit.explained, 0.99);
  EXPECT_NEAR(fit.size, 1, 0.1);
  EXPECT_EQ(fit.character.meshes[0].weights.weight, character.meshes[0].weights.weight);
  EXPECT_EQ(fit.character.meshes[0].triangles, character.meshes[0].triangles);
  EXPECT_LT(largest_gap(fit.character, fit.skin), 1e-4 * size);
  validate(fit.character);
  EXPECT_NO_THROW((void)fit.character.clip("bend"));
}

TEST(Register, SeesOneSideAboveAFloor) {
  const Context context(2);
  const Character character = club();
  const Pose pose = sample(character.skeleton, character.clip("bend"), 0.4);
  const Scan scan = test::scan_of(character, pose, {.points = 12000, .noise = 0.002, .one_sided = true, .floor = true});
  const ScanFit fit = register_scan(character, scan, {}, {.up = ScanAxis::y, .candidates = 2}, context);
  EXPECT_EQ(fit.planes, 1U);
  const double size = diagonal(character.bounds());
  EXPECT_LT(fit.to_skin.mean, 0.003 * size);
  EXPECT_GT(fit.covered, 0.3);
  EXPECT_LT(fit.covered, 0.7);
  // What is not seen stays as thick as it was, about.
  const std::vector<Vec3f> truth = blend_skin(character, pose);
  double worst = 0;
  for (std::size_t v = 0; v < truth.size(); ++v) {
    double nearest = 1e300;
    for (const Vec3f& p : fit.skin)
      nearest = std::min<double>(nearest, distance(static_cast<Vec3d>(p), static_cast<Vec3d>(truth[v])));
    worst = std::max(worst, nearest);
  }
  EXPECT_LT(worst, 0.12 * size);
}

TEST(Register, LeavesOutWhatStandsBeside) {
  const Context context(2);
  const Character character = club();
  const Pose pose = sample(character.skeleton, character.clip("bend"), 0.4);
  const Scan scan = test::scan_of(character, pose, {.points = 8000, .noise = 0.002, .stool = true});
  const ScanFit fit = register_scan(character, scan, {}, {.up = ScanAxis::y, .candidates = 2}, context);
  EXPECT_GT(fit.beside_points, 300U);
  EXPECT_GT(fit.explained, 0.99);
  EXPECT_LT(fit.to_skin.mean, 0.002 * diagonal(character.bounds()));
  EXPECT_NEAR(fit.size, 1, 0.1);
}

TEST(Register, HasTheSameBitsForAnyNumberOfThreads) {
  const Character character = club();
  const Scan scan = test::scan_of(character, sample(character.skeleton, character.clip("bend"), 0.5),
                                  {.points = 2500, .noise = 0.002});
  const auto fit = [&](int threads) {
    return register_scan(character, scan, {}, {.up = ScanAxis::y, .points = 1500, .candidates = 1}, Context(threads));
  };
  const ScanFit one = fit(1), three = fit(3);
  EXPECT_EQ(one.skin, three.skin);
  EXPECT_EQ(one.distance, three.distance);
}

TEST(Register, FitsAHandFromPointsAndKeepsItsFingersApart) {
  const Context context(2);
  const Character hand = load_character("builtin:hand", context);
  const Pose pose = sample(hand.skeleton, hand.clip("pinch"), 0.7);
  Character person = hand;  // a thicker hand
  for (Mesh& mesh : person.meshes)
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) mesh.positions[v] += mesh.normals[v] * 0.0015F;
  const Scan scan = test::scan_of(person, pose, {.points = 12000, .noise = 0.0003});
  const ScanFit fit = register_scan(
      hand, scan, landmarks_of(person, pose, {"hand", "thumb_3", "index_3", "middle_3", "ring_3", "pinky_3"}),
      {.points = 8000}, context);
  EXPECT_EQ(fit.planes, 0U);
  EXPECT_LE(pairs_at_rest(fit.character), pairs_at_rest(hand)) << "a thicker hand, with its fingers near each other";
  EXPECT_LT(fit.to_skin.mean, 0.0005);
  EXPECT_LT(fit.to_skin.p95, 0.0012);
  EXPECT_GT(fit.covered, 0.9);
  // Joints are where the person's are: no finger lies on its neighbour's place.
  const auto found = world_from_joint(fit.character.skeleton,
                                      sample(fit.character.skeleton, fit.character.clip("scan"), 0)),
             truth = world_from_joint(person.skeleton, pose);
  for (const char* name : {"thumb_3", "index_3", "middle_3", "ring_3", "pinky_3"}) {
    const auto j = static_cast<std::size_t>(hand.skeleton.find(name));
    EXPECT_LT(distance(found[j].translation, truth[j].translation), 0.006) << name;
  }
}

TEST(Register, SaysWhatItCannotUse) {
  const Context context(1);
  const Character character = club();
  const Scan scan = test::scan_of(character, default_pose(character.skeleton), {.points = 1000});
  const auto error = [&](const Character& c, const Scan& s, const std::vector<ScanLandmark>& landmarks) {
    return test::error_of([&] { (void)register_scan(c, s, landmarks, {.candidates = 1}, context); });
  };
  EXPECT_THAT(error(character, scan, {{"elbow", {}}, {"a", {}}, {"b", {}}}), HasSubstr("elbow"));
  const std::string& joint = character.skeleton.joints[0].name;
  EXPECT_THAT(error(character, scan, {{joint, {}}}), HasSubstr("at least three"));
  EXPECT_THAT(error(character, scan, {{joint, {0, NAN, 0}}}), HasSubstr("finite"));
  Character bare = character;
  bare.meshes[0].weights = {};
  EXPECT_THAT(error(bare, scan, {}), HasSubstr("cutis weights"));
  Scan three = scan;
  three.positions.resize(3);
  EXPECT_THAT(error(character, three, {}), HasSubstr("3 points"));
  EXPECT_THAT(test::error_of([&] { (void)register_scan(character, scan, {}, {.points = 1}, context); }),
              HasSubstr("points"));
}

TEST(Register, RefusesAScanOfSomethingElse) {
  const Context context(2);
  const Character character = club();
  // A large thin plate: a club has nowhere to go.
  Scan scan;
  scan.source = "plate";
  test::Chance chance(4);
  for (int i = 0; i < 3000; ++i) {
    const double side = chance.uniform() < 0.5 ? -0.01 : 0.01;
    scan.positions.push_back(static_cast<Vec3f>(Vec3d{2.5 * chance.uniform(), 2.5 * chance.uniform(), side}));
    scan.normals.push_back({0, 0, side > 0 ? 1.0F : -1.0F});
  }
  RegisterOptions options{.up = ScanAxis::y, .floor = false, .points = 2000, .candidates = 1};
  EXPECT_THAT(test::error_of([&] { (void)register_scan(character, scan, {}, options, context); }),
              HasSubstr("does not fit"));
  options.anyway = true;
  const ScanFit fit = register_scan(character, scan, {}, options, context);
  EXPECT_FALSE(fit.good);
  EXPECT_THAT(fit.fault, HasSubstr("does not fit"));
}

TEST(Register, StopsWhenItIsCancelled) {
  const Character character = club();
  const Scan scan = test::scan_of(character, default_pose(character.skeleton), {.points = 1500});
  int asked = 0;
  Context context(1);
  context.is_cancelled = [&] { return ++asked > 400; };
  EXPECT_THAT(test::error_of([&] { (void)register_scan(character, scan, {}, {}, context); }), HasSubstr("cancel"));
}

TEST(LoadScan, ReadsCloudsAndLeavesOutWhatIsNotFinite) {
  const test::TemporaryFolder folder;
  Context context(1);
  std::string warning;
  context.on_warning = [&](std::string_view text) { warning = text; };
  std::ofstream(folder.file("cloud.ply"))
      << "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n0 0 0\nnan 1 1\n1 2 3\n";
  const Scan ply = load_scan(folder.file("cloud.ply"), context);
  EXPECT_EQ(ply.positions.size(), 2U);
  EXPECT_EQ(ply.left_out, 1U);
  EXPECT_THAT(warning, HasSubstr("1 points"));
  std::ofstream(folder.file("cloud.obj")) << "v 0 0 0\nv 1 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n";
  const Scan obj = load_scan(folder.file("cloud.obj"), context);
  EXPECT_EQ(obj.positions.size(), 3U);
  ASSERT_EQ(obj.triangles.size(), 1U);
  EXPECT_EQ(obj.triangles[0], (Triangle{0, 1, 2}));
  std::ofstream(folder.file("none.obj")) << "# nothing\n";
  EXPECT_THAT(test::error_of([&] { (void)load_scan(folder.file("none.obj"), context); }), HasSubstr("no vertices"));
  // Characters still have to be whole.
  EXPECT_THAT(test::error_of([&] { (void)load_character(folder.file("cloud.obj"), context); }), HasSubstr("finite"));
}

TEST(Landmarks, AreReadWithTheirPlaces) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("p.json")) << R"({"hand_l": [1, 2.5, 3], "head:end": [0, 0, 0]})";
  const std::vector<ScanLandmark> landmarks = load_landmarks(folder.file("p.json"));
  ASSERT_EQ(landmarks.size(), 2U);
  EXPECT_EQ(landmarks[0].name, "hand_l");
  EXPECT_EQ(landmarks[0].position, (Vec3d{1, 2.5, 3}));
  std::ofstream(folder.file("bad.json")) << R"({"hand_l": [1, 2]})";
  EXPECT_THAT(test::error_of([&] { (void)load_landmarks(folder.file("bad.json")); }), HasSubstr("hand_l"));
}

// ---- other people's bodies, other poses; numbers of the task: 3 mm and 8 mm on 1.7 m ----

struct Case {
  const char *character, *person, *clip;
  double time;
  test::ScanMaking making;
  std::size_t more_pairs = 0;  // than the character has at rest
};

void expect_fit(const Case& c, double mean_mm, double p95_mm) {
  const Context context(2);
  const auto load = [&](const std::string& name) {
    return load_character(name.starts_with("builtin:") ? name : (test::shared_data() / name).string(), context);
  };
  const Character character = load(c.character), person = load(c.person);
  const Scan scan = test::scan_of(person, sample(person.skeleton, person.clip(c.clip), c.time), c.making);
  const ScanFit fit = register_scan(character, scan, {}, {}, context);
  EXPECT_LT(1000 * fit.to_skin.mean, mean_mm) << c.person << " " << c.clip;
  EXPECT_LT(1000 * fit.to_skin.p95, p95_mm) << c.person << " " << c.clip;
  EXPECT_GT(fit.explained, 0.98) << c.person << " " << c.clip;
  EXPECT_GT(fit.covered, c.making.one_sided ? 0.3 : 0.9) << c.person << " " << c.clip;
  EXPECT_LE(pairs_at_rest(fit.character), pairs_at_rest(character) + c.more_pairs) << c.person << " " << c.clip;
}

TEST(RegisterSlow, FitsBodiesOfOthers) {
  CUTIS_NEEDS_SHARED_DATA();
  const char* male = "makehuman_male/makehuman_male.glb";
  expect_fit({male, "builtin:human", "walk", 0.4, {.points = 40000, .noise = 0.001}}, 3, 8);
  expect_fit({"builtin:human",
              male,
              "cmu_02_01_walk",
              1.0,
              {.points = 40000, .noise = 0.002, .one_sided = true, .floor = true}},
             3, 8);
  expect_fit({"builtin:human",
              male,
              "arm_l_raise_overhead",
              1.5,
              {.points = 40000, .noise = 0.001, .unit = 0.001, .z_up = true}},
             3, 8);
}

TEST(RegisterSlow, FitsClothedPeopleAndCartoonsAndClothedCharacters) {
  CUTIS_NEEDS_SHARED_DATA();
  const char *male = "makehuman_male/makehuman_male.glb", *clothed = "avatars/rocketbox_male.glb",
             *cartoon = "cesium_man/cesium_man.glb";
  expect_fit({"builtin:human", clothed, "crouch_in", 1.0, {.points = 40000, .noise = 0.001}}, 3, 8);
  // A drum for a head; what it does to a mouth passes through itself.
  expect_fit({male, cartoon, "animation_0", 0.5, {.points = 40000, .noise = 0.001}, 300}, 3, 8);
  // Of the poses that compete, one has the chest in the head; fitted to the end it is the worse one.
  expect_fit({"builtin:human", cartoon, "animation_0", 0.5, {.points = 40000, .noise = 0.001}}, 3, 8);
  // 2,300 vertices: the scan bulges between them.
  expect_fit({cartoon, male, "cmu_02_01_walk", 1.0, {.points = 40000, .noise = 0.001}}, 3, 8);
  // Trousers and a collar that stay ones; hair of cards meets itself in the file, 580 times.
  expect_fit({clothed, "builtin:human", "walk", 0.4, {.points = 40000, .noise = 0.001}}, 3, 8);
}

TEST(RegisterSlow, FindsThePersonAmongFurniture) {
  CUTIS_NEEDS_SHARED_DATA();
  const char* male = "makehuman_male/makehuman_male.glb";
  expect_fit({male, "builtin:human", "walk", 0.2, {.points = 40000, .noise = 0.001, .stool = true}}, 3, 8);
  expect_fit({"builtin:human",
              male,
              "cmu_02_01_walk",
              2.0,
              {.points = 40000, .noise = 0.001, .floor = true, .wall = true, .table = true, .z_up = true}},
             3, 8);
}

TEST(RegisterSlow, FitsHandsOfOthers) {
  CUTIS_NEEDS_SHARED_DATA();
  const char* hand = "hand_webxr/hand_left_poses.glb";
  expect_fit({"builtin:hand", hand, "index_curl", 1.5, {.points = 40000, .noise = 0.0002}}, 0.4, 1);
  expect_fit({"builtin:hand", hand, "fist", 1.1, {.points = 40000, .noise = 0.0002}}, 0.4, 1);
}

}  // namespace
}  // namespace cutis
