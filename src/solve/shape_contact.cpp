// The shape is kept as what it differs by from dual quaternion skinning, turned back by each vertex's first bone. On
// the way from one frame to the next the contact pass asks for poses in between: there the differences of both are
// mixed by how far the joints have turned.
#include "cutis/shape_contact.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/engine.h"
#include "backends/ride.h"
#include "base/alive.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "base/work_meter.h"
#include "contact/contact_pass.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/solve.h"
#include "relief/pose_relief.h"
#include "rig/pose_limits.h"
#include "rig/rig.h"
#include "solve/bone_motion.h"

namespace cutis {
namespace {

// As in solver.cpp: operations of a frame, so many and so many per vertex.
constexpr std::uint64_t kShapeWork = 40'000'000, kShapeVertexWork = 5'000;
constexpr std::size_t kGrain = 2048;

/// How far `at` is on the way between two poses, in [0, 1]: by the angles of all joints, and by shifts where nothing
/// turns.
double share_of_way(const Pose& from, const Pose& at, const Pose& to) {
  double before = 0, after = 0;
  const auto turn = [](const Quatd& a, const Quatd& b) { return std::acos(std::min(1.0, std::abs(dot(a, b)))); };
  const std::size_t n = std::min({from.local.size(), at.local.size(), to.local.size()});
  for (std::size_t j = 0; j < n; ++j) {
    before += turn(from.local[j].rotation, at.local[j].rotation);
    after += turn(at.local[j].rotation, to.local[j].rotation);
  }
  if (before + after < 1e-9) {
    before = after = 0;
    for (std::size_t j = 0; j < n; ++j) {
      before += distance(from.local[j].translation, at.local[j].translation);
      after += distance(at.local[j].translation, to.local[j].translation);
    }
  }
  return before + after > 0 ? before / (before + after) : 1;
}

}  // namespace

struct ShapeContact::Impl {
  Impl(std::shared_ptr<const Rig> given_rig, const SolveOptions& options, const Context& given_context)
      : rig(std::move(given_rig)),
        context(given_context),
        motion(*rig),
        pass(*rig, {.swell = options.swell, .shape = true}, context),
        origin(*rig) {
    if (options.relief_cap > 0)
      relief = std::make_unique<PoseRelief>(*rig, ReliefOptions{.cap = options.relief_cap}, context);
    if (rig->layers.size() > 0) layers = std::make_unique<LayerRide>(*rig);
    const std::size_t n = rig->vertex_count();
    bone.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      bone[v] = rig->blocks[rig->block_begin.empty() ? v : rig->block_begin[v]].bone[0];
    frame.positions.resize(n);
    frame.normals.resize(n);
    shape.resize(n);
    method.resize(n);
    method_normals.resize(n);
    before.assign(n, {});
    now.assign(n, {});
  }

  /// The difference `t` of the way from the last frame to this one, in the bone's axes at rest.
  [[nodiscard]] Vec3f mixed(std::size_t v, float t) const { return before[v] * (1 - t) + now[v] * t; }

  /// The next frame starts where the pass is: at this frame, part of the way there, where it was, or at rest.
  void stay_with_pass(bool arrived, const Pose& to) {
    if (arrived) {
      from = to;
      std::swap(before, now);
    } else if (pass.at_rest()) {
      from = default_pose(rig->skeleton);
      std::fill(before.begin(), before.end(), Vec3f{});
    } else {
      const auto t = static_cast<float>(share_of_way(from, pass.pose(), to));
      for (std::size_t v = 0; v < before.size(); ++v) before[v] = mixed(v, t);
      from = pass.pose();
    }
  }

  void skin(const Pose& pose, std::span<Vec3f> positions) {
    motion.update(*rig, pose);
    skin_dual_quaternion(*rig, motion.palette(), positions, method_normals, context);
  }

  std::shared_ptr<const Rig> rig;
  Context context;
  BoneMotion motion;
  ContactPass pass;
  std::unique_ptr<PoseRelief> relief;
  PoseOrigin origin;
  std::unique_ptr<LayerRide> layers;
  WorkMeter meter;
  ContactReport contact;
  Frame frame;
  std::vector<std::uint32_t> bone;  // that turns a vertex's difference
  std::vector<Vec3f> method, method_normals;
  std::vector<Vec3f> shape;        // of this frame, where its bones were moved to
  std::vector<Vec3f> before, now;  // differences where the pass is and of this frame, in the bone's axes at rest
  Pose from;                       // where the pass is
};

ShapeContact::ShapeContact(std::shared_ptr<const Rig> rig, const SolveOptions& options, const Context& context) {
  if (!rig) throw Error(ErrorCode::bad_argument, "contact", "there is no rig; bind() or load_rig() makes one");
  check_options(options, "contact");
  if (!rig->has_skin())
    throw Error(ErrorCode::bad_argument, "contact",
                "the rig was bound without its implicit skin; bind it with BindOptions::implicit_skin");
  impl_ = std::make_unique<Impl>(std::move(rig), options, context);
  reset();
}
ShapeContact::~ShapeContact() = default;
ShapeContact::ShapeContact(ShapeContact&&) noexcept = default;
ShapeContact& ShapeContact::operator=(ShapeContact&&) noexcept = default;

void ShapeContact::reset() {
  Impl& s = alive(impl_, "contact");
  s.pass.restart();
  if (s.relief) s.relief->restart();
  std::fill(s.before.begin(), s.before.end(), Vec3f{});
  s.from = default_pose(s.rig->skeleton);
}

const Frame& ShapeContact::solve(const Pose& pose, std::span<const Vec3f> positions, std::span<const Vec3f> normals) {
  const Timer timer;
  Impl& s = alive(impl_, "contact");
  const std::size_t n = s.rig->vertex_count();
  if (positions.size() != n || normals.size() != n)
    throw Error(ErrorCode::bad_argument, "contact", "the shape has another number of vertices than the rig");
  Frame& frame = s.frame;
  Vec3d offset;
  const Pose& near = s.origin.nearby(pose, offset);
  const auto far_away = static_cast<Vec3f>(offset);
  s.skin(near, s.method);
  parallel_for(s.context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3f d = positions[v] - far_away - s.method[v];
      s.now[v] = static_cast<Vec3f>(rotate(conjugate(s.motion.rotations()[s.bone[v]]), static_cast<Vec3d>(d)));
      if (!is_finite(s.now[v])) s.now[v] = {};
    }
  });
  const bool followed = s.pass.follows(near);
  const Pose* feasible = &near;
  if (s.relief && followed) feasible = &s.relief->apply(near);
  const Pose to = *feasible;
  const auto skin_at = [&](const Pose& at, double, std::span<Vec3f> out) {
    s.skin(at, out);
    const auto t = static_cast<float>(share_of_way(s.from, at, to));
    parallel_for(s.context, n, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const auto d = static_cast<Vec3d>(s.mixed(v, t));
        out[v] += static_cast<Vec3f>(rotate(s.motion.rotations()[s.bone[v]], d));
      }
    });
    return std::span<const std::uint32_t>{};
  };
  s.meter.start(kShapeWork + kShapeVertexWork * s.rig->surface.size(), 0);
  const bool arrived = s.pass.advance(to, skin_at, frame.positions, s.contact, s.context, &s.meter, length(offset));
  std::copy(normals.begin(), normals.end(), frame.normals.begin());
  if (s.layers) {  // the shape where its body went
    if (arrived)
      skin_at(to, 0, s.shape);
    else
      for (std::size_t v = 0; v < n; ++v) s.shape[v] = positions[v] - far_away;
  }
  if (arrived) {
    s.pass.bend_normals(frame.normals, s.context);
    s.pass.contact(frame.contact);
  } else {
    for (std::size_t v = 0; v < n; ++v) frame.positions[v] = positions[v] - far_away;
    frame.contact.assign(n, {});
  }
  frame.report.contact = s.contact;
  s.stay_with_pass(arrived, to);
  if (s.layers) s.layers->go_along(s.shape, normals, frame, s.context);
  if (offset != Vec3d{})
    for (Vec3f& p : frame.positions) p += far_away;
  frame.report.milliseconds = timer.milliseconds();
  return frame;
}

}  // namespace cutis
