// The BVH reader and the retargeting on damaged files: a clip of finite numbers, or cutis::Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cutis/character.h"
#include "cutis/error.h"
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cutis::Context context(1);
  static const cutis::Character body = make_body();
  try {
    const cutis::BvhMotion motion =
        cutis::read_bvh_memory({reinterpret_cast<const char*>(data), size}, "fuzz.bvh", context);
    const cutis::Clip clip = cutis::retarget(body, motion, cutis::map_joints(body.skeleton, motion), "fuzz", context);
    for (const cutis::Channel& channel : clip.channels)
      for (const float value : channel.values)
        if (!std::isfinite(value)) std::abort();
  } catch (const cutis::Error&) {
    // what bad files are answered with
  }
  return 0;
}
