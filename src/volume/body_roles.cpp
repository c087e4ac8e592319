#include "volume/body_roles.h"

#include "base/math.h"
#include "character/recognise.h"

namespace cutis {

int BodyRoles::find(Part part, Side side, int index) const {
  for (std::size_t b = 0; b < roles.size(); ++b)
    if (roles[b] == Role{part, side, index}) return static_cast<int>(b);
  return -1;
}

std::vector<int> BodyRoles::chain(Part part) const {
  std::vector<int> bones;
  for (int index = 0;; ++index) {
    const int b = find(part, Side::none, index);
    if (b < 0) return bones;
    bones.push_back(b);
  }
}

Vec3d BodyRoles::palm(const DrivenSkeleton& skeleton, Side side) const {
  const auto at = [&](int bone) { return skeleton.bones[static_cast<std::size_t>(bone)].rest; };
  const int hand = find(Part::hand, side), index = find(Part::finger, side, 11), middle = find(Part::finger, side, 21),
            pinky = find(Part::finger, side, 41);
  const double sign = side == Side::left ? 1 : -1;
  if (hand >= 0 && index >= 0 && pinky >= 0) {
    const Vec3d along = (middle >= 0 ? at(middle) : (at(index) + at(pinky)) * 0.5) - at(hand);
    return normalized(cross(along, at(index) - at(pinky)) * sign, -up);
  }
  const int forearm = find(Part::forearm, side);
  if (hand < 0 || forearm < 0) return -up;
  const Vec3d along = normalized(at(hand) - at(forearm));
  return normalized(-up + along * dot(up, along), forward);
}

Vec3d BodyRoles::elbow_axis(const DrivenSkeleton& skeleton, Side side) const {
  const int upper = find(Part::upper_arm, side), lower = find(Part::forearm, side);
  if (upper < 0 || lower < 0) return left;
  const auto& a = skeleton.bones[static_cast<std::size_t>(upper)];
  const auto& b = skeleton.bones[static_cast<std::size_t>(lower)];
  const Vec3d arm = normalized(b.rest - a.rest), fore = normalized(b.end - b.rest);
  // Bent at rest: about that axis. Straight: the forearm bends forward.
  const Vec3d bend = cross(arm, fore), forwards = normalized(cross(arm, forward), left);
  if (length(bend) > 0.1) return normalized(bend);
  return forwards;
}

BodyRoles find_body_roles(const Skeleton& skeleton, const DrivenSkeleton& driven) {
  BodyRoles body;
  std::vector<NamedJoint> names;
  for (const DrivenSkeleton::Bone& bone : driven.bones)
    names.push_back({skeleton.joints[static_cast<std::size_t>(bone.joint)].name, bone.parent});
  body.roles = find_roles(names);
  const auto at = [&](int bone) { return driven.bones[static_cast<std::size_t>(bone)].rest; };
  Vec3d left;
  for (const Part part : {Part::thigh, Part::upper_arm, Part::clavicle, Part::foot}) {
    const int l = body.find(part, Side::left), r = body.find(part, Side::right);
    if (l >= 0 && r >= 0) left += normalized(at(l) - at(r));
  }
  if (length(left) > 0.1) body.left = normalized(left);
  const int hips = body.find(Part::hips), head = body.find(Part::head);
  std::vector<int> neck = body.chain(Part::neck);
  const int top = head >= 0 ? head : neck.empty() ? -1 : neck.front();
  if (hips >= 0 && top >= 0) body.up = normalized(at(top) - at(hips), body.up);
  body.up = normalized(body.up - body.left * dot(body.up, body.left), Vec3d{0, 1, 0});
  body.forward = normalized(cross(body.left, body.up), Vec3d{0, 0, 1});
  return body;
}

bool has_limbs(const BodyRoles& body) {
  for (const Part part : {Part::upper_arm, Part::thigh})
    for (const Side side : {Side::left, Side::right})
      if (body.find(part, side) < 0) return false;
  return true;
}

BodyRoles find_body_roles(const Character& character, const DrivenSkeleton& driven) {
  BodyRoles by_name = find_body_roles(character.skeleton, driven);
  if (has_limbs(by_name)) return by_name;
  const Recognised found = recognise(placed_joints(character));
  BodyRoles body = by_name;
  for (std::size_t b = 0; b < body.roles.size(); ++b)
    body.roles[b] = found.roles[static_cast<std::size_t>(driven.bones[b].joint)];
  if (found.kind != BodyKind::human || !has_limbs(body)) return by_name;
  const auto at = [&](Part part, Side side) {
    return driven.bones[static_cast<std::size_t>(body.find(part, side))].rest;
  };
  const Vec3d hips = (at(Part::thigh, Side::left) + at(Part::thigh, Side::right)) * 0.5,
              shoulders = (at(Part::upper_arm, Side::left) + at(Part::upper_arm, Side::right)) * 0.5;
  body.left = normalized(at(Part::thigh, Side::left) - at(Part::thigh, Side::right) + at(Part::upper_arm, Side::left) -
                             at(Part::upper_arm, Side::right),
                         body.left);
  const Vec3d up = shoulders - hips;
  body.up = normalized(up - body.left * dot(up, body.left), body.up);
  body.forward = cross(body.left, body.up);
  return body;
}

}  // namespace cutis
