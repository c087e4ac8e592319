#include "solve/tracker.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "contact/carry_on.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

constexpr float kSettled = 3e-3F;      // local edges: a vertex that relaxation and projection move by less rests
constexpr float kConverged = 1e-3F;    // residual
constexpr float kMissed = 0.05F;       // residual of a vertex that is off its surface
constexpr std::size_t kTolerated = 2;  // inverted triangles more than before that a sub-step may leave
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
      shared_(track_rest(rig)),
      rest_(*shared_),
      composed_(rig) {
  while (anchor_ + 1 < rig.bones.size() && rig.fields[anchor_].empty()) ++anchor_;
  reset();
}

void Tracker::reset() {
  joints_ = rest_motions(*rig_);
  interpolate(*rig_, joints_, joints_, 0, last_pose_);
  step_.p = rig_->surface.positions;
  step_.held_begin.assign(rig_->surface.size() + 1, 0);
  step_.held.clear();
  inverted_ = 0;
  root_ = {};
  targets_.clear();
  for (const RigTarget& target : rig_->targets) targets_.push_back({0, 0, target.keys.front().point});
}

TrackingProfile Tracker::profile() const {
  TrackingProfile profile = profile_;
  profile.evaluations = step_.evaluations;
  profile.operations = step_.operations;
  profile.gradient_steps = step_.gradient_steps;
  return profile;
}

void Tracker::restart_profile() {
  profile_ = {};
  step_.evaluations = step_.operations = step_.gradient_steps = 0;
}

TrackerState Tracker::save_state() const {
  return {joints_, last_pose_, step_.p, step_.held_begin, step_.held, inverted_, targets_};
}

void Tracker::restore_state(const TrackerState& state) {
  joints_ = state.joints;
  last_pose_ = state.pose;
  step_.p = state.p;
  step_.held_begin = state.held_begin;
  step_.held = state.held;
  inverted_ = state.inverted;
  targets_ = state.targets;
}

// At t in [0,1] on the way from the last frame's targets to this one's, in pose_.
void Tracker::aim_at_targets(double t) {
  constexpr double kReleased = 1e-6;  // keeps skin that was let go in this step awake, and pulls by nothing
  if (rig_->targets.empty()) return;
  step_.pin.assign(rig_->surface.size(), 0.0F);
  step_.pin_at.assign(rig_->surface.size(), Vec3f{});
  for (std::size_t i = 0; i < rig_->targets.size(); ++i) {
    const RigTarget& target = rig_->targets[i];
    const RigTargetKey &from = targets_[i], &to = next_targets_[i];
    const double weight = std::max(std::lerp(from.weight, to.weight, t), from.weight > 0 ? kReleased : 0.0);
    if (!(weight > 0)) continue;
    const Vec3d point = lerp(from.point, to.point, t);
    for (std::size_t k = 0; k < target.vertices.size(); ++k) {
      const std::uint32_t v = target.vertices[k];
      const auto share = static_cast<float>(weight) * target.share[k];
      const Vec3f at =
          static_cast<Vec3f>(transform_point(pose_.motion[target.bone], point + static_cast<Vec3d>(target.offset[k])));
      const float sum = step_.pin[v] + share;
      if (!(share > 0)) continue;
      step_.pin_at[v] = lerp(step_.pin_at[v], at, share / sum);  // of several targets: their weighted mean
      step_.pin[v] = sum;
    }
  }
  for (float& pin : step_.pin) pin = std::min(pin, 1.0F);
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
void Tracker::substep(bool from_smooth_skin) {
  const auto timed = [](double& total, auto&& stage) {
    const StageTimer timer(total);
    return stage();
  };
  step_.packs = tracks_in_packs(options_, *context_);
  timed(profile_.pose, [&] { track_pose(*rig_, rest_, pose_, step_, *context_); });
  timed(profile_.transport, [&] { track_transport(*rig_, rest_, last_pose_, pose_, options_, step_, *context_); });
  timed(profile_.control, [&] { track_control(*rig_, rest_, pose_, step_, *context_); });
  ++report_.substeps;
  profile_.vertex_steps += step_.active.size();
  report_.active = std::max(report_.active, step_.active.size());
  if (step_.active.empty()) return;
  if (from_smooth_skin)
    for (const std::uint32_t v : step_.active) step_.p[v] = step_.blended[v];
  const PosedField* field = nullptr;
  if (options_.contact == ContactModel::composed) {
    composed_.set_pose(pose_.motion);
    field = &composed_;
  }
  const auto project = [&](int steps, float limit) {
    timed(profile_.project, [&] { track_project(*rig_, rest_, steps, limit, field, step_, *context_); });
  };
  timed(profile_.project, [&] { track_awake(*rig_, rest_, step_, *context_); });
  project(options_.projections, 1.0F);
  for (int i = 0; i < options_.relaxations && step_.live_count > 0; ++i) {
    profile_.vertex_iterations += step_.live_count;
    timed(profile_.relax, [&] { track_relax(*rig_, rest_, options_, step_, *context_); });
    project(2, 0.5F);
    timed(profile_.relax, [&] { track_narrow(*rig_, rest_, kSettled, step_); });
    ++report_.iterations;
  }
  timed(profile_.project, [&] { track_settle(rest_, step_, *context_); });
}

// Newly inverted triangles, or vertices that have left their surface.
bool Tracker::is_bad() {
  const StageTimer timer(profile_.check);
  std::size_t missed = 0;
  for (const TrackSample& s : step_.samples) missed += std::abs(s.residual) > kMissed && !s.touching ? 1 : 0;
  return count_inverted(*rig_, step_, *context_) > inverted_ + kTolerated || 100 * missed > step_.samples.size();
}

// False: the meter stopped before its end; way_ says where.
bool Tracker::advance(std::span<const JointMotion> from, std::span<const JointMotion> to, double t0, double t1,
                      int halvings) {
  if (meter_ != nullptr && !meter_->spend(0)) return false;
  interpolate(*rig_, from, to, t1, pose_, &last_pose_);
  aim_at_targets(t1);
  const bool may_repeat = halvings > 0 && report_.halvings < kMostFrameHalvings;
  if (may_repeat) {
    saved_ = step_.p;
    saved_held_begin_ = step_.held_begin;
    saved_held_ = step_.held;
  }
  substep(false);
  if (meter_ != nullptr) (void)meter_->spend(rig_->surface.size() + kActiveWork * step_.active.size());
  if (may_repeat && is_bad()) {
    ++report_.halvings;
    step_.p = saved_;
    step_.held_begin = saved_held_begin_;
    step_.held = saved_held_;
    const double middle = 0.5 * (t0 + t1);
    return advance(from, to, t0, middle, halvings - 1) && advance(from, to, middle, t1, halvings - 1);
  }
  {
    const StageTimer timer(profile_.check);
    inverted_ = count_inverted(*rig_, step_, *context_);
  }
  std::swap(last_pose_, pose_);
  way_ = t1;
  return true;
}

// The skin, its joints and targets are as far as the way was done; what is shown goes on to the pose.
void Tracker::stop_here() {
  interpolate(*rig_, next_joints_, next_joints_, 1, pose_);
  carry_on(rig_->surface, step_.p, last_pose_.motion, pose_.motion, shown_, *context_);
  split_motions(*rig_, last_pose_.motion, joints_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    targets_[i].weight = std::lerp(targets_[i].weight, next_targets_[i].weight, way_);
    targets_[i].point = lerp(targets_[i].point, next_targets_[i].point, way_);
  }
  report_.out_of_time = true;
}

void Tracker::solve(std::span<const Affine3d> motions, double time, std::span<Vec3f> positions, Frame& frame,
                    WorkMeter* meter) {
  report_ = {};
  meter_ = meter;
  way_ = 0;
  split_motions(*rig_, motions, world_);  // for an anchor that can be inverted
  interpolate(*rig_, world_, world_, 1, at_);
  if (options_.history != History::playback) reset();
  root_ = at_.motion[anchor_];
  const Affine3d back = inverse(root_);
  local_.resize(motions.size());
  for (std::size_t b = 0; b < local_.size(); ++b) local_[b] = back * at_.motion[b];
  split_motions(*rig_, local_, next_joints_);
  next_targets_.clear();
  for (const RigTarget& target : rig_->targets) next_targets_.push_back(target_at(target, time));

  if (options_.history == History::stateless) {
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
  finish(positions, frame);
}

// States and residuals of all welded vertices, from the last samples.
void Tracker::assess() {
  const std::size_t n = rig_->surface.size();
  states_.resize(n);
  residuals_.resize(n);
  parallel_for(*context_, n, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const bool tracked = rest_.tracked[v] != 0;
      states_[v] = VertexState::rigid;
      residuals_[v] = tracked ? 0.0F : std::nanf("");
      if (step_.slot.empty() || step_.slot[v] < 0) continue;
      const TrackSample& t = step_.samples[static_cast<std::size_t>(step_.slot[v])];
      if (!tracked) states_[v] = VertexState::outside;
      if (!tracked || (rest_.is_rigid(v) && !t.touching)) continue;
      residuals_[v] = t.residual;
      const bool flat = length(t.gradient) < 0.05F * rest_.slope[v];
      states_[v] = std::abs(t.residual) < kConverged ? t.touching ? VertexState::contact : VertexState::converged
                   : flat                            ? VertexState::flat
                                                     : VertexState::limit;
    }
  });
  for (const VertexState state : states_) ++report_.states[static_cast<std::size_t>(state)];
  sizes_.clear();
  double sum = 0;
  for (const float r : residuals_)
    if (std::isfinite(r)) {
      sizes_.push_back(std::abs(r));
      sum += sizes_.back();
    }
  if (sizes_.empty()) return;
  report_.residual_mean = sum / static_cast<double>(sizes_.size());
  report_.residual_max = *std::ranges::max_element(sizes_);
  const auto p95 = sizes_.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sizes_.size() - 1));
  std::nth_element(sizes_.begin(), p95, sizes_.end());
  report_.residual_p95 = *p95;
}

// Of welded vertices, weighted by area; zero where there is none.
void Tracker::find_normals(std::span<const Vec3f> at, std::vector<Vec3f>& normals) {
  const RigSurface& s = rig_->surface;
  triangle_normals_.resize(s.triangles.size());
  parallel_for(*context_, s.triangles.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) triangle_normals_[i] = face_normal<float>(at, s.triangles[i]);
  });
  normals.resize(s.size());
  parallel_for(*context_, s.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3f sum;
      for (const std::uint32_t i : rest_.corners.row(v)) sum += triangle_normals_[i];
      normals[v] = normalized(sum);
    }
  });
}

// The rest normal turns with its bone, then as the surface does, so that hard edges stay hard.
void Tracker::turn_normals() {
  const RigSurface& s = rig_->surface;
  find_normals(shown_, normals_);
  bend_.resize(s.size());
  parallel_for(*context_, s.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Quatd q = s.owner[v] == RigSurface::kNoBone ? Quatd{} : last_pose_.rotation[s.owner[v]];
      const Quatf carry{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
                        static_cast<float>(q.w)};
      const bool usable = normals_[v] != Vec3f{} && rest_.normals[v] != Vec3f{};
      bend_[v] = usable ? rotation_between(rotate(carry, rest_.normals[v]), normals_[v]) * carry : carry;
    }
  });
}

void Tracker::finish(std::span<Vec3f> positions, Frame& frame) {
  const StageTimer timer(profile_.finish);
  const Rig& rig = *rig_;
  // The tracked skin goes on as it is; what is shown is smoothed around contact. Not fitted again: that would bring
  // back the chords that cross.
  if (!report_.out_of_time) {
    shown_ = step_.p;
    track_smooth(rig, rest_, options_.smoothing, step_, shown_, *context_);
  }
  assess();
  turn_normals();
  const Mat3f turn_root = convert<float>(cofactor(root_.linear) * (determinant(root_.linear) < 0 ? -1.0 : 1.0));
  const std::size_t count = rig.vertex_count();
  frame.normals.resize(count);
  frame.states.resize(count);
  frame.residuals.resize(count);
  parallel_for(*context_, count, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = rig.surface.welded_of[i];
      positions[i] = static_cast<Vec3f>(transform_point(root_, static_cast<Vec3d>(shown_[v])));
      const Vec3f n = rotate(bend_[v], rig.rest_normals[i]);
      frame.normals[i] = normalized(turn_root * n, n);
      frame.states[i] = states_[v];
      frame.residuals[i] = residuals_[v];
    }
  });
  frame.report = report_;
}

}  // namespace cutis
