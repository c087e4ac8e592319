#include "volume/skeleton_step.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

/// How much the cells' rotations count beside the samples' directions: they give the twist, hardly the direction.
constexpr double kCellShare = 0.1;
constexpr int kRotationSteps = 6;
/// What stays of the pressure on a joint an iteration after its limit let go; the most, in lengths of the rod.
constexpr double kRelease = 0.5, kMostPressure = 2;

}  // namespace

SkeletonStep::SkeletonStep(const DrivenSkeleton& skeleton, const ControlMesh& mesh, const JointLimits& limits)
    : skeleton_(skeleton),
      mesh_(mesh),
      limits_(limits),
      joint_vertex_(skeleton.bones.size(), -1),
      points_(skeleton.bones.size()),
      cells_(skeleton.bones.size()),
      held_(skeleton.bones.size(), 0),
      pressure_(mesh.sample_edges.size()) {
  for (const SkeletonSample& s : mesh.samples)
    if (s.joint_of >= 0) joint_vertex_[static_cast<std::size_t>(s.joint_of)] = static_cast<int>(s.vertex);
  for (const SkeletonSample& s : mesh.samples) {
    points_[static_cast<std::size_t>(s.bone)].push_back(s.vertex);
    if (s.joint_of < 0) cells_[static_cast<std::size_t>(s.bone)].push_back(s.vertex);
  }
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b) {
    for (const int c : skeleton.bones[b].children)
      if (const int v = joint_vertex_[static_cast<std::size_t>(c)]; v >= 0)
        points_[b].push_back(static_cast<std::uint32_t>(v));
    // Short bones without inner samples take the skin around them.
    if (cells_[b].empty())
      for (std::uint32_t v = 0; v < mesh.rest.size(); ++v)
        if (mesh.nearest_bone[v] == static_cast<int>(b)) cells_[b].push_back(v);
  }
}

std::size_t SkeletonStep::find_pose(std::span<const Vec3d> positions, std::span<const Quatd> rotations, BonePose& pose,
                                    std::span<const Quatd> guide, std::span<const char> guided) {
  for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) {
    const auto& points = points_[b];
    if (points.size() < 2 && cells_[b].empty()) {
      // Nothing of it is in the body: it goes with its parent.
      if (const int p = skeleton_.bones[b].parent; p >= 0)
        pose.rotation[b] = pose.rotation[static_cast<std::size_t>(p)];
      continue;
    }
    Vec3d rest_mean, mean;
    for (const std::uint32_t v : points) {
      rest_mean += mesh_.rest[v] / static_cast<double>(points.size());
      mean += positions[v] / static_cast<double>(points.size());
    }
    Mat3d m{{Vec3d{}, Vec3d{}, Vec3d{}}};
    double scale = 0;
    for (const std::uint32_t v : points) {
      const Vec3d e = mesh_.rest[v] - rest_mean, d = positions[v] - mean;
      m.col[0] += d * e.x;
      m.col[1] += d * e.y;
      m.col[2] += d * e.z;
      scale += dot(e, e);
    }
    // Twist builds up along a bone; what its child sees is the twist at the far end: cells there count most.
    const DrivenSkeleton::Bone& bone = skeleton_.bones[b];
    const Vec3d along = bone.end - bone.rest;
    const double length2 = std::max(dot(along, along), 1e-30);
    double total = 0;
    Mat3d cells{{Vec3d{}, Vec3d{}, Vec3d{}}};
    if (!guided.empty() && guided[b]) {
      cells = to_matrix(guide[b]);
      total = 1;
    }
    for (const std::uint32_t v : cells_[b]) {
      if (!guided.empty() && guided[b]) break;
      const double t = std::clamp(dot(mesh_.rest[v] - bone.rest, along) / length2, 0.1, 1.0);
      cells = cells + to_matrix(rotations[v]) * (t * t * t);
      total += t * t * t;
    }
    if (total > 0) m = m + cells * ((scale > 0 ? kCellShare * scale : 1.0) / total);
    pose.rotation[b] = fit_rotation(m, pose.rotation[b], kRotationSteps);
  }
  const std::size_t held = limits_.empty() ? 0 : limits_.apply(skeleton_, pose, held_);
  // Where the whole stands: the samples' mean stays.
  restore_lengths(skeleton_, pose);
  Vec3d shift;
  double count = 0;
  for (const SkeletonSample& s : mesh_.samples) {
    shift += positions[s.vertex] - pose.move(skeleton_, s.bone, mesh_.rest[s.vertex]);
    count += 1;
  }
  if (count > 0)
    for (Vec3d& p : pose.position) p += shift / count;
  return held;
}

void SkeletonStep::differentials(const BonePose& pose, std::vector<Vec3d>& gamma) const {
  gamma.resize(mesh_.sample_edges.size());
  for (std::size_t e = 0; e < gamma.size(); ++e) {
    const SampleEdge& edge = mesh_.sample_edges[e];
    gamma[e] = rotate(pose.rotation[static_cast<std::size_t>(edge.bone)], mesh_.rest[edge.a] - mesh_.rest[edge.b]);
  }
}

double SkeletonStep::press_limits(std::span<const Vec3d> positions, std::vector<Vec3d>& gamma) {
  double worst = 0;
  for (std::size_t e = 0; e < gamma.size(); ++e) {
    const SampleEdge& edge = mesh_.sample_edges[e];
    if (!held_[static_cast<std::size_t>(edge.bone)]) {
      pressure_[e] = pressure_[e] * kRelease;
    } else {
      const Vec3d lacking = gamma[e] - (positions[edge.a] - positions[edge.b]);
      const double l = length(gamma[e]);
      worst = std::max(worst, length(lacking) / l);
      pressure_[e] += lacking;
      // No more than would turn the rod about: limits that contradict each other stay bounded.
      if (const double p = length(pressure_[e]); p > kMostPressure * l)
        pressure_[e] = pressure_[e] * (kMostPressure * l / p);
    }
    gamma[e] += pressure_[e];
  }
  return worst;
}
void SkeletonStep::forget_limits() { std::fill(pressure_.begin(), pressure_.end(), Vec3d{}); }

SkeletonStep::LengthError SkeletonStep::length_error(std::span<const Vec3d> positions) const {
  LengthError error;
  double count = 0;
  for (const DrivenSegment& s : skeleton_.segments) {
    if (s.child < 0) continue;
    const int a = joint_vertex(s.bone), b = joint_vertex(s.child);
    if (a < 0 || b < 0 || a == b) continue;
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double rest = distance(mesh_.rest[i], mesh_.rest[j]);
    const double relative = std::abs(distance(positions[i], positions[j]) - rest) / rest;
    error.mean += relative;
    error.worst = std::max(error.worst, relative);
    count += 1;
  }
  if (count > 0) error.mean /= count;
  return error;
}

}  // namespace cutis
