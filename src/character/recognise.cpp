#include "character/recognise.h"

#include <algorithm>

#include "base/math.h"
#include "base/tree.h"

namespace cutis {
namespace {

// How sure a role is by what says so.
constexpr double kByMap = 1, kByBoth = 0.95, kByName = 0.8, kAgainstShape = 0.6, kByFewNames = 0.7;
/// Shape alone, of a body whose sides mirror each other; what names agree with is surer.
constexpr double kByShape = 0.75;
/// Bodies of different kinds share roles but not motions.
constexpr double kOtherKind = 0.4;
/// Hips are this near to the thighs, in lengths of the legs.
constexpr double kHipsToThighs = 0.7;

std::vector<Role> roles_of(const std::vector<PlacedJoint>& joints, std::string PlacedJoint::* word) {
  std::vector<NamedJoint> names;
  for (const PlacedJoint& joint : joints) names.push_back({joint.counts ? joint.*word : "", joint.parent});
  return find_roles(names);
}

int find(const std::vector<Role>& roles, Part part, Side side = Side::none) {
  for (std::size_t j = 0; j < roles.size(); ++j)
    if (roles[j].part == part && roles[j].side == side) return static_cast<int>(j);
  return -1;
}

/// VRM 1 calls the three bones of the thumb metacarpal, proximal and distal.
std::vector<Role> roles_of_map(const std::vector<PlacedJoint>& joints) {
  std::vector<Role> roles = roles_of(joints, &PlacedJoint::humanoid);
  for (const Side side : {Side::left, Side::right}) {
    const bool has_palm = std::find(roles.begin(), roles.end(), Role{Part::finger, side, 0}) != roles.end();
    for (Role& role : roles)
      if (has_palm && role.part == Part::finger && role.side == side && role.index < 2) ++role.index;
  }
  return roles;
}

/// Whether names draw a whole human body that can stand: every limb with its two long bones, hips near the thighs.
bool is_whole_body(const std::vector<PlacedJoint>& joints, const std::vector<Role>& roles) {
  const int hips = find(roles, Part::hips);
  if (hips < 0 || (find(roles, Part::head) < 0 && find(roles, Part::neck) < 0)) return false;
  const auto place = [&](int j) { return joints[static_cast<std::size_t>(j)].place; };
  Vec3d thighs;
  double leg = 0;
  for (const Side side : {Side::left, Side::right}) {
    for (const auto& [upper, lower] : {std::pair{Part::upper_arm, Part::forearm}, std::pair{Part::thigh, Part::shin}}) {
      const int a = find(roles, upper, side), b = find(roles, lower, side);
      if (a < 0 || b < 0 || !hangs_on(joints, b, a)) return false;
    }
    const int foot = find(roles, Part::foot, side), shin = find(roles, Part::shin, side);
    if (foot < 0 || hangs_on(joints, shin, foot)) return false;
    const int thigh = find(roles, Part::thigh, side);
    thighs += place(thigh) * 0.5;
    leg += (distance(place(thigh), place(shin)) + distance(place(shin), place(foot))) * 0.5;
  }
  return distance(thighs, place(hips)) <= kHipsToThighs * leg || leg == 0;
}

/// A hand by itself seldom says which one it is.
std::vector<Role> unsided_hand(const std::vector<PlacedJoint>& joints) {
  std::vector<NamedJoint> names;
  for (const PlacedJoint& joint : joints)
    names.push_back({joint.counts && side_of(joint.name) == Side::none ? joint.name + "_l" : "", joint.parent});
  std::vector<Role> roles = find_roles(names);
  for (Role& role : roles) {
    if (role.part != Part::finger && role.part != Part::hand) role = {};
    role.side = Side::none;
  }
  return roles;
}
bool is_hand(const std::vector<Role>& roles) {
  std::vector<int> fingers;
  for (const Role& role : roles)
    if (role.part == Part::finger) fingers.push_back(role.index / 10);
  std::sort(fingers.begin(), fingers.end());
  return std::unique(fingers.begin(), fingers.end()) - fingers.begin() >= 3;
}

/// Shape first; names for fingers, and for what the shape leaves out.
Recognised by_shape(const std::vector<PlacedJoint>& joints, const BodyPlan& plan, const std::vector<Role>& by_name) {
  Recognised found{plan.kind, plan.roles, std::vector<double>(joints.size(), 0)};
  const bool named_fingers = is_hand(by_name);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    Role& role = found.roles[j];
    if (named_fingers && role.part == Part::finger) role = {};
    if (role.part == Part::none) continue;
    const double likely = kByShape * plan.quality * (role.side == Side::none ? 1 : plan.side_quality);
    const double fit = std::clamp(name_fit(joints[j].name, role.part), 0.0, 1.0);
    found.confidence[j] = likely + (kByBoth - likely) * fit;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Role& role = by_name[j];
    const bool may = role.part == Part::finger || role.part == Part::clavicle || role.part == Part::toes ||
                     role.part == Part::hand || role.part == Part::foot || role.part == Part::head;
    if (!may || found.roles[j].part != Part::none || !joints[j].moves_skin) continue;
    if (std::find(found.roles.begin(), found.roles.end(), role) != found.roles.end()) continue;
    found.roles[j] = role;
    found.confidence[j] = kByFewNames;
  }
  return found;
}

}  // namespace

Recognised recognise(const std::vector<PlacedJoint>& joints) {
  Recognised found{BodyKind::none, {}, std::vector<double>(joints.size(), 0)};
  const auto fill = [&](double confidence) {
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (found.roles[j].part != Part::none) found.confidence[j] = confidence;
  };
  if (std::vector<Role> map = roles_of_map(joints); is_whole_body(joints, map)) {
    found.kind = BodyKind::human;
    found.roles = std::move(map);
    fill(kByMap);
    return found;
  }
  std::vector<Role> by_name = roles_of(joints, &PlacedJoint::name);
  const std::optional<BodyPlan> plan = find_body_plan(joints);
  if (is_whole_body(joints, by_name)) {
    found.kind = plan ? plan->kind : BodyKind::human;
    found.roles = std::move(by_name);
    fill(kByName);
    for (std::size_t j = 0; plan && j < joints.size(); ++j) {
      const Role &ours = found.roles[j], &theirs = plan->roles[j];
      if (ours.part == Part::none || theirs.part == Part::none) continue;
      found.confidence[j] = ours.part == theirs.part && ours.side == theirs.side ? kByBoth : kAgainstShape;
    }
    // What names of bodies leave out: fists, tails.
    const std::vector<Role> named = found.roles;
    for (std::size_t j = 0; plan && j < joints.size(); ++j) {
      const Role& role = plan->roles[j];
      const bool is_fist = role.part == Part::hand && name_fit(joints[j].name, role.part) > 0;
      if (named[j].part != Part::none || !(is_fist || role.part == Part::tail)) continue;
      if (find(named, role.part, role.side) >= 0) continue;
      found.roles[j] = role;
      found.confidence[j] = kByName;
    }
    return found;
  }
  if (plan) return by_shape(joints, *plan, by_name);
  const bool has_legs = find(by_name, Part::thigh, Side::left) >= 0 && find(by_name, Part::thigh, Side::right) >= 0;
  if (is_hand(by_name) && !has_legs) found.kind = BodyKind::hand;
  if (std::vector<Role> hand = unsided_hand(joints); found.kind == BodyKind::none && is_hand(hand)) {
    found.kind = BodyKind::hand;
    by_name = std::move(hand);
  }
  found.roles = std::move(by_name);
  fill(kByFewNames);
  return found;
}

std::vector<JointMatch> match_skeletons(const std::vector<PlacedJoint>& character, const Recognised& ours,
                                        const std::vector<PlacedJoint>& motion, const Recognised& theirs) {
  const auto names_of = [](const std::vector<PlacedJoint>& joints) {
    std::vector<NamedJoint> names;
    for (const PlacedJoint& joint : joints) names.push_back({joint.counts ? joint.name : "", joint.parent});
    return names;
  };
  std::vector<Role> roles = ours.roles, motion_roles = theirs.roles;
  // A hand that does not say which one it is takes the side that the other skeleton has.
  const auto has = [](const std::vector<Role>& list, Side side) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Role& r) { return r.part == Part::finger && r.side == side; });
  };
  const auto take_side = [&](std::vector<Role>& unsided, const std::vector<Role>& other) {
    if (!has(unsided, Side::none) || has(other, Side::none)) return;
    for (Role& role : unsided)
      if (role.part != Part::none) role.side = has(other, Side::left) ? Side::left : Side::right;
  };
  take_side(roles, motion_roles);
  take_side(motion_roles, roles);

  const auto is_body = [](BodyKind kind) { return kind != BodyKind::none && kind != BodyKind::hand; };
  const bool other_kind =
      ours.kind != theirs.kind && is_body(ours.kind) && is_body(theirs.kind);  // a hand is of either
  std::vector<JointMatch> matches;
  for (const auto& [c, m] : match_roles(names_of(character), roles, names_of(motion), motion_roles)) {
    const auto ci = static_cast<std::size_t>(c), mi = static_cast<std::size_t>(m);
    JointMatch match{c, m, roles[ci].part != Part::none ? roles[ci] : motion_roles[mi], kByName};  // equal names
    if (roles[ci].part != Part::none) match.confidence = std::min(ours.confidence[ci], theirs.confidence[mi]);
    if (other_kind) match.confidence = std::min(match.confidence, kOtherKind);
    matches.push_back(match);
  }
  return matches;
}

}  // namespace cutis
