#include "character/recognise.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "base/math.h"

namespace cutis {
namespace {

/// A joint with what it is.
struct Known {
  PlacedJoint joint;
  Role role;
};

class Builder {
 public:
  int add(const std::string& name, int parent, const Vec3d& place, Role role = {}) {
    PlacedJoint joint;
    joint.name = name;
    joint.parent = parent;
    joint.place = joint.default_place = place;
    known.push_back({joint, role});
    return static_cast<int>(known.size()) - 1;
  }
  std::vector<Known> known;

  [[nodiscard]] std::vector<PlacedJoint> joints() const {
    std::vector<PlacedJoint> list;
    for (const Known& k : known) list.push_back(k.joint);
    return list;
  }
};

/// Names of one tool: of the trunk from the hips to the head, and of a side's limbs ("{}" is the side).
struct Scheme {
  const char* tool;
  const char *left, *right;
  std::vector<const char*> before;  ///< joints above the hips
  const char* hips;
  std::vector<const char*> spine, neck;
  const char* head;
  std::vector<const char*> arm, leg;  ///< collar, upper, lower, hand; upper, lower, foot, toes. "": not there
  const char* finger;                 ///< "{}" the side, "%" the finger, "#" the phalanx; "": no fingers
  std::vector<const char*> fingers;   ///< names of the five
  bool halves = false;                ///< every long bone in two pieces, the second one with ".001" before the side
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  if (const auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

/// A man of 1.8 m in A-pose who looks along +Z.
Builder make_body(const Scheme& s) {
  Builder b;
  int top = -1;
  for (const char* name : s.before) top = b.add(name, top, {0, 0, 0});
  const int hips = b.add(s.hips, top, {0, 1, 0}, {Part::hips, Side::none, 0});
  int chest = hips;
  for (std::size_t i = 0; i < s.spine.size(); ++i)
    chest =
        b.add(s.spine[i], chest, {0, 1.05 + 0.3 * static_cast<double>(i + 1) / static_cast<double>(s.spine.size()), 0},
              {Part::spine, Side::none, static_cast<int>(i)});
  int neck = chest;
  for (std::size_t i = 0; i < s.neck.size(); ++i)
    neck = b.add(s.neck[i], neck, {0, 1.5 + 0.05 * static_cast<double>(i), 0.01},
                 {Part::neck, Side::none, static_cast<int>(i)});
  const int head = b.add(s.head, neck, {0, 1.62, 0.02}, {Part::head, Side::none, 0});
  b.known[static_cast<std::size_t>(head)].joint.tip = Vec3d{0, 1.8, 0.02};

  for (const bool is_left : {false, true}) {  // right first: the order must not matter
    const Side side = is_left ? Side::left : Side::right;
    const double x = is_left ? 1 : -1;
    const auto name = [&](const char* text) { return replaced(text, "{}", is_left ? s.left : s.right); };
    const auto limb = [&](int at, const std::vector<const char*>& names, const std::vector<Vec3d>& places,
                          const std::vector<Part>& parts) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i][0] == 0) continue;
        at = b.add(name(names[i]), at, multiply(places[i], Vec3d{x, 1, 1}), {parts[i], side, 0});
        const bool is_long = parts[i] == Part::upper_arm || parts[i] == Part::forearm || parts[i] == Part::thigh ||
                             parts[i] == Part::shin;
        if (s.halves && is_long)
          at = b.add(replaced(names[i], "{}", std::string(is_left ? s.left : s.right) + ".001"), at,
                     multiply(lerp(places[i], places[i + 1], 0.5), Vec3d{x, 1, 1}));
      }
      return at;
    };
    const int toes = limb(hips, s.leg, {{0.1, 0.95, 0}, {0.11, 0.52, 0.02}, {0.12, 0.1, -0.02}, {0.13, 0.02, 0.12}},
                          {Part::thigh, Part::shin, Part::foot, Part::toes});
    b.known[static_cast<std::size_t>(toes)].joint.tip = Vec3d{0.13 * x, 0.02, 0.2};
    const int hand =
        limb(chest, s.arm, {{0.03, 1.42, 0.02}, {0.18, 1.42, -0.01}, {0.38, 1.22, -0.02}, {0.56, 1.04, 0.03}},
             {Part::clavicle, Part::upper_arm, Part::forearm, Part::hand});
    b.known[static_cast<std::size_t>(hand)].joint.tip = Vec3d{0.66 * x, 0.93, 0.06};
    for (int f = 0; f < 5 && s.finger[0] != 0; ++f) {
      int at = hand;
      for (int p = 1; p <= 3; ++p) {
        const double along = f == 0 ? 0.02 + 0.025 * p : 0.07 + 0.02 * p;
        const Vec3d place{x * (0.56 + 0.7 * along), 1.04 - 0.7 * along, 0.06 + (f == 0 ? 0.02 * p : 0.02) - 0.02 * f};
        std::string text = replaced(name(s.finger), "%", s.fingers[static_cast<std::size_t>(f)]);
        const bool biped = std::string(s.tool) == "Bip01";  // Finger0, Finger01, Finger02
        text = replaced(text, "#", !biped ? std::to_string(p) : p == 1 ? "" : std::to_string(p - 1));
        at = b.add(text, at, place, {Part::finger, side, 10 * f + p});
      }
    }
  }
  return b;
}

const std::vector<Scheme>& schemes() {
  const std::vector<const char*> plain{"Thumb", "Index", "Middle", "Ring", "Pinky"};
  static const std::vector<Scheme> list{
      {"Mixamo",
       "Left",
       "Right",
       {"Armature"},
       "mixamorig:Hips",
       {"mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"},
       {"mixamorig:Neck"},
       "mixamorig:Head",
       {"mixamorig:{}Shoulder", "mixamorig:{}Arm", "mixamorig:{}ForeArm", "mixamorig:{}Hand"},
       {"mixamorig:{}UpLeg", "mixamorig:{}Leg", "mixamorig:{}Foot", "mixamorig:{}ToeBase"},
       "mixamorig:{}Hand%#",
       plain},
      {"Rigify",
       "L",
       "R",
       {"root"},
       "DEF-spine",
       {"DEF-spine.001", "DEF-spine.002", "DEF-spine.003"},
       {"DEF-spine.004", "DEF-spine.005"},
       "DEF-spine.006",
       {"DEF-shoulder.{}", "DEF-upper_arm.{}", "DEF-forearm.{}", "DEF-hand.{}"},
       {"DEF-thigh.{}", "DEF-shin.{}", "DEF-foot.{}", "DEF-toe.{}"},
       "DEF-%.0#.{}",
       {"thumb", "f_index", "f_middle", "f_ring", "f_pinky"},
       true},
      {"Unreal",
       "l",
       "r",
       {"root"},
       "pelvis",
       {"spine_01", "spine_02", "spine_03"},
       {"neck_01"},
       "head",
       {"clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}"},
       {"thigh_{}", "calf_{}", "foot_{}", "ball_{}"},
       "%_0#_{}",
       {"thumb", "index", "middle", "ring", "pinky"}},
      {"Bip01",
       "L",
       "R",
       {"Bip01"},
       "Bip01 Pelvis",
       {"Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2"},
       {"Bip01 Neck"},
       "Bip01 Head",
       {"Bip01 {} Clavicle", "Bip01 {} UpperArm", "Bip01 {} Forearm", "Bip01 {} Hand"},
       {"Bip01 {} Thigh", "Bip01 {} Calf", "Bip01 {} Foot", "Bip01 {} Toe0"},
       "Bip01 {} Finger%#",
       {"0", "1", "2", "3", "4"}},
      {"CMU",
       "Left",
       "Right",
       {},
       "Hips",
       {"LowerBack", "Spine", "Spine1"},
       {"Neck", "Neck1"},
       "Head",
       {"{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"},
       {"{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"},
       "",
       {}},
      {"Rokoko",
       "Left",
       "Right",
       {},
       "Hips",
       {"Spine1", "Spine2", "Spine3", "Spine4"},
       {"Neck"},
       "Head",
       {"{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"},
       {"{}Thigh", "{}Shin", "{}Foot", "{}Toe"},
       "",
       {}},
      {"Bandai-Namco",
       "L",
       "R",
       {"joint_Root"},
       "Hips",
       {"Spine", "Chest"},
       {"Neck"},
       "Head",
       {"Shoulder_{}", "UpperArm_{}", "LowerArm_{}", "Hand_{}"},
       {"UpperLeg_{}", "LowerLeg_{}", "Foot_{}", "Toes_{}"},
       "",
       {}},
      {"SMPL",
       "L",
       "R",
       {},
       "Pelvis",
       {"Spine1", "Spine2", "Spine3"},
       {"Neck"},
       "Head",
       {"{}_Collar", "{}_Shoulder", "{}_Elbow", "{}_Wrist"},
       {"{}_Hip", "{}_Knee", "{}_Ankle", "{}_Foot"},
       "",
       {}},
      {"SMPL-X",
       "left",
       "right",
       {},
       "pelvis",
       {"spine1", "spine2", "spine3"},
       {"neck"},
       "head",
       {"{}_collar", "{}_shoulder", "{}_elbow", "{}_wrist"},
       {"{}_hip", "{}_knee", "{}_ankle", "{}_foot"},
       "{}_%#",
       {"thumb", "index", "middle", "ring", "pinky"}},
      {"SMPL, small",
       "l",
       "r",
       {},
       "m_avg_Pelvis",
       {"m_avg_Spine1", "m_avg_Spine2", "m_avg_Spine3"},
       {"m_avg_Neck"},
       "m_avg_Head",
       {"m_avg_{}_Collar", "m_avg_{}_Shoulder", "m_avg_{}_Elbow", "m_avg_{}_Wrist"},
       {"m_avg_{}_Hip", "m_avg_{}_Knee", "m_avg_{}_Ankle", "m_avg_{}_Foot"},
       "",
       {}},
      {"VRoid",
       "L",
       "R",
       {"Root"},
       "J_Bip_C_Hips",
       {"J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"},
       {"J_Bip_C_Neck"},
       "J_Bip_C_Head",
       {"J_Bip_{}_Shoulder", "J_Bip_{}_UpperArm", "J_Bip_{}_LowerArm", "J_Bip_{}_Hand"},
       {"J_Bip_{}_UpperLeg", "J_Bip_{}_LowerLeg", "J_Bip_{}_Foot", "J_Bip_{}_ToeBase"},
       "J_Bip_{}_%#",
       {"Thumb", "Index", "Middle", "Ring", "Little"}},
      {"words of another language",
       "gauche",
       "droite",
       {},
       "bassin",
       {"dos1", "dos2", "dos3"},
       {"cou"},
       "crane",
       {"clavicule_{}", "bras_{}", "avantbras_{}", "main_{}"},
       {"cuisse_{}", "jambe_{}", "pied_{}", "orteils_{}"},
       "",
       {}},
  };
  return list;
}

void expect_roles(const Builder& body, const Recognised& found) {
  for (std::size_t j = 0; j < body.known.size(); ++j) {
    const Role& wanted = body.known[j].role;
    EXPECT_EQ(to_string(found.roles[j]), to_string(wanted)) << body.known[j].joint.name;
    if (wanted.part == Part::none) continue;
    EXPECT_GT(found.confidence[j], 0.3) << body.known[j].joint.name;
    EXPECT_LE(found.confidence[j], 1) << body.known[j].joint.name;
  }
}

TEST(Recognise, FindsTheBodyUnderTheNamesOfManyTools) {
  for (const Scheme& scheme : schemes()) {
    SCOPED_TRACE(scheme.tool);
    const Builder body = make_body(scheme);
    const Recognised found = recognise(body.joints());
    EXPECT_EQ(found.kind, BodyKind::human);
    expect_roles(body, found);
  }
}

TEST(Recognise, NeedsNoNamesAtAll) {
  for (const Scheme& scheme : schemes()) {
    SCOPED_TRACE(scheme.tool);
    Builder body = make_body(scheme);
    for (std::size_t j = 0; j < body.known.size(); ++j) body.known[j].joint.name = "bone_" + std::to_string(j);
    expect_roles(body, recognise(body.joints()));
  }
}

TEST(Recognise, KnowsLeftFromRightByTheFeetWhereverABodyFaces) {
  const Mat3d turns[] = {to_matrix(axis_angle(Vec3d{0, 1, 0}, kPi)), to_matrix(axis_angle(Vec3d{0, 1, 0}, 1.0)),
                         to_matrix(axis_angle(Vec3d{1, 0, 0}, kPi / 2))};  // behind, aslant, Z-up
  for (const Mat3d& turn : turns) {
    Builder body = make_body(schemes()[0]);
    for (Known& k : body.known) {
      k.joint.name = "";
      k.joint.place = k.joint.default_place = turn * k.joint.place * 39.37;  // inches
      if (k.joint.tip) k.joint.tip = turn * *k.joint.tip * 39.37;
    }
    expect_roles(body, recognise(body.joints()));
  }
}

TEST(Recognise, TakesTheFilesOwnMapBeforeNamesAndShape) {
  // All names and the shape say left where the map says right.
  Builder body = make_body(schemes()[2]);
  for (Known& k : body.known) {
    if (k.role.part == Part::none || k.role.part == Part::finger) continue;
    static const std::map<Part, std::string> kWords{
        {Part::hips, "hips"},          {Part::neck, "neck"},        {Part::head, "head"}, {Part::clavicle, "Shoulder"},
        {Part::upper_arm, "UpperArm"}, {Part::forearm, "LowerArm"}, {Part::hand, "Hand"}, {Part::thigh, "UpperLeg"},
        {Part::shin, "LowerLeg"},      {Part::foot, "Foot"},        {Part::toes, "Toes"}};
    static const char* kSpine[] = {"spine", "chest", "upperChest"};
    k.joint.humanoid = k.role.part == Part::spine ? kSpine[k.role.index] : kWords.at(k.role.part);
    if (k.role.side == Side::none) continue;
    k.role.side = k.role.side == Side::left ? Side::right : Side::left;
    k.joint.humanoid = (k.role.side == Side::left ? "left" : "right") + k.joint.humanoid;
  }
  for (Known& k : body.known)
    if (k.role.part == Part::finger) k.role = {};  // not in the map
  const Recognised found = recognise(body.joints());
  expect_roles(body, found);
  EXPECT_EQ(found.confidence[1], 1);
}

TEST(Recognise, IsSurerOfWhatNamesAndShapeAgreeOn) {
  Builder body = make_body(schemes()[2]);
  const double both = recognise(body.joints()).confidence[1];
  for (Known& k : body.known) k.joint.name = "";
  const double shape = recognise(body.joints()).confidence[1];
  EXPECT_GT(both, shape);
  EXPECT_GT(shape, 0.5);
}

TEST(Recognise, PassesOverHelpersEndsAndTwists) {
  Builder body = make_body(schemes()[2]);
  const auto find = [&](const char* name) {
    for (std::size_t j = 0; j < body.known.size(); ++j)
      if (body.known[j].joint.name == name) return static_cast<int>(j);
    return -1;
  };
  body.add("upperarm_twist_01_l", find("upperarm_l"), {0.25, 1.35, 0});
  body.add("ik_foot_l", find("root"), {0.12, 0.1, -0.02});
  body.add("head_end", find("head"), {0, 1.85, 0});
  for (const char* name : {"weapon_l", "hair_1", "hair_2"}) body.add(name, find("head"), {0.05, 1.7, -0.1});
  expect_roles(body, recognise(body.joints()));
}

/// The bones that move the skin lie beside a chain of controls on which the limbs hang.
TEST(Recognise, SeesThroughControlRigs) {
  Builder body = make_body(schemes()[1]);
  const std::size_t n = body.known.size();
  int hips = -1, chest = -1;
  for (std::size_t j = 0; j < n; ++j) {
    if (body.known[j].joint.name == "DEF-spine") hips = static_cast<int>(j);
    if (body.known[j].joint.name == "DEF-spine.003") chest = static_cast<int>(j);
  }
  // Controls come first in the list, so that what hangs on them comes later.
  Builder rig;
  const int root = rig.add("root", -1, {});
  const int torso = rig.add("torso", root, {0, 1.1, 0}), tweak = rig.add("tweak", torso, {0, 1.1, 0});
  const int org_hips = rig.add("ORG-spine", tweak, body.known[static_cast<std::size_t>(hips)].joint.place);
  const int chest_control = rig.add("chest", tweak, {0, 1.1, 0});
  const int chest_tweak = rig.add("tweak_chest", chest_control, {0, 1.2, 0});
  const int more = rig.add("tweak_more", chest_tweak, {0, 1.2, 0}), again = rig.add("tweak_again", more, {0, 1.2, 0});
  const int org_chest = rig.add("ORG-spine.003", again, body.known[static_cast<std::size_t>(chest)].joint.place);
  for (Known& k : rig.known) k.joint.moves_skin = false;
  std::vector<int> moved(n, -1);
  for (std::size_t j = 1; j < n; ++j) {
    Known k = body.known[j];
    const bool limb = k.role.side != Side::none;
    if (k.joint.parent == hips && limb)
      k.joint.parent = org_hips;
    else if (k.joint.parent == chest && limb)
      k.joint.parent = org_chest;
    else
      k.joint.parent = k.joint.parent <= 0 ? root : moved[static_cast<std::size_t>(k.joint.parent)];
    moved[j] = static_cast<int>(rig.known.size());
    rig.known.push_back(k);
  }
  expect_roles(rig, recognise(rig.joints()));
}

/// A dog of 60 cm that looks along +Z.
Builder make_dog(bool with_names) {
  Builder b;
  const auto name = [&](const char* text) { return with_names ? text : ""; };
  const int hips = b.add(name("Hips"), -1, {0, 0.5, -0.3}, {Part::hips, Side::none, 0});
  int spine = b.add(name("Spine"), hips, {0, 0.52, -0.1}, {Part::spine, Side::none, 0});
  spine = b.add(name("Spine1"), spine, {0, 0.53, 0.15}, {Part::spine, Side::none, 1});
  const int neck = b.add(name("Neck"), spine, {0, 0.56, 0.25}, {Part::neck, Side::none, 0});
  const int head = b.add(name("Head"), neck, {0, 0.7, 0.35}, {Part::head, Side::none, 0});
  b.known[static_cast<std::size_t>(head)].joint.tip = Vec3d{0, 0.68, 0.5};
  int tail = b.add(name("Tail"), hips, {0, 0.5, -0.4}, {Part::tail, Side::none, 0});
  tail = b.add(name("Tail1"), tail, {0, 0.4, -0.5}, {Part::tail, Side::none, 1});
  b.known[static_cast<std::size_t>(tail)].joint.tip = Vec3d{0, 0.3, -0.6};
  for (const bool left : {true, false}) {
    const double x = left ? 0.08 : -0.08;
    const Side side = left ? Side::left : Side::right;
    const auto sided = [&](const char* text) {
      return with_names ? (left ? "Left" : "Right") + std::string(text) : "";
    };
    int at = b.add(sided("UpLeg"), hips, {x, 0.46, -0.3}, {Part::thigh, side, 0});
    at = b.add(sided("Leg"), at, {x, 0.28, -0.24}, {Part::shin, side, 0});
    at = b.add(sided("Foot"), at, {x, 0.14, -0.38}, {Part::foot, side, 0});
    at = b.add(sided("Toe"), at, {x, 0.02, -0.34}, {Part::toes, side, 0});
    at = b.add(sided("Arm"), spine, {x, 0.45, 0.2}, {Part::upper_arm, side, 0});
    at = b.add(sided("ForeArm"), at, {x, 0.26, 0.16}, {Part::forearm, side, 0});
    b.add(sided("Hand"), at, {x, 0.05, 0.18}, {Part::hand, side, 0});
  }
  return b;
}

TEST(Recognise, FindsAnimalsOnFourLegsWithNamesAndWithout) {
  for (const bool with_names : {true, false}) {
    SCOPED_TRACE(with_names);
    const Builder dog = make_dog(with_names);
    const Recognised found = recognise(dog.joints());
    EXPECT_EQ(found.kind, BodyKind::quadruped);
    for (std::size_t j = 0; j < dog.known.size(); ++j)
      EXPECT_EQ(to_string(found.roles[j]), to_string(dog.known[j].role)) << j;
  }
}

TEST(Recognise, FindsNoBodyInSpidersAndSnakes) {
  Builder spider;
  const int body = spider.add("", -1, {0, 1, 0});
  spider.add("", body, {0, 1, -0.6});
  for (int leg = 0; leg < 4; ++leg)
    for (const double x : {1.0, -1.0}) {
      const double z = 0.4 * leg - 0.6;
      const int upper = spider.add("", body, {0.3 * x, 1, 0.5 * z});
      const int lower = spider.add("", upper, {1.2 * x, 1.4, 1.2 * z});
      spider.add("", lower, {1.8 * x, 0, 2 * z});
    }
  EXPECT_EQ(recognise(spider.joints()).kind, BodyKind::none);
  Builder snake;
  for (int i = 0; i < 20; ++i) snake.add("", i - 1, {0.1 * (i % 2), 0, 0.3 * i});
  EXPECT_EQ(recognise(snake.joints()).kind, BodyKind::none);
}

TEST(Recognise, GivesEveryRoleOnceInSkeletonsOfAnyShape) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Builder b;
    const auto n = static_cast<int>(random() % 60);
    for (int i = 0; i < n; ++i) {
      const auto number = [&] { return static_cast<double>(random() % 5) - 2; };  // many at one place
      const int parent = static_cast<int>(random() % static_cast<unsigned>(i + 1)) - 1;
      const int at = b.add(random() % 4 == 0 ? "LeftArm" : "", parent, {number(), number(), number()});
      b.known[static_cast<std::size_t>(at)].joint.moves_skin = random() % 3 > 0;
    }
    const Recognised found = recognise(b.joints());
    ASSERT_EQ(found.roles.size(), b.known.size());
    std::map<std::string, int> times;
    for (const Role& role : found.roles)
      EXPECT_LE(role.part == Part::none ? 0 : ++times[to_string(role)], 1) << to_string(role);
  }
}

TEST(MatchSkeletons, PairsAnUnsidedHandWithTheOneThereIs) {
  Builder hand, motion;
  const int wrist = hand.add("wrist", -1, {});
  const int other = motion.add("RightHand", -1, {});
  int i = 0;
  for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"}) {
    const Vec3d place{0.02 * i++, 0.1, 0};
    hand.add(std::string(finger) + "-finger-phalanx-proximal", wrist, place);
    motion.add("RightHand" + std::string(finger) + "1", other, place);
  }
  motion.known[1].joint.name = "RightHandThumb1";
  const auto ours = hand.joints(), theirs = motion.joints();
  const auto pairs = match_skeletons(ours, recognise(ours), theirs, recognise(theirs));
  ASSERT_EQ(pairs.size(), 6U);
  for (const JointMatch& pair : pairs) EXPECT_EQ(pair.joint, pair.motion_joint);
}

TEST(MatchSkeletons, DoubtsBodiesOfDifferentKinds) {
  const auto dog = make_dog(true).joints(), man = make_body(schemes()[4]).joints();
  const auto pairs = match_skeletons(dog, recognise(dog), man, recognise(man));
  ASSERT_FALSE(pairs.empty());
  for (const JointMatch& pair : pairs) EXPECT_LE(pair.confidence, 0.4);
}

}  // namespace
}  // namespace cutis
