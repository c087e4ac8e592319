#include "cutis/assemble.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

// Of the largest scale. Matrices in floats, multiplied along a chain of joints, are off by some 1e-6; what is seen
// begins far above.
constexpr double kMostShear = 1e-3;

[[noreturn]] void refuse(const Joint& joint, const std::string& sentence) {
  throw Error(ErrorCode::bad_argument, fmt::format("pose › joint '{}'", joint.name), sentence);
}

void check_count(const Skeleton& skeleton, std::size_t given) {
  if (given != skeleton.joints.size())
    throw Error(ErrorCode::bad_argument, "pose",
                fmt::format("has {} joints, but the skeleton has {}; give one transform a joint", given,
                            skeleton.joints.size()));
}

Affine3d regular_inverse(const Joint& joint, const Affine3d& m) {
  if (!(std::abs(determinant(m.linear)) > 0)) refuse(joint, "is scaled to nothing; give it a scale other than 0");
  return inverse(m);
}

Trsd local_of(const Joint& joint, const Affine3d& given) {
  if (!is_finite(given)) refuse(joint, "has a number that is not finite");
  const Affine3d m = joint.local_residual ? given * regular_inverse(joint, *joint.local_residual) : given;
  const TrsDecomposition d = decompose_trs(m);
  if (!d.exact) {
    const Vec3d& s = d.trs.scale;
    const double largest = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
    const Mat3d off = m.linear + to_matrix(d.trs.rotation) * diagonal_matrix(s) * -1.0;
    if (!(frobenius(off) <= kMostShear * largest))
      refuse(joint,
             "has shear, which no translation, rotation and scale makes; scale its parents evenly, or not at all");
  }
  return d.trs;
}

}  // namespace

std::vector<Vec3f> smooth_normals(const Mesh& mesh) { return vertex_normals(mesh.positions, mesh.triangles); }

Pose pose_from_local(const Skeleton& skeleton, std::span<const Affine3d> local) {
  check_count(skeleton, local.size());
  Pose pose;
  pose.local.reserve(local.size());
  for (std::size_t j = 0; j < local.size(); ++j) pose.local.push_back(local_of(skeleton.joints[j], local[j]));
  return pose;
}

Pose pose_from_world(const Skeleton& skeleton, std::span<const Affine3d> world) {
  check_count(skeleton, world.size());
  Pose pose;
  pose.local.reserve(world.size());
  for (std::size_t j = 0; j < world.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!is_finite(world[j])) refuse(joint, "has a number that is not finite");
    if (joint.parent >= static_cast<int>(j))
      refuse(joint, "comes before its parent; joints must be ordered from the root to the leaves");
    if (joint.parent < 0) {
      pose.local.push_back(local_of(joint, world[j]));
      continue;
    }
    const auto parent = static_cast<std::size_t>(joint.parent);
    pose.local.push_back(local_of(joint, regular_inverse(skeleton.joints[parent], world[parent]) * world[j]));
  }
  return pose;
}

Clip clip_from_poses(const Skeleton& skeleton, std::span<const Pose> poses, std::span<const double> times,
                     const std::string& name) {
  if (poses.size() != times.size() || poses.empty())
    throw Error(
        ErrorCode::bad_argument, fmt::format("clip '{}'", name),
        fmt::format("has {} poses and {} times; give as many of both, and at least one", poses.size(), times.size()));
  for (const Pose& pose : poses) check_count(skeleton, pose.local.size());
  std::vector<float> keys;
  for (const double time : times) {
    const auto key = static_cast<float>(time);
    if (!std::isfinite(key) || (!keys.empty() && !(key > keys.back())))
      throw Error(ErrorCode::bad_argument, fmt::format("clip '{}'", name),
                  "its times have to be finite, and each later than the one before it");
    keys.push_back(key);
  }
  Clip clip;
  clip.name = name;
  const Pose still = default_pose(skeleton);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const auto add = [&](ChannelPath path, auto numbers) {
      Channel channel{static_cast<int>(j), path, Interpolation::linear, keys, {}};
      const auto rest = numbers(still.local[j]);
      bool moves = false;
      for (const Pose& pose : poses)
        for (std::size_t i = 0; i < rest.size(); ++i) {
          channel.values.push_back(static_cast<float>(numbers(pose.local[j])[i]));
          if (!std::isfinite(channel.values.back())) refuse(skeleton.joints[j], "has a number that is not finite");
          moves = moves || channel.values.back() != static_cast<float>(rest[i]);
        }
      if (moves) clip.channels.push_back(std::move(channel));
    };
    add(ChannelPath::translation,
        [](const Trsd& t) { return std::array{t.translation.x, t.translation.y, t.translation.z}; });
    add(ChannelPath::rotation,
        [](const Trsd& t) { return std::array{t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w}; });
    add(ChannelPath::scale, [](const Trsd& t) { return std::array{t.scale.x, t.scale.y, t.scale.z}; });
  }
  if (clip.channels.empty()) {  // nothing moves: as long as its poses all the same
    const Vec3d& t = still.local.empty() ? Vec3d{} : still.local[0].translation;
    if (still.local.empty()) return clip;
    Channel held{0, ChannelPath::translation, Interpolation::linear, keys, {}};
    for (std::size_t k = 0; k < keys.size(); ++k)
      for (const double x : {t.x, t.y, t.z}) held.values.push_back(static_cast<float>(x));
    clip.channels.push_back(std::move(held));
  }
  return clip;
}

}  // namespace cutis
