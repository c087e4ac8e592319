// World rotations are transferred relative to a reference pose r of the motion:
//   R_c(t) = swing(t) * R_m(t) * inverse(R_m(r)) * A_c * R_c(rest),   A_c = align_c * F
// F turns the character's rest frame (left-right and up axes) into the motion's at r; align_c is the shortest
// rotation that then makes the two bones parallel, so twist is judged from a common facing (of feet that stand on other
// slopes: about the vertical, so that soles that are flat in one rest pose are flat in the other); swing(t), the
// identity for rigid bones, takes up what joints between the two ends of the motion's bone do.
//
// The reference pose is the motion's skeleton without rotations. Files whose offsets do not draw a body at all (all
// bones along one axis) are measured instead at the frame that is most like the character's rest pose; so are those of
// which nobody says how they rest, where nodes are left in a frame of the motion: at the one in which limbs are
// straightest. In a frame F is the A of the bone above: elbows and knees that are bent are bent about their hinges.
//
// Rigs for inverse kinematics hang feet on the root, and control rigs hang limbs beside the bones that move the skin.
// A mapped joint that hangs on no other is carried by the joint that takes the motion joint above its own: it keeps
// its rest place there, by keys of translation. Bones with skin that hang on no mapped joint follow one rigidly.
#include "io/retarget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/polar.h"
#include "base/tree.h"
#include "character/joint_roles.h"
#include "cutis/error.h"

namespace cutis {
namespace {

using MotionPose = BvhMotion::Pose;

/// Mean angle between corresponding bones above which the unrotated skeleton is no use as a reference.
constexpr double kWorstReference = 50 * kPi / 180;
constexpr std::size_t kReferenceCandidates = 256;
/// A body that rests as in one of the motion's frames: bones bent less than this at their joints, in the mean, are a
/// rest pose all the same, and another frame has to be this much straighter to be taken.
constexpr double kStraight = 8 * kPi / 180, kClearlyStraighter = 4 * kPi / 180;
/// Bones that a body's tilt counts as.
constexpr double kTiltWeight = 3;
/// From the ankles to the hips, a body leans by so much at most where it stands.
constexpr double kStandsTilted = 25 * kPi / 180;
/// Feet that stand slope by less, from ankle to toes, and not by so much more or less in one body than in another.
/// Feet of about one slope go by their bones.
constexpr double kSteepestFoot = 75 * kPi / 180, kOtherFoot = 55 * kPi / 180, kSameFoot = 9 * kPi / 180;
/// Collars are not turned further against the chest.
constexpr double kFarthestCollar = 35 * kPi / 180;
constexpr Vec3d kUp{0, 1, 0};
/// Bones shorter than this share of the skeleton's size have no direction.
constexpr double kShortBone = 1e-3;
/// Share of frames that may have their feet lower than the level taken for the ground.
constexpr double kGroundQuantile = 0.05;
/// A level of the feet further from the file's floor than this share of the leg is no standing (hanging, swimming).
constexpr double kGroundReach = 0.35;

struct Link {
  int joint = -1, motion = -1;
  Role role;
  int parent = -1;            ///< link of the closest mapped ancestor, or of the one that carries it
  bool is_carried = false;    ///< by a link that is not above it in the skeleton
  std::vector<int> children;  ///< links whose parent this is
  Turning turning = Turning::follows;
  std::vector<int> aim;    ///< links that the bone points to; empty with `aims`: the tips below
  Vec3d tip_local;         ///< end of the bone in the joint's frame
  Vec3d motion_tip_local;  ///< only for leaves
  Quatd rest_rotation;     ///< of the joint, in the scene
  Vec3d rest_direction;    ///< of the bone, in the scene
  Quatd alignment;         ///< A_c
  bool flat = false;       ///< a foot that is on the ground in both rest poses
};

class Retargeter {
 public:
  Retargeter(const Character& character, const BvhMotion& motion, const JointMap& map, const Context& context)
      : skeleton_(character.skeleton), motion_(motion), context_(context), ground_(character.bounds().lo.y) {
    make_links(map);
    measure_character();
    find_followers(character);
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
    std::vector<Vec3d> root_place(n);
    clip.channels.push_back(root_path(root_rotation, anchor, lowest, root_place));
    for (std::size_t i = 0; i < links_.size(); ++i) clip.channels.push_back(std::move(channels[i]));
    if (has_loose_joints()) place_loose_joints(root_place, clip);
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
    std::sort(ordered.begin(), ordered.end(), [](const JointMatch& a, const JointMatch& b) {  // parents first
      return std::pair(a.joint, a.motion_joint) < std::pair(b.joint, b.motion_joint);
    });
    for (const JointMatch& match : ordered) {
      const int c = match.joint;
      Link link;
      link.joint = c;
      link.motion = match.motion_joint;
      link.role = match.role;
      for (int p = joint(c).parent; p >= 0 && link.parent < 0; p = joint(p).parent)
        link.parent = link_of_[static_cast<std::size_t>(p)];
      const auto index = static_cast<int>(links_.size());
      if (link.parent >= 0) links_[static_cast<std::size_t>(link.parent)].children.push_back(index);
      link_of_[static_cast<std::size_t>(c)] = index;
      links_.push_back(std::move(link));
    }
    std::vector<int> link_of_motion(motion_.joints.size(), -1);
    for (std::size_t i = 0; i < links_.size(); ++i)
      link_of_motion[static_cast<std::size_t>(links_[i].motion)] = static_cast<int>(i);
    choose_root(link_of_motion);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (static_cast<int>(i) == root_) continue;
      const int body = above_in_bodies(links_[i]);
      const bool hangs_elsewhere = body >= 0 && !hangs_on(skeleton_.joints, links_[i].joint, at(body).joint);
      if (links_[i].parent < 0 || hangs_elsewhere) carry(static_cast<int>(i), body, link_of_motion);
    }
    order_.push_back(root_);
    for (std::size_t i = 0; i < order_.size(); ++i)
      order_.insert(order_.end(), at(order_[i]).children.begin(), at(order_[i]).children.end());
  }

  /// The link of the closest mapped joint above a link's in the motion, or -1.
  [[nodiscard]] int above_in_motion(const Link& link, const std::vector<int>& link_of_motion) const {
    const int above = first_upwards(motion_.joints, parent_of(motion_.joints, link.motion),
                                    [&](int m) { return link_of_motion[static_cast<std::size_t>(m)] >= 0; });
    return above >= 0 ? link_of_motion[static_cast<std::size_t>(above)] : -1;
  }
  /// The one that carries the translation: the hips, else the topmost, in the motion too (some hands are flat lists).
  void choose_root(const std::vector<int>& link_of_motion) {
    int hips = -1, top = -1;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].role.part == Part::hips) hips = static_cast<int>(i);
      if (top < 0 && links_[i].parent < 0 && above_in_motion(links_[i], link_of_motion) < 0) top = static_cast<int>(i);
    }
    root_ = hips >= 0 ? hips : std::max(0, top);
    while (at(root_).parent >= 0) root_ = at(root_).parent;
  }
  /// The link that is above one in any body: a foot may hang on the root in both skeletons and is still the shin's.
  [[nodiscard]] int above_in_bodies(const Link& link) const {
    constexpr Part kLimbs[] = {Part::thigh, Part::shin,      Part::foot,    Part::toes,
                               Part::none,  Part::upper_arm, Part::forearm, Part::hand};
    const auto at_part = std::find(std::begin(kLimbs), std::end(kLimbs), link.role.part);
    if (at_part == std::end(kLimbs)) return -1;
    for (auto part = at_part; part != std::begin(kLimbs) && *--part != Part::none;)
      if (const Link* above = find(*part, link.role.side)) return static_cast<int>(above - links_.data());
    return -1;
  }
  /// Hangs a link on the one above it in any body, else on the one whose motion joint is above its own, else on the
  /// root.
  void carry(int index, int body, const std::vector<int>& link_of_motion) {
    Link& link = links_[static_cast<std::size_t>(index)];
    if (link.parent >= 0) std::erase(links_[static_cast<std::size_t>(link.parent)].children, index);
    const int above = body >= 0 ? body : above_in_motion(link, link_of_motion);
    const int carrier = above >= 0 ? above : root_;
    link.is_carried = true;
    link.parent = hangs_on(links_, carrier, index) ? root_ : carrier;
    links_[static_cast<std::size_t>(link.parent)].children.push_back(index);
  }

  /// Bones that move skin and would stay behind: those above the root follow it, others the nearest joint.
  void find_followers(const Character& character) {
    followed_.assign(skeleton_.joints.size(), -1);
    follower_change_.resize(skeleton_.joints.size());
    std::vector<char> moves_skin(skeleton_.joints.size(), 0);
    for (const Mesh& mesh : character.meshes)
      for (const std::uint32_t j : mesh.weights.joint) moves_skin[j] = 1;
    std::vector<char> is_moved(skeleton_.joints.size(), 0);
    for (std::size_t j = 0; j < skeleton_.joints.size(); ++j) {
      const Joint& it = skeleton_.joints[j];
      is_moved[j] = link_of_[j] >= 0 || (it.parent >= 0 && is_moved[static_cast<std::size_t>(it.parent)]);
      if (is_moved[j] || !moves_skin[j] || it.alias_of >= 0) continue;
      int best = root_;
      if (!hangs_on(skeleton_.joints, at(root_).joint, static_cast<int>(j)))
        for (std::size_t i = 0; i < links_.size(); ++i)
          if (distance(rest_position_[i], it.world_from_rest.translation) <
              distance(rest_position_[static_cast<std::size_t>(best)], it.world_from_rest.translation))
            best = static_cast<int>(i);
      followed_[j] = best;
      follower_change_[j] = conjugate(at(best).rest_rotation) * polar_decompose(it.world_from_rest.linear).rotation;
      is_moved[j] = 1;
    }
  }
  [[nodiscard]] bool has_loose_joints() const {
    return std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.is_carried; }) ||
           std::any_of(followed_.begin(), followed_.end(), [](int link) { return link >= 0; });
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
  /// Place of link `b` in the frame of `a`, which is its parent.
  [[nodiscard]] Vec3d place_in(const Link& a, const Link& b) const {
    if (!b.is_carried) return place_in(a.joint, b.joint);
    const Mat3d stretch = polar_decompose(default_world_[static_cast<std::size_t>(a.joint)].linear).stretch;
    return inverse(stretch) * rotate(conjugate(a.rest_rotation), rest_place(b) - rest_place(a));
  }
  [[nodiscard]] Vec3d rest_place(const Link& link) const {
    return rest_position_[static_cast<std::size_t>(&link - links_.data())];
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
    const Link *left = find(Part::thigh, Side::left), *right = find(Part::thigh, Side::right);
    const Link* top = find_last(Part::neck);
    if (top == nullptr) top = find(Part::head);
    if (left != nullptr && right != nullptr && top != nullptr)
      is_upright_ = normalized(rest_place(*top) - (rest_place(*left) + rest_place(*right)) * 0.5).y > 0.6;
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
      const bool level = is_sole(part);  // flat on the ground in any rest pose, whatever the slope of the bones
      link.turning = trunk || level || part == Part::clavicle || link.parent < 0 ? Turning::copies : Turning::follows;
      // Where legs and spine branch, and at the head, orientation says more than any one bone. Collars start at
      // different places in different skeletons; their direction says little.
      if (part == Part::hips || part == Part::head || part == Part::clavicle) continue;
      link.aim = link.children;
      if (part == Part::spine) keep_only(link.aim, {Part::spine, Part::neck, Part::head});
      if (part == Part::neck) keep_only(link.aim, {Part::neck, Part::head});  // Biped hangs its collars there
      if (part == Part::hand) keep_without_thumb(link.aim);
      bool has_motion_bone = false;
      if (!link.aim.empty()) {
        Vec3d mean, motion_mean;
        for (const int child : link.aim) {
          mean += place_in(link, at(child));
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
    if (motion_.rests_in_motion) return {};  // whoever lies down at first is not Z-up
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
      // Many fingers would say the same as their arm.
      if (link.turning != Turning::aims || link.role.part == Part::finger) continue;
      sum += angle_between(rotate(f, link.rest_direction), motion_direction(link, pose));
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  /// A_c of every link when the motion's body is in `pose`. `bent`: how far the bones are from pointing as they do in
  /// the rest pose, each as the one above it has turned them, and the body from standing; the mean.
  [[nodiscard]] std::vector<Quatd> alignments(const MotionPose& pose, bool is_posed, double* bent = nullptr) const {
    const Quatd f = facing(pose);
    const Quatd level = heading_change({0, 0, 1}, rotate(f, Vec3d{0, 0, 1}));
    const double tilt = angle_between(rotate(f, kUp), kUp);
    const bool stands = legs_upright([&](const Link& link) { return rest_place(link); }) &&
                        legs_upright([&](const Link& link) { return place_in(pose, link); });
    double sum = kTiltWeight * tilt, count = kTiltWeight;
    std::vector<Quatd> result(links_.size());
    for (const int i : order_) {
      const Link& link = at(i);
      // In a frame of the motion heads look ahead more often than they follow the chest, and feet need not stand.
      const bool goes_along = is_posed && is_sole(link.role.part);
      const bool looks_ahead = is_posed ? link.role.part == Part::head
                                        : stands && link.role.part == Part::foot && link.turning == Turning::copies;
      Quatd base = looks_ahead ? level : f;
      if (link.parent >= 0 && (link.turning != Turning::copies || goes_along))
        base = !is_posed && link.turning == Turning::aims ? f : result[static_cast<std::size_t>(link.parent)];
      Quatd& turn = result[static_cast<std::size_t>(i)];
      turn = base;
      if (link.turning != Turning::aims) {
        if (link.flat && !is_posed)
          turn = heading_change(rotate(base, link.rest_direction), motion_direction(link, pose)) * base;
        continue;
      }
      const Vec3d from = normalized(rotate(base, link.rest_direction)), to = motion_direction(link, pose);
      turn = rotation_between(from, to) * base;
      sum += angle_between(from, to);
      ++count;
    }
    if (bent != nullptr) *bent = sum / count;
    return result;
  }
  /// Whether the ankles are below the hips.
  template <class Place>
  [[nodiscard]] bool legs_upright(const Place& place) const {
    Vec3d legs;
    for (const Side side : {Side::left, Side::right}) {
      const Link *thigh = find(Part::thigh, side), *foot = find(Part::foot, side);
      if (thigh != nullptr && foot != nullptr) legs += normalized(place(*thigh) - place(*foot));
    }
    return angle_between(normalized(legs), kUp) < kStandsTilted;
  }
  [[nodiscard]] static Vec3d place_in(const MotionPose& pose, const Link& link) {
    return pose.position[static_cast<std::size_t>(link.motion)];
  }
  /// About the vertical, from one direction to the other.
  static Quatd heading_change(const Vec3d& from, const Vec3d& to) {
    return axis_angle(kUp, std::atan2(to.x, to.z) - std::atan2(from.x, from.z));
  }
  [[nodiscard]] bool is_sole(Part part) const { return part == Part::toes || (part == Part::foot && is_upright_); }

  /// Feet that stand on the ground in both rest poses: their soles are flat then, however high the ankles are, and
  /// where their bones point says less.
  void find_flat_feet() {
    const Quatd f = facing(reference_);
    const auto may_stand = [](double slope) { return slope > -kSteepestFoot && slope < kSteepestFoot / 2; };
    for (Link& link : links_) {
      if (link.role.part != Part::foot || !is_upright_ || link.turning != Turning::aims) continue;
      const double ours = std::asin(std::clamp(rotate(f, link.rest_direction).y, -1.0, 1.0));
      const double theirs = std::asin(std::clamp(motion_direction(link, reference_).y, -1.0, 1.0));
      if (!may_stand(ours) || !may_stand(theirs) || std::abs(ours - theirs) > kOtherFoot) continue;
      if (std::abs(ours - theirs) < kSameFoot) continue;
      link.flat = true;
      link.turning = Turning::copies;
    }
  }
  static double angle_between(const Vec3d& a, const Vec3d& b) { return std::acos(std::clamp(dot(a, b), -1.0, 1.0)); }

  /// The frame for which `badness` is least, if that is less than `limit`.
  template <class Badness>
  void take_best_frame(double limit, const Badness& badness) {
    const std::size_t step = std::max<std::size_t>(1, motion_.frames / kReferenceCandidates);
    for (std::size_t f = 0; f < motion_.frames; f += step) {
      if (f % 256 == 0) context_.check_cancelled();
      MotionPose pose = scene_pose(motion_.pose(f));
      const double value = badness(pose);
      if (!(value < limit)) continue;
      limit = value;
      reference_ = std::move(pose);
      reference_frame_ = static_cast<int>(f);
    }
  }

  void choose_reference() {
    reference_ = scene_pose(motion_.rest());
    bool is_posed = false;
    if (motion_.rests_in_motion) {
      const auto bend = [&](const MotionPose& pose) {
        double bent = 0;
        (void)alignments(pose, true, &bent);
        return bent;
      };
      const double bent = bend(reference_);
      is_posed = bent > kStraight;
      if (is_posed) take_best_frame(bent - kClearlyStraighter, bend);
    } else if (const double least = disagreement(reference_); motion_.body.empty() && least > kWorstReference) {
      take_best_frame(least, [&](const MotionPose& pose) { return disagreement(pose); });
      is_posed = reference_frame_ >= 0;
    }
    if (!is_posed) find_flat_feet();
    const std::vector<Quatd> alignment = alignments(reference_, is_posed);
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i].alignment = alignment[i];
  }

  // ---- size and place ----

  void find_scale() {
    const auto our_bone = [&](const Link* a, const Link* b) {
      const Affine3d& world = default_world_[static_cast<std::size_t>(a->joint)];
      return length(world.linear * place_in(*a, *b));
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
    if (has_hips_) anchor_local_ = (place_in(at(root_), *left) + place_in(at(root_), *right)) * 0.5;
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

  Channel root_path(const std::vector<Quatd>& rotation, const std::vector<Vec3d>& anchor, std::vector<double> lowest,
                    std::vector<Vec3d>& place) const {
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
      place[f] = target - rotate(rotation[f], anchor_offset);
      const auto local = static_cast<Vec3f>(transform_point(parent_from_world, place[f]));
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

  [[nodiscard]] Quatd link_rotation(const Link& link, const MotionPose& pose) const {
    return normalized(turn_from_rest(link, pose) * link.rest_rotation);
  }
  [[nodiscard]] Quatd turn_from_rest(const Link& link, const MotionPose& pose) const {
    const auto m = static_cast<std::size_t>(link.motion);
    Quatd turn = pose.rotation[m] * conjugate(reference_.rotation[m]) * link.alignment;
    if (link.turning == Turning::aims) {
      const Vec3d wanted = motion_direction(link, pose);
      if (wanted != Vec3d{}) turn = rotation_between(normalized(rotate(turn, link.rest_direction)), wanted) * turn;
    }
    // Toys and robots hang their arms on long collars that they swing like a limb; arms point where they should anyway.
    if (link.role.part == Part::clavicle && link.parent >= 0) {
      const Quatd chest = turn_from_rest(at(chest_of(link)), pose), by = normalized(conjugate(chest) * turn);
      const double angle = 2 * std::acos(std::min(1.0, std::abs(by.w)));
      if (angle > kFarthestCollar) turn = chest * slerp(Quatd{}, by, kFarthestCollar / angle);
    }
    return normalized(turn);
  }
  /// What carries a collar: also where it hangs on the neck.
  [[nodiscard]] int chest_of(const Link& collar) const {
    int chest = collar.parent;
    while (at(chest).role.part == Part::neck && at(chest).parent >= 0) chest = at(chest).parent;
    return chest;
  }
  /// Of all joints of the character, in the scene.
  [[nodiscard]] std::vector<Quatd> world_rotations(const MotionPose& pose) const {
    std::vector<Quatd> world(skeleton_.joints.size());
    for (std::size_t j = 0; j < world.size(); ++j) {
      const Joint& it = skeleton_.joints[j];
      if (link_of_[j] >= 0) {
        world[j] = link_rotation(at(link_of_[j]), pose);
      } else if (followed_[j] >= 0) {
        world[j] = normalized(link_rotation(at(followed_[j]), pose) * follower_change_[j]);
      } else {
        world[j] = it.parent >= 0 ? world[static_cast<std::size_t>(it.parent)] * it.local.rotation : it.local.rotation;
      }
    }
    return world;
  }

  // ---- joints that their parents do not carry along ----

  /// Keys of translation for carried links, the root and followers, and of rotation for followers.
  void place_loose_joints(const std::vector<Vec3d>& root_place, Clip& clip) const {
    const std::size_t n = skeleton_.joints.size();
    std::vector<Channel> moves(n), turns(n);
    std::vector<Vec3d> offset(links_.size()), place(links_.size());
    for (const int i : order_) {
      if (i == root_) continue;
      const Link& parent = at(at(i).parent);
      const Mat3d stretch = polar_decompose(default_world_[static_cast<std::size_t>(parent.joint)].linear).stretch;
      offset[static_cast<std::size_t>(i)] = stretch * place_in(parent, at(i));
    }
    std::vector<Affine3d> world(n);
    for (std::size_t f = 0; f < root_place.size(); ++f) {
      if (f % 256 == 0) context_.check_cancelled();
      const std::vector<Quatd> turn = world_rotations(scene_pose(motion_.pose(f)));
      place[static_cast<std::size_t>(root_)] = root_place[f];
      for (const int i : order_)
        if (i != root_)
          place[static_cast<std::size_t>(i)] =
              place[static_cast<std::size_t>(at(i).parent)] +
              rotate(rotation_of_link(turn, at(i).parent), offset[static_cast<std::size_t>(i)]);
      for (std::size_t j = 0; j < n; ++j) {
        const Joint& it = skeleton_.joints[j];
        const Affine3d above = it.parent >= 0 ? world[static_cast<std::size_t>(it.parent)] : Affine3d{};
        Trsd local = it.local;
        if (link_of_[j] >= 0 || followed_[j] >= 0)
          local.rotation =
              it.parent >= 0 ? normalized(conjugate(turn[static_cast<std::size_t>(it.parent)]) * turn[j]) : turn[j];
        const bool placed =
            followed_[j] >= 0 || link_of_[j] == root_ || (link_of_[j] >= 0 && at(link_of_[j]).is_carried);
        if (placed) {
          const int i = link_of_[j] >= 0 ? link_of_[j] : followed_[j];
          Vec3d p = place[static_cast<std::size_t>(i)];
          if (followed_[j] >= 0) {
            const Quatd change = rotation_of_link(turn, i) * conjugate(at(i).rest_rotation);
            p += rotate(change, it.world_from_rest.translation - rest_place(at(i)));
          }
          local.translation = transform_point(inverse(above), p);
          add_key(moves[j], local.translation);
          if (followed_[j] >= 0) add_key(turns[j], local.rotation);
        }
        world[j] = above * (it.local_residual ? to_affine(local) * *it.local_residual : to_affine(local));
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (link_of_[j] == root_) {
        clip.channels.front().values = std::move(moves[j].values);
        continue;
      }
      const auto add = [&](Channel& channel, ChannelPath path) {
        if (channel.values.empty()) return;
        channel.joint = static_cast<int>(j);
        channel.path = path;
        clip.channels.push_back(std::move(channel));
      };
      add(moves[j], ChannelPath::translation);
      add(turns[j], ChannelPath::rotation);
    }
  }
  static void add_key(Channel& channel, const Vec3d& p) {
    for (const double x : {p.x, p.y, p.z}) channel.values.push_back(static_cast<float>(x));
  }
  /// Neighbours in the same half: the short way between them.
  static void add_key(Channel& channel, Quatd q) {
    std::vector<float>& v = channel.values;
    if (const std::size_t n = v.size(); n >= 4 && dot(Quatd{v[n - 4], v[n - 3], v[n - 2], v[n - 1]}, q) < 0)
      q = negated(q);
    for (const double x : {q.x, q.y, q.z, q.w}) v.push_back(static_cast<float>(x));
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
      add_key(channel, local);
    }
  }

  const Skeleton& skeleton_;
  const BvhMotion& motion_;
  const Context& context_;
  double ground_ = 0;
  std::vector<Link> links_;
  std::vector<int> order_;               ///< links, parents first
  std::vector<int> link_of_;             ///< per joint, -1: not mapped
  std::vector<int> followed_;            ///< per joint: link that it follows, or -1
  std::vector<Quatd> follower_change_;   ///< per joint: from the rest frame of that link to its own
  std::vector<Affine3d> default_world_;  ///< per joint
  std::vector<Vec3d> rest_position_;     ///< per link
  double size_ = 0, motion_size_ = 0;
  bool is_upright_ = false;  ///< the character's trunk at rest
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

Clip retarget(const Character& character, const BvhMotion& motion, const JointMap& map, const std::string& name,
              const Context& context, RetargetReport* report) {
  if (map.empty()) throw Error(ErrorCode::bad_argument, motion.source, "no joints correspond to the character's.");
  Retargeter retargeter(character, motion, map, context);
  if (report != nullptr) retargeter.report(*report);
  return retargeter.run(name);
}

}  // namespace cutis
