#include "io/clip_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

/// Frames a second: at least, where keys are evenly spaced; and where they are not.
constexpr double kClipRate = 60, kUnevenRate = 120;
/// Of the space between keys: what evenly spaced ones are off by.
constexpr double kEven = 0.02;
constexpr double kMostFrames = 1e7;
/// Poses are the same when no joint is turned by more.
constexpr double kSamePose = kDegree;
/// Of the skeleton's size: what a joint may lie beside its offset without a channel for its place.
constexpr double kSamePlace = 1e-5;

/// Degrees about z, x, y with R = Rz Rx Ry.
Vec3d turns_of(const Quatd& q) {
  const Mat3d m = to_matrix(q);
  const double sine = std::clamp(m.col[1].z, -1.0, 1.0);
  const bool locked = std::abs(sine) > 1 - 1e-12;  // z and x turn about one axis: all of it is z's
  const double z = locked ? std::atan2(m.col[0].y, m.col[0].x) : std::atan2(-m.col[1].x, m.col[1].y);
  const double y = locked ? 0 : std::atan2(-m.col[0].z, m.col[2].z);
  return Vec3d{z, std::asin(sine), y} / kDegree;
}

class ClipSampler {
 public:
  ClipSampler(const ClipSource& source, const Clip& clip)
      : source_(source), skeleton_(source.body.skeleton), clip_(clip) {
    // Skins that bind a joint in another frame have a copy of it, which says nothing about the motion.
    for (std::size_t j = 0; j < skeleton_.joints.size(); ++j) {
      index_of_.push_back(skeleton_.joints[j].alias_of >= 0 ? -1 : static_cast<int>(joints_.size()));
      if (index_of_.back() >= 0) joints_.push_back(j);
    }
    std::vector<Affine3d> rest;
    for (const Joint& joint : skeleton_.joints) rest.push_back(joint.world_from_rest);
    rest_ = placed(rest);
  }

  BvhMotion run(const Context& context) {
    const std::vector<char> moves = find_moves();
    BvhMotion motion;
    motion.source = source_.body.source;
    const std::vector<PlacedJoint> body = placed_joints(source_.body);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      add_joint(i, moves[i] != 0, motion);
      motion.body.push_back(body[joints_[i]]);
      motion.body.back().parent = parent_of(i);
    }
    const double seconds = clip_.end() - clip_.start(), rate = find_rate();
    if (!(seconds * rate < kMostFrames) ||
        !may_unfold(static_cast<std::uint64_t>(seconds * rate) + 2, motion.channels, source_.bytes))
      throw Error(ErrorCode::bad_file, motion.source,
                  fmt::format("its animation of {:.3g} s is too long for a file of its size; cut it shorter", seconds));
    // Evenly from the first to the last key, and no less often.
    const auto steps = static_cast<int>(std::ceil(seconds * rate - 1e-3));
    const std::vector<double> times = sample_times(clip_, steps + 1, rate);
    motion.frames = times.size();
    motion.frame_time = steps > 0 ? seconds / steps : 1 / rate;
    motion.values.reserve(motion.frames * motion.channels);
    for (const double time : times) {
      context.check_cancelled();
      const Placed now = placed_at(time);
      double farthest = 0;
      for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Quatd turn = turn_of(now, i);
        farthest = std::max(farthest, angle_of(turn));
        if (const Vec3d p = place_of(now, i); moves[i] != 0) motion.values.insert(motion.values.end(), {p.x, p.y, p.z});
        const Vec3d turns = turns_of(turn);
        motion.values.insert(motion.values.end(), {turns.x, turns.y, turns.z});
      }
      motion.rests_in_motion = motion.rests_in_motion || (!source_.is_bound && farthest < kSamePose);
    }
    return motion;
  }

 private:
  struct Placed {  ///< per joint of the motion
    std::vector<Vec3d> position;
    std::vector<Quatd> rotation;
  };

  [[nodiscard]] Placed placed(const std::vector<Affine3d>& world) const {
    Placed out;
    for (const std::size_t j : joints_) {
      if (!is_finite(world[j]))
        throw Error(ErrorCode::bad_file,
                    fmt::format("{} › clip '{}' › '{}'", source_.body.source, clip_.name, skeleton_.joints[j].name),
                    "is too far away for a number; check the unit");
      out.position.push_back(world[j].translation);
      out.rotation.push_back(polar_decompose(world[j].linear).rotation);
    }
    return out;
  }
  [[nodiscard]] Placed placed_at(double time) const {
    return placed(world_from_joint(skeleton_, sample(skeleton_, clip_, time)));
  }
  [[nodiscard]] int parent_of(std::size_t i) const {
    const int p = skeleton_.joints[joints_[i]].parent;
    return p >= 0 ? index_of_[static_cast<std::size_t>(p)] : -1;
  }
  /// So that frames fall on the keys of the channel that has most of them, where those are evenly spaced.
  [[nodiscard]] double find_rate() const {
    const auto most =
        std::max_element(clip_.channels.begin(), clip_.channels.end(),
                         [](const Channel& a, const Channel& b) { return a.times.size() < b.times.size(); });
    if (most == clip_.channels.end() || most->times.size() < 2) return kClipRate;
    const std::vector<float>& times = most->times;
    const double seconds = clip_.end() - clip_.start(), space = seconds / static_cast<double>(times.size() - 1);
    for (std::size_t k = 0; k < times.size(); ++k)
      if (std::abs(static_cast<double>(times[k]) - clip_.start() - static_cast<double>(k) * space) > kEven * space)
        return kUnevenRate;
    return std::max(1.0, std::ceil(kClipRate * space - 1e-3)) / space;
  }
  /// From rest, in the scene's axes.
  [[nodiscard]] Quatd change(const Placed& now, std::size_t i) const {
    return now.rotation[i] * conjugate(rest_.rotation[i]);
  }
  /// The same in the frame of the joint above.
  [[nodiscard]] Quatd turn_of(const Placed& now, std::size_t i) const {
    const int p = parent_of(i);
    return normalized(p >= 0 ? conjugate(change(now, static_cast<std::size_t>(p))) * change(now, i) : change(now, i));
  }
  [[nodiscard]] Vec3d place_of(const Placed& now, std::size_t i) const {
    const int parent = parent_of(i);
    if (parent < 0) return now.position[i];
    const auto p = static_cast<std::size_t>(parent);
    return rotate(conjugate(change(now, p)), now.position[i] - now.position[p]);
  }
  static double angle_of(const Quatd& q) { return 2 * std::acos(std::min(1.0, std::abs(q.w))); }

  /// Joints whose place above their parent is not always the rest pose's: keys say so, or a scale above them, or the
  /// default pose already has it elsewhere.
  [[nodiscard]] std::vector<char> find_moves() const {
    std::vector<char> scaled(skeleton_.joints.size(), 0), keyed(skeleton_.joints.size(), 0);
    for (const Channel& channel : clip_.channels) {
      const auto j = static_cast<std::size_t>(channel.joint);
      if (channel.path == ChannelPath::translation) keyed[j] = 1;
      if (channel.path == ChannelPath::scale) scaled[j] = 1;
    }
    const Placed now = placed(world_from_joint(skeleton_, default_pose(skeleton_)));
    Box box;
    for (const Vec3d& p : rest_.position) box.add(p);
    std::vector<char> moves;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const std::size_t j = joints_[i];
      const int parent = skeleton_.joints[j].parent;
      if (parent >= 0 && scaled[static_cast<std::size_t>(parent)] != 0) scaled[j] = keyed[j] = 1;
      const bool is_elsewhere = distance(place_of(now, i), offset_of(i)) > kSamePlace * diagonal(box);
      moves.push_back(keyed[j] != 0 || is_elsewhere ? 1 : 0);
    }
    return moves;
  }
  [[nodiscard]] Vec3d offset_of(std::size_t i) const {
    const int p = parent_of(i);
    return p >= 0 ? rest_.position[i] - rest_.position[static_cast<std::size_t>(p)] : rest_.position[i];
  }
  void add_joint(std::size_t i, bool moves, BvhMotion& motion) const {
    const Joint& from = skeleton_.joints[joints_[i]];
    BvhJoint joint;
    joint.name = from.humanoid.empty() ? from.name : from.humanoid;
    joint.parent = parent_of(i);
    joint.offset = offset_of(i);
    joint.first_channel = motion.channels;
    if (moves) joint.channels = {{0, false}, {1, false}, {2, false}};
    for (const int axis : {2, 0, 1}) joint.channels.push_back({axis, true});
    motion.channels += joint.channels.size();
    motion.joints.push_back(std::move(joint));
  }

  const ClipSource& source_;
  const Skeleton& skeleton_;
  const Clip& clip_;
  std::vector<std::size_t> joints_;  ///< of the skeleton, per joint of the motion
  std::vector<int> index_of_;        ///< of the motion, per joint of the skeleton; -1: a copy
  Placed rest_;
};

}  // namespace

BvhMotion motion_of_clip(const ClipSource& source, const Clip& clip, const Context& context) {
  return ClipSampler(source, clip).run(context);
}

}  // namespace cutis
