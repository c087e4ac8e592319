#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/io.h"
#include "io/bvh_read.h"
#include "io/retarget.h"
#include "io/text_scan.h"
#include "io/vrma_read.h"

namespace cutis {
namespace {

BvhMotion read_motion(const std::string& file, const Context& context) {
  const std::string extension = lower_case(std::filesystem::path(file).extension().string());
  if (extension == ".vrma") return read_vrma(file, context);
  if (extension != ".bvh")
    throw Error(ErrorCode::bad_argument, file,
                "is not a motion file that can be read; the extension has to be .bvh or .vrma");
  return read_bvh(file, context);
}

}  // namespace

MotionInfo inspect_motion(const std::string& file, const Context& context) {
  const BvhMotion motion = read_motion(file, context);
  MotionInfo info{{}, motion.frames, motion.frame_time};
  for (const BvhJoint& joint : motion.joints) info.joints.push_back(joint.name);
  return info;
}

Clip load_motion(const std::string& file, const Character& character, const Context& context,
                 const MotionOptions& options, MotionReport* report) {
  const BvhMotion motion = read_motion(file, context);
  if (character.skeleton.joints.empty())
    throw Error(ErrorCode::bad_character, character.source, "has no skeleton that a motion could drive.");
  // A value takes at least two bytes of the file.
  if (!may_unfold(motion.frames, character.skeleton.joints.size(), 2 * motion.values.size()))
    throw Error(ErrorCode::bad_file, file,
                fmt::format("has {} frames of {} channels, too few for the {} joints of the character; cut it shorter.",
                            motion.frames, motion.channels, character.skeleton.joints.size()));
  const JointMap map =
      options.map_file.empty() ? map_joints(character, motion) : read_joint_map(options.map_file, character, motion);
  for (const JointMatch& match : map) {
    if (report == nullptr) break;
    report->joints.push_back({character.skeleton.joints[static_cast<std::size_t>(match.joint)].name,
                              motion.joints[static_cast<std::size_t>(match.motion_joint)].name, to_string(match.role),
                              match.confidence});
  }
  return retarget(character, motion, map, stem_of(file), context);
}

}  // namespace cutis
