#include "io/retarget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/readers.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using ::testing::HasSubstr;

struct Stick {
  const char* name;
  int parent;
  Vec3d place;
};

/// Joints at given places, each with a frame of its own turned away from the axes.
Character make_figure(const std::vector<Stick>& sticks) {
  Character c;
  c.source = "figure";
  std::vector<Affine3d> world;
  for (std::size_t i = 0; i < sticks.size(); ++i) {
    const Quatd turn =
        axis_angle(normalized(Vec3d{1, 0.3 * static_cast<double>(i), 0.5}), 0.7 + static_cast<double>(i));
    Joint joint;
    joint.name = sticks[i].name;
    joint.parent = sticks[i].parent;
    joint.is_bone = true;
    joint.world_from_rest = {to_matrix(turn), sticks[i].place};
    const Affine3d parent = joint.parent < 0 ? Affine3d{} : world[static_cast<std::size_t>(joint.parent)];
    const Affine3d local = inverse(parent) * joint.world_from_rest;
    joint.local.translation = local.translation;
    joint.local.rotation = to_quaternion(local.linear);
    world.push_back(joint.world_from_rest);
    c.skeleton.joints.push_back(joint);
  }
  Mesh mesh;  // the ground is where the lowest vertex is
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  c.meshes.push_back(mesh);
  return c;
}

/// In A-pose, two metres of legs and arms of other proportions than the motion's.
Character make_person() {
  return make_figure({{"Root", -1, {0, 0, 0}},
                      {"pelvis", 0, {0, 1.0, 0}},
                      {"thigh_l", 1, {0.1, 0.95, 0}},
                      {"calf_l", 2, {0.12, 0.5, 0.02}},
                      {"foot_l", 3, {0.14, 0.08, 0}},
                      {"thigh_r", 1, {-0.1, 0.95, 0}},
                      {"calf_r", 5, {-0.12, 0.5, 0.02}},
                      {"foot_r", 6, {-0.14, 0.08, 0}},
                      {"spine_01", 1, {0, 1.1, -0.02}},
                      {"spine_02", 8, {0, 1.25, 0}},
                      {"neck_01", 9, {0, 1.5, 0}},
                      {"head", 10, {0, 1.6, 0.03}},
                      {"upperarm_l", 9, {0.2, 1.4, 0}},
                      {"lowerarm_l", 12, {0.4, 1.2, 0}},
                      {"hand_l", 13, {0.55, 1.0, 0.05}},
                      {"upperarm_r", 9, {-0.2, 1.4, 0}},
                      {"lowerarm_r", 15, {-0.4, 1.2, 0}},
                      {"hand_r", 16, {-0.55, 1.0, 0.05}}});
}

/// A T-pose of ten units with legs of 8; `frames` as BVH lines of 3 + 3 per joint values.
const std::string kPersonBvh = R"(HIERARCHY
ROOT Hips
{ OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg
  { OFFSET 1 -1 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftLeg
    { OFFSET 0 -4 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT LeftFoot
      { OFFSET 0 -4 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site
        { OFFSET 0 0 1 } } } }
  JOINT RightUpLeg
  { OFFSET -1 -1 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightLeg
    { OFFSET 0 -4 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT RightFoot
      { OFFSET 0 -4 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site
        { OFFSET 0 0 1 } } } }
  JOINT Spine
  { OFFSET 0 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Spine1
    { OFFSET 0 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT Neck
      { OFFSET 0 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT Head
        { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site
          { OFFSET 0 1 0 } } }
      JOINT LeftArm
      { OFFSET 2 1 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT LeftForeArm
        { OFFSET 3 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
          JOINT LeftHand
          { OFFSET 3 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site
            { OFFSET 1 0 0 } } } }
      JOINT RightArm
      { OFFSET -2 1 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT RightForeArm
        { OFFSET -3 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
          JOINT RightHand
          { OFFSET -3 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site
            { OFFSET -1 0 0 } } } } } } }
MOTION
)";
constexpr int kPersonJoints = 17;

/// Frame lines: standing still, with what `edit` puts into the values of each frame.
BvhMotion person_motion(int frames, const std::function<void(int, std::vector<double>&)>& edit) {
  std::string text = kPersonBvh + "Frames: " + std::to_string(frames) + "\nFrame Time: 0.1\n";
  for (int f = 0; f < frames; ++f) {
    std::vector<double> values(3 + 3 * kPersonJoints, 0.0);
    values[1] = 9.5;
    edit(f, values);
    for (const double v : values) text += std::to_string(v) + " ";
    text += "\n";
  }
  return read_bvh_memory(text, "person.bvh", Context(1));
}
/// Some lively motion of all joints.
BvhMotion lively_motion() {
  return person_motion(12, [](int f, std::vector<double>& v) {
    for (std::size_t i = 3; i < v.size(); ++i) v[i] = 40 * std::sin(0.7 * f + 1.3 * static_cast<double>(i));
    v[0] = f;
  });
}

/// The largest angle, in degrees, between a bone of the character and the motion's, over all frames.
double worst_angle(const Character& c, const BvhMotion& motion, const Clip& clip, const RetargetReport& report) {
  double worst = 0;
  for (std::size_t f = 0; f < motion.frames; ++f) {
    const auto world =
        world_from_joint(c.skeleton, sample(c.skeleton, clip, static_cast<double>(f) * motion.frame_time));
    const BvhMotion::Pose pose = motion.pose(f);
    for (const RetargetReport::Item& item : report.items) {
      if (item.turning != Turning::aims || item.targets.empty()) continue;
      Vec3d ours, theirs;
      const auto n = static_cast<double>(item.targets.size());
      for (const int t : item.targets) ours += world[static_cast<std::size_t>(t)].translation / n;
      for (const int t : item.motion_targets) theirs += pose.position[static_cast<std::size_t>(t)] / n;
      ours -= world[static_cast<std::size_t>(item.joint)].translation;
      theirs -= pose.position[static_cast<std::size_t>(item.motion_joint)];
      theirs = rotate(report.scene_from_motion, theirs);
      worst = std::max(worst, std::acos(std::clamp(dot(normalized(ours), normalized(theirs)), -1.0, 1.0)) * 180 / kPi);
    }
  }
  return worst;
}
int aiming(const RetargetReport& report) {
  int n = 0;
  for (const auto& item : report.items) n += item.turning == Turning::aims && !item.targets.empty() ? 1 : 0;
  return n;
}

TEST(Retarget, PointsBonesWhereTheMotionsBonesPoint) {
  const Character c = make_person();
  const BvhMotion motion = lively_motion();
  RetargetReport report;
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "lively", Context(1), &report);
  EXPECT_EQ(report.items.size(), 17U);
  EXPECT_EQ(aiming(report), 11);  // both bones of four limbs, two of the spine, the neck
  EXPECT_EQ(report.reference_frame, -1);
  EXPECT_LT(worst_angle(c, motion, clip, report), 0.01);
  EXPECT_EQ(clip.name, "lively");
  EXPECT_EQ(clip.channels.size(), 18U);
  EXPECT_NEAR(clip.end(), 1.1, 1e-6);
}

TEST(Retarget, KeepsTheRestPoseUpToLimbDirectionsWhenTheMotionStandsStill) {
  const Character c = make_person();
  const BvhMotion motion = person_motion(2, [](int, auto&) {});
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "still", Context(1));
  const auto world = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0));
  // Hips and head as they were: both skeletons look along +Z.
  for (const char* name : {"pelvis", "head"}) {
    const auto j = static_cast<std::size_t>(c.skeleton.find(name));
    EXPECT_LT(frobenius(world[j].linear + c.skeleton.joints[j].world_from_rest.linear * -1.0), 1e-5) << name;
  }
  // Straight legs of the character's own length over feet that stand where they stood.
  const auto foot = static_cast<std::size_t>(c.skeleton.find("foot_l"));
  EXPECT_NEAR(world[foot].translation.y, 0.08, 1e-5);
}

TEST(Retarget, ScalesThePathByTheLegsAndStartsAtTheCharactersPlace) {
  const Character c = make_person();
  const BvhMotion motion = person_motion(5, [](int f, std::vector<double>& v) {
    v[0] = 100 + f;  // far from the origin
    v[1] = 9.5 + (f == 4 ? 2 : 0);
  });
  RetargetReport report;
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "walk", Context(1), &report);
  const double leg =
      distance(Vec3d{0.1, 0.95, 0}, Vec3d{0.12, 0.5, 0.02}) + distance(Vec3d{0.12, 0.5, 0.02}, Vec3d{0.14, 0.08, 0});
  EXPECT_NEAR(report.scale, leg / 8, 1e-9);
  const auto pelvis = static_cast<std::size_t>(c.skeleton.find("pelvis"));
  const auto at = [&](int f) {
    return world_from_joint(c.skeleton, sample(c.skeleton, clip, 0.1 * f))[pelvis].translation;
  };
  EXPECT_NEAR(at(0).x, 0, 1e-6);
  EXPECT_NEAR(at(3).x, 3 * report.scale, 1e-5);
  EXPECT_NEAR(at(4).y - at(3).y, 2 * report.scale, 1e-5);
}

TEST(Retarget, TransfersTwistAboutTheBone) {
  const Character c = make_person();
  const BvhMotion motion = person_motion(2, [](int f, std::vector<double>& v) {
    // LeftForeArm is joint 12: its x rotation is about its own bone in the T-pose.
    if (f == 1) v[3 + 3 * 12 + 1] = 60;
  });
  ASSERT_EQ(motion.joints[12].name, "LeftForeArm");
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "twist", Context(1));
  const auto j = static_cast<std::size_t>(c.skeleton.find("lowerarm_l"));
  const auto before = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0))[j].linear;
  const auto after = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0.1))[j].linear;
  const Quatd change = to_quaternion(after * transpose(before));
  EXPECT_NEAR(2 * std::acos(std::abs(change.w)) * 180 / kPi, 60, 0.01);
  EXPECT_NEAR(std::abs(normalized(Vec3d{change.x, change.y, change.z}).x), 1, 1e-5);
}

TEST(Retarget, TurnsACharacterThatFacesElsewhere) {
  // The same person, resting with its face along -Z.
  Character c = make_person();
  const Affine3d half_turn{to_matrix(axis_angle(Vec3d{0, 1, 0}, kPi)), {}};
  for (Joint& j : c.skeleton.joints) j.world_from_rest = half_turn * j.world_from_rest;
  const Affine3d root = half_turn * to_affine(c.skeleton.joints[0].local);
  c.skeleton.joints[0].local.rotation = to_quaternion(root.linear);
  const BvhMotion motion = lively_motion();
  RetargetReport report;
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "lively", Context(1), &report);
  EXPECT_LT(worst_angle(c, motion, clip, report), 0.01);

  const Character other = make_person();
  const Clip straight = retarget(other, motion, map_joints(other.skeleton, motion), "lively", Context(1));
  for (const char* name : {"hand_l", "lowerarm_r", "head"}) {
    const auto j = static_cast<std::size_t>(c.skeleton.find(name));
    const Mat3d a = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0.4))[j].linear;
    const Mat3d b = world_from_joint(other.skeleton, sample(other.skeleton, straight, 0.4))[j].linear;
    EXPECT_LT(frobenius(a + b * -1.0), 1e-4) << name;
  }
}

TEST(Retarget, FindsAReferenceAmongTheFramesWhenTheOffsetsDrawNoBody) {
  // All offsets along x; the frames stand up by rotations.
  std::string text = kPersonBvh;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("OFFSET 0 -4 0", "OFFSET 4 0 0");
  replace("OFFSET 0 2 0", "OFFSET 2 0 0");
  replace("OFFSET -3 0 0", "OFFSET 3 0 0");
  text += "Frames: 2\nFrame Time: 0.1\n";
  std::vector<double> v(3 + 3 * kPersonJoints, 0.0);
  v[1] = 9.5;
  v[3 + 3 * 1] = v[3 + 3 * 4] = -90;  // thighs down
  v[3 + 3 * 7] = 90;                  // spine up, what hangs on it turns back
  v[3 + 3 * 9] = v[3 + 3 * 11] = -90;
  v[3 + 3 * 14] = 90;
  for (int f = 0; f < 2; ++f) {
    for (const double x : v) text += std::to_string(x) + " ";
    text += "\n";
  }
  const BvhMotion motion = read_bvh_memory(text, "flat.bvh", Context(1));
  const Character c = make_person();
  RetargetReport report;
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "flat", Context(1), &report);
  EXPECT_GE(report.reference_frame, 0);
  EXPECT_LT(worst_angle(c, motion, clip, report), 0.01);
}

TEST(Retarget, TurnsMotionsThatAreZUp) {
  std::string text = kPersonBvh + "Frames: 1\nFrame Time: 0.1\n";
  std::string turned;  // every offset (x, y, z) becomes (x, -z, y)
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 7, "OFFSET ") != 0) {
      turned += text[at++];
      continue;
    }
    double x = 0, y = 0, z = 0;
    int used = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + at, "OFFSET %lf %lf %lf%n", &x, &y, &z, &used), 3);
    turned += "OFFSET " + std::to_string(x) + " " + std::to_string(-z) + " " + std::to_string(y);
    at += static_cast<std::size_t>(used);
  }
  turned += "0 0 9.5 ";
  for (int i = 0; i < 3 * kPersonJoints; ++i) turned += "0 ";
  const BvhMotion motion = read_bvh_memory(turned, "zup.bvh", Context(1));
  const Character c = make_person();
  const Clip clip = retarget(c, motion, map_joints(c.skeleton, motion), "zup", Context(1));
  const auto world = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0));
  EXPECT_GT(world[static_cast<std::size_t>(c.skeleton.find("head"))].translation.y, 1.4);
}

TEST(Retarget, RefusesPlacesOutOfAllProportion) {
  const Character c = make_person();
  BvhMotion motion = person_motion(2, [](int, auto&) {});
  motion.values[motion.channels] = 1e29;
  for (BvhJoint& joint : motion.joints) joint.offset *= 1e-12;
  EXPECT_THAT(error_of([&] { (void)retarget(c, motion, map_joints(c.skeleton, motion), "far", Context(1)); }),
              HasSubstr("'Hips' in frame 1"));
}

TEST(Retarget, BringsTheCmuMotionsOntoTheMakeHumanBody) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const Character body = read_gltf((test::shared_data() / "makehuman_male/makehuman_male.glb").string(), context, {});
  for (const char* file : {"02_01_walk.bvh", "13_29_twists_squats_30fps.bvh", "49_07_cartwheel.bvh"}) {
    SCOPED_TRACE(file);
    const BvhMotion motion = read_bvh((test::shared_data() / "motion_bvh_cmu" / file).string(), context);
    RetargetReport report;
    const Clip clip = retarget(body, motion, map_joints(body.skeleton, motion), "cmu", context, &report);
    EXPECT_EQ(report.items.size(), 22U);
    EXPECT_EQ(aiming(report), 14);
    EXPECT_EQ(report.reference_frame, -1);
    EXPECT_LT(worst_angle(body, motion, clip, report), 0.1);
    EXPECT_NEAR(report.scale, 0.056, 0.004);  // a unit is about 5.6 cm

    // Frame 0 is a T-pose that does not belong to the motion.
    std::vector<double> lowest, hips;
    const auto pelvis = static_cast<std::size_t>(body.skeleton.find("pelvis"));
    for (std::size_t f = 1; f < motion.frames; ++f) {
      const auto world =
          world_from_joint(body.skeleton, sample(body.skeleton, clip, static_cast<double>(f) * motion.frame_time));
      double low = 1e300;
      for (const char* name : {"foot_l", "foot_r", "ball_l", "ball_r"}) {
        const auto j = static_cast<std::size_t>(body.skeleton.find(name));
        low = std::min(low, world[j].translation.y - body.skeleton.joints[j].world_from_rest.translation.y);
      }
      lowest.push_back(low);
      hips.push_back(world[pelvis].translation.y);
    }
    std::sort(lowest.begin(), lowest.end());
    EXPECT_GT(lowest.front(), -0.03);                      // feet do not sink in
    EXPECT_LT(std::abs(lowest[lowest.size() / 4]), 0.02);  // and stand on the ground
    EXPECT_LT(*std::max_element(hips.begin(), hips.end()), 1.2);
    if (std::string(file) == "02_01_walk.bvh") {
      EXPECT_LT(lowest.back(), 0.08);  // one foot is always down
      EXPECT_GT(*std::min_element(hips.begin(), hips.end()), 0.85);
    }
  }
}

TEST(LoadMotion, FollowsAMapFile) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("m.bvh"))
      << "HIERARCHY\nROOT a { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT b { "
         "OFFSET 0 1 0 CHANNELS 1 Zrotation End Site { OFFSET 0 1 0 } } }\nMOTION\nFrames: 2\n"
         "Frame Time: 1\n0 0 0 0\n90 0 0 0\n";
  std::ofstream(folder.file("map.json")) << R"({"lower": "a", "upper": "b"})";
  const Character tube = test::make_two_bone_tube();
  const Clip clip = load_motion(folder.file("m.bvh"), tube, Context(1), {folder.file("map.json")});
  EXPECT_EQ(clip.name, "m");
  const auto world = world_from_joint(tube.skeleton, sample(tube.skeleton, clip, 1));
  const Vec3d bone = world[1].translation - world[0].translation;
  EXPECT_NEAR(bone.x, -1, 1e-6);

  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("m.bvh"), tube, Context(1)); }), HasSubstr("--bvh-map"));
  std::ofstream(folder.file("bad.json")) << R"({"lower": "z"})";
  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("m.bvh"), tube, Context(1), {folder.file("bad.json")}); }),
              HasSubstr("no joint 'z'"));
  std::ofstream(folder.file("bad2.json")) << R"({"middle": "a"})";
  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("m.bvh"), tube, Context(1), {folder.file("bad2.json")}); }),
              HasSubstr("no joint 'middle'"));
  std::ofstream(folder.file("bad3.json")) << "[1, 2";
  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("m.bvh"), tube, Context(1), {folder.file("bad3.json")}); }),
              HasSubstr("JSON"));
}

TEST(LoadMotion, RefusesOtherExtensionsAndCharactersWithoutSkeleton) {
  EXPECT_THAT(error_of([&] { (void)load_motion("walk.c3d", test::make_two_bone_tube(), Context(1)); }),
              HasSubstr(".bvh"));
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("m.bvh")) << "HIERARCHY\nROOT a { OFFSET 0 0 0 CHANNELS 1 Zrotation }\nMOTION\nFrames: 1\n"
                                         "Frame Time: 1\n0\n";
  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("m.bvh"), Character{}, Context(1)); }),
              HasSubstr("no skeleton"));
}

TEST(LoadMotion, RefusesMoreFramesThanAMotionOfItsSizeCanMean) {
  const test::TemporaryFolder folder;
  std::string bvh = "HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 30000\nFrame Time: 0.1\n";
  for (int i = 0; i < 30000; ++i) bvh += "1\n";
  std::ofstream(folder.file("long.bvh")) << bvh;
  const Character many = make_figure(std::vector<Stick>(200, {"a", -1, {0, 1, 0}}));
  EXPECT_THAT(error_of([&] { (void)load_motion(folder.file("long.bvh"), many, Context(1)); }),
              HasSubstr("30000 frames of 1 channels"));
}

}  // namespace
}  // namespace cutis
