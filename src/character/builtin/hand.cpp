#include <algorithm>
#include <cmath>

#include "character/builtin/builtin.h"
#include "character/builtin/hand_model.h"
#include "character/builtin/skin.h"

namespace cutis::builtin {
namespace {

constexpr double kStub = 0.085;  ///< length of forearm below the wrist

Tube forearm_end(const HandPlacement& placement) {
  Tube tube;
  tube.name = "forearm";
  tube.frame = Frame::from({0, 0, 0}, placement.along, placement.palmar);
  tube.sections = {{.t = 0.012, .half_width = 0.0330, .front = 0.0260, .back = 0.0250},
                   {.t = 0.040, .half_width = 0.0305, .front = 0.0225, .back = 0.0220},
                   {.t = 0.070, .half_width = 0.0265, .front = 0.0185, .back = 0.0180},
                   {.t = kStub, .half_width = 0.0255, .front = 0.0175, .back = 0.0165}};
  tube.cap_begin = 0.018;
  tube.cap_end = 0.015;
  tube.boxiness = 0.20;
  tube.edge = 0.0075 * placement.edge_scale;
  tube.bones = {{-1, "forearm"}};
  return tube;
}

}  // namespace

Character make_hand(const Context& context, int vertices) {
  const double finer = std::sqrt(static_cast<double>(vertices) / kHandVertices);
  const HandPlacement placement{.wrist = {0, kStub, 0},
                                .along = {0, 1, 0},
                                .palmar = {0, 0, 1},
                                .parent = "forearm",
                                .suffix = "",
                                .edge_scale = 0.60 / finer};
  Character character;
  Skeleton& skeleton = character.skeleton;
  add_bone(skeleton, "forearm", "", {0, 0, 0});
  add_hand_bones(skeleton, placement);

  Shape shape(false);
  shape.add(forearm_end(placement));
  add_hand_tubes(shape, placement);
  SkinOptions options;
  options.name = "hand";
  options.coarse_cell = 0.005 / std::max(1.0, finer);
  options.fine_cell = 0.0022 / std::max(1.0, finer);
  options.fine = hand_bounds(placement);
  options.inside = placement.wrist;
  character.meshes.push_back(make_skin(shape, skeleton, options, context));

  character.clips.push_back(make_clip(skeleton, "fist", 2, [&](double time, PoseWriter& pose) {
    apply_gesture(pose, placement, fist_gesture(there_and_back(time, 2)));
  }));
  character.clips.push_back(make_clip(skeleton, "pinch", 2, [&](double time, PoseWriter& pose) {
    apply_gesture(pose, placement, pinch_gesture(there_and_back(time, 2)));
  }));
  character.clips.push_back(make_clip(skeleton, "wave", 2, [&](double time, PoseWriter& pose) {
    const double swing = std::sin(2 * kPi * time), envelope = there_and_back(time, 2);
    pose.turn("hand", axis_angle(placement.palmar, degrees(24) * swing * envelope));
    apply_gesture(pose, placement, relaxed_gesture(0.5 * envelope));
  }));
  return character;
}

}  // namespace cutis::builtin
