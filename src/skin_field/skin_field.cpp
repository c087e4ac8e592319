#include "cutis/skin_field.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/alive.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "skin_field/skin_field_impl.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 1024;
constexpr double kStraight = 1e-4;  // radians

}  // namespace

SkinField::SkinField(std::shared_ptr<const Rig> rig) {
  if (!rig) throw Error(ErrorCode::bad_argument, "skin field", "there is no rig; bind() or load_rig() makes one");
  if (!rig->has_skin())
    throw Error(ErrorCode::bad_argument, "rig", "has no implicit skin; bind it with BindOptions::implicit_skin");
  impl_ = std::make_unique<Impl>(std::move(rig));
}
SkinField::~SkinField() = default;
SkinField::SkinField(SkinField&&) noexcept = default;
SkinField& SkinField::operator=(SkinField&&) noexcept = default;

void SkinField::set_rest() {
  Impl& s = alive(impl_, "skin field");
  s.motions.assign(s.rig->bones.size(), Affine3d{});
  s.field.set_pose(s.motions);
}

void SkinField::set_pose(const Pose& pose) {
  Impl& s = alive(impl_, "skin field");
  const Skeleton& skeleton = s.rig->skeleton;
  Pose full = default_pose(skeleton);
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), full.local.size()), full.local.begin());
  s.motions = bone_motions(*s.rig, world_from_joint(skeleton, full));
  s.field.set_pose(s.motions);
}

void SkinField::isolate(int joint) {
  Impl& s = alive(impl_, "skin field");
  s.alone.reset();
  if (joint < 0) return;
  const int bone = s.bone_of(joint);
  if (bone < 0) throw Error(ErrorCode::bad_argument, "part", "the joint moves no vertices; name another");
  s.alone = static_cast<std::uint32_t>(bone);
}

void SkinField::evaluate(std::span<const Vec3f> points, std::span<SkinFieldSample> samples,
                         const Context& context) const {
  const Impl& s = alive(impl_, "skin field");
  if (points.size() != samples.size())
    throw Error(ErrorCode::bad_argument, "skin field",
                fmt::format("{} points and {} samples; give as many of each", points.size(), samples.size()));
  const auto joint_of = [&](std::uint32_t bone) { return bone == SkinSample::kNoBone ? -1 : s.rig->bones[bone].joint; };
  parallel_for(context, points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SkinSample found = s.eval(points[i]);
      samples[i] = {found.value, found.gradient, joint_of(found.bone), joint_of(found.other), found.across, found.side};
    }
  });
}

Box SkinField::bounds() const { return alive(impl_, "skin field").field.bounds(); }

int SkinField::joint(std::string_view name) const {
  const Impl& s = alive(impl_, "skin field");
  std::vector<std::string> names;
  for (std::size_t b = 0; b < s.rig->bones.size(); ++b) {
    if (s.rig->fields[b].empty()) continue;
    const int joint = s.rig->bones[b].joint;
    names.push_back(s.rig->skeleton.joints[static_cast<std::size_t>(joint)].name);
    if (names.back() == name) return joint;
  }
  throw Error(ErrorCode::bad_argument, fmt::format("joint '{}'", name),
              fmt::format("there is no such joint with a part; there are {}", fmt::join(names, ", ")));
}

JointBend SkinField::bend(int joint) const {
  const Impl& s = alive(impl_, "skin field");
  const int b = s.bone_of(joint);
  if (b < 0) return {};
  const RigBone& bone = s.rig->bones[static_cast<std::size_t>(b)];
  if (bone.parent < 0) return {};
  const auto p = static_cast<std::size_t>(bone.parent);
  const Vec3d u = normalized(bone.rest_origin - s.rig->bones[p].rest_origin);
  const Quatd own = polar_decompose(s.motions[static_cast<std::size_t>(b)].linear).rotation;
  const Quatd parent = polar_decompose(s.motions[p].linear).rotation;
  const Vec3d v = rotate(conjugate(parent) * own, normalized(bone.rest_end - bone.rest_origin));
  if (!(length(u) > 0 && length(v) > 0)) return {};
  const Vec3d axis = cross(u, v);
  const double angle = std::atan2(length(axis), dot(u, v));
  if (angle < kStraight) return {};
  return {angle, normalized(axis, any_perpendicular(u))};
}

SlicePlane SkinField::plane_through(int joint, std::optional<Vec3d> axis) const {
  const Impl& s = alive(impl_, "skin field");
  const Rig& rig = *s.rig;
  const int found = s.bone_of(joint);
  if (found < 0) throw Error(ErrorCode::bad_argument, "slice", "the joint moves no vertices; name another");
  const auto b = static_cast<std::size_t>(found);
  const RigBone& bone = rig.bones[b];
  const std::size_t p = bone.parent >= 0 ? static_cast<std::size_t>(bone.parent) : b;
  const Affine3d& base = s.motions[p];
  const Vec3d from = bone.parent >= 0 ? rig.bones[p].rest_origin : bone.rest_origin;
  const Vec3d to = bone.parent >= 0 ? bone.rest_origin : bone.rest_end;
  Vec3d right = normalized(to - from, normalized(bone.rest_end - bone.rest_origin, Vec3d{0, 1, 0}));
  Vec3d normal = axis ? *axis : std::abs(right.z) < 0.8 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
  normal = normalized(normal - right * dot(normal, right), any_perpendicular(right));
  const Quatd turn = polar_decompose(base.linear).rotation;
  SlicePlane plane;
  plane.center = transform_point(s.motions[b], bone.rest_origin);
  plane.right = rotate(turn, right);
  plane.up = rotate(turn, cross(normal, right));
  const double reach = std::max(distance(from, to), distance(bone.rest_origin, bone.rest_end));
  const double thick = std::max(rig.fields[b].empty() ? 0.0 : static_cast<double>(rig.fields[b].grid.radius),
                                rig.fields[p].empty() ? 0.0 : static_cast<double>(rig.fields[p].grid.radius));
  plane.width = plane.height = std::min(2.2 * reach, 9 * thick) + 3 * thick;
  return plane;
}

SlicePlane plane_across(const Box& bounds, int axis, double position) {
  const Box box = bounds.empty() ? Box{{0, 0, 0}, {1, 1, 1}} : bounds;
  SlicePlane plane;
  plane.center = center(box);
  plane.center[axis] = position;
  const Vec3d size = box.hi - box.lo;
  // Seen from the left, from above, from the front.
  plane.right = axis == 0 ? Vec3d{0, 0, -1} : Vec3d{1, 0, 0};
  plane.up = axis == 1 ? Vec3d{0, 0, -1} : Vec3d{0, 1, 0};
  plane.width = axis == 0 ? size.z : size.x;
  plane.height = axis == 1 ? size.z : size.y;
  return plane;
}

}  // namespace cutis
