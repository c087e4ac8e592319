#include "io/retarget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/gltf_samples.h"
#include "io/motion_samples.h"
#include "io/readers.h"
#include "io/vrma_read.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::make_figure;
using test::make_person;
using test::Stick;
using ::testing::HasSubstr;

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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "lively", Context(1), &report);
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "still", Context(1));
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "walk", Context(1), &report);
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "twist", Context(1));
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "lively", Context(1), &report);
  EXPECT_LT(worst_angle(c, motion, clip, report), 0.01);

  const Character other = make_person();
  const Clip straight = retarget(other, motion, map_joints(other, motion), "lively", Context(1));
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "flat", Context(1), &report);
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
  const Clip clip = retarget(c, motion, map_joints(c, motion), "zup", Context(1));
  const auto world = world_from_joint(c.skeleton, sample(c.skeleton, clip, 0));
  EXPECT_GT(world[static_cast<std::size_t>(c.skeleton.find("head"))].translation.y, 1.4);
}

/// The person with toes: feet slope as they do where ankles are high.
Character make_person_with_toes(double slope_degrees) {
  const Character person = make_person();
  std::vector<Stick> sticks;
  for (const Joint& j : person.skeleton.joints)
    sticks.push_back({j.name.c_str(), j.parent, j.world_from_rest.translation});
  const double a = slope_degrees * kPi / 180;
  sticks.push_back({"ball_l", 4, sticks[4].place + Vec3d{0.02, -0.15 * std::sin(a), 0.15 * std::cos(a)}});
  sticks.push_back({"ball_r", 7, sticks[7].place + Vec3d{-0.02, -0.15 * std::sin(a), 0.15 * std::cos(a)}});
  return make_figure(sticks);
}

TEST(Retarget, KeepsSolesFlatHoweverHighTheAnklesAre) {
  // The motion's feet slope by 14 degrees, the character's by 40; both stand.
  std::string text = kPersonBvh;
  for (std::size_t at = text.find("End Site\n        { OFFSET 0 0 1 }"); at != std::string::npos;
       at = text.find("End Site\n        { OFFSET 0 0 1 }", at))
    text.replace(at, 33,
                 std::string("JOINT ") + (text.find("RightFoot") < at ? "RightToeBase" : "LeftToeBase") +
                     " { OFFSET 0 -0.25 1 CHANNELS 3 Zrotation Xrotation Yrotation }");
  text += "Frames: 2\nFrame Time: 0.1\n";
  for (const double pitch : {0.0, 30.0}) {
    std::vector<double> v(3 + 3 * (kPersonJoints + 2), 0.0);
    v[1] = 9.5;
    v[3 + 3 * 3 + 1] = pitch;  // the left foot about x
    for (const double x : v) text += std::to_string(x) + " ";
    text += "\n";
  }
  const BvhMotion motion = read_bvh_memory(text, "feet.bvh", Context(1));
  ASSERT_EQ(motion.joints[3].name, "LeftFoot");
  const Character c = make_person_with_toes(40);
  const Clip clip = retarget(c, motion, map_joints(c, motion), "feet", Context(1));
  const auto turn = [&](const char* name, double t) {
    const auto j = static_cast<std::size_t>(c.skeleton.find(name));
    const Mat3d now = world_from_joint(c.skeleton, sample(c.skeleton, clip, t))[j].linear;
    return to_quaternion(now * transpose(c.skeleton.joints[j].world_from_rest.linear));
  };
  for (const char* name : {"foot_l", "foot_r", "ball_l", "ball_r"}) {
    const Vec3d sole = rotate(turn(name, 0), Vec3d{0, 1, 0});
    EXPECT_GT(sole.y, 1 - 1e-6) << name;
  }
  const Vec3d raised = rotate(turn("foot_l", 0.1), Vec3d{0, 1, 0});
  EXPECT_NEAR(std::acos(raised.y) * 180 / kPi, 30, 0.1);

  // Feet that point down at rest do not stand: they go by their bones.
  const Character dancer = make_person_with_toes(85);
  RetargetReport report;
  const Clip dance = retarget(dancer, motion, map_joints(dancer, motion), "feet", Context(1), &report);
  EXPECT_LT(worst_angle(dancer, motion, dance, report), 0.01);
  EXPECT_EQ(aiming(report), 13);
}

TEST(Retarget, DoesNotPullArmsOutOfShouldersThatAreOnLongCollars) {
  std::string text = kPersonBvh;  // collars that are limbs, turned by 80 degrees
  const std::string arm = "JOINT LeftArm\n      { OFFSET 2 1 0";
  text.replace(
      text.find(arm), arm.size(),
      "JOINT LeftShoulder\n { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT LeftArm { OFFSET 2 0 0");
  const std::string end = "{ OFFSET 1 0 0 } } } }";
  text.replace(text.find(end), end.size(), end + " }");
  text += "Frames: 2\nFrame Time: 0.1\n";
  for (const double turn : {0.0, -80.0}) {
    std::vector<double> v(3 + 3 * (kPersonJoints + 1), 0.0);
    v[1] = 9.5;
    v[3 + 3 * 11] = turn;
    for (const double x : v) text += std::to_string(x) + " ";
    text += "\n";
  }
  const BvhMotion motion = read_bvh_memory(text, "collar.bvh", Context(1));
  ASSERT_EQ(motion.joints[11].name, "LeftShoulder");
  const Character person = make_person();
  std::vector<Stick> sticks;
  for (std::size_t j = 0; j < 12; ++j)
    sticks.push_back({person.skeleton.joints[j].name.c_str(), person.skeleton.joints[j].parent,
                      person.skeleton.joints[j].world_from_rest.translation});
  for (const Stick& stick : {Stick{"clavicle_l", 9, {0.03, 1.42, 0}}, Stick{"upperarm_l", 12, {0.2, 1.4, 0}},
                             Stick{"lowerarm_l", 13, {0.4, 1.2, 0}}, Stick{"hand_l", 14, {0.55, 1.0, 0.05}},
                             Stick{"upperarm_r", 9, {-0.2, 1.4, 0}}, Stick{"lowerarm_r", 16, {-0.4, 1.2, 0}},
                             Stick{"hand_r", 17, {-0.55, 1.0, 0.05}}})
    sticks.push_back(stick);
  const Character c = make_figure(sticks);
  const Clip clip = retarget(c, motion, map_joints(c, motion), "collar", Context(1));
  const auto world = [&](double t) { return world_from_joint(c.skeleton, sample(c.skeleton, clip, t)); };
  const Quatd by = to_quaternion(world(0.1)[12].linear * transpose(world(0)[12].linear));
  EXPECT_NEAR(2 * std::acos(std::abs(by.w)) * 180 / kPi, 35, 0.5);
  const Vec3d arm_now = normalized(world(0.1)[14].translation - world(0.1)[13].translation);
  EXPECT_NEAR(arm_now.y, -std::sin(80 * kPi / 180), 1e-3);  // it points where the motion's does all the same
}

TEST(Retarget, RefusesPlacesOutOfAllProportion) {
  const Character c = make_person();
  BvhMotion motion = person_motion(2, [](int, auto&) {});
  motion.values[motion.channels] = 1e29;
  for (BvhJoint& joint : motion.joints) joint.offset *= 1e-12;
  EXPECT_THAT(error_of([&] { (void)retarget(c, motion, map_joints(c, motion), "far", Context(1)); }),
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
    const Clip clip = retarget(body, motion, map_joints(body, motion), "cmu", context, &report);
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

// ---- rigs whose joints do not hang as bodies do ----

/// Weights that give each of the joints a vertex of its own.
void give_skin(Character& c, const std::vector<const char*>& joints) {
  Mesh& mesh = c.meshes[0];
  mesh.positions.assign(joints.size(), {0, 0, 0});
  mesh.weights.row_begin = {0};
  for (const char* name : joints) {
    mesh.weights.joint.push_back(static_cast<std::uint32_t>(c.skeleton.find(name)));
    mesh.weights.weight.push_back(1);
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
}
/// The place of joint `b` in the frame of joint `a`, by the time.
Vec3d place_of(const Character& c, const Clip& clip, const char* a, const char* b, double time) {
  const auto world = world_from_joint(c.skeleton, sample(c.skeleton, clip, time));
  return transform_point(inverse(world[static_cast<std::size_t>(c.skeleton.find(a))]),
                         world[static_cast<std::size_t>(c.skeleton.find(b))].translation);
}
/// The person with joint `child` hung on joint `parent`, at its place.
void hang(Character& c, const char* child, const char* parent) {
  Joint& joint = c.skeleton.joints[static_cast<std::size_t>(c.skeleton.find(child))];
  joint.parent = c.skeleton.find(parent);
  const Joint& above = c.skeleton.joints[static_cast<std::size_t>(joint.parent)];
  const Affine3d local = inverse(above.world_from_rest) * joint.world_from_rest;
  joint.local.translation = local.translation;
  joint.local.rotation = to_quaternion(local.linear);
}

TEST(Retarget, CarriesFeetAndLegsThatHangOnTheRoot) {
  Character c = make_person();
  for (const char* joint : {"foot_l", "foot_r", "thigh_l", "thigh_r"}) hang(c, joint, "Root");
  const Character whole = make_person();
  const BvhMotion motion = lively_motion();
  RetargetReport report;
  const Clip clip = retarget(c, motion, map_joints(c, motion), "lively", Context(1), &report);
  const Clip expected = retarget(whole, motion, map_joints(whole, motion), "lively", Context(1));
  EXPECT_LT(worst_angle(c, motion, clip, report), 0.01);
  for (const double time : {0.0, 0.3, 0.8}) {
    const auto ours = world_from_joint(c.skeleton, sample(c.skeleton, clip, time));
    const auto theirs = world_from_joint(whole.skeleton, sample(whole.skeleton, expected, time));
    for (std::size_t j = 0; j < ours.size(); ++j) {
      EXPECT_LT(distance(ours[j].translation, theirs[j].translation), 1e-5) << c.skeleton.joints[j].name;
      EXPECT_LT(frobenius(ours[j].linear + theirs[j].linear * -1.0), 1e-5) << c.skeleton.joints[j].name;
    }
  }
}

TEST(Retarget, MovesSkinThatHangsBesideTheBody) {
  // "Body" above the hips, and a belly that hangs on the root; a target without skin stays where it is.
  std::vector<Stick> sticks{{"Root", -1, {0, 0, 0}}, {"Body", 0, {0, 1.02, 0}}};
  const Character person = make_person();
  for (std::size_t j = 1; j < person.skeleton.joints.size(); ++j) {
    const Joint& joint = person.skeleton.joints[j];
    sticks.push_back({joint.name.c_str(), joint.parent == 0 ? 1 : joint.parent + 1, joint.world_from_rest.translation});
  }
  sticks.push_back({"belly", 0, {0, 1.1, 0.1}});
  sticks.push_back({"target", 0, {0, 0.5, 1}});
  Character c = make_figure(sticks);
  std::vector<const char*> skin;
  for (const Stick& stick : sticks)
    if (std::string(stick.name) != "Root" && std::string(stick.name) != "target") skin.push_back(stick.name);
  give_skin(c, skin);
  const BvhMotion motion = lively_motion();
  const Clip clip = retarget(c, motion, map_joints(c, motion), "lively", Context(1));
  const Clip expected = retarget(person, motion, map_joints(person, motion), "lively", Context(1));
  for (const double time : {0.1, 0.4, 0.9}) {
    EXPECT_LT(distance(place_of(c, clip, "pelvis", "Body", time), place_of(c, {}, "pelvis", "Body", 0)), 1e-5);
    EXPECT_LT(distance(place_of(c, clip, "spine_01", "belly", time), place_of(c, {}, "spine_01", "belly", 0)), 1e-5);
    EXPECT_LT(distance(place_of(c, clip, "Root", "target", time), place_of(c, {}, "Root", "target", 0)), 1e-9);
    const auto at = [&](const Character& of, const Clip& played, const char* name) {
      return world_from_joint(of.skeleton,
                              sample(of.skeleton, played, time))[static_cast<std::size_t>(of.skeleton.find(name))]
          .translation;
    };
    for (const char* name : {"pelvis", "hand_l", "foot_r"})
      EXPECT_LT(distance(at(c, clip, name), at(person, expected, name)), 1e-4) << name;
  }
}

TEST(Retarget, MovesHandsWhoseJointsAreAFlatList) {
  const Character hand = make_figure({{"index-finger-phalanx-intermediate", -1, {0.02, 0.13, 0}},
                                      {"index-finger-phalanx-proximal", -1, {0.02, 0.1, 0}},
                                      {"middle-finger-phalanx-intermediate", -1, {0, 0.14, 0}},
                                      {"middle-finger-phalanx-proximal", -1, {0, 0.1, 0}},
                                      {"ring-finger-phalanx-intermediate", -1, {-0.02, 0.13, 0}},
                                      {"ring-finger-phalanx-proximal", -1, {-0.02, 0.1, 0}},
                                      {"wrist", -1, {0, 0, 0}}});
  std::string text = "HIERARCHY ROOT RightHand { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation\n";
  for (const auto& [finger, x] : {std::pair{"Index", 1}, std::pair{"Middle", 0}, std::pair{"Ring", -1}})
    for (const int phalanx : {1, 2})
      text += "JOINT RightHand" + std::string(finger) + std::to_string(phalanx) + " { OFFSET " +
              (phalanx == 1 ? std::to_string(x) + " 5 0" : "0 2 0") + " CHANNELS 3 Zrotation Xrotation Yrotation\n" +
              (phalanx == 2 ? "End Site { OFFSET 0 1 0 } } }\n" : "");
  text += "}\nMOTION\nFrames: 2\nFrame Time: 1\n" + std::string(42, '0');
  for (std::size_t at = text.size() - 42; at < text.size(); at += 2) text[at + 1] = ' ';
  text += "\n";
  for (int i = 0; i < 21; ++i) text += std::to_string(10 * i % 70) + " ";
  const BvhMotion motion = read_bvh_memory(text + "\n", "hand.bvh", Context(1));
  RetargetReport report;
  const JointMap map = map_joints(hand, motion);
  EXPECT_EQ(map.size(), 7U);
  const Clip clip = retarget(hand, motion, map, "hand", Context(1), &report);
  EXPECT_EQ(aiming(report), 4);  // the hand, three first bones
  EXPECT_LT(worst_angle(hand, motion, clip, report), 0.01);
  for (const char* finger : {"index", "middle", "ring"}) {
    const std::string first = std::string(finger) + "-finger-phalanx-proximal",
                      second = std::string(finger) + "-finger-phalanx-intermediate";
    EXPECT_LT(distance(place_of(hand, clip, "wrist", first.c_str(), 1), place_of(hand, {}, "wrist", first.c_str(), 0)),
              1e-5);
    EXPECT_LT(distance(place_of(hand, clip, first.c_str(), second.c_str(), 1),
                       place_of(hand, {}, first.c_str(), second.c_str(), 0)),
              1e-5);
  }
}

TEST(Retarget, BringsTheCmuWalkOntoEveryHumanoidThereIs) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const BvhMotion motion = read_bvh((test::shared_data() / "motion_bvh_cmu/02_01_walk.bvh").string(), context);
  struct Body {
    const char* file;
    std::size_t joints;  ///< at least
    const char *left_thigh, *right_shin, *left_upper_arm, *right_forearm, *left_foot, *head;
  };
  const Body bodies[] = {
      {"makehuman_male/makehuman_male.glb", 22, "thigh_l", "calf_r", "upperarm_l", "lowerarm_r", "foot_l", "head"},
      {"cesium_man/cesium_man.glb", 19, "leg_joint_L_1", "leg_joint_R_2", "Skeleton_arm_joint_L__4_",
       "Skeleton_arm_joint_R__2_", "leg_joint_L_3", "Skeleton_neck_joint_2"},
      {"rigged_figure/rigged_figure.glb", 19, "leg_joint_L_1", "leg_joint_R_2", "arm_joint_L_1", "arm_joint_R_2",
       "leg_joint_L_3", "neck_joint_2"},
      {"avatars/rocketbox_male.glb", 22, "Bip01 L Thigh", "Bip01 R Calf", "Bip01 L UpperArm", "Bip01 R Forearm",
       "Bip01 L Foot", "Bip01 Head"},
      {"avatars/rabbit.vrm", 22, "vis_char_059:mixamorig:LeftUpLeg", "vis_char_059:mixamorig:RightLeg",
       "vis_char_059:mixamorig:LeftArm", "vis_char_059:mixamorig:RightForeArm", "vis_char_059:mixamorig:LeftFoot",
       "vis_char_059:mixamorig:Head"},
      {"avatars/lumberjack.glb", 20, "DEF-thigh.L_023", "DEF-shin.R_017", "DEF-upper_arm.L_045", "DEF-forearm.R_039",
       "DEF-foot.L_027", "DEF-head_051"},
      {"avatars/astronaut_draco.glb", 17, "UpperLeg.L", "LowerLeg.R", "UpperArm.L", "LowerArm.R", "Foot.L", "Head"},
      {"avatars/platformer_character.glb", 19, "UpperLeg.L", "LowerLeg.R", "UpperArm.L", "LowerArm.R", "Foot.L",
       "Head"},
      {"avatars/robot_expressive.glb", 17, "UpperLeg.L", "LowerLeg.R", "UpperArm.L", "LowerArm.R", "Foot.L", "Head"}};
  for (const Body& body : bodies) {
    SCOPED_TRACE(body.file);
    const std::filesystem::path file = test::shared_data() / body.file;
    if (!std::filesystem::exists(file)) continue;
    const Character c = load_character(file.string(), context);
    const JointMap map = map_joints(c, motion);
    EXPECT_GE(map.size(), body.joints);
    const auto partner = [&](const char* name) -> std::string {
      for (const JointMatch& match : map)
        if (c.skeleton.joints[static_cast<std::size_t>(match.joint)].name == name)
          return motion.joints[static_cast<std::size_t>(match.motion_joint)].name;
      return "";
    };
    EXPECT_EQ(partner(body.left_thigh), "LeftUpLeg");
    EXPECT_EQ(partner(body.right_shin), "RightLeg");
    EXPECT_EQ(partner(body.left_upper_arm), "LeftArm");
    EXPECT_EQ(partner(body.right_forearm), "RightForeArm");
    EXPECT_EQ(partner(body.left_foot), "LeftFoot");
    EXPECT_EQ(partner(body.head), "Head");
    RetargetReport report;
    const Clip clip = retarget(c, motion, map, "walk", context, &report);
    EXPECT_GE(aiming(report), 9);
    const bool is_skewed = std::string(body.file) == "avatars/lumberjack.glb";  // uneven scales along its chains
    EXPECT_LT(worst_angle(c, motion, clip, report), is_skewed ? 3 : 0.1);
  }
}

/// A trotting dog with meaningless names, 40 units long, that looks along +X.
const std::string kDogBvh = R"(HIERARCHY
ROOT n0
{ OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT n1 { OFFSET 8 1 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT n2 { OFFSET 10 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT n3 { OFFSET 5 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT n4 { OFFSET 4 6 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 5 -1 0 } } }
      JOINT n5 { OFFSET 3 -3 -4 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT n6 { OFFSET -1 -9 0 CHANNELS 3 Zrotation Xrotation Yrotation
          JOINT n7 { OFFSET 1 -9 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 2 -1 0 } } } }
      JOINT n8 { OFFSET 3 -3 4 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT n9 { OFFSET -1 -9 0 CHANNELS 3 Zrotation Xrotation Yrotation
          JOINT n10 { OFFSET 1 -9 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 2 -1 0 } } } } } }
  JOINT n11 { OFFSET -5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT n12 { OFFSET -4 -5 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET -4 -5 0 } } }
  JOINT n13 { OFFSET 0 -2 4 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT n14 { OFFSET 3 -8 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT n15 { OFFSET -6 -7 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT n16 { OFFSET 2 -5 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 2 0 0 } } } } }
  JOINT n17 { OFFSET 0 -2 -4 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT n18 { OFFSET 3 -8 0 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT n19 { OFFSET -6 -7 0 CHANNELS 3 Zrotation Xrotation Yrotation
        JOINT n20 { OFFSET 2 -5 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 2 0 0 } } } } } }
MOTION
)";

TEST(Retarget, BringsAnAnimalsMotionOntoTheFox) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const Character fox = load_character((test::shared_data() / "fox/fox.glb").string(), context);
  constexpr int kJoints = 21;
  std::string text = kDogBvh + "Frames: 8\nFrame Time: 0.1\n";
  for (int f = 0; f < 8; ++f) {
    std::vector<double> v(3 + 3 * kJoints, 0.0);
    v[0] = 4.0 * f;
    v[1] = 22;
    for (const int j : {5, 13}) v[static_cast<std::size_t>(3 + 3 * j)] = 25 * std::sin(0.8 * f);  // legs across
    for (const int j : {8, 17}) v[static_cast<std::size_t>(3 + 3 * j)] = -25 * std::sin(0.8 * f);
    v[3 + 3 * 11 + 2] = 20 * std::sin(0.5 * f);  // the tail wags
    for (const double x : v) text += std::to_string(x) + " ";
    text += "\n";
  }
  const BvhMotion motion = read_bvh_memory(text, "dog.bvh", context);
  const JointMap map = map_joints(fox, motion);
  const std::map<std::string, std::string> expected{
      {"b_Hip_01", "n0"},           {"b_Spine01_02", "n1"},       {"b_Spine02_03", "n2"},
      {"b_Neck_04", "n3"},          {"b_Head_05", "n4"},          {"b_LeftUpperArm_09", "n5"},
      {"b_LeftForeArm_010", "n6"},  {"b_LeftHand_011", "n7"},     {"b_RightUpperArm_06", "n8"},
      {"b_RightForeArm_07", "n9"},  {"b_RightHand_08", "n10"},    {"b_Tail01_012", "n11"},
      {"b_Tail03_014", "n12"},      {"b_RightLeg01_019", "n13"},  {"b_RightLeg02_020", "n14"},
      {"b_RightFoot01_021", "n15"}, {"b_RightFoot02_022", "n16"}, {"b_LeftLeg01_015", "n17"},
      {"b_LeftLeg02_016", "n18"},   {"b_LeftFoot01_017", "n19"},  {"b_LeftFoot02_018", "n20"}};
  std::map<std::string, std::string> found;
  for (const JointMatch& match : map)
    found[fox.skeleton.joints[static_cast<std::size_t>(match.joint)].name] =
        motion.joints[static_cast<std::size_t>(match.motion_joint)].name;
  EXPECT_EQ(found, expected);
  RetargetReport report;
  const Clip clip = retarget(fox, motion, map, "trot", context, &report);
  EXPECT_LT(worst_angle(fox, motion, clip, report), 0.1);
  // It walks the way it looks, at its own size.
  const auto hip = static_cast<std::size_t>(fox.skeleton.find("b_Hip_01"));
  const Vec3d start = world_from_joint(fox.skeleton, sample(fox.skeleton, clip, 0))[hip].translation;
  const Vec3d end = world_from_joint(fox.skeleton, sample(fox.skeleton, clip, 0.7))[hip].translation;
  EXPECT_NEAR(length(end - start), 28 * report.scale, 1e-2);
  const auto head = static_cast<std::size_t>(fox.skeleton.find("b_Head_05"));
  const Vec3d look = world_from_joint(fox.skeleton, sample(fox.skeleton, clip, 0))[head].translation - start;
  EXPECT_GT(dot(normalized(end - start), normalized(look)), 0.7);
}

/// A VRM animation of the person: nodes with frames of their own, a leg that is raised, hips that move.
std::vector<std::byte> person_vrma(const Character& person) {
  const std::map<std::string, std::string> words{{"pelvis", "hips"},
                                                 {"spine_01", "spine"},
                                                 {"spine_02", "chest"},
                                                 {"neck_01", "neck"},
                                                 {"head", "head"},
                                                 {"thigh_l", "leftUpperLeg"},
                                                 {"calf_l", "leftLowerLeg"},
                                                 {"foot_l", "leftFoot"},
                                                 {"thigh_r", "rightUpperLeg"},
                                                 {"calf_r", "rightLowerLeg"},
                                                 {"foot_r", "rightFoot"},
                                                 {"upperarm_l", "leftUpperArm"},
                                                 {"lowerarm_l", "leftLowerArm"},
                                                 {"hand_l", "leftHand"},
                                                 {"upperarm_r", "rightUpperArm"},
                                                 {"lowerarm_r", "rightLowerArm"},
                                                 {"hand_r", "rightHand"}};
  test::GltfBuilder b;
  auto& bones = b.json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"];
  const auto& joints = person.skeleton.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Trsd& local = joints[j].local;
    const Quatd& q = local.rotation;
    test::GltfBuilder::Json node = {{"name", "n" + std::to_string(j)},
                                    {"translation", {local.translation.x, local.translation.y, local.translation.z}},
                                    {"rotation", {q.x, q.y, q.z, q.w}}};
    for (std::size_t c = 0; c < joints.size(); ++c)
      if (joints[c].parent == static_cast<int>(j)) node["children"].push_back(c);
    b.add("nodes", node);
    if (words.contains(joints[j].name)) bones[words.at(joints[j].name)]["node"] = j;
  }
  const auto hips = static_cast<std::size_t>(person.skeleton.find("pelvis"));
  const auto thigh = static_cast<std::size_t>(person.skeleton.find("thigh_l"));
  // The thigh turns by 90 degrees about the scene's x axis: to the front.
  const Quatd turn = axis_angle(Vec3d{1, 0, 0}, -kPi / 2);
  const Quatd above = to_quaternion(joints[hips].world_from_rest.linear);
  const Quatd raised = conjugate(above) * turn * above * joints[thigh].local.rotation;
  const auto numbers = [](std::initializer_list<double> list) { return std::vector<float>(list.begin(), list.end()); };
  const Quatd& still = joints[thigh].local.rotation;
  const Vec3d &from = joints[hips].local.translation, to = from + Vec3d{0, 0.5, 0};
  const int times = b.add_accessor(numbers({0, 1}), "SCALAR");
  const int turns =
      b.add_accessor(numbers({still.x, still.y, still.z, still.w, raised.x, raised.y, raised.z, raised.w}), "VEC4");
  const int moves = b.add_accessor(numbers({from.x, from.y, from.z, to.x, to.y, to.z}), "VEC3");
  b.add("animations", {{"samplers", {{{"input", times}, {"output", turns}}, {{"input", times}, {"output", moves}}}},
                       {"channels",
                        {{{"sampler", 0}, {"target", {{"node", thigh}, {"path", "rotation"}}}},
                         {{"sampler", 1}, {"target", {{"node", hips}, {"path", "translation"}}}}}}});
  return b.glb();
}

TEST(Vrma, MovesABodyAsItsHumanoidMapSays) {
  const Character person = make_person();
  const std::vector<std::byte> bytes = person_vrma(person);
  const BvhMotion motion = read_vrma_memory(bytes, "raise.vrma", Context(1));
  EXPECT_EQ(motion.frames, 61U);
  // Its places are those of the nodes, in every frame.
  const auto rest = motion.rest();
  const auto pelvis = static_cast<std::size_t>(person.skeleton.find("pelvis"));
  for (std::size_t j = 0; j < motion.joints.size(); ++j)
    EXPECT_LT(distance(rest.position[j], person.skeleton.joints[j].world_from_rest.translation), 1e-6) << j;
  const auto last = motion.pose(60);
  const auto knee = static_cast<std::size_t>(person.skeleton.find("calf_l"));
  const Vec3d thigh = normalized(last.position[knee] - last.position[knee - 1]);
  EXPECT_GT(thigh.z, 0.99);
  const Vec3d moved = last.position[pelvis] - rest.position[pelvis];
  EXPECT_NEAR(length(moved), 0.5, 1e-5);

  const test::TemporaryFolder folder;
  std::ofstream(folder.file("raise.vrma"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  MotionReport report;
  const Clip clip = load_motion(folder.file("raise.vrma"), person, Context(1), {}, &report);
  EXPECT_EQ(clip.name, "raise");
  EXPECT_EQ(report.joints.size(), 17U);
  EXPECT_EQ(report.joints[1].motion_joint, "leftUpperLeg");
  const auto world = world_from_joint(person.skeleton, sample(person.skeleton, clip, 1));
  EXPECT_LT(distance(normalized(world[knee].translation - world[knee - 1].translation), thigh), 1e-4);
  EXPECT_EQ(inspect_motion(folder.file("raise.vrma"), Context(1)).frames, 61U);
}

TEST(Vrma, WithoutAMapOrAnAnimationIsRefusedInASentence) {
  const std::vector<std::byte> square = test::skinned_file().glb();
  EXPECT_THAT(error_of([&] { (void)read_vrma_memory(square, "a.vrma", Context(1)); }), HasSubstr("no humanoid map"));
  test::GltfBuilder still = test::skinned_file();
  still.json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]["hips"]["node"] = 1;
  still.json.erase("animations");
  EXPECT_THAT(error_of([&] { (void)read_vrma_memory(still.glb(), "a.vrma", Context(1)); }), HasSubstr("no animation"));
}

TEST(LoadMotion, TellsWhichJointTakesWhichAndHowSureThatIs) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("m.bvh")) << kPersonBvh << "Frames: 1\nFrame Time: 1\n"
                                      <<
      [] {
        std::string zeros;
        for (int i = 0; i < 3 + 3 * kPersonJoints; ++i) zeros += "0 ";
        return zeros;
      }() << "\n";
  const Character c = make_person();
  MotionReport named, mapped;
  (void)load_motion(folder.file("m.bvh"), c, Context(1), {}, &named);
  ASSERT_EQ(named.joints.size(), 17U);
  EXPECT_EQ(named.joints[1].joint, "thigh_l");
  EXPECT_EQ(named.joints[1].motion_joint, "LeftUpLeg");
  EXPECT_EQ(named.joints[1].role, "left upper leg");
  EXPECT_GT(named.joints[1].confidence, 0.9);
  std::ofstream(folder.file("map.json")) << R"({"thigh_l": "RightUpLeg", "thigh_r": "LeftUpLeg"})";
  (void)load_motion(folder.file("m.bvh"), c, Context(1), {folder.file("map.json")}, &mapped);
  ASSERT_EQ(mapped.joints.size(), 2U);
  EXPECT_EQ(mapped.joints[0].motion_joint, "RightUpLeg");
  EXPECT_EQ(mapped.joints[0].confidence, 1);
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
