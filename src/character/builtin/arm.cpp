#include "character/builtin/arm_model.h"
#include "character/builtin/builtin.h"
#include "character/builtin/hand_model.h"
#include "character/builtin/skin.h"

namespace cutis::builtin {

Character make_arm(const Context& context) {
  const Vec3d along{1, 0, 0}, flexion{0, 1, 0}, palmar{0, 0, 1};
  const Vec3d shoulder{0, 0, 0}, elbow = along * kUpperArmLength, wrist = elbow + along * kForearmLength;
  const HandPlacement placement{
      .wrist = wrist, .along = along, .palmar = palmar, .parent = "forearm", .suffix = "", .edge_scale = 1};
  Character character;
  Skeleton& skeleton = character.skeleton;
  add_bone(skeleton, "upper_arm", "", shoulder);
  add_bone(skeleton, "forearm", "upper_arm", elbow);
  add_hand_bones(skeleton, placement);

  Shape shape(false);
  shape.add(arm_tube(Frame::from(shoulder, along, flexion), "upper_arm", "forearm"));
  add_hand_tubes(shape, placement);
  SkinOptions options;
  options.name = "arm";
  options.coarse_cell = 0.008;
  options.fine_cell = 0.0028;
  options.fine = hand_bounds(placement);
  options.inside = lerp(shoulder, elbow, 0.5);
  character.meshes.push_back(make_skin(shape, skeleton, options, context));

  const Vec3d elbow_hinge = cross(along, flexion);
  character.clips.push_back(make_clip(skeleton, "elbow", 2, [&](double time, PoseWriter& pose) {
    const double amount = there_and_back(time, 2);
    pose.turn("forearm", axis_angle(elbow_hinge, degrees(150) * amount));
    apply_gesture(pose, placement, relaxed_gesture(amount));
  }));
  character.clips.push_back(make_clip(skeleton, "forearm_twist", 2, [&](double time, PoseWriter& pose) {
    pose.turn("forearm", axis_angle(along, degrees(90) * std::sin(kPi * time)));
  }));
  character.clips.push_back(make_clip(skeleton, "wave", 2, [&](double time, PoseWriter& pose) {
    const double up = there_and_back(time, 2), swing = std::sin(4 * kPi * time) * up;
    pose.turn("forearm", axis_angle(elbow_hinge, degrees(85) * up + degrees(22) * swing));
    pose.turn("hand", axis_angle(elbow_hinge, degrees(18) * swing));
  }));
  return character;
}

}  // namespace cutis::builtin
