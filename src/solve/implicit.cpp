// Implicit (EPFL) §3.5 over one frame: an initial guess by geometric skinning, projected onto the vertices' iso-values,
// relaxed within the surface, smoothed around contact and fitted once more. No frame knows of another.
//
// What differs from the paper: projections run to convergence before each relaxation, which is then as strong as the
// projection was long (the paper's mu, taken where the projection began); contact keeps each vertex on its own side by
// default, the paper's gradient test is an option; vertices that nothing changes are left where their bone carries
// them.
#include "solve/implicit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel_for.h"
#include "base/timer.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Newton steps: to reach the surface, to return to it after a relaxation, and at last.
constexpr int kFirstSteps = 12, kReturnSteps = 2, kLastSteps = 6;
// Until the last one, projections may be off by this much: relaxation moves the vertices anyway.
constexpr double kCoarse = 1e-2;
// Passes of the paper's relaxation a round.
constexpr int kRelaxPasses = 6;
// A map that shrinks volumes by more than this has no useful inverse in float.
constexpr double kLeastDeterminant = 1e-12;
// Motions of two bones that differ by less are one (metres and radians, at any size of the numbers).
constexpr double kSameMotion = 1e-7;

// Lengths are compared with those at rest; a pose that scales the whole character is solved in units of that scale.
// Less than the first is none, more than the second would leave the range of float.
constexpr double kOtherUnit = 1.25, kLargestUnit = 1e6;

// How many times as large as at rest the pose makes parts with a field, in the geometric mean.
double unit_of(const Rig& rig, const BoneMotion& motion) {
  if (!motion.palette().stretches.turned) return 1;
  double sum = 0, count = 0;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const double size = frobenius(motion.motions()[b].linear) / std::sqrt(3.0);
    if (rig.fields[b].empty() || !(size > 0)) continue;
    sum += std::log(size);
    count += 1;
  }
  const double unit = count > 0 ? std::clamp(std::exp(sum / count), 1 / kLargestUnit, kLargestUnit) : 1.0;
  return unit > kOtherUnit || unit < 1 / kOtherUnit ? unit : 1.0;
}

bool same_motion(const Affine3d& a, const Affine3d& b) {
  const auto near = [](const Vec3d& p, const Vec3d& q) {
    return distance(p, q) <= kSameMotion * std::max(1.0, std::max(length(p), length(q)));
  };
  return near(a.linear.col[0], b.linear.col[0]) && near(a.linear.col[1], b.linear.col[1]) &&
         near(a.linear.col[2], b.linear.col[2]) && near(a.translation, b.translation);
}

}  // namespace

ImplicitSkin::ImplicitSkin(const Rig& rig, const ImplicitOptions& options, double relief_cap, const Context& context)
    : rig_(rig),
      options_(options),
      context_(context),
      shared_(implicit_rest(rig, context)),
      rest_(*shared_),
      field_(rig) {
  hinges_ = std::make_unique<Hinges>(rig, rest_.track.joined, options);
  const std::size_t bones = rig.bones.size();
  ways_.resize(bones);
  pairs_.resize(bones * bones);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].joined = rest_.track.joined[i] != 0;
    pairs_[i].hinge = hinges_->of[i];
  }
  if (relief_cap > 0 && options.contact == ContactModel::own_side) {
    relief_ = std::make_unique<BendRelief>(rig, relief_cap);
    for (std::size_t b = 0; b < bones; ++b)
      for (std::size_t k = 0; k < bones; ++k)
        if (b != k && rest_.track.joined[b * bones + k] == 0 && !rig.fields[k].empty())
          pairs_[b * bones + k].deep =
              compact(rig.fields[k].grid.map, -relief_->allowed(b, k), rig.fields[k].grid.radius).value;
  }
  vertices_.resize(rest_);
}

void ImplicitSkin::start(const BoneMotion& motion, std::span<Vec3f> positions, std::span<Vec3f> normals) {
  if (options_.initial == Method::lbs) {
    skin_linear(rig_, motion.palette(), positions, normals, context_);
  } else {
    skin_dual_quaternion(rig_, motion.palette(), positions, normals, context_);
  }
  start_vertices(rest_, parts_.motion, positions, vertices_, ways_, context_);
}

// Parts whose fields come near the vertices of each part; `farther`: per bone, metres. inset(b, k): how far inside its
// box k begins to matter to b, metres; below 0: nowhere.
template <class Inset>
void ImplicitSkin::pair_parts(const BoneMotion& motion, std::span<const float> farther, const Inset& inset,
                              BoxRows& rows) const {
  const std::size_t bones = rig_.bones.size();
  rows.clear();
  for (std::uint32_t b = 0; b < bones; ++b) {
    if (!rest_.track.parts[b].empty()) {
      const Box part = moved_box(rest_.track.parts[b], motion.motions()[b]);
      const double more = farther.empty() ? 0 : static_cast<double>(farther[b]);
      for (std::uint32_t k = 0; k < bones; ++k) {
        const float in = k != b && parts_.fields[k].nodes != nullptr ? inset(b, k) : -1.0F;
        const PartBox box{parts_.boxes[k].lo + Float4(in), parts_.boxes[k].hi - Float4(in)};
        if (in >= 0 && box.overlaps(part, more)) rows.add(k, box);
      }
    }
    rows.end_row();
  }
}

void ImplicitSkin::pose_fields(const BoneMotion& motion) {
  if (options_.contact == ContactModel::composed) field_.set_pose(motion.motions());
  pose_parts(rig_, rest_.track, motion.motions(), motion.stretches(), parts_);
  for (std::size_t b = 0; b < rig_.bones.size(); ++b) {
    const Affine3d& m = motion.motions()[b];
    if (is_finite(m) && std::abs(determinant(m.linear)) > kLeastDeterminant) continue;
    parts_.fields[b].nodes = nullptr;
    parts_.boxes[b] = {};
    parts_.steepest[b] = 0;
  }
}

void ImplicitSkin::pose_joints(const BoneMotion& motion) {
  const std::size_t bones = rig_.bones.size();
  for (std::size_t a = 0; a < bones; ++a)
    for (std::size_t b = a + 1; b < bones; ++b)
      pairs_[a * bones + b].still = pairs_[b * bones + a].still = same_motion(motion.motions()[a], motion.motions()[b]);
  hinges_->update(rig_, motion.rotations());
  open_gates(rig_, rest_.track, motion.rotations(), SharedBends::fold, bends_, gates_);
  for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i].gate = gates_[i];
}

// Whether the pose had to be changed.
bool ImplicitSkin::relieve(const Pose& pose, const ImplicitPose& now, BoneMotion& motion, FrameReport& report) {
  // Where relief has an answer. A field's box ends where the distance is a radius, and that rises no faster than the
  // field is steep: the inside lies so deep in the box.
  const auto inside = [&](std::size_t b, std::size_t k) {
    return pairs_[b * rig_.bones.size() + k].deep < 1 ? field_constants::kSurfaceSlope / parts_.steepest[k] : -1.0F;
  };
  pair_parts(motion, {}, inside, press_);
  if (press_.blocks.empty()) return false;
  find_deep_vertices(rig_, rest_, now, vertices_, context_);
  deep_.clear();
  for (const std::vector<DeepVertex>& chunk : vertices_.deep) deep_.insert(deep_.end(), chunk.begin(), chunk.end());
  if (deep_.empty()) return false;
  const Pose& relieved = relief_->apply(pose, deep_);
  report.contact.relief = relief_->moved();
  report.contact.overlaps = relief_->overlaps();
  if (relief_->moved().empty()) return false;
  motion.update(rig_, relieved);
  if (unit_ != 1) motion.set_unit(rig_, unit_);
  return true;
}

ImplicitPose ImplicitSkin::pose_now(const BoneMotion& motion) const {
  return {parts_,
          meet_,
          press_,
          motion.palette().rigid,
          motion.palette().stretches,
          pairs_,
          hinges_->operators,
          hinges_->hinges,
          &field_,
          options_.contact == ContactModel::composed,
          options_.initial == Method::dqs,
          options_.contact == ContactModel::composed ? static_cast<float>(std::cos(options_.turn)) : -2.0F};
}

void ImplicitSkin::solve(const Pose& pose, BoneMotion& motion, std::span<Vec3f> positions, Frame& frame) {
  TrackingProfile& profile = frame.report.profile;
  const auto timed = [](double& total, auto&& stage) {
    const StageTimer timer(total);
    stage();
  };
  timed(profile.pose, [&] {
    unit_ = unit_of(rig_, motion);
    if (unit_ != 1) motion.set_unit(rig_, unit_);
    pose_fields(motion);
    if (relief_ && relieve(pose, pose_now(motion), motion, frame.report)) pose_fields(motion);
    pose_joints(motion);
  });
  timed(profile.transport, [&] { start(motion, positions, frame.normals); });
  timed(profile.control, [&] { pair_parts(motion, ways_, [](std::size_t, std::size_t) { return 0.0F; }, meet_); });
  const ImplicitPose now = pose_now(motion);
  const bool composed = now.composed;
  timed(profile.control, [&] { find_near_parts(rig_, rest_, now, options_.rings, vertices_, context_); });
  const auto project = [&](int steps, bool last) {
    const StageTimer timer(profile.project);
    const double tolerance = last ? options_.tolerance : std::max(options_.tolerance, kCoarse);
    evaluations_ += project_vertices(rig_, rest_, now, steps, static_cast<float>(tolerance), vertices_, context_);
  };
  evaluations_ = 0;
  profile.vertex_steps += vertices_.active_count;
  if (vertices_.active_count > 0) {
    if (!composed) timed(profile.control, [&] { set_targets(rig_, rest_, now, vertices_, context_); });
    project(kFirstSteps, options_.rounds == 0);
    slide_all(vertices_);
    for (int round = 0; round < options_.rounds; ++round) {
      for (const TrackLive& live : vertices_.sliding)
        profile.vertex_iterations += static_cast<std::size_t>(std::popcount(live.lanes));
      timed(profile.relax, [&] {
        if (composed) {
          for (int pass = 0; pass < kRelaxPasses; ++pass) relax_vertices(rig_, rest_, vertices_, context_);
        } else {
          slide_vertices(rest_, options_.inner, vertices_, context_);
        }
      });
      const bool last = round + 1 == options_.rounds;
      project(last ? kLastSteps : kReturnSteps, last);
    }
  }
  timed(profile.finish, [&] {
    if (vertices_.active_count > 0 && options_.smoothing > 0)
      smooth_vertices(rig_, rest_, now, options_.smoothing, vertices_, context_);
    finish_vertices(rig_, rest_, now, motion.rotations(), vertices_, positions, frame, context_);
  });
  if (unit_ != 1) {
    scale_all(positions, static_cast<float>(unit_), context_);
    motion.set_unit(rig_, 1 / unit_);  // what rides on the skin is in the pose's own units
  }
  report(frame.report);
}

void ImplicitSkin::report(FrameReport& report) {
  report.active = vertices_.active_count;
  report.iterations = evaluations_;
  report.substeps = 1;
  report_vertices(rest_, vertices_, report);
}

}  // namespace cutis
