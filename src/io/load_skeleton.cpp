#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/bvh_read.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

/// Joints as the offsets draw them, with the End Sites as helpers. Offsets start at a root in the origin; such a
/// skeleton is lifted until it stands on the ground.
Skeleton skeleton_of(const BvhMotion& motion) {
  BvhMotion::Pose rest = motion.rest();
  double lowest = 0;
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    lowest = std::min(lowest, rest.position[j].y);
    for (const Vec3d& end : motion.joints[j].end_sites) lowest = std::min(lowest, rest.position[j].y + end.y);
  }
  const Vec3d lift = motion.joints.front().offset == Vec3d{} ? Vec3d{0, -lowest, 0} : Vec3d{};
  Skeleton skeleton;
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    Joint joint;
    joint.name = motion.joints[j].name;
    joint.parent = motion.joints[j].parent;
    joint.local.translation = motion.joints[j].offset + (joint.parent < 0 ? lift : Vec3d{});
    joint.world_from_rest.translation = rest.position[j] + lift;
    joint.is_bone = true;
    skeleton.joints.push_back(std::move(joint));
  }
  for (std::size_t j = 0; j < motion.joints.size(); ++j)
    for (std::size_t e = 0; e < motion.joints[j].end_sites.size(); ++e) {
      Joint end;
      end.name = motion.joints[j].name + (e == 0 ? "_end" : fmt::format("_end{}", e + 1));
      end.parent = static_cast<int>(j);
      end.local.translation = motion.joints[j].end_sites[e];
      end.world_from_rest.translation = skeleton.joints[j].world_from_rest.translation + end.local.translation;
      skeleton.joints.push_back(std::move(end));
    }
  return skeleton;
}

Clip clip_of(const BvhMotion& motion, const std::string& name) {
  Clip clip;
  clip.name = name;
  std::vector<float> times;
  for (std::size_t f = 0; f < motion.frames; ++f)
    times.push_back(static_cast<float>(static_cast<double>(f) * motion.frame_time));
  std::vector<Channel> turns(motion.joints.size()), moves(motion.joints.size());
  for (std::size_t f = 0; f < motion.frames; ++f) {
    const BvhMotion::Pose pose = motion.pose(f);
    for (std::size_t j = 0; j < motion.joints.size(); ++j) {
      const int parent = motion.joints[j].parent;
      Quatd turn = pose.rotation[j];
      Vec3d move = pose.position[j];
      if (parent >= 0) {
        const auto p = static_cast<std::size_t>(parent);
        turn = conjugate(pose.rotation[p]) * turn;
        move = rotate(conjugate(pose.rotation[p]), move - pose.position[p]);
      }
      for (const double x : {turn.x, turn.y, turn.z, turn.w}) turns[j].values.push_back(static_cast<float>(x));
      for (const double x : {move.x, move.y, move.z}) moves[j].values.push_back(static_cast<float>(x));
    }
  }
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const auto& channels = motion.joints[j].channels;
    const auto has = [&](bool rotation) {
      return std::any_of(channels.begin(), channels.end(),
                         [&](const BvhChannel& c) { return c.is_rotation == rotation; });
    };
    for (const bool rotation : {true, false}) {
      if (!has(rotation) || times.empty()) continue;
      Channel channel = std::move(rotation ? turns[j] : moves[j]);
      channel.joint = static_cast<int>(j);
      channel.path = rotation ? ChannelPath::rotation : ChannelPath::translation;
      channel.times = times;
      clip.channels.push_back(std::move(channel));
    }
  }
  return clip;
}

}  // namespace

Character load_skeleton(const std::string& file, const Context& context) {
  Character result;
  result.source = file;
  if (lower_case(std::filesystem::path(file).extension().string()) == ".bvh") {
    const BvhMotion motion = read_bvh(file, context);
    result.skeleton = skeleton_of(motion);
    if (motion.frames > 0) result.clips.push_back(clip_of(motion, stem_of(file)));
  } else {
    Character character = load_character(file, context, {.ignore_weights = true});
    result.skeleton = std::move(character.skeleton);
    result.clips = std::move(character.clips);
  }
  if (result.skeleton.joints.empty())
    throw Error(ErrorCode::bad_character, file, "has no skeleton; name a skinned character or a .bvh file");
  return result;
}

}  // namespace cutis
