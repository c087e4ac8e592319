#include "relief/pose_relief.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "kernels/eval_field.h"
#include "rig/motion.h"
#include "rig/parts.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

constexpr double kSamePose = 0.999;  // cosine of half the angle between rotations: 5 degrees

Relief make_relief(const Rig& rig, const ReliefOptions& options, const Context& context) {
  const std::shared_ptr<const PartsRest> shared = parts_rest(rig);
  std::vector<float> radius = shared->radius;
  std::vector<int> parent;
  std::vector<Vec3d> pivot;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    parent.push_back(rig.bones[b].parent);
    pivot.push_back(rig.bones[b].rest_origin);
    if (rig.fields[b].empty()) radius[b] = 0;
  }
  std::vector<GridView> grids;
  for (const RigField& field : rig.fields) grids.push_back(field.view());
  std::vector<std::uint32_t> owner = rig.surface.owner;
  for (std::size_t v = 0; v < rig.surface.no_contact.size(); ++v)
    if (rig.surface.no_contact[v] != 0) owner[v] = RigSurface::kNoBone;
  return Relief(
      {rig.surface.positions, owner, radius, parent, pivot, shared->joined}, options,
      [grids, context, calls = 0U](std::size_t part, const Vec3d& p_rest, double& distance, Vec3d& gradient) mutable {
        if (++calls % 256 == 0) context.check_cancelled();  // a plan asks millions of times
        const GridView& grid = grids[part];
        if (grid.nodes == nullptr) return false;
        const Vec3f p = transform_point(grid.grid_from_rest, static_cast<Vec3f>(p_rest));
        if (!inside_grid(grid, p)) return false;
        const FieldSample<float> d = grid_distance(grid, p);
        distance = d.value;
        gradient = static_cast<Vec3d>(grid.rest_from_slope * d.gradient);
        return true;
      });
}

}  // namespace

void relieve_pose(const Rig& rig, std::span<const Affine3d> world, std::span<const Quatd> bone_turn,
                  std::span<const char> loose, Pose& pose) {
  const auto& joints = rig.skeleton.joints;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const auto j = static_cast<std::size_t>(rig.bones[b].joint);
    if (joints[j].alias_of >= 0) continue;  // follows another joint
    Affine3d above;
    if (joints[j].parent >= 0) above = world[static_cast<std::size_t>(joints[j].parent)];
    const Quatd frame = joints[j].parent >= 0 ? polar_decompose(above.linear).rotation : Quatd{};
    Quatd turn = bone_turn[b];
    if (loose[b] != 0) {
      // The skeleton does not take it along with the bones that it hangs on: their turns, about their joints, nearest
      // first.
      Vec3d at = world[j].translation;
      for (int p = rig.bones[b].parent; p >= 0; p = rig.bones[static_cast<std::size_t>(p)].parent) {
        const auto bone = static_cast<std::size_t>(p);
        const Vec3d& pivot = world[static_cast<std::size_t>(rig.bones[bone].joint)].translation;
        at = rotate(bone_turn[bone], at - pivot) + pivot;
        turn = bone_turn[bone] * turn;
      }
      const Vec3d local = transform_point(inverse(above), at);
      if (is_finite(local)) pose.local[j].translation = local;
    }
    const Quatd turned = conjugate(frame) * turn * frame * pose.local[j].rotation;
    if (is_finite(Vec3d{turned.x, turned.y, turned.z}) && std::isfinite(turned.w)) pose.local[j].rotation = turned;
  }
}

PoseRelief::PoseRelief(const Rig& rig, const ReliefOptions& options, const Context& context)
    : rig_(rig),
      loose_(loose_bones(rig)),
      relief_(make_relief(rig, options, context)),
      rest_(default_pose(rig.skeleton)) {}

void PoseRelief::complete(const Pose& pose, Pose& out) const {
  out = rest_;
  out.time = pose.time;
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), out.local.size()), out.local.begin());
}

void PoseRelief::find_motions(const Pose& pose) {
  world_from_joint(rig_.skeleton, pose, world_);
  motion_.clear();
  for (const RigBone& bone : rig_.bones) motion_.push_back(motion_of(bone, world_));
}

void PoseRelief::foresee(std::span<const Pose> poses) {
  std::vector<std::vector<Affine3d>> motion;
  std::vector<double> times;
  foreseen_.clear();
  for (const Pose& pose : poses) {
    if (!times.empty() && !(pose.time > times.back())) continue;
    complete(pose, foreseen_.emplace_back());
    find_motions(foreseen_.back());
    motion.push_back(motion_);
    times.push_back(pose.time);
  }
  relief_.plan(motion, times);
}

// Whoever foresees a clip may still ask for other poses.
bool PoseRelief::is_foreseen(const Pose& pose) const {
  if (foreseen_.empty()) return false;
  const auto after = std::upper_bound(foreseen_.begin(), foreseen_.end(), pose.time,
                                      [](double time, const Pose& p) { return time < p.time; });
  const Pose& next = after == foreseen_.end() ? foreseen_.back() : *after;
  const Pose& last = after == foreseen_.begin() ? foreseen_.front() : *(after - 1);
  const double span = next.time - last.time;
  const double t = span > 0 ? std::clamp((pose.time - last.time) / span, 0.0, 1.0) : 0.0;
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const Quatd there = slerp(last.local[j].rotation, next.local[j].rotation, t);
    if (std::abs(dot(there, pose.local[j].rotation)) < kSamePose) return false;
  }
  return true;
}

const Pose& PoseRelief::apply(const Pose& pose) {
  complete(pose, pose_);
  find_motions(pose_);
  const std::span<const Quatd> turn =
      is_foreseen(pose_) ? relief_.update_planned(motion_, pose_.time) : relief_.update(motion_);
  if (!relief_.report().bones.empty()) relieve_pose(rig_, world_, turn, loose_, pose_);
  return pose_;
}

const Pose* PoseRelief::open(const Pose& pose, std::span<const SkinMeeting> meetings, double far) {
  complete(pose, opened_);
  find_motions(opened_);
  const std::span<const Quatd> turn = relief_.open(motion_, meetings, far);
  if (turn.empty()) return nullptr;
  relieve_pose(rig_, world_, turn, loose_, opened_);
  return &opened_;
}

}  // namespace cutis
