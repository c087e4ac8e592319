#include "rig/muscles.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

// A muscle that is not there: every point is far away from it.
constexpr MuscleView kNoMuscle{{{{Vec3f{}, Vec3f{}, Vec3f{}}}, Vec3f{1e6F, 0, 0}}, 0};

bool invertible(const Affine3d& m) { return is_finite(m) && std::abs(determinant(m.linear)) > 1e-12; }

template <class Inflation>
void pose_all(const Rig& rig, std::span<const Affine3d> posed_from_rest, std::vector<MuscleView>& views,
              Inflation inflation) {
  views.clear();
  for (const RigMuscle& m : rig.muscles)
    views.push_back(invertible(posed_from_rest[m.bone]) ? posed_muscle(m, inflation(m), posed_from_rest[m.bone])
                                                        : kNoMuscle);
}

}  // namespace

double joint_angle(const Rig& rig, std::uint32_t bone, std::span<const Affine3d> posed_from_rest) {
  const RigBone& b = rig.bones[bone];
  if (b.parent < 0) return 0;
  const auto parent = static_cast<std::size_t>(b.parent);
  const RigBone& p = rig.bones[parent];
  const Vec3d u = normalized(posed_from_rest[bone].linear * (b.rest_end - b.rest_origin));
  const Vec3d v = normalized(posed_from_rest[parent].linear * (p.rest_end - p.rest_origin));
  const double angle = std::atan2(length(cross(u, v)), dot(u, v));
  return std::isfinite(angle) && u != Vec3d{} && v != Vec3d{} ? angle : 0;
}

double inflation_at(std::span<const MuscleKnot> curve, double angle) {
  const auto a = static_cast<float>(angle);
  const auto above = std::ranges::find_if(curve, [&](const MuscleKnot& k) { return k.angle > a; });
  if (above == curve.begin()) return curve.front().inflation;
  if (above == curve.end()) return curve.back().inflation;
  const MuscleKnot& below = *std::prev(above);
  return std::lerp(below.inflation, above->inflation, (a - below.angle) / (above->angle - below.angle));
}

MuscleView posed_muscle(const RigMuscle& muscle, double inflation, const Affine3d& posed_from_rest) {
  const double radius = muscle.radius * (1 + inflation);
  const double along = muscle.capsule ? radius : muscle.half_length;
  Affine3d unit_from_muscle;
  unit_from_muscle.linear = diagonal_matrix(Vec3d{1 / along, 1 / radius, 1 / radius});
  const Affine3d unit_from_posed = unit_from_muscle * (muscle.muscle_from_rest * inverse(posed_from_rest));
  return {convert<float>(unit_from_posed), muscle.capsule ? static_cast<float>(muscle.half_length / radius) : 0.0F};
}

void pose_muscles(const Rig& rig, std::span<const Affine3d> posed_from_rest, std::vector<MuscleView>& views) {
  pose_all(rig, posed_from_rest, views,
           [&](const RigMuscle& m) { return inflation_at(m.curve, joint_angle(rig, m.driver, posed_from_rest)); });
}

void pose_calm_muscles(const Rig& rig, std::span<const Affine3d> posed_from_rest, std::vector<MuscleView>& views) {
  const std::vector<Affine3d> rest(rig.bones.size());
  pose_all(rig, posed_from_rest, views,
           [&](const RigMuscle& m) { return inflation_at(m.curve, joint_angle(rig, m.driver, rest)); });
}

void attach_muscles(const Rig& rig, std::uint32_t bone, std::span<const MuscleView> muscles, GridView& view) {
  const auto range = std::ranges::equal_range(rig.muscles, bone, {}, &RigMuscle::bone);
  view.muscles = range.empty() ? nullptr : muscles.data() + (range.begin() - rig.muscles.begin());
  view.muscle_count = static_cast<int>(range.size());
}

}  // namespace cutis
