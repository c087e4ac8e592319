// The BVH reader and the retargeting on damaged files: a clip of finite numbers, or cutis::Error.
#include <cmath>
#include <cstdlib>

#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/retarget.h"

namespace {

/// Enough of a body to be matched by name.
cutis::Character make_body() {
  cutis::Character body;
  const struct {
    const char* name;
    int parent;
    double x, y;
  } joints[] = {{"Hips", -1, 0, 1},          {"Spine", 0, 0, 1.2},       {"Neck", 1, 0, 1.5},
                {"Head", 2, 0, 1.6},         {"LeftUpLeg", 0, 0.1, 1},   {"LeftLeg", 4, 0.1, 0.5},
                {"LeftFoot", 5, 0.1, 0.1},   {"RightUpLeg", 0, -0.1, 1}, {"RightLeg", 7, -0.1, 0.5},
                {"RightFoot", 8, -0.1, 0.1}, {"LeftArm", 1, 0.2, 1.4},   {"LeftForeArm", 10, 0.5, 1.4}};
  for (const auto& j : joints) {
    cutis::Joint joint;
    joint.name = j.name;
    joint.parent = j.parent;
    joint.is_bone = true;
    joint.world_from_rest.translation = {j.x, j.y, 0};
    joint.local.translation = joint.world_from_rest.translation;
    if (j.parent >= 0)
      joint.local.translation -= body.skeleton.joints[static_cast<std::size_t>(j.parent)].world_from_rest.translation;
    body.skeleton.joints.push_back(joint);
  }
  return body;
}

}  // namespace

namespace cutis::fuzz {

Shape shape() { return Shape::text; }

std::vector<std::string> seeds() {
  return {
      "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
      "Yrotation\n"
      " JOINT Spine\n {\n  OFFSET 0 1 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  JOINT Neck\n  {\n   OFFSET 0 2 "
      "0\n"
      "   CHANNELS 3 Zrotation Xrotation Yrotation\n   End Site\n   {\n    OFFSET 0 1 0\n   }\n  }\n }\n"
      " JOINT LeftUpLeg\n {\n  OFFSET 1 0 0\n  CHANNELS 1 Xrotation\n  End Site\n  {\n   OFFSET 0 -4 0\n  }\n }\n}\n"
      "MOTION\nFrames: 2\nFrame Time: 0.0083333\n0 10 0 1 2 3 4 5 6 7 8 9 20\n0 11 0 -1 -2 -3 4 5 6 7 8 9 40\n",
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\nMOTION\nFrames: 0\nFrame Time: "
      "1\n"};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  static const Character body = make_body();
  try {
    const BvhMotion motion = read_bvh_memory(bytes, "fuzz.bvh", context);
    const Clip clip = retarget(body, motion, map_joints(body, motion), "fuzz", context);
    for (const Channel& channel : clip.channels)
      for (const float value : channel.values)
        if (!std::isfinite(value)) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
