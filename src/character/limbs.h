// Limbs of a skeleton, from its shape: ways down the tree that come in mirrored pairs, and what the joints along one
// are.
#pragma once

#include <optional>
#include <vector>

#include "character/joint_roles.h"
#include "character/skin_tree.h"

namespace cutis {

/// The longest way down from a joint.
struct Limb {
  std::vector<int> nodes;
  std::optional<Vec3d> tip;
  double length = 0;  ///< from the joint it hangs on
};

/// Two limbs of one joint that mirror each other.
struct LimbPair {
  int at = -1;  ///< node that they hang on
  Limb a, b;
  Vec3d axis;          ///< unit; from b to a
  double quality = 0;  ///< 1: perfect mirror images
  Vec3d root;          ///< middle of their first joints
  Vec3d direction;     ///< unit; from there to the middle of their last joints
  [[nodiscard]] double length() const { return (a.length + b.length) / 2; }
};

/// Pairs that are long beside the skeleton, longest first. Names that say left and right count for a likeness that the
/// pose does not show.
[[nodiscard]] std::vector<LimbPair> find_limb_pairs(const SkinTree& tree, const std::vector<PlacedJoint>& joints);

enum class LimbKind { arm, leg };

/// What each joint along a limb is (none: a twist, a toe beyond the toes). Two bones of much the same length are the
/// upper and the lower one; a joint with several children is the hand; names say more than that.
[[nodiscard]] std::vector<Part> limb_parts(const SkinTree& tree, const std::vector<PlacedJoint>& joints, int at,
                                           const Limb& limb, LimbKind kind);

/// Roles of the joints of the fingers below a hand, three fingers or more; the thumb starts nearest to the wrist.
[[nodiscard]] std::vector<std::pair<int, Role>> finger_roles(const SkinTree& tree, int hand, Side side);

}  // namespace cutis
