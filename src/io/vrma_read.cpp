#include "io/vrma_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "io/gltf_read_uri.h"
#include "io/readers.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

constexpr double kVrmaRate = 60;  // frames a second

/// Degrees about z, x, y with R = Rz Rx Ry.
Vec3d turns_of(const Quatd& q) {
  const Mat3d m = to_matrix(q);
  const double sine = std::clamp(m.col[1].z, -1.0, 1.0);
  const bool locked = std::abs(sine) > 1 - 1e-12;  // z and x turn about one axis: all of it is z's
  const double z = locked ? std::atan2(m.col[0].y, m.col[0].x) : std::atan2(-m.col[1].x, m.col[1].y);
  const double y = locked ? 0 : std::atan2(-m.col[0].z, m.col[2].z);
  return Vec3d{z, std::asin(sine), y} * (180 / kPi);
}

struct Placed {
  std::vector<Vec3d> position;
  std::vector<Quatd> rotation;
};
Placed placed(const Skeleton& skeleton, const Pose& pose) {
  Placed out;
  for (const Affine3d& world : world_from_joint(skeleton, pose)) {
    out.position.push_back(world.translation);
    out.rotation.push_back(polar_decompose(world.linear).rotation);
  }
  return out;
}

BvhMotion motion_of(const Character& body, std::size_t file_size) {
  if (body.clips.empty() || body.clips[0].channels.empty())
    throw Error(ErrorCode::bad_file, body.source, "has no animation of its humanoid nodes");
  const Skeleton& skeleton = body.skeleton;
  const Clip& clip = body.clips[0];
  const std::size_t n = skeleton.joints.size();
  BvhMotion motion;
  motion.source = body.source;
  motion.frame_time = 1 / kVrmaRate;
  std::vector<char> moves(n, 0);
  for (const Channel& channel : clip.channels)
    if (channel.path == ChannelPath::translation) moves[static_cast<std::size_t>(channel.joint)] = 1;
  const Placed rest = placed(skeleton, default_pose(skeleton));
  for (std::size_t j = 0; j < n; ++j) {
    const Joint& from = skeleton.joints[j];
    BvhJoint joint;
    joint.name = from.humanoid.empty() ? from.name : from.humanoid;
    joint.parent = from.parent;
    joint.offset = rest.position[j];
    if (from.parent >= 0) joint.offset -= rest.position[static_cast<std::size_t>(from.parent)];
    joint.first_channel = motion.channels;
    if (moves[j]) joint.channels = {{0, false}, {1, false}, {2, false}};
    for (const int axis : {2, 0, 1}) joint.channels.push_back({axis, true});
    motion.channels += joint.channels.size();
    motion.joints.push_back(std::move(joint));
  }
  const std::vector<double> times = sample_times(clip, 0, kVrmaRate);
  if (!may_unfold(times.size(), motion.channels, file_size))
    throw Error(ErrorCode::bad_file, body.source,
                fmt::format("its animation of {:.3g} s is too long for a file of its size; cut it shorter",
                            clip.end() - clip.start()));
  motion.frames = times.size();
  motion.values.reserve(motion.frames * motion.channels);
  for (const double time : times) {
    const Placed now = placed(skeleton, sample(skeleton, clip, time));
    for (std::size_t j = 0; j < n; ++j) {
      const auto change = [&](std::size_t i) { return now.rotation[i] * conjugate(rest.rotation[i]); };
      Quatd turn = change(j);
      Vec3d place = now.position[j];
      if (const int parent = skeleton.joints[j].parent; parent >= 0) {
        const auto p = static_cast<std::size_t>(parent);
        place = rotate(conjugate(change(p)), place - now.position[p]);
        turn = conjugate(change(p)) * turn;
      }
      if (moves[j]) motion.values.insert(motion.values.end(), {place.x, place.y, place.z});
      const Vec3d turns = turns_of(normalized(turn));
      motion.values.insert(motion.values.end(), {turns.x, turns.y, turns.z});
    }
  }
  return motion;
}

}  // namespace

BvhMotion read_vrma_memory(std::span<const std::byte> bytes, const std::string& name, const Context& context) {
  return motion_of(read_gltf_humanoid(bytes, name, context), bytes.size());
}

BvhMotion read_vrma(const std::string& path, const Context& context) {
  return read_vrma_memory(gltf::read_whole_file(path, path), path, context);
}

}  // namespace cutis
