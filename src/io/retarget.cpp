// World rotations are transferred relative to a reference pose r of the motion:
//   R_c(t) = swing(t) * R_m(t) * inverse(R_m(r)) * A_c * R_c(rest),   A_c = align_c * F
// F turns the character's rest frame (left-right and up axes) into the motion's at r; align_c is the shortest
// rotation that then makes the two bones parallel, so twist is judged from a common facing; swing(t), the identity
// for rigid bones, takes up what joints between the two ends of the motion's bone do.
//
// The reference pose is the motion's skeleton without rotations. Files whose offsets do not draw a body at all (all
// bones along one axis) are measured instead at the frame that is most like the character's rest pose.
#include "io/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/math.h"
#include "base/polar.h"
#include "character/joint_roles.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

using MotionPose = BvhMotion::Pose;

/// Mean angle between corresponding bones above which the unrotated skeleton is no use as a reference.
constexpr double kWorstReference = 50 * kPi / 180;
constexpr std::size_t kReferenceCandidates = 256;
/// Bones shorter than this share of the skeleton's size have no direction.
constexpr double kShortBone = 1e-3;
/// Share of frames that may have their feet lower than the level taken for the ground.
constexpr double kGroundQuantile = 0.05;
/// A level of the feet further from the file's floor than this share of the leg is no standing (hanging, swimming).
constexpr double kGroundReach = 0.35;

struct Link {
  int joint = -1, motion = -1;
  Role role;
  int parent = -1;            ///< link of the closest mapped ancestor
  std::vector<int> children;  ///< links whose parent this is
  Turning turning = Turning::follows;
  std::vector<int> aim;    ///< links that the bone points to; empty with `aims`: the tips below
  Vec3d tip_local;         ///< end of the bone in the joint's frame
  Vec3d motion_tip_local;  ///< only for leaves
  Quatd rest_rotation;     ///< of the joint, in the scene
  Vec3d rest_direction;    ///< of the bone, in the scene
  Quatd alignment;         ///< A_c
};

std::vector<NamedJoint> names_of(const Skeleton& skeleton) {
  std::vector<NamedJoint> names;
  for (const Joint& joint : skeleton.joints) names.push_back({joint.alias_of < 0 ? joint.name : "", joint.parent});
  return names;
}
std::vector<NamedJoint> names_of(const BvhMotion& motion) {
  std::vector<NamedJoint> names;
  for (const BvhJoint& joint : motion.joints) names.push_back({joint.name, joint.parent});
  return names;
}

template <class Joints>
std::string some_names(const Joints& joints) {
  constexpr std::size_t kSome = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(joints.size(), kSome); ++i) text += (i > 0 ? ", " : "") + joints[i].name;
  return joints.size() > kSome ? text + ", …" : text;
}

class Retargeter {
 public:
  Retargeter(const Character& character, const BvhMotion& motion, const JointMap& map, const Context& context)
      : skeleton_(character.skeleton), motion_(motion), context_(context), ground_(character.bounds().lo.y) {
    make_links(map);
    measure_character();
    choose_aims();
    scene_from_motion_ = find_up();
    choose_reference();
    find_scale();
  }

  Clip run(const std::string& name) {
    const std::size_t n = motion_.frames;
    std::vector<Channel> channels(links_.size());
    std::vector<Quatd> root_rotation(n);
    std::vector<Vec3d> anchor(n);
    std::vector<double> lowest(n);
    std::vector<float> times(n);
    for (std::size_t f = 0; f < n; ++f) {
      if (f % 256 == 0) {
        context_.progress("retarget", static_cast<double>(f) / static_cast<double>(n));
        context_.check_cancelled();
      }
      times[f] = static_cast<float>(static_cast<double>(f) * motion_.frame_time);
      const MotionPose pose = scene_pose(motion_.pose(f));
      const std::vector<Quatd> world = world_rotations(pose);
      add_keys(world, channels);
      root_rotation[f] = rotation_of_link(world, root_);
      anchor[f] = motion_anchor(pose);
      lowest[f] = lowest_foot(pose);
    }
    Clip clip;
    clip.name = name;
    clip.channels.push_back(root_path(root_rotation, anchor, lowest));
    for (std::size_t i = 0; i < links_.size(); ++i) clip.channels.push_back(std::move(channels[i]));
    for (Channel& channel : clip.channels) channel.times = times;
    return clip;
  }

  void report(RetargetReport& out) const {
    out.scale = scale_;
    out.reference_frame = reference_frame_;
    out.scene_from_motion = scene_from_motion_;
    for (const Link& link : links_) {
      RetargetReport::Item item{link.joint, link.motion, link.turning, {}, {}};
      for (const int child : link.aim) {
        item.targets.push_back(at(child).joint);
        item.motion_targets.push_back(at(child).motion);
      }
      out.items.push_back(std::move(item));
    }
  }

 private:
  [[nodiscard]] const Link& at(int i) const { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Joint& joint(int i) const { return skeleton_.joints[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link* find(Part part, Side side = Side::none) const {
    for (const Link& link : links_)
      if (link.role.part == part && link.role.side == side) return &link;
    return nullptr;
  }
  [[nodiscard]] const Link* find_last(Part part) const {
    const Link* last = nullptr;
    for (const Link& link : links_)
      if (link.role.part == part) last = &link;
    return last;
  }

  // ---- the two skeletons ----

  void make_links(const JointMap& map) {
    link_of_.assign(skeleton_.joints.size(), -1);
    JointMap ordered = map;
    std::sort(ordered.begin(), ordered.end());  // parents first
    const std::vector<Role> roles = find_roles(names_of(skeleton_));
    const std::vector<Role> motion_roles = find_roles(names_of(motion_));
    for (const auto& [c, m] : ordered) {
      Link link;
      link.joint = c;
      link.motion = m;
      link.role = roles[static_cast<std::size_t>(c)];
      if (link.role.part == Part::none) link.role = motion_roles[static_cast<std::size_t>(m)];
      for (int p = joint(c).parent; p >= 0 && link.parent < 0; p = joint(p).parent)
        link.parent = link_of_[static_cast<std::size_t>(p)];
      const auto index = static_cast<int>(links_.size());
      if (link.parent >= 0) links_[static_cast<std::size_t>(link.parent)].children.push_back(index);
      link_of_[static_cast<std::size_t>(c)] = index;
      links_.push_back(std::move(link));
    }
    // The one that carries the translation: the hips, else the topmost.
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (links_[i].role.part == Part::hips) root_ = static_cast<int>(i);
    while (at(root_).parent >= 0) root_ = at(root_).parent;
  }

  [[nodiscard]] static Affine3d local_of(const Joint& j) {
    return j.local_residual ? to_affine(j.local) * *j.local_residual : to_affine(j.local);
  }
  /// Default place of joint `j` in the frame of its ancestor `ancestor`.
  [[nodiscard]] Vec3d place_in(int ancestor, int j) const {
    Vec3d p;
    for (; j != ancestor && j >= 0; j = joint(j).parent) p = transform_point(local_of(joint(j)), p);
    return p;
  }

  void measure_character() {
    default_world_.resize(skeleton_.joints.size());
    for (std::size_t j = 0; j < skeleton_.joints.size(); ++j) {
      const Joint& it = skeleton_.joints[j];
      default_world_[j] = local_of(it);
      if (it.parent >= 0) default_world_[j] = default_world_[static_cast<std::size_t>(it.parent)] * default_world_[j];
    }
    Box box;
    for (Link& link : links_) {
      // Bones know the pose of the skin; other nodes only have their default.
      const Joint& it = joint(link.joint);
      const Affine3d& rest = it.is_bone ? it.world_from_rest : default_world_[static_cast<std::size_t>(link.joint)];
      link.rest_rotation = polar_decompose(rest.linear).rotation;
      rest_position_.push_back(rest.translation);
      box.add(rest.translation);
    }
    size_ = diagonal(box);
    const MotionPose rest = motion_.rest();
    Box motion_box;
    for (const Vec3d& p : rest.position) motion_box.add(p);
    motion_size_ = diagonal(motion_box);
  }

  /// What each joint's bone points to, and whether it has a direction at all.
  void choose_aims() {
    const MotionPose rest = motion_.rest();
    for (Link& link : links_) {
      const Part part = link.role.part;
      const bool trunk = part == Part::hips || part == Part::spine || part == Part::neck || part == Part::head;
      const bool level = part == Part::toes;  // flat on the ground in any rest pose, whatever the slope of the foot
      link.turning = trunk || level || part == Part::clavicle || link.parent < 0 ? Turning::copies : Turning::follows;
      // Where legs and spine branch, and at the head, orientation says more than any one bone. Collars start at
      // different places in different skeletons; their direction says little.
      if (part == Part::hips || part == Part::head || part == Part::clavicle) continue;
      link.aim = link.children;
      if (part == Part::spine) keep_only(link.aim, {Part::spine, Part::neck, Part::head});
      if (part == Part::hand) keep_without_thumb(link.aim);
      bool has_motion_bone = false;
      if (!link.aim.empty()) {
        Vec3d mean, motion_mean;
        for (const int child : link.aim) {
          mean += place_in(link.joint, at(child).joint);
          motion_mean += rest.position[static_cast<std::size_t>(at(child).motion)];
        }
        const auto count = static_cast<double>(link.aim.size());
        link.tip_local = mean / count;
        const Vec3d bone = motion_mean / count - rest.position[static_cast<std::size_t>(link.motion)];
        has_motion_bone = length(bone) > kShortBone * motion_size_;
      } else {
        const int tip = only_child(link.joint);
        const BvhJoint& m = motion_.joints[static_cast<std::size_t>(link.motion)];
        if (tip < 0 || m.end_sites.size() != 1 || has_child(link.motion)) continue;
        link.tip_local = place_in(link.joint, tip);
        link.motion_tip_local = m.end_sites[0];
        has_motion_bone = length(link.motion_tip_local) > kShortBone * motion_size_;
      }
      const double scale = frobenius(default_world_[static_cast<std::size_t>(link.joint)].linear) / std::sqrt(3.0);
      if (has_motion_bone && length(link.tip_local) * scale > kShortBone * size_) {
        link.turning = Turning::aims;
        const Mat3d stretch = polar_decompose(default_world_[static_cast<std::size_t>(link.joint)].linear).stretch;
        link.rest_direction = normalized(rotate(link.rest_rotation, stretch * link.tip_local));
      } else {
        link.aim.clear();
      }
    }
  }
  void keep_only(std::vector<int>& aim, std::initializer_list<Part> parts) const {
    std::vector<int> kept;
    for (const int child : aim)
      if (std::find(parts.begin(), parts.end(), at(child).role.part) != parts.end()) kept.push_back(child);
    if (!kept.empty()) aim = kept;
  }
  void keep_without_thumb(std::vector<int>& aim) const {
    std::vector<int> kept;
    for (const int child : aim)
      if (at(child).role.part != Part::finger || at(child).role.index >= 10) kept.push_back(child);
    if (!kept.empty()) aim = kept;
  }
  [[nodiscard]] int only_child(int parent) const {
    int found = -1;
    for (std::size_t j = 0; j < skeleton_.joints.size(); ++j) {
      if (skeleton_.joints[j].parent != parent || skeleton_.joints[j].alias_of >= 0) continue;
      if (found >= 0) return -1;
      found = static_cast<int>(j);
    }
    return found;
  }
  [[nodiscard]] bool has_child(int motion_joint) const {
    return std::any_of(motion_.joints.begin(), motion_.joints.end(),
                       [&](const BvhJoint& j) { return j.parent == motion_joint; });
  }

  // ---- reference pose ----

  [[nodiscard]] Vec3d motion_direction(const Link& link, const MotionPose& pose) const {
    const auto m = static_cast<std::size_t>(link.motion);
    if (link.aim.empty()) return normalized(rotate(pose.rotation[m], link.motion_tip_local));
    Vec3d mean;
    for (const int child : link.aim) mean += pose.position[static_cast<std::size_t>(at(child).motion)];
    return normalized(mean / static_cast<double>(link.aim.size()) - pose.position[m]);
  }

  /// Z-up files stand along +Z without any rotation; everything else is taken as Y-up.
  [[nodiscard]] Quatd find_up() const {
    const Link* hips = find(Part::hips);
    const Link* top = find_last(Part::neck);
    if (top == nullptr) top = find(Part::head);
    const Link *left = find(Part::foot, Side::left), *right = find(Part::foot, Side::right);
    if (hips == nullptr || top == nullptr || left == nullptr || right == nullptr) return {};
    const MotionPose rest = motion_.rest();
    const auto place = [&](const Link* link) { return rest.position[static_cast<std::size_t>(link->motion)]; };
    const Vec3d up = normalized(place(top) - place(hips));
    const Vec3d down = normalized((place(left) + place(right)) * 0.5 - place(hips));
    if (up.z < 0.8 || down.z > -0.6) return {};
    context_.warn(fmt::format("{}: the motion is Z-up; it is turned to Y-up", motion_.source));
    return axis_angle(Vec3d{1, 0, 0}, -kPi / 2);
  }
  [[nodiscard]] MotionPose scene_pose(MotionPose pose) const {
    for (Vec3d& p : pose.position) p = rotate(scene_from_motion_, p);
    for (Quatd& q : pose.rotation) q = scene_from_motion_ * q;
    return pose;
  }

  /// Turns the character's rest pose into the facing of `pose`.
  [[nodiscard]] Quatd facing(const MotionPose& pose) const {
    const auto index = [&](const Link* link) { return static_cast<std::size_t>(link - links_.data()); };
    const auto ours = [&](const Link* link) { return rest_position_[index(link)]; };
    const auto theirs = [&](const Link* link) { return pose.position[static_cast<std::size_t>(link->motion)]; };

    const Link *left = nullptr, *right = nullptr;
    for (const Part part : {Part::thigh, Part::upper_arm, Part::shin, Part::forearm, Part::clavicle}) {
      left = find(part, Side::left);
      right = find(part, Side::right);
      if (left != nullptr && right != nullptr) break;
    }
    const Link* top = find_last(Part::neck);
    if (top == nullptr) top = find(Part::head);
    if (top == nullptr) top = find_last(Part::spine);
    if (left != nullptr && right != nullptr && top != nullptr) {
      const auto frame = [&](const auto& place, Mat3d& out) {
        const Vec3d x = normalized(place(left) - place(right));
        const Vec3d up = place(top) - (place(left) + place(right)) * 0.5;
        const Vec3d z = normalized(cross(x, up));
        out = {{x, cross(z, x), z}};
        return length(x) > 0.5 && length(z) > 0.5;
      };
      Mat3d a, b;
      if (frame(ours, a) && frame(theirs, b)) return to_quaternion(b * transpose(a));
    }
    // Without such names: the rotation that best carries joint places onto joint places.
    Vec3d our_mean, their_mean;
    for (const Link& link : links_) {
      our_mean += ours(&link) / static_cast<double>(links_.size());
      their_mean += theirs(&link) / static_cast<double>(links_.size());
    }
    Mat3d sum{{Vec3d{}, Vec3d{}, Vec3d{}}};
    for (const Link& link : links_) {
      const Vec3d a = ours(&link) - our_mean, b = theirs(&link) - their_mean;
      for (int k = 0; k < 3; ++k) sum.col[static_cast<std::size_t>(k)] += b * a[k];
    }
    return frobenius(sum) > 0 ? polar_decompose(sum * (1 / frobenius(sum))).rotation : Quatd{};
  }

  [[nodiscard]] double disagreement(const MotionPose& pose) const {
    const Quatd f = facing(pose);
    double sum = 0;
    int count = 0;
    for (const Link& link : links_) {
      if (link.turning != Turning::aims) continue;
      sum += std::acos(std::clamp(dot(rotate(f, link.rest_direction), motion_direction(link, pose)), -1.0, 1.0));
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  void choose_reference() {
    reference_ = scene_pose(motion_.rest());
    double least = disagreement(reference_);
    if (least > kWorstReference) {
      const std::size_t step = std::max<std::size_t>(1, motion_.frames / kReferenceCandidates);
      for (std::size_t f = 0; f < motion_.frames; f += step) {
        MotionPose pose = scene_pose(motion_.pose(f));
        const double value = disagreement(pose);
        if (value >= least) continue;
        least = value;
        reference_ = std::move(pose);
        reference_frame_ = static_cast<int>(f);
      }
    }
    const Quatd f = facing(reference_);
    for (Link& link : links_) {
      if (link.turning == Turning::aims) {
        link.alignment =
            rotation_between(normalized(rotate(f, link.rest_direction)), motion_direction(link, reference_)) * f;
      } else {
        link.alignment = link.turning == Turning::follows ? at(link.parent).alignment : f;
      }
    }
  }

  // ---- size and place ----

  void find_scale() {
    const auto our_bone = [&](const Link* a, const Link* b) {
      const Affine3d& world = default_world_[static_cast<std::size_t>(a->joint)];
      return length(world.linear * place_in(a->joint, b->joint));
    };
    const auto their_bone = [&](const Link* a, const Link* b) {
      return distance(reference_.position[static_cast<std::size_t>(a->motion)],
                      reference_.position[static_cast<std::size_t>(b->motion)]);
    };
    double ours = 0, theirs = 0;
    for (const Side side : {Side::left, Side::right}) {
      const Link *thigh = find(Part::thigh, side), *shin = find(Part::shin, side), *foot = find(Part::foot, side);
      if (thigh == nullptr || shin == nullptr || foot == nullptr || shin->parent < 0 || foot->parent < 0) continue;
      ours += our_bone(thigh, shin) + our_bone(shin, foot);
      theirs += their_bone(thigh, shin) + their_bone(shin, foot);
      ++legs_;
    }
    if (legs_ == 0) {  // no legs: all bones
      for (const Link& link : links_) {
        if (link.parent < 0) continue;
        ours += our_bone(&at(link.parent), &link);
        theirs += their_bone(&at(link.parent), &link);
      }
    } else {
      leg_ = ours / legs_;
    }
    if (ours > 0 && theirs > 0) scale_ = ours / theirs;

    // The middle of the hip joints: skeletons place their root anywhere above it.
    const Link *left = find(Part::thigh, Side::left), *right = find(Part::thigh, Side::right);
    has_hips_ = left != nullptr && right != nullptr && left->parent == root_ && right->parent == root_;
    if (has_hips_)
      anchor_local_ = (place_in(at(root_).joint, left->joint) + place_in(at(root_).joint, right->joint)) * 0.5;
  }

  [[nodiscard]] Vec3d motion_anchor(const MotionPose& pose) const {
    const auto place = [&](const Link& link) { return pose.position[static_cast<std::size_t>(link.motion)]; };
    if (!has_hips_) return place(at(root_));
    return (place(*find(Part::thigh, Side::left)) + place(*find(Part::thigh, Side::right))) * 0.5;
  }
  [[nodiscard]] double lowest_foot(const MotionPose& pose) const {
    double lowest = 1e300;
    for (const Side side : {Side::left, Side::right})
      if (const Link* foot = find(Part::foot, side))
        lowest = std::min(lowest, pose.position[static_cast<std::size_t>(foot->motion)].y);
    return lowest;
  }

  Channel root_path(const std::vector<Quatd>& rotation, const std::vector<Vec3d>& anchor,
                    std::vector<double> lowest) const {
    const Link& root = at(root_);
    const Affine3d& rest_world = default_world_[static_cast<std::size_t>(root.joint)];
    const Mat3d stretch = polar_decompose(rest_world.linear).stretch;
    const Vec3d anchor_offset = stretch * anchor_local_;  // turned by the root's rotation only
    const Vec3d rest_anchor =
        rest_position_[static_cast<std::size_t>(root_)] + rotate(root.rest_rotation, anchor_offset);

    // Height: the motion's over its floor, moved so that the feet stand as high as they do in the rest pose.
    double lift = rest_anchor.y - scale_ * anchor.front().y;
    if (legs_ > 0) {
      const auto quantile =
          lowest.begin() + static_cast<std::ptrdiff_t>(kGroundQuantile * static_cast<double>(lowest.size()));
      std::nth_element(lowest.begin(), quantile, lowest.end());
      double foot = 1e300;
      for (const Side side : {Side::left, Side::right})
        if (const Link* link = find(Part::foot, side))
          foot = std::min(foot, rest_position_[static_cast<std::size_t>(link - links_.data())].y);
      const bool stands = std::abs(scale_ * *quantile) < kGroundReach * leg_;
      lift = stands ? foot - scale_ * *quantile : ground_;
    }

    const int parent = joint(root.joint).parent;
    const Affine3d parent_from_world =
        parent >= 0 ? inverse(default_world_[static_cast<std::size_t>(parent)]) : Affine3d{};
    Channel channel;
    channel.joint = root.joint;
    channel.path = ChannelPath::translation;
    for (std::size_t f = 0; f < rotation.size(); ++f) {
      Vec3d target = rest_anchor + (anchor[f] - anchor.front()) * scale_;
      target.y = scale_ * anchor[f].y + lift;
      const auto local =
          static_cast<Vec3f>(transform_point(parent_from_world, target - rotate(rotation[f], anchor_offset)));
      if (!is_finite(local))
        throw Error(
            ErrorCode::bad_file, motion_.source,
            fmt::format("the place of '{}' in frame {} is out of all proportion to the skeleton; check the unit.",
                        motion_.joints[static_cast<std::size_t>(root.motion)].name, f));
      channel.values.insert(channel.values.end(), {local.x, local.y, local.z});
    }
    return channel;
  }

  // ---- frames ----

  [[nodiscard]] Quatd rotation_of_link(const std::vector<Quatd>& world, int link) const {
    return world[static_cast<std::size_t>(at(link).joint)];
  }

  /// Of all joints of the character, in the scene.
  [[nodiscard]] std::vector<Quatd> world_rotations(const MotionPose& pose) const {
    std::vector<Quatd> world(skeleton_.joints.size());
    for (std::size_t j = 0; j < world.size(); ++j) {
      const Joint& it = skeleton_.joints[j];
      if (link_of_[j] < 0) {
        world[j] = it.parent >= 0 ? world[static_cast<std::size_t>(it.parent)] * it.local.rotation : it.local.rotation;
        continue;
      }
      const Link& link = at(link_of_[j]);
      const auto m = static_cast<std::size_t>(link.motion);
      Quatd turn = pose.rotation[m] * conjugate(reference_.rotation[m]) * link.alignment;
      if (link.turning == Turning::aims) {
        const Vec3d wanted = motion_direction(link, pose);
        if (wanted != Vec3d{}) turn = rotation_between(normalized(rotate(turn, link.rest_direction)), wanted) * turn;
      }
      world[j] = normalized(turn * link.rest_rotation);
    }
    return world;
  }

  void add_keys(const std::vector<Quatd>& world, std::vector<Channel>& channels) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto j = static_cast<std::size_t>(links_[i].joint);
      const int parent = skeleton_.joints[j].parent;
      Quatd local = world[j];
      if (parent >= 0) local = normalized(conjugate(world[static_cast<std::size_t>(parent)]) * local);
      Channel& channel = channels[i];
      channel.joint = links_[i].joint;
      channel.path = ChannelPath::rotation;
      std::vector<float>& v = channel.values;
      if (const std::size_t n = v.size(); n >= 4) {  // neighbours in the same half: the short way between them
        const Quatd before{v[n - 4], v[n - 3], v[n - 2], v[n - 1]};
        if (dot(before, local) < 0) local = negated(local);
      }
      for (const double x : {local.x, local.y, local.z, local.w}) v.push_back(static_cast<float>(x));
    }
  }

  const Skeleton& skeleton_;
  const BvhMotion& motion_;
  const Context& context_;
  double ground_ = 0;
  std::vector<Link> links_;
  std::vector<int> link_of_;             ///< per joint, -1: not mapped
  std::vector<Affine3d> default_world_;  ///< per joint
  std::vector<Vec3d> rest_position_;     ///< per link
  double size_ = 0, motion_size_ = 0;
  int root_ = 0;
  Quatd scene_from_motion_;
  MotionPose reference_;
  int reference_frame_ = -1;
  double scale_ = 1, leg_ = 0;
  int legs_ = 0;
  bool has_hips_ = false;
  Vec3d anchor_local_;
};

}  // namespace

JointMap map_joints(const Skeleton& skeleton, const BvhMotion& motion) {
  JointMap map = match_joints(names_of(skeleton), names_of(motion));
  constexpr std::size_t kFewest = 3;
  if (map.size() < kFewest)
    throw Error(
        ErrorCode::bad_argument, motion.source,
        fmt::format("only {} joints of the motion ({}) correspond by name to joints of the character ({}); write a "
                    "JSON file {{\"character joint\": \"motion joint\", ...}} and give it with --bvh-map.",
                    map.size(), some_names(motion.joints), some_names(skeleton.joints)));
  return map;
}

JointMap read_joint_map(const std::string& path, const Skeleton& skeleton, const BvhMotion& motion) {
  const auto refuse = [&](const std::string& sentence) { return Error(ErrorCode::bad_file, path, sentence); };
  const std::string text = read_file(path);
  if (const std::string fault = json_fault(text, true); !fault.empty()) throw refuse("is not JSON: " + fault + ".");
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false, true);
  if (!json.is_object()) throw refuse("is not a JSON object {\"character joint\": \"motion joint\", ...}.");
  JointMap map;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw refuse(fmt::format("the value of '{}' is not the name of a motion joint.", key));
    const auto wanted = value.get<std::string>();
    const int c = skeleton.find(key);
    if (c < 0)
      throw refuse(fmt::format("the character has no joint '{}'; it has {}.", key, some_names(skeleton.joints)));
    const auto m =
        std::find_if(motion.joints.begin(), motion.joints.end(), [&](const BvhJoint& j) { return j.name == wanted; });
    if (m == motion.joints.end())
      throw refuse(fmt::format("the motion has no joint '{}'; it has {}.", wanted, some_names(motion.joints)));
    map.emplace_back(c, static_cast<int>(m - motion.joints.begin()));
  }
  if (map.empty()) throw refuse("names no joints.");
  return map;
}

Clip retarget(const Character& character, const BvhMotion& motion, const JointMap& map, const std::string& name,
              const Context& context, RetargetReport* report) {
  if (map.empty()) throw Error(ErrorCode::bad_argument, motion.source, "no joints correspond to the character's.");
  Retargeter retargeter(character, motion, map, context);
  if (report != nullptr) retargeter.report(*report);
  return retargeter.run(name);
}

}  // namespace cutis
