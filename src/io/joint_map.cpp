#include "io/joint_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/math.h"
#include "base/tree.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

template <class Joints>
std::string some_names(const Joints& joints) {
  constexpr std::size_t kSome = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(joints.size(), kSome); ++i) text += (i > 0 ? ", " : "") + joints[i].name;
  return joints.size() > kSome ? text + ", …" : text;
}

std::vector<PlacedJoint> placed_joints(const BvhMotion& motion, const BvhMotion::Pose& pose) {
  std::vector<PlacedJoint> placed(motion.joints.size());
  for (std::size_t j = 0; j < placed.size(); ++j) {
    const BvhJoint& joint = motion.joints[j];
    placed[j].name = joint.name;
    placed[j].parent = joint.parent;
    placed[j].place = placed[j].default_place = pose.position[j];
    if (!joint.end_sites.empty()) placed[j].tip = pose.position[j] + rotate(pose.rotation[j], joint.end_sites[0]);
  }
  return placed;
}

/// From the offsets; where those draw no body, from a frame.
Recognised recognise_motion(const BvhMotion& motion, std::vector<PlacedJoint>& placed) {
  placed = motion.body.empty() ? placed_joints(motion, motion.rest()) : motion.body;
  Recognised found = recognise(placed);
  for (const std::size_t frame : {std::size_t{0}, motion.frames / 2}) {
    if (found.kind != BodyKind::none || frame >= motion.frames) break;
    const std::vector<PlacedJoint> posed = placed_joints(motion, motion.pose(frame));
    if (Recognised other = recognise(posed); other.kind != BodyKind::none) found = std::move(other);
  }
  return found;
}

/// Leaves out joints above the hips that names alone bring together: a root at the origin and the body that walks away
/// from it are no bone. Hips are placed in the scene.
void leave_out_carriers(const Character& character, JointMap& map) {
  const auto found =
      std::find_if(map.begin(), map.end(), [](const JointMatch& match) { return match.role.part == Part::hips; });
  if (found == map.end()) return;
  const int hips = found->joint;
  std::erase_if(map, [&](const JointMatch& match) {
    return match.joint != hips && match.role.part == Part::none &&
           hangs_on(character.skeleton.joints, hips, match.joint);
  });
}

}  // namespace

JointMap map_joints(const Character& character, const BvhMotion& motion) {
  const std::vector<PlacedJoint> ours = placed_joints(character);
  std::vector<PlacedJoint> theirs;
  const Recognised motion_roles = recognise_motion(motion, theirs);
  JointMap map = match_skeletons(ours, recognise(ours), theirs, motion_roles);
  constexpr std::size_t kFewest = 3;
  // Trunks alone say little of bodies with limbs: a spider's is not a person's. Names of armatures do not count.
  std::size_t limbs = 0, others = 0;
  for (const JointMatch& match : map) {
    const Part part = match.role.part;
    if (part == Part::none)
      ++others;
    else if (part != Part::hips && part != Part::spine && part != Part::neck && part != Part::head &&
             part != Part::tail)
      ++limbs;
  }
  const auto has_more = [&](const auto& joints) { return joints.size() > 3 * map.size(); };
  const bool leaves_limbs = !map.empty() && limbs == 0 && others <= kFewest && has_more(ours) && has_more(theirs);
  if (map.size() < kFewest || leaves_limbs)
    throw Error(ErrorCode::bad_argument, motion.source,
                fmt::format("only {} joints of the motion ({}) correspond to joints of the character ({}){}; write a "
                            "JSON file {{\"character joint\": \"motion joint\", ...}} and give it with --bvh-map.",
                            map.size(), some_names(motion.joints), some_names(character.skeleton.joints),
                            leaves_limbs ? ", and none of a limb" : ""));
  leave_out_carriers(character, map);
  return map;
}

JointMap read_joint_map(const std::string& path, const Character& character, const BvhMotion& motion) {
  return joint_map_from_json(read_file(path), path, character, motion);
}

JointMap joint_map_from_json(std::string_view text, const std::string& path, const Character& character,
                             const BvhMotion& motion) {
  const auto refuse = [&](const std::string& sentence) { return Error(ErrorCode::bad_file, path, sentence); };
  if (const std::string fault = json_fault(text, true); !fault.empty()) throw refuse("is not JSON: " + fault + ".");
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false, true);
  if (!json.is_object()) throw refuse("is not a JSON object {\"character joint\": \"motion joint\", ...}.");
  const std::vector<PlacedJoint> placed = placed_joints(character);
  std::vector<PlacedJoint> motion_placed;
  const std::vector<Role> roles = recognise(placed).roles;
  const std::vector<Role> motion_roles = recognise_motion(motion, motion_placed).roles;
  JointMap map;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw refuse(fmt::format("the value of '{}' is not the name of a motion joint.", key));
    const auto wanted = value.get<std::string>();
    const int c = character.skeleton.find(key);
    if (c < 0)
      throw refuse(
          fmt::format("the character has no joint '{}'; it has {}.", key, some_names(character.skeleton.joints)));
    const auto m =
        std::find_if(motion.joints.begin(), motion.joints.end(), [&](const BvhJoint& j) { return j.name == wanted; });
    if (m == motion.joints.end())
      throw refuse(fmt::format("the motion has no joint '{}'; it has {}.", wanted, some_names(motion.joints)));
    const auto index = m - motion.joints.begin();
    const Role ours = roles[static_cast<std::size_t>(c)], theirs = motion_roles[static_cast<std::size_t>(index)];
    map.push_back({c, static_cast<int>(index), ours.part != Part::none ? ours : theirs, 1});
  }
  if (map.empty()) throw refuse("names no joints.");
  leave_out_carriers(character, map);
  return map;
}

}  // namespace cutis
