#include "register/usual_poses.h"

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
constexpr double kCurls[] = {0.35, 0.75, 1};  // of fingers, of their range

void carry(const BodyModel& model, std::size_t bone, std::vector<Quatd>& turn) {
  // What hangs on a bone goes with it, unless it is set itself afterwards: parents come first.
  for (const int c : model.children[bone]) {
    turn[slot(c)] = turn[bone];
    carry(model, slot(c), turn);
  }
}

}  // namespace

std::vector<std::vector<Quatd>> usual_turns(const BodyModel& model) {
  const std::vector<Quatd> rest(model.bones());
  std::vector<std::vector<Quatd>> result{rest};
  const BodyRoles& roles = model.roles;
  if (roles.find(Part::upper_arm, Side::left) >= 0 && roles.find(Part::thigh, Side::left) >= 0) {
    for (const UsualPose& pose : kBodyPoses) {
      std::vector<Quatd> turn = rest;
      for (const Side side : {Side::left, Side::right})
        for (const auto& [part, d] :
             {std::pair{Part::upper_arm, pose.upper_arm}, std::pair{Part::forearm, pose.forearm},
              std::pair{Part::thigh, pose.thigh}, std::pair{Part::shin, pose.shin}}) {
          const int b = roles.find(part, side);
          if (b < 0) continue;
          const DrivenSkeleton::Bone& bone = model.skeleton.bones[slot(b)];
          // To the joint below, whatever else hangs on it.
          int next = -1;
          for (const Part below : {Part::forearm, Part::hand, Part::shin, Part::foot})
            if (const int c = roles.find(below, side); c >= 0 && model.parent[slot(c)] == b) next = c;
          const Vec3d end = next >= 0 ? model.skeleton.bones[slot(next)].rest : bone.end;
          const Vec3d along = rotate(turn[slot(b)], normalized(end - bone.rest, -roles.up));
          const Vec3d wanted =
              normalized(roles.left * (side == Side::left ? d.x : -d.x) + roles.up * d.y + roles.forward * d.z);
          turn[slot(b)] = normalized(rotation_between(along, wanted) * turn[slot(b)]);
          carry(model, slot(b), turn);
        }
      result.push_back(std::move(turn));
    }
    return result;
  }
  // Fingers, and whatever else has ranges.
  for (const double curl : kCurls) {
    std::vector<Quatd> turn = rest;
    bool any = false;
    for (std::size_t b = 0; b < model.bones(); ++b) {
      const int p = model.parent[b];
      Quatd relative;
      if (const auto& limit = model.limits.of(static_cast<int>(b));
          limit && model.roles.roles[b].part == Part::finger && limit->flexion.high < kPi) {
        relative = JointLimits::rotation(*limit, {curl * limit->flexion.high, 0, 0});
        any = true;
      }
      turn[b] = p < 0 ? Quatd{} : turn[slot(p)] * relative;
    }
    if (any) result.push_back(std::move(turn));
  }
  return result;
}

}  // namespace cutis
