#include "solve/tracker.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "contact/carry_on.h"
#include "rig/wound_skin.h"

namespace cutis {
namespace {

constexpr std::size_t kTolerated = 2;          // inverted triangles more than before that a sub-step may leave
constexpr std::size_t kMostFrameHalvings = 8;  // of a frame
constexpr int kMostSteps = 72;
// Operations of an active vertex in a sub-step; in tests of boxes, about.
constexpr std::uint64_t kActiveWork = 64;
constexpr double kSlideEdges = 2;  // that a target may draw a vertex in a sub-step

RigTargetKey target_at(const RigTarget& target, double time) {
  const auto& keys = target.keys;
  const auto above = std::ranges::find_if(keys, [&](const RigTargetKey& k) { return k.time > time; });
  if (above == keys.begin()) return keys.front();
  if (above == keys.end()) return keys.back();
  const RigTargetKey& below = *std::prev(above);
  const double t = (time - below.time) / (above->time - below.time);
  return {time, std::lerp(below.weight, above->weight, t), lerp(below.point, above->point, t)};
}

}  // namespace

Tracker::Tracker(const Rig& rig, const TrackingOptions& options, const Context& context)
    : rig_(&rig),
      options_(options),
      context_(&context),
      backend_(make_track_backend(rig, options, context)),
      at_rest_(rest_motions(rig)) {
  while (anchor_ + 1 < rig.bones.size() && rig.fields[anchor_].empty()) ++anchor_;
  reset();
}

void Tracker::reset() {
  joints_ = at_rest_;
  interpolate(*rig_, joints_, joints_, 0, last_pose_);
  backend_->restart();
  inverted_ = 0;
  root_ = {};
  targets_.clear();
  for (const RigTarget& target : rig_->targets) targets_.push_back({0, 0, target.keys.front().point});
}

void Tracker::save_state(TrackerState& state) const {
  state.joints = joints_;
  state.pose = last_pose_;
  backend_->save(state.skin);
  state.inverted = inverted_;
  state.targets = targets_;
  backend_->save(state.shown);
}

void Tracker::restore_state(const TrackerState& state) {
  joints_ = state.joints;
  last_pose_ = state.pose;
  backend_->restore(state.skin);
  backend_->restore(state.shown);
  inverted_ = state.inverted;
  targets_ = state.targets;
}

// At t in [0,1] on the way from the last frame's targets to this one's.
void Tracker::aim_at_targets(double t) {
  constexpr double kReleased = 1e-6;  // keeps skin that was let go in this step awake, and pulls by nothing
  aims_.resize(rig_->targets.size());
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    const RigTargetKey &from = targets_[i], &to = next_targets_[i];
    aims_[i].weight = std::max(std::lerp(from.weight, to.weight, t), from.weight > 0 ? kReleased : 0.0);
    aims_[i].point = lerp(from.point, to.point, t);
  }
}

// How far the targets draw their vertices in this frame, in local edges.
double Tracker::way_of_targets() const {
  double most = 0;
  for (std::size_t i = 0; i < rig_->targets.size(); ++i) {
    const std::uint32_t v = rig_->targets[i].vertices.front();
    const auto rest = static_cast<Vec3d>(rig_->surface.positions[v]);
    const auto drawn = [&](const RigTargetKey& key) { return (key.point - rest) * key.weight; };
    most = std::max(most, distance(drawn(targets_[i]), drawn(next_targets_[i])) / rig_->surface.edge[v]);
  }
  return most;
}

// From last_pose_ to pose_.
TrackOutcome Tracker::substep(bool from_smooth_skin) {
  const TrackOutcome outcome = backend_->substep({last_pose_, pose_, aims_, from_smooth_skin, unwound_now_});
  ++report_.substeps;
  report_.active = std::max(report_.active, outcome.active);
  report_.iterations += outcome.iterations;
  return outcome;
}

// False: the meter stopped before its end; way_ says where.
bool Tracker::advance(std::span<const JointMotion> from, std::span<const JointMotion> to, double t0, double t1,
                      int halvings) {
  if (meter_ != nullptr && !meter_->spend(0)) return false;
  interpolate(*rig_, from, to, t1, pose_, &last_pose_);
  unwound_now_.clear();
  unwind(*rig_, pose_.rotation, unwound_now_);
  aim_at_targets(t1);
  const bool may_repeat = halvings > 0 && report_.halvings < kMostFrameHalvings;
  if (may_repeat) backend_->keep();
  const TrackOutcome outcome = substep(false);
  if (meter_ != nullptr) (void)meter_->spend(rig_->surface.size() + kActiveWork * outcome.active);
  // Newly inverted triangles, or vertices that have left their surface.
  if (may_repeat && (outcome.inverted > inverted_ + kTolerated || 100 * outcome.missed > outcome.active)) {
    ++report_.halvings;
    backend_->go_back();
    const double middle = 0.5 * (t0 + t1);
    return advance(from, to, t0, middle, halvings - 1) && advance(from, to, middle, t1, halvings - 1);
  }
  inverted_ = outcome.inverted;
  unwound_.insert(unwound_.end(), unwound_now_.begin(), unwound_now_.end());
  std::swap(last_pose_, pose_);
  way_ = t1;
  return true;
}

// The skin, its joints and targets are as far as the way was done; what is shown goes on to the pose.
void Tracker::stop_here() {
  interpolate(*rig_, next_joints_, next_joints_, 1, pose_);
  backend_->save(stopped_);
  carry_on(rig_->surface, stopped_.p, last_pose_.motion, pose_.motion, shown_, *context_);
  split_motions(*rig_, last_pose_.motion, joints_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    targets_[i].weight = std::lerp(targets_[i].weight, next_targets_[i].weight, way_);
    targets_[i].point = lerp(targets_[i].point, next_targets_[i].point, way_);
  }
  report_.out_of_time = true;
}

void Tracker::solve(std::span<const Affine3d> motions, double time, std::span<Vec3f> positions, WorkMeter* meter,
                    const TrackView& view) {
  report_ = {};
  unwound_now_.clear();
  unwound_.clear();
  meter_ = meter;
  way_ = 0;
  split_motions(*rig_, motions, world_);  // for an anchor that can be inverted
  interpolate(*rig_, world_, world_, 1, at_);
  const bool straight = options_.history == History::stateless || straight_;
  if (options_.history != History::playback || straight) reset();
  straight_ = false;
  root_ = at_.motion[anchor_];
  const Affine3d back = inverse(root_);
  local_.resize(motions.size());
  for (std::size_t b = 0; b < local_.size(); ++b) local_[b] = back * at_.motion[b];
  split_motions(*rig_, local_, next_joints_);
  next_targets_.clear();
  for (const RigTarget& target : rig_->targets) next_targets_.push_back(target_at(target, time));

  if (straight) {
    interpolate(*rig_, next_joints_, next_joints_, 1, pose_);
    last_pose_ = pose_;
    aim_at_targets(1);
    substep(true);
  } else {
    const double turn = largest_turn(*rig_, joints_, next_joints_);
    const double wanted = std::max(turn / options_.step, way_of_targets() / kSlideEdges);
    int steps = std::clamp(static_cast<int>(std::ceil(wanted - 1e-6)), 1, kMostSteps);
    steps = std::max(steps, options_.history == History::canonical ? options_.canonical_steps : least_steps_);
    bool arrived = true;
    for (int i = 0; i < steps && arrived; ++i)
      arrived = advance(joints_, next_joints_, static_cast<double>(i) / steps, static_cast<double>(i + 1) / steps,
                        options_.halvings);
    if (!arrived) stop_here();
  }
  if (!report_.out_of_time) {
    joints_ = next_joints_;
    targets_ = next_targets_;
  }
  if (report_.out_of_time)
    backend_->show_carried(root_, shown_, positions);
  else
    backend_->show(root_, view, positions);
}

void Tracker::describe(Frame& frame) {
  FrameReport report = report_;
  backend_->describe(root_, last_pose_, frame, report);
  frame.report = report;
}

}  // namespace cutis
