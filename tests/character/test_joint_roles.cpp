#include "character/joint_roles.h"

#include <gtest/gtest.h>

namespace cutis {
namespace {

Role role_of(const std::string& name) { return find_roles({{name, -1}})[0]; }

TEST(JointRoles, AreFoundUnderTheNamesOfManySkeletons) {
  const std::pair<const char*, Role> table[] = {
      {"mixamorig:LeftArm", {Part::upper_arm, Side::left, 0}},
      {"upperarm_l", {Part::upper_arm, Side::left, 0}},
      {"LeftUpperArm", {Part::upper_arm, Side::left, 0}},
      {"L_UpperArm", {Part::upper_arm, Side::left, 0}},
      {"Bip01 L UpperArm", {Part::upper_arm, Side::left, 0}},
      {"upper_arm.R", {Part::upper_arm, Side::right, 0}},
      {"J_Bip_R_UpperArm", {Part::upper_arm, Side::right, 0}},
      {"LeftForeArm", {Part::forearm, Side::left, 0}},
      {"lowerarm_r", {Part::forearm, Side::right, 0}},
      {"LeftElbow", {Part::forearm, Side::left, 0}},
      {"hand_l", {Part::hand, Side::left, 0}},
      {"RightWrist", {Part::hand, Side::right, 0}},
      {"clavicle_l", {Part::clavicle, Side::left, 0}},
      {"RightCollar", {Part::clavicle, Side::right, 0}},
      {"LeftUpLeg", {Part::thigh, Side::left, 0}},
      {"thigh_r", {Part::thigh, Side::right, 0}},
      {"LeftHip", {Part::thigh, Side::left, 0}},
      {"CC_Base_L_Thigh", {Part::thigh, Side::left, 0}},
      {"LeftLeg", {Part::shin, Side::left, 0}},
      {"calf_r", {Part::shin, Side::right, 0}},
      {"shin.L", {Part::shin, Side::left, 0}},
      {"LeftFoot", {Part::foot, Side::left, 0}},
      {"ball_l", {Part::toes, Side::left, 0}},
      {"mixamorig_RightToeBase", {Part::toes, Side::right, 0}},
      {"Hips", {Part::hips, Side::none, 0}},
      {"pelvis", {Part::hips, Side::none, 0}},
      {"LowerBack", {Part::spine, Side::none, 0}},
      {"spine_01", {Part::spine, Side::none, 0}},
      {"Neck1", {Part::neck, Side::none, 0}},
      {"Head", {Part::head, Side::none, 0}},
      {"LeftHandIndex2", {Part::finger, Side::left, 12}},
      {"index_02_l", {Part::finger, Side::left, 12}},
      {"f_index.02.L", {Part::finger, Side::left, 12}},
      {"LeftIndexIntermediate", {Part::finger, Side::left, 12}},
      {"RThumb", {Part::finger, Side::right, 1}},
  };
  for (const auto& [name, role] : table) EXPECT_TRUE(role_of(name) == role) << name;
}

TEST(JointRoles, AreNotGivenToHelpers) {
  for (const char* name :
       {"LHipJoint", "upperarm_twist_01_l", "head_end", "LeftFingerBase", "", "Armature", "LeftHandIK"})
    EXPECT_TRUE(role_of(name).part == Part::none) << name;
}

TEST(JointRoles, OfAShoulderDependOnWhatElseTheArmHas) {
  const auto collar = find_roles({{"LeftCollar", -1}, {"LeftShoulder", 0}, {"LeftElbow", 1}});
  EXPECT_TRUE(collar[0].part == Part::clavicle && collar[1].part == Part::upper_arm);
  const auto arm = find_roles({{"LeftShoulder", -1}, {"LeftArm", 0}, {"LeftForeArm", 1}});
  EXPECT_TRUE(arm[0].part == Part::clavicle && arm[1].part == Part::upper_arm);
}

TEST(JointRoles, OfTheHipsPreferThePelvisOverTheRoot) {
  const auto roles = find_roles({{"Root", -1}, {"pelvis", 0}});
  EXPECT_TRUE(roles[0].part == Part::none && roles[1].part == Part::hips);
}

TEST(MatchJoints, PairsSpinesFromEndToEnd) {
  using Pairs = std::vector<std::pair<int, int>>;
  const std::vector<NamedJoint> three{{"spine_01", -1}, {"spine_02", 0}, {"spine_03", 1}};
  EXPECT_EQ(match_joints(three, {{"LowerBack", -1}, {"Spine", 0}, {"Spine1", 1}}), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(match_joints(three, {{"Spine", -1}, {"Chest", 0}}), (Pairs{{0, 0}, {2, 1}}));
  EXPECT_EQ(match_joints(three, {{"Spine", -1}}), (Pairs{{2, 0}}));
  EXPECT_EQ(match_joints({{"neck_01", -1}}, {{"Neck", -1}, {"Neck1", 0}}), (Pairs{{0, 1}}));
}

TEST(MatchJoints, LeavesFingersAloneWhenTheMotionHasHardlyAny) {
  const std::vector<NamedJoint> hand{{"hand_l", -1}, {"index_01_l", 0}, {"middle_01_l", 0}, {"thumb_01_l", 0}};
  EXPECT_EQ(match_joints(hand, {{"LeftHand", -1}, {"LeftHandIndex1", 0}, {"LThumb", 0}}).size(), 1U);
  EXPECT_EQ(match_joints(hand, hand).size(), 4U);
}

TEST(MatchJoints, PairsEqualNamesWithoutAKnownRole) {
  EXPECT_EQ(match_joints({{"rig:Tail_01", -1}}, {{"tail01", -1}}).size(), 1U);
  EXPECT_TRUE(match_joints({{"a", -1}}, {{"b", -1}}).empty());
}

}  // namespace
}  // namespace cutis
