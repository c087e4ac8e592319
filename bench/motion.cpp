#include "bench/motion.h"

#include <cmath>
#include <numbers>

#include "base/math.h"
#include "character/bones.h"
#include "character/joint_roles.h"

namespace cutis::bench {
namespace {

constexpr double kAmplitude = 0.25, kSpeed = 0.05;  // radians, radians a frame
constexpr double kGolden = 0.6180339887498949;      // phases that are spread evenly for any number of joints
constexpr double kUpright = 0.85;                   // cosine from which a bone counts as upright

}  // namespace

std::vector<int> moving_joints(const Character& character) {
  std::vector<int> joints;
  for (const BoneSegment& bone : bone_segments(character))
    if (bone.owns_vertices) joints.push_back(bone.joint);
  if (joints.size() > 1) joints.erase(joints.begin());
  return joints;
}

int elbow(const Character& character) {
  std::vector<NamedJoint> names;
  for (const Joint& j : character.skeleton.joints) names.push_back({j.name, j.parent});
  const std::vector<Role> roles = find_roles(names);
  for (std::size_t j = 0; j < roles.size(); ++j)
    if (roles[j].part == Part::forearm && roles[j].side == Side::left) return static_cast<int>(j);
  const std::vector<int> joints = moving_joints(character);
  return joints.empty() ? 0 : joints[joints.size() / 2];
}

std::vector<Pose> swing(const Character& character, const std::vector<int>& joints, int frames) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<Vec3d> axes(skeleton.joints.size(), Vec3d{1, 0, 0});  // in the joint's own frame
  for (const BoneSegment& bone : bone_segments(character)) {
    const Vec3d along = normalized(bone.to - bone.from, Vec3d{0, 1, 0});
    // Across an upright bone: left to right; across any other: level, and across.
    const Vec3d axis =
        normalized(cross(along, std::abs(along.y) > kUpright ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0}), Vec3d{1, 0, 0});
    const auto j = static_cast<std::size_t>(bone.joint);
    axes[j] = normalized(transpose(skeleton.joints[j].world_from_rest.linear) * axis, Vec3d{1, 0, 0});
  }
  // The mean of |A w cos| over a cycle is 2 A w / pi.
  const double turn = kSpeed * std::numbers::pi / 2 / kAmplitude;
  std::vector<Pose> poses;
  for (int frame = 0; frame < frames; ++frame) {
    Pose pose = default_pose(skeleton);
    pose.time = frame / 30.0;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const auto j = static_cast<std::size_t>(joints[i]);
      const double phase = 2 * std::numbers::pi * std::fmod(kGolden * static_cast<double>(i), 1.0);
      const double angle = kAmplitude * std::sin(turn * frame + phase);
      pose.local[j].rotation = pose.local[j].rotation * axis_angle(axes[j], angle);
    }
    poses.push_back(std::move(pose));
  }
  return poses;
}

}  // namespace cutis::bench
