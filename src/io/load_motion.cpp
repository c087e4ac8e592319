#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/text.h"
#include "io/bvh_read.h"
#include "io/clip_motion.h"
#include "io/readers.h"
#include "io/retarget.h"
#include "io/text_scan.h"
#include "io/vrma_read.h"

namespace cutis {
namespace {

constexpr std::size_t kLongestName = 60;  // in a message
/// Pairs of joints that are not even this sure are of bodies that have little in common.
constexpr double kLikely = 0.45;

struct NamedMotion {
  BvhMotion motion;
  std::string clip;  ///< the clip's name, if one was asked for
};

NamedMotion motion_of(const ClipSource& source, const std::string& wanted, const Context& context) {
  const std::vector<Clip>& clips = source.body.clips;
  if (clips.empty())
    throw Error(ErrorCode::bad_file, source.body.source,
                "has no animation of joints; export the animation with its skeleton");
  if (!wanted.empty()) {
    const Clip& clip = source.body.clip(wanted);
    return {motion_of_clip(source, clip, context), clip.name};
  }
  // Some exporters put a take of one key, the rest pose, before what was animated.
  auto first = std::find_if(clips.begin(), clips.end(), [](const Clip& clip) { return clip.end() > clip.start(); });
  if (first == clips.end()) first = clips.begin();
  if (clips.size() > 1)
    context.warn(fmt::format("{}: '{}' is taken, of {} clips; --bvh-clip chooses another", source.body.source,
                             printable(first->name, kLongestName), clips.size()));
  return {motion_of_clip(source, *first, context), {}};
}

NamedMotion read_motion(const std::string& file, const std::string& clip, const Context& context) {
  const std::string extension = lower_case(std::filesystem::path(file).extension().string());
  if (extension == ".glb" || extension == ".gltf" || extension == ".vrm")
    return motion_of(read_gltf_motion(file, context), clip, context);
  if (extension == ".fbx" || extension == ".dae") return motion_of(read_assimp_motion(file, context), clip, context);
  if (extension != ".bvh" && extension != ".vrma")
    throw Error(ErrorCode::bad_argument, file,
                "is not a motion file that can be read; the extension has to be .bvh, .vrma, .glb, .gltf, .vrm, .fbx "
                "or .dae");
  if (!clip.empty())
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("has one motion, without a name: '{}' cannot be chosen", printable(clip, kLongestName)));
  return {extension == ".vrma" ? read_vrma(file, context) : read_bvh(file, context), {}};
}

}  // namespace

MotionInfo inspect_motion(const std::string& file, const Context& context) {
  const BvhMotion motion = read_motion(file, {}, context).motion;
  MotionInfo info{{}, motion.frames, motion.frame_time};
  for (const BvhJoint& joint : motion.joints) info.joints.push_back(joint.name);
  return info;
}

Clip load_motion(const std::string& file, const Character& character, const Context& context,
                 const MotionOptions& options, MotionReport* report) {
  const auto [motion, clip_name] = read_motion(file, options.clip, context);
  if (character.skeleton.joints.empty())
    throw Error(ErrorCode::bad_character, character.source, "has no skeleton that a motion could drive.");
  // A value takes at least two bytes of the file.
  if (!may_unfold(motion.frames, character.skeleton.joints.size(), 2 * motion.values.size()))
    throw Error(ErrorCode::bad_file, file,
                fmt::format("has {} frames of {} channels, too few for the {} joints of the character; cut it shorter.",
                            motion.frames, motion.channels, character.skeleton.joints.size()));
  const JointMap map =
      options.map_file.empty() ? map_joints(character, motion) : read_joint_map(options.map_file, character, motion);
  double surest = 0;
  for (const JointMatch& match : map) surest = std::max(surest, match.confidence);
  if (surest < kLikely)
    context.warn(
        fmt::format("{}: is the motion of another kind of body than {}'s (no pair of joints is surer than "
                    "{:.2g}); --bvh-map says which joint takes which",
                    file, character.source, surest));
  for (const JointMatch& match : map) {
    if (report == nullptr) break;
    report->joints.push_back({character.skeleton.joints[static_cast<std::size_t>(match.joint)].name,
                              motion.joints[static_cast<std::size_t>(match.motion_joint)].name, to_string(match.role),
                              match.confidence});
  }
  return retarget(character, motion, map, clip_name.empty() ? stem_of(file) : clip_name, context);
}

}  // namespace cutis
