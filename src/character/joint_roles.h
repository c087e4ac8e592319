// What a joint is, from its name: "mixamorig:LeftForeArm", "lowerarm_l" and "L_Elbow" are all the left forearm.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cutis {

enum class Part {
  none,
  hips,
  spine,
  neck,
  head,
  clavicle,
  upper_arm,
  forearm,
  hand,
  thigh,
  shin,
  foot,
  toes,
  finger,
  tail
};
enum class Side { none, left, right };

struct Role {
  Part part = Part::none;
  Side side = Side::none;
  /// Along the spine, the neck (from below) and the tail; for fingers 10 * finger (thumb 0) + phalanx (from 1).
  int index = 0;
  friend bool operator==(const Role&, const Role&) = default;
};

/// Name, and parent before child.
struct NamedJoint {
  std::string name;
  int parent = -1;
};

/// The role of every joint; a role other than none is given once.
[[nodiscard]] std::vector<Role> find_roles(const std::vector<NamedJoint>& joints);

/// Lower case, without namespace and separators.
[[nodiscard]] std::string normalised_name(std::string_view name);

/// "left upper arm", "spine 2", "right index 1".
[[nodiscard]] std::string to_string(const Role& role);

/// The side that a name speaks of.
[[nodiscard]] Side side_of(std::string_view name);
/// How well a name suits a part: 1 says so, 0 says nothing, below 0 says something else.
[[nodiscard]] double name_fit(std::string_view name, Part part);
/// Ends of chains ("Head_end", "Toe0Nub") and helpers (twist, roll, inverse kinematics) by their names.
[[nodiscard]] bool is_helper_name(std::string_view name);

/// Pairs (character joint, motion joint) of joints with the same role, then of equal normalised names. Spines, necks
/// and tails with different numbers of joints correspond from end to end. A hand of which the motion has fewer than
/// three fingers moves as one piece.
[[nodiscard]] std::vector<std::pair<int, int>> match_roles(const std::vector<NamedJoint>& character,
                                                           const std::vector<Role>& of_character,
                                                           const std::vector<NamedJoint>& motion,
                                                           const std::vector<Role>& of_motion);
/// With the roles that the names give.
[[nodiscard]] std::vector<std::pair<int, int>> match_joints(const std::vector<NamedJoint>& character,
                                                            const std::vector<NamedJoint>& motion);

}  // namespace cutis
