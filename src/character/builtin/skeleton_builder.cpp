#include "character/builtin/skeleton_builder.h"

#include <algorithm>
#include <cmath>

#include "cutis/error.h"

namespace cutis::builtin {
namespace {

constexpr double kKeysPerSecond = 30;

}  // namespace

int add_bone(Skeleton& skeleton, const std::string& name, std::string_view parent, const Vec3d& position) {
  Joint joint;
  joint.name = name;
  joint.is_bone = true;
  joint.world_from_rest.translation = position;
  joint.local.translation = position;
  if (!parent.empty()) {
    for (std::size_t i = 0; i < skeleton.joints.size(); ++i)
      if (skeleton.joints[i].name == parent) joint.parent = static_cast<int>(i);
    if (joint.parent < 0)
      throw Error(ErrorCode::bad_character, name, "its parent '" + std::string(parent) + "' must be added before it");
    joint.local.translation =
        position - skeleton.joints[static_cast<std::size_t>(joint.parent)].world_from_rest.translation;
  }
  skeleton.joints.push_back(std::move(joint));
  return static_cast<int>(skeleton.joints.size()) - 1;
}

Vec3d rest_position(const Skeleton& skeleton, std::string_view name) {
  for (const Joint& joint : skeleton.joints)
    if (joint.name == name) return joint.world_from_rest.translation;
  throw Error(ErrorCode::bad_character, std::string(name), "there is no such joint");
}

std::string other_side(std::string_view name) {
  std::string result(name);
  if (name.ends_with("_l")) {
    result.back() = 'r';
  } else if (name.ends_with("_r")) {
    result.back() = 'l';
  }
  return result;
}

PoseWriter::PoseWriter(const Skeleton& skeleton) : skeleton_(skeleton), local_(skeleton.joints.size()) {}

int PoseWriter::index(std::string_view joint) const {
  for (std::size_t i = 0; i < skeleton_.joints.size(); ++i)
    if (skeleton_.joints[i].name == joint) return static_cast<int>(i);
  throw Error(ErrorCode::bad_character, std::string(joint), "there is no such joint");
}

void PoseWriter::turn(std::string_view joint, const Quatd& rotation) {
  local_[static_cast<std::size_t>(index(joint))] = rotation;
}

void PoseWriter::turn_in_world(std::string_view joint, const Quatd& rotation) {
  const int i = index(joint);
  const int parent = skeleton_.joints[static_cast<std::size_t>(i)].parent;
  local_[static_cast<std::size_t>(i)] =
      parent < 0 ? rotation : normalized(conjugate(world_rotation(parent)) * rotation);
}

Quatd PoseWriter::world_rotation(int joint) const {
  Quatd q;
  for (int i = joint; i >= 0; i = skeleton_.joints[static_cast<std::size_t>(i)].parent)
    q = local_[static_cast<std::size_t>(i)] * q;
  return q;
}

Vec3d PoseWriter::world_position(int joint) const {
  Vec3d p;  // in the frame of joint i, then of its parent, up to the world
  for (int i = joint; i >= 0; i = skeleton_.joints[static_cast<std::size_t>(i)].parent) {
    const auto k = static_cast<std::size_t>(i);
    p = rotate(local_[k], p) + skeleton_.joints[k].local.translation;
  }
  return p + root_shift_;
}

Vec3d PoseWriter::world_position(std::string_view joint) const { return world_position(index(joint)); }
Quatd PoseWriter::world_rotation(std::string_view joint) const { return world_rotation(index(joint)); }

Vec3d PoseWriter::follow(std::string_view joint, const Vec3d& p_rest) const {
  const int i = index(joint);
  return world_position(i) + rotate(world_rotation(i), p_rest - rest_position(skeleton_, joint));
}

Clip make_clip(const Skeleton& skeleton, std::string name, double seconds,
               const std::function<void(double, PoseWriter&)>& write) {
  const int keys = static_cast<int>(std::lround(seconds * kKeysPerSecond)) + 1;
  std::vector<float> times;
  std::vector<PoseWriter> poses;
  for (int k = 0; k < keys; ++k) {
    const double time = seconds * k / (keys - 1);
    times.push_back(static_cast<float>(time));
    poses.emplace_back(skeleton);
    write(time, poses.back());
  }

  Clip clip;
  clip.name = std::move(name);
  const bool root_moves =
      std::any_of(poses.begin(), poses.end(), [](const PoseWriter& p) { return p.root_shift() != Vec3d{}; });
  if (root_moves) {
    Channel channel{.joint = 0, .path = ChannelPath::translation, .times = times, .values = {}};
    for (const PoseWriter& pose : poses) {
      const Vec3d p = skeleton.joints[0].local.translation + pose.root_shift();
      for (int c = 0; c < 3; ++c) channel.values.push_back(static_cast<float>(p[c]));
    }
    clip.channels.push_back(std::move(channel));
  }
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (std::all_of(poses.begin(), poses.end(), [&](const PoseWriter& p) { return p.local()[j] == Quatd{}; })) continue;
    Channel channel{.joint = static_cast<int>(j), .path = ChannelPath::rotation, .times = times, .values = {}};
    Quatd previous;
    for (const PoseWriter& pose : poses) {
      Quatd q = pose.local()[j];
      if (dot(q, previous) < 0) q = negated(q);  // neighbouring keys on one hemisphere
      previous = q;
      for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(static_cast<float>(x));
    }
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

double there_and_back(double time, double seconds) { return 0.5 - 0.5 * std::cos(2 * kPi * time / seconds); }

double ease(double x, double a, double b) {
  const double t = std::clamp((x - a) / (b - a), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

Quatd align(const Vec3d& along0, const Vec3d& bend0, const Vec3d& along1, const Vec3d& bend1) {
  const auto basis = [](const Vec3d& along, const Vec3d& bend) {
    const Vec3d a = normalized(along);
    const Vec3d b = normalized(bend - a * dot(a, bend));
    return Mat3d{{a, b, cross(a, b)}};
  };
  return to_quaternion(basis(along1, bend1) * transpose(basis(along0, bend0)));
}

}  // namespace cutis::builtin
