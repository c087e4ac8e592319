#include "character/builtin/human_model.h"

namespace cutis::builtin::human {
namespace {

void add_arm(Skeleton& skeleton, bool right) {
  const auto side = [&](const char* name) { return right ? other_side(name) : std::string(name); };
  const auto at = [&](Vec3d p) { return right ? Vec3d{-p.x, p.y, p.z} : p; };
  add_bone(skeleton, side("shoulder_l"), "upper_chest", at(kClavicle));
  add_bone(skeleton, side("upper_arm_l"), side("shoulder_l"), at(kShoulder));
  add_bone(skeleton, side("forearm_l"), side("upper_arm_l"), at(elbow()));
  add_hand_bones(skeleton, left_hand(), right);
}

void add_leg(Skeleton& skeleton, bool right) {
  const auto side = [&](const char* name) { return right ? other_side(name) : std::string(name); };
  const auto at = [&](Vec3d p) { return right ? Vec3d{-p.x, p.y, p.z} : p; };
  add_bone(skeleton, side("thigh_l"), "hips", at(kHip));
  add_bone(skeleton, side("shin_l"), side("thigh_l"), at(kKnee));
  add_bone(skeleton, side("foot_l"), side("shin_l"), at(kAnkle));
  add_bone(skeleton, side("toes_l"), side("foot_l"), at(kBall));
}

}  // namespace

Skeleton make_skeleton() {
  Skeleton skeleton;
  add_bone(skeleton, "hips", "", kHips);
  add_bone(skeleton, "spine", "hips", kSpine);
  add_bone(skeleton, "chest", "spine", kChest);
  add_bone(skeleton, "upper_chest", "chest", kUpperChest);
  add_bone(skeleton, "neck", "upper_chest", kNeck);
  add_bone(skeleton, "head", "neck", kHead);
  for (const bool right : {false, true}) add_arm(skeleton, right);
  for (const bool right : {false, true}) add_leg(skeleton, right);
  return skeleton;
}

}  // namespace cutis::builtin::human
