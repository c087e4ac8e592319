#include "solve/tracker.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"

namespace cutis {
namespace {

constexpr float kSettled = 3e-3F;         // local edges: a vertex that relaxation and projection move by less rests
constexpr float kConverged = 1e-3F;       // residual
constexpr float kMissed = 0.05F;          // residual of a vertex that is off its surface
constexpr std::size_t kTolerated = 2;     // inverted triangles more than before that a sub-step may leave
constexpr std::size_t kMostHalvings = 8;  // of a frame
constexpr int kMostSteps = 72;
constexpr double kSlideEdges = 2;  // that a target may draw a vertex in a sub-step

// Weighted by area; zero where there is no area.
std::vector<Vec3f> surface_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<Vec3f> normals(positions.size());
  for (const Triangle& t : triangles) {
    const Vec3f n = cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
    for (const std::uint32_t v : t) normals[v] += n;
  }
  for (Vec3f& n : normals) n = normalized(n);
  return normals;
}

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
    : rig_(&rig), options_(options), context_(&context), rest_(make_track_rest(rig)), composed_(rig) {
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
  profile.gradient_steps = step_.gradient_steps;
  return profile;
}

void Tracker::restart_profile() {
  profile_ = {};
  step_.evaluations = step_.gradient_steps = 0;
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
  timed(profile_.pose, [&] { track_pose(*rig_, rest_, pose_, step_); });
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
  track_awake(step_);
  project(options_.projections, 1.0F);
  for (int i = 0; i < options_.relaxations && !step_.live.empty(); ++i) {
    profile_.vertex_iterations += step_.live.size();
    timed(profile_.relax, [&] { track_relax(*rig_, rest_, options_, step_, *context_); });
    project(2, 0.5F);
    timed(profile_.relax, [&] { track_narrow(*rig_, kSettled, step_); });
    ++report_.iterations;
  }
}

// Newly inverted triangles, or vertices that have left their surface.
bool Tracker::is_bad() {
  const StageTimer timer(profile_.check);
  std::size_t missed = 0;
  for (const TrackSample& s : step_.samples) missed += std::abs(s.residual) > kMissed && !s.touching ? 1 : 0;
  return count_inverted(*rig_, step_, *context_) > inverted_ + kTolerated || 100 * missed > step_.samples.size();
}

void Tracker::advance(std::span<const JointMotion> from, std::span<const JointMotion> to, double t0, double t1,
                      int halvings) {
  interpolate(*rig_, from, to, t1, pose_, &last_pose_);
  aim_at_targets(t1);
  const bool may_repeat = halvings > 0 && report_.halvings < kMostHalvings;
  if (may_repeat) {
    saved_ = step_.p;
    saved_held_begin_ = step_.held_begin;
    saved_held_ = step_.held;
  }
  substep(false);
  if (may_repeat && is_bad()) {
    ++report_.halvings;
    step_.p = saved_;
    step_.held_begin = saved_held_begin_;
    step_.held = saved_held_;
    const double middle = 0.5 * (t0 + t1);
    advance(from, to, t0, middle, halvings - 1);
    advance(from, to, middle, t1, halvings - 1);
    return;
  }
  {
    const StageTimer timer(profile_.check);
    inverted_ = count_inverted(*rig_, step_, *context_);
  }
  std::swap(last_pose_, pose_);
}

void Tracker::solve(std::span<const Affine3d> motions, double time, std::span<Vec3f> positions, Frame& frame) {
  report_ = {};
  std::vector<Affine3d> local(motions.begin(), motions.end());
  std::vector<JointMotion> world;
  split_motions(*rig_, motions, world);  // for an anchor that can be inverted
  PosedBones at;
  interpolate(*rig_, world, world, 1, at);
  if (options_.history != History::playback) reset();
  root_ = at.motion[anchor_];
  const Affine3d back = inverse(root_);
  for (std::size_t b = 0; b < local.size(); ++b) local[b] = back * at.motion[b];
  split_motions(*rig_, local, next_joints_);
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
    for (int i = 0; i < steps; ++i)
      advance(joints_, next_joints_, static_cast<double>(i) / steps, static_cast<double>(i + 1) / steps,
              options_.halvings);
  }
  joints_ = next_joints_;
  targets_ = next_targets_;
  finish(positions, frame);
}

void Tracker::finish(std::span<Vec3f> positions, Frame& frame) {
  const StageTimer timer(profile_.finish);
  const Rig& rig = *rig_;
  const RigSurface& s = rig.surface;
  // The tracked skin goes on as it is; what is shown is smoothed around contact. Not fitted again: that would bring
  // back the chords that cross.
  shown_ = step_.p;
  track_smooth(rig, rest_, options_.smoothing, step_, shown_);

  std::vector<VertexState> states(s.size(), VertexState::rigid);
  std::vector<float> residuals(s.size(), 0.0F), sizes;
  for (std::size_t v = 0; v < s.size(); ++v)
    if (rest_.tracked[v] == 0) residuals[v] = std::nanf("");
  for (std::size_t a = 0; a < step_.active.size(); ++a) {
    const std::uint32_t v = step_.active[a];
    const TrackSample& t = step_.samples[a];
    if (rest_.tracked[v] == 0) {
      states[v] = VertexState::outside;
      continue;
    }
    if (rest_.is_rigid(v) && !t.touching) continue;
    residuals[v] = t.residual;
    const bool flat = length(t.gradient) < 0.05F * rest_.slope[v];
    states[v] = std::abs(t.residual) < kConverged ? t.touching ? VertexState::contact : VertexState::converged
                : flat                            ? VertexState::flat
                                                  : VertexState::limit;
  }
  for (const VertexState state : states) ++report_.states[static_cast<std::size_t>(state)];
  for (const float r : residuals)
    if (std::isfinite(r)) sizes.push_back(std::abs(r));
  if (!sizes.empty()) {
    double sum = 0;
    for (const float r : sizes) sum += r;
    report_.residual_mean = sum / static_cast<double>(sizes.size());
    report_.residual_max = *std::ranges::max_element(sizes);
    const auto p95 = sizes.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), p95, sizes.end());
    report_.residual_p95 = *p95;
  }

  // Normals: the rest normal turns with its bone, then as the surface does, so that hard edges stay hard.
  const std::vector<Vec3f> smooth = surface_normals(shown_, s.triangles);
  std::vector<Quatf> bend(s.size());
  for (std::size_t v = 0; v < s.size(); ++v) {
    const Quatd q = s.owner[v] == RigSurface::kNoBone ? Quatd{} : last_pose_.rotation[s.owner[v]];
    const Quatf carry{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
                      static_cast<float>(q.w)};
    const bool usable = dot(smooth[v], smooth[v]) > 0.5F;
    bend[v] = usable ? rotation_between(rotate(carry, s.normals[v]), smooth[v]) * carry : carry;
  }
  const Mat3f turn_root = convert<float>(cofactor(root_.linear) * (determinant(root_.linear) < 0 ? -1.0 : 1.0));
  const std::size_t count = rig.vertex_count();
  frame.normals.resize(count);
  frame.states.resize(count);
  frame.residuals.resize(count);
  parallel_for(*context_, count, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = s.welded_of[i];
      positions[i] = static_cast<Vec3f>(transform_point(root_, static_cast<Vec3d>(shown_[v])));
      const Vec3f n = rotate(bend[v], rig.rest_normals[i]);
      frame.normals[i] = normalized(turn_root * n, n);
      frame.states[i] = states[v];
      frame.residuals[i] = residuals[v];
    }
  });
  frame.report = report_;
}

}  // namespace cutis
