#include "volume/usual_body_poses.h"

#include <utility>

#include "base/math.h"

namespace cutis {
namespace {

/// Directions of limbs in left, up, forward of their side.
struct UsualPose {
  Vec3d upper_arm, forearm, thigh, shin;
};
constexpr UsualPose kBodyPoses[] = {
    {{1, 0, 0}, {1, 0, 0}, {0.1, -1, 0}, {0.05, -1, 0}},                  // T
    {{0.7, -0.7, 0}, {0.7, -0.7, 0.1}, {0.15, -1, 0}, {0.05, -1, 0}},     // A
    {{0.15, -1, 0}, {0.1, -1, 0.15}, {0.1, -1, 0}, {0.05, -1, 0}},        // arms down
    {{0.2, -0.3, 1}, {0, 0, 1}, {0.1, -1, 0}, {0.05, -1, 0}},             // arms forward
    {{0.3, -1, 0.2}, {0, 0.2, 1}, {0.1, -1, 0}, {0.05, -1, 0}},           // elbows bent
    {{0.4, 1, 0}, {0.1, 1, 0}, {0.1, -1, 0}, {0.05, -1, 0}},              // arms up
    {{0.15, -1, 0.2}, {0, -0.3, 1}, {0.2, 0, 1}, {0, -1, 0}},             // sitting
    {{0.3, -0.2, 1}, {0, 0, 1}, {0.3, -0.1, 1}, {0, -1, -0.4}},           // squatting, arms forward
    {{0.7, -0.7, 0}, {0.7, -0.7, 0.1}, {0.5, -1, 0.1}, {0.3, -1, 0}},     // astride
    {{0.2, -1, 0.4}, {-1, 0.1, 0.5}, {0.1, -1, 0}, {0.05, -1, 0}},        // arms crossed
    {{0.7, -0.7, -0.2}, {-0.6, -0.7, 0.3}, {0.1, -1, 0}, {0.05, -1, 0}},  // hands on hips
};

/// Arms and legs have nothing to do with each other here.
constexpr UsualPose kLimbPoses[] = {
    {{0.5, 0, 0.8}, {-0.6, 0.8, 0.3}, {0.1, 0.05, 1}, {0, -1, -0.2}},        // hand at the head; knee up
    {{0.4, -0.9, 0.2}, {0.2, 1, 0.3}, {0.15, -0.75, 0.7}, {0, -1, 0}},       // hand at the shoulder; step forward
    {{0.2, -1, -0.5}, {0.1, -1, 0}, {0.1, -0.85, -0.55}, {0, -0.8, -0.7}},   // swung back
    {{0.1, -0.5, 0.9}, {-0.9, 0.1, 0.3}, {0.6, -0.3, 0.7}, {-0.2, -1, 0}},   // before the chest; knee out
    {{0.1, 0.2, 1}, {-0.3, 0.2, 0.9}, {0.1, -0.3, 1}, {0, -0.3, 1}},         // forward and up; kick
    {{0.8, -0.2, 0.3}, {0.2, 1, 0.2}, {0.1, -1, 0.1}, {0, -0.3, -1}},        // upper arm out, forearm up; heel up
    {{-0.3, -0.2, 1}, {-0.6, 0, 0.8}, {0.2, -0.9, 0.4}, {0.1, -0.9, -0.5}},  // across; knee bent
};

/// What hangs on a bone goes with it, unless it is set itself afterwards.
void carry(std::span<const int> parent, std::size_t bone, std::vector<Quatd>& turn) {
  std::vector<char> below(parent.size(), 0);
  for (std::size_t b = bone + 1; b < parent.size(); ++b) {
    const int p = parent[b];
    below[b] = p >= 0 && (static_cast<std::size_t>(p) == bone || below[static_cast<std::size_t>(p)] != 0);
    if (below[b]) turn[b] = turn[bone];
  }
}

std::vector<std::vector<Quatd>> turns_of(std::span<const UsualPose> poses, const DrivenSkeleton& skeleton,
                                         const BodyRoles& roles, std::span<const int> parent) {
  std::vector<std::vector<Quatd>> result;
  if (roles.find(Part::upper_arm, Side::left) < 0 || roles.find(Part::thigh, Side::left) < 0) return result;
  for (const UsualPose& pose : poses) {
    std::vector<Quatd> turn(parent.size());
    for (const Side side : {Side::left, Side::right})
      for (const auto& [part, d] : {std::pair{Part::upper_arm, pose.upper_arm}, std::pair{Part::forearm, pose.forearm},
                                    std::pair{Part::thigh, pose.thigh}, std::pair{Part::shin, pose.shin}}) {
        const int found = roles.find(part, side);
        if (found < 0) continue;
        const auto b = static_cast<std::size_t>(found);
        const DrivenSkeleton::Bone& bone = skeleton.bones[b];
        // To the joint below, whatever else hangs on it.
        int next = -1;
        for (const Part below : {Part::forearm, Part::hand, Part::shin, Part::foot})
          if (const int c = roles.find(below, side); c >= 0 && parent[static_cast<std::size_t>(c)] == found) next = c;
        const Vec3d end = next >= 0 ? skeleton.bones[static_cast<std::size_t>(next)].rest : bone.end;
        const Vec3d along = rotate(turn[b], normalized(end - bone.rest, -roles.up));
        const Vec3d wanted =
            normalized(roles.left * (side == Side::left ? d.x : -d.x) + roles.up * d.y + roles.forward * d.z);
        turn[b] = normalized(rotation_between(along, wanted) * turn[b]);
        carry(parent, b, turn);
      }
    result.push_back(std::move(turn));
  }
  return result;
}

}  // namespace

std::vector<std::vector<Quatd>> usual_body_turns(const DrivenSkeleton& skeleton, const BodyRoles& roles,
                                                 std::span<const int> parent) {
  return turns_of(kBodyPoses, skeleton, roles, parent);
}

std::vector<std::vector<Quatd>> usual_limb_turns(const DrivenSkeleton& skeleton, const BodyRoles& roles,
                                                 std::span<const int> parent) {
  std::vector<std::vector<Quatd>> list = usual_body_turns(skeleton, roles, parent);
  for (std::vector<Quatd>& turn : turns_of(kLimbPoses, skeleton, roles, parent)) list.push_back(std::move(turn));
  return list;
}

}  // namespace cutis
