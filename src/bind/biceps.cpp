// A biceps for every arm whose name is known: an ellipsoid whose front lies in the skin.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "character/bones.h"
#include "character/joint_roles.h"
#include "cutis/elasticity.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Along the upper arm, in its lengths from the shoulder.
constexpr double kBelly = 0.56, kHalfLength = 0.3;
constexpr double kThickness = 0.55;  // its radius in distances of the skin from the bone's axis, on the side of flexion
constexpr double kUnderSkin = 0.1;   // how deep its front lies, in its radii
constexpr double kStraight = 3;      // degrees: below, the elbow's bend at rest says nothing
constexpr double kSlab = 0.08;       // half the slice of the arm that is measured, in its lengths

// To which side the elbow bends, at rest or, when it does more, in some clip; to the front when nothing bends it.
Vec3d flexion(const Character& character, int upper, int fore, int hand, const Vec3d& along) {
  constexpr int kSamples = 9;  // of a clip
  const auto frame = [&](int j) -> const Affine3d& {
    return character.skeleton.joints[static_cast<std::size_t>(j)].world_from_rest;
  };
  Vec3d best;
  double most = kStraight * kPi / 180;
  const auto look = [&](const Affine3d& rest_from_posed, const Vec3d& elbow, const Vec3d& wrist) {
    const Vec3d forearm = normalized(rest_from_posed.linear * (wrist - elbow));
    const Vec3d bend = forearm - along * dot(along, forearm);
    const double angle = std::atan2(length(bend), dot(along, forearm));
    if (!(angle > most) || !is_finite(bend)) return;
    most = angle;
    best = normalized(bend);
  };
  look(Affine3d{}, frame(fore).translation, frame(hand).translation);
  for (const Clip& clip : character.clips)
    for (const double time : sample_times(clip, kSamples, 30)) {
      const std::vector<Affine3d> world = world_from_joint(character.skeleton, sample(character.skeleton, clip, time));
      const auto at = [&](int j) -> const Affine3d& { return world[static_cast<std::size_t>(j)]; };
      if (std::abs(determinant(at(upper).linear)) > 0)
        look(frame(upper) * inverse(at(upper)), at(fore).translation, at(hand).translation);
    }
  const Vec3d front{0, 0, 1};
  return best != Vec3d{} ? best : normalized(front - along * dot(along, front), Vec3d{0, 1, 0});
}

}  // namespace

std::vector<Muscle> make_biceps(const Character& character) {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, character.source, sentence);
  };
  const Skeleton& skeleton = character.skeleton;
  std::vector<NamedJoint> names;
  for (const Joint& joint : skeleton.joints) names.push_back({joint.name, joint.parent});
  std::vector<Role> roles = find_roles(names);
  if (std::ranges::none_of(roles, [](const Role& role) { return role.part == Part::forearm; })) {
    for (NamedJoint& name : names) name.name += "_l";  // an arm by itself does not say which one it is
    roles = find_roles(names);
  }
  const auto joint_of = [&](Part part, Side side) {
    for (std::size_t j = 0; j < roles.size(); ++j)
      if (roles[j].part == part && roles[j].side == side) return static_cast<int>(j);
    return -1;
  };
  if (!character.has_weights()) refuse("has no skin weights; a muscle needs to know which skin is the arm's");
  const Parts parts = make_parts(character);
  std::vector<Vec3f> positions;
  for (const Mesh& mesh : character.meshes)
    positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());

  std::vector<Muscle> muscles;
  for (const Side side : {Side::left, Side::right}) {
    const int upper = joint_of(Part::upper_arm, side), fore = joint_of(Part::forearm, side);
    const int hand = joint_of(Part::hand, side);
    if (upper < 0 || fore < 0 || hand < 0) continue;
    const auto at = [&](int j) { return skeleton.joints[static_cast<std::size_t>(j)].world_from_rest.translation; };
    const Vec3d shoulder = at(upper), elbow = at(fore);
    const double size = distance(shoulder, elbow);
    if (!(size > 0)) continue;
    const Vec3d along = (elbow - shoulder) / size;
    const Vec3d front = flexion(character, upper, fore, hand, along);
    const Vec3d axis = shoulder + along * (kBelly * size);
    std::vector<double> skin;  // distances to the front, of the slice's front quarter
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (parts.joint[v] != upper) continue;
      const Vec3d d = static_cast<Vec3d>(positions[v]) - axis;
      const Vec3d across = d - along * dot(along, d);
      if (std::abs(dot(along, d)) < kSlab * size && dot(across, front) > 0.7 * length(across))
        skin.push_back(length(across));
    }
    if (skin.empty()) continue;
    const auto middle = skin.begin() + static_cast<std::ptrdiff_t>(skin.size() / 2);
    std::nth_element(skin.begin(), middle, skin.end());
    Muscle muscle;
    muscle.name = fmt::format("biceps of {}", skeleton.joints[static_cast<std::size_t>(upper)].name);
    muscle.joint = skeleton.joints[static_cast<std::size_t>(upper)].name;
    muscle.driver = skeleton.joints[static_cast<std::size_t>(fore)].name;
    muscle.radius = kThickness * *middle;
    const Vec3d center = axis + front * (*middle - (1 + kUnderSkin) * muscle.radius);
    muscle.from = center - along * (kHalfLength * size);
    muscle.to = center + along * (kHalfLength * size);
    muscle.curve = {{20, 0}, {60, 0.3}, {100, 0.85}, {140, 1.2}};
    muscles.push_back(std::move(muscle));
  }
  if (muscles.empty())
    refuse(
        "has no arm that could be found by its joints' names (as upper_arm_l, forearm_l, hand_l); write the muscle "
        "into a preset instead");
  return muscles;
}

}  // namespace cutis
