#include "backends/track_host.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "backends/engine.h"
#include "backends/scalar/track.h"
#include "backends/simd/track.h"
#include "backends/track_control.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "geometry/normals.h"
#include "rig/wound_skin.h"
#if defined(CUTIS_CUDA)
#include "backends/cuda/track.h"
#endif

namespace cutis {

using namespace field_constants;

HostTracking::HostTracking(const Rig& rig, const TrackingOptions& options, const Context& context)
    : rig_(rig),
      options_(options),
      context_(context),
      shared_(track_rest(rig, context)),
      rest_(*shared_),
      shapes_(options.contact == ContactModel::own_side ? JointShapes(rig) : JointShapes()),
      show_(rig, rest_, context_) {}

void HostTracking::restart() {
  TrackStep& step = this->step();
  step.p = rig_.surface.positions;
  step.held_begin.assign(rig_.surface.size() + 1, 0);
  step.held.clear();
  show_.restart();
}

void HostTracking::save(TrackState& to) const { to = step(); }

void HostTracking::restore(const TrackState& state) { static_cast<TrackState&>(step()) = state; }

TrackingProfile HostTracking::profile() const {
  TrackingProfile profile = profile_;
  profile.evaluations = step().evaluations;
  profile.operations = step().operations;
  profile.gradient_steps = step().gradient_steps;
  return profile;
}

void HostTracking::restart_profile() {
  profile_ = {};
  step().evaluations = step().operations = step().gradient_steps = 0;
}

// Skin that goes another way round has no history: nothing holds it, and it is shown where it is at once.
void HostTracking::start_over(std::span<const std::uint32_t> unwound) {
  TrackStep& step = this->step();
  region_.assign(rig_.surface.size(), 0);
  mark_unwound(rig_, unwound, region_);
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < region_.size(); ++v) {
    const std::uint32_t begin = step.held_begin[v], end = step.held_begin[v + 1];
    step.held_begin[v] = kept;
    for (std::uint32_t i = begin; i < end && region_[v] == 0; ++i) step.held[kept++] = step.held[i];
  }
  step.held_begin[region_.size()] = kept;
  step.held.resize(kept);
  show_.show_at_once(region_);
}

TrackOutcome HostTracking::substep(const TrackWay& way) {
  const auto timed = [](double& total, auto&& stage) {
    const StageTimer timer(total);
    return stage();
  };
  TrackStep& step = this->step();
  aim_at_targets(rig_, way, step);
  timed(profile_.pose, [&] { track_pose(rig_, rest_, way.pose, step, context_); });
  timed(profile_.transport, [&] {
    track_ways(way.last, way.pose, step);
    track_transport(rig_, rest_, options_, step, context_);
  });
  if (!way.unwound.empty()) start_over(way.unwound);
  timed(profile_.control, [&] {
    begin_control(rig_, rest_, way.pose, step);
    control();
    shape_levels(rig_, rest_, shapes_, step, context_);
    remember_contact(rig_, step);
  });
  TrackOutcome outcome;
  outcome.active = step.active.size();
  profile_.vertex_steps += outcome.active;
  if (outcome.active > 0) {
    for (const std::uint32_t v : step.active)
      if (way.from_smooth_skin || (!way.unwound.empty() && region_[v] != 0)) step.p[v] = step.blended[v];
    set_pose(way.pose);
    timed(profile_.project, [&] {
      awake();
      project(options_.projections, 1.0F);
    });
    for (int i = 0; i < options_.relaxations && live() > 0; ++i) {
      profile_.vertex_iterations += live();
      timed(profile_.relax, [&] { relax(); });
      timed(profile_.project, [&] { project(2, 0.5F); });
      timed(profile_.relax, [&] { narrow(kRested); });
      ++outcome.iterations;
    }
    timed(profile_.project, [&] { settle(); });
    if (rig_.targets.empty()) bring_back(rig_, step, context_);
  }
  const StageTimer timer(profile_.check);
  for (const ResidualSample& s : step.samples) outcome.missed += std::abs(s.value) > kMissed && !s.contact ? 1 : 0;
  outcome.inverted = count_inverted(rig_, step, context_);
  return outcome;
}

// States and residuals of all welded vertices, from the last samples.
void HostTracking::assess(FrameReport& report) {
  const TrackStep& step = this->step();
  const std::size_t n = rig_.surface.size();
  states_.resize(n);
  residuals_.resize(n);
  parallel_for(context_, n, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const bool tracked = rest_.tracked[v] != 0;
      states_[v] = VertexState::rigid;
      residuals_[v] = tracked ? 0.0F : std::nanf("");
      if (step.slot.empty() || step.slot[v] < 0) continue;
      const ResidualSample& t = step.samples[static_cast<std::size_t>(step.slot[v])];
      if (!tracked) states_[v] = VertexState::outside;
      if (!tracked || (rest_.is_rigid(v) && !t.contact)) continue;
      residuals_[v] = t.value;
      const bool flat = length(t.gradient) < kFlatSlope * rest_.slope[v];
      states_[v] = std::abs(t.value) < kConverged ? t.contact ? VertexState::contact : VertexState::converged
                   : flat                         ? VertexState::flat
                                                  : VertexState::limit;
    }
  });
  for (const VertexState state : states_) ++report.states[static_cast<std::size_t>(state)];
  sizes_.clear();
  for (const float r : residuals_)
    if (std::isfinite(r)) sizes_.push_back(std::abs(r));
  report_residuals(sizes_, report);
}

// The rest normal turns with its bone, then as the surface does, so that hard edges stay hard.
void HostTracking::turn_normals(const PosedBones& pose) {
  const RigSurface& s = rig_.surface;
  triangle_normals_.resize(s.triangles.size());
  parallel_for(context_, s.triangles.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) triangle_normals_[i] = face_normal<float>(shown_, s.triangles[i]);
  });
  bend_.resize(s.size());
  parallel_for(context_, s.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3f sum;
      for (const std::uint32_t i : rest_.corners.row(v)) sum += triangle_normals_[i];
      const Vec3f normal = normalized(sum);
      const Quatd q = s.owner[v] == RigSurface::kNoBone ? Quatd{} : pose.rotation[s.owner[v]];
      const Quatf carry{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
                        static_cast<float>(q.w)};
      const bool usable = normal != Vec3f{} && rest_.normals[v] != Vec3f{};
      bend_[v] = usable ? rotation_between(rotate(carry, rest_.normals[v]), normal) * carry : carry;
    }
  });
}

void HostTracking::show(const Affine3d& root, const TrackView& view, std::span<Vec3f> positions) {
  const StageTimer timer(profile_.finish);
  show_.update(step(), view, options_.smoothing, shown_);
  bring_to_world(root, positions);
}

void HostTracking::show_carried(const Affine3d& root, std::span<const Vec3f> carried, std::span<Vec3f> positions) {
  shown_.assign(carried.begin(), carried.end());
  bring_to_world(root, positions);
}

void HostTracking::bring_to_world(const Affine3d& root, std::span<Vec3f> positions) const {
  parallel_for(context_, positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      positions[i] = static_cast<Vec3f>(transform_point(root, static_cast<Vec3d>(shown_[rig_.surface.welded_of[i]])));
  });
}

void HostTracking::describe(const Affine3d& root, const PosedBones& pose, Frame& frame, FrameReport& report) {
  const StageTimer timer(profile_.finish);
  assess(report);
  turn_normals(pose);
  const Mat3f turn_root = convert<float>(cofactor(root.linear) * (determinant(root.linear) < 0 ? -1.0 : 1.0));
  const std::size_t count = rig_.vertex_count();
  frame.normals.resize(count);
  frame.states.resize(count);
  frame.residuals.resize(count);
  parallel_for(context_, count, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = rig_.surface.welded_of[i];
      const Vec3f n = rotate(bend_[v], rig_.rest_normals[i]);
      frame.normals[i] = normalized(turn_root * n, n);
      frame.states[i] = states_[v];
      frame.residuals[i] = residuals_[v];
    }
  });
}

std::unique_ptr<TrackBackend> make_track_backend(const Rig& rig, const TrackingOptions& options,
                                                 const Context& context) {
  check_backend(context);
  const auto says_no = [&](std::string_view missing) {
    if (missing.empty()) return false;
    context.warn(
        fmt::format("the back end {} has no {}: tracking takes the scalar one", to_string(context.backend()), missing));
    return true;
  };
#if defined(CUTIS_CUDA)
  if (context.backend() == Backend::cuda && !says_no(cuda::missing(rig, options, context)))
    return cuda::make_tracking(rig, options, context);
#endif
  if (context.backend() == Backend::simd && !says_no(simd::missing(options)))
    return simd::make_tracking(rig, options, context);
  return scalar::make_tracking(rig, options, context);
}

}  // namespace cutis
