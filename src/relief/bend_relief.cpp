#include "relief/bend_relief.h"

#include <algorithm>
#include <cmath>

#include "base/farthest_points.h"
#include "base/math.h"
#include "base/polar.h"
#include "base/tree.h"
#include "kernels/eval_field.h"
#include "relief/relief.h"
#include "rig/motion.h"
#include "rig/parts.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

// At most this share of every joint's turn is taken back.
constexpr double kMostShare = 0.5;
constexpr std::size_t kSamples = 48;  // vertices of a part that are tried, besides those that are too deep
constexpr int kSteps = 16, kBisections = 6, kSweeps = 2;

// How deep a rest-space point is inside a part; below 0 outside, nothing where the part's grid ends.
float depth_in(const GridView& grid, const Vec3f& p_rest) {
  const Vec3f p = transform_point(grid.grid_from_rest, p_rest);
  return inside_grid(grid, p) ? -grid_distance(grid, p).value : -grid.radius;
}

// Some of the vertices, spread evenly.
std::vector<std::uint32_t> spread(std::span<const Vec3f> positions, const std::vector<std::uint32_t>& vertices) {
  std::vector<std::uint32_t> taken;
  FarthestPoints<float> farthest(vertices.size());
  while (taken.size() < std::min(kSamples, vertices.size())) {
    const std::size_t next = farthest.next();
    taken.push_back(vertices[next]);
    farthest.take(next, [&](std::size_t i) { return distance(positions[vertices[i]], positions[vertices[next]]); });
  }
  return taken;
}

}  // namespace

BendRelief::BendRelief(const Rig& rig, double cap)
    : rig_(rig), radius_(parts_rest(rig)->radius), default_(default_pose(rig.skeleton)) {
  Box box;
  for (const Vec3f& p : rig.surface.positions) box.add(static_cast<Vec3d>(p));
  cap_ = cap * diagonal(box);
  std::vector<std::vector<std::uint32_t>> members(rig.bones.size());
  for (std::uint32_t v = 0; v < rig.surface.size(); ++v)
    if (rig.surface.owner[v] < members.size()) members[rig.surface.owner[v]].push_back(v);
  loose_ = loose_bones(rig);
  for (std::size_t b = 0; b < loose_.size(); ++b)  // of what hangs on it, too
    if (loose_[b] != 0) loose_[static_cast<std::size_t>(rig.bones[b].parent)] = 1;
  for (const std::vector<std::uint32_t>& part : members) samples_.push_back(spread(rig.surface.positions, part));
  const std::vector<Joint>& joints = rig.skeleton.joints;
  for (const Joint& joint : joints) {
    const Mat3d& own = joint.world_from_rest.linear;
    const Mat3d above =
        joint.parent < 0 ? Mat3d{} : joints[static_cast<std::size_t>(joint.parent)].world_from_rest.linear;
    const bool usable = std::abs(determinant(above)) > 1e-12;
    rest_local_.push_back(polar_decompose(usable ? inverse(above) * own : own).rotation);
  }
}

float BendRelief::allowed(std::size_t b, std::size_t k) const {
  return 2 * static_cast<float>(kReliefAllow) * std::min(radius_[b], radius_[k]);
}

// The joints that move `bone` but not `other`. None where bones hang on each other by their skin alone: such a joint
// turns without what hangs on it.
void BendRelief::find_path(std::uint32_t bone, std::uint32_t other, std::vector<int>& path) const {
  path.clear();
  for (auto b = static_cast<int>(bone); b >= 0; b = rig_.bones[static_cast<std::size_t>(b)].parent)
    if (loose_[static_cast<std::size_t>(b)] != 0) return;
  for (int j = rig_.bones[bone].joint; j >= 0 && !hangs_on(rig_.skeleton.joints, rig_.bones[other].joint, j);
       j = rig_.skeleton.joints[static_cast<std::size_t>(j)].parent)
    path.push_back(j);
  std::reverse(path.begin(), path.end());
}

Trsd BendRelief::turned(int joint, const std::vector<int>& path, double share) const {
  Trsd local = pose_.local[static_cast<std::size_t>(joint)];
  if (share > 0 && std::find(path.begin(), path.end(), joint) != path.end())
    local.rotation = slerp(local.rotation, rest_local_[static_cast<std::size_t>(joint)], share);
  return local;
}

Affine3d BendRelief::motion(std::uint32_t bone, const std::vector<int>& path, double share) const {
  const RigBone& b = rig_.bones[bone];
  if (path.empty() || !hangs_on(rig_.skeleton.joints, b.joint, path.front())) return motion_of(b, world_);
  Affine3d frame;
  for (int j = b.joint;; j = rig_.skeleton.joints[static_cast<std::size_t>(j)].parent) {
    const Joint& joint = rig_.skeleton.joints[static_cast<std::size_t>(j)];
    Affine3d local = to_affine(turned(j, path, share));
    if (joint.local_residual) local = local * *joint.local_residual;
    frame = local * frame;
    if (j != path.front()) continue;
    if (joint.parent >= 0) frame = world_[static_cast<std::size_t>(joint.parent)] * frame;
    return frame * b.rest_from_world;
  }
}

double BendRelief::excess(const Meeting& meeting, const std::vector<int>& path, double share) const {
  const Affine3d thick = motion(meeting.thick, path, share);
  if (!(std::abs(determinant(thick.linear)) > 1e-9)) return 0;
  const auto there = convert<float>(inverse(thick) * motion(meeting.thin, path, share));
  const GridView grid = rig_.fields[meeting.thick].view();
  float most = -1e30F;
  for (std::size_t i = 0; i < meeting.points.size(); ++i)
    most = std::max(most, depth_in(grid, transform_point(there, meeting.points[i])) - meeting.allowed[i]);
  return most;
}

// The farthest that the end of a bone is then from where the pose asked for it.
double BendRelief::way(const std::vector<int>& path, double share) const {
  double most = 0;
  for (std::uint32_t b = 0; b < rig_.bones.size(); ++b) {
    const RigBone& bone = rig_.bones[b];
    if (!hangs_on(rig_.skeleton.joints, bone.joint, path.front())) continue;
    const Vec3d asked = transform_point(motion_of(bone, asked_), bone.rest_end);
    most = std::max(most, distance(transform_point(motion(b, path, share), bone.rest_end), asked));
  }
  return most;
}

// The least share that is enough; where none is, the best one.
double BendRelief::share_for(const Meeting& meeting, const std::vector<int>& path) const {
  double best = 0, least = excess(meeting, path, 0);
  for (int i = 1; i <= kSteps; ++i) {
    const double share = kMostShare * i / kSteps;
    if (way(path, share) > cap_) break;
    const double now = excess(meeting, path, share);
    if (now <= 0) {
      double lo = kMostShare * (i - 1) / kSteps, hi = share;
      for (int j = 0; j < kBisections; ++j) {
        const double middle = 0.5 * (lo + hi);
        (excess(meeting, path, middle) > 0 ? lo : hi) = middle;
      }
      return hi;
    }
    if (now < least) {
      least = now;
      best = share;
    }
  }
  return best;
}

void BendRelief::add_point(Meeting& meeting, std::uint32_t vertex) const {
  const Vec3f& p = rig_.surface.positions[vertex];
  meeting.points.push_back(p);
  meeting.allowed.push_back(allowed(meeting.thin, meeting.thick) +
                            std::max(0.0F, depth_in(rig_.fields[meeting.thick].view(), p)));
}

void BendRelief::find_meetings(std::span<const DeepVertex> deep) {
  meeting_count_ = 0;
  for (const DeepVertex& d : deep) {
    const std::uint32_t own = rig_.surface.owner[d.vertex];
    std::size_t i = 0;
    while (i < meeting_count_ && !(meetings_[i].thin == own && meetings_[i].thick == d.part)) ++i;
    if (i == meetings_.size()) meetings_.emplace_back();
    Meeting& m = meetings_[i];
    if (i == meeting_count_) {
      ++meeting_count_;
      m.thin = own;
      m.thick = d.part;
      m.points.clear();
      m.allowed.clear();
      find_path(own, d.part, m.paths[0]);
      find_path(d.part, own, m.paths[1]);
      for (const std::uint32_t v : samples_[own]) add_point(m, v);
    }
    if (m.points.size() < 2 * kSamples) add_point(m, d.vertex);
  }
  order_.clear();
  for (std::uint32_t i = 0; i < meeting_count_; ++i) {
    Meeting& m = meetings_[i];
    m.excess = excess(m, m.paths[0], 0);
    if (m.excess > 0) order_.push_back(i);
  }
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return meetings_[a].excess != meetings_[b].excess ? meetings_[a].excess > meetings_[b].excess : a < b;
  });
}

const Pose& BendRelief::apply(const Pose& pose, std::span<const DeepVertex> deep) {
  pose_ = default_;
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), pose_.local.size()), pose_.local.begin());
  world_from_joint(rig_.skeleton, pose_, world_);
  asked_ = world_;
  moved_.clear();
  overlaps_.clear();
  find_meetings(deep);
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (const std::uint32_t i : order_)
      for (const std::vector<int>& path : meetings_[i].paths) {  // the thick part gives way to what is left
        const Meeting& m = meetings_[i];
        const double share = !path.empty() && excess(m, path, 0) > 0 ? share_for(m, path) : 0;
        if (!(share > 0)) continue;
        for (const int j : path) pose_.local[static_cast<std::size_t>(j)] = turned(j, path, share);
        world_from_joint(rig_.skeleton, pose_, world_);
      }
  for (const std::uint32_t i : order_) {
    const Meeting& m = meetings_[i];
    overlaps_.push_back({rig_.bones[m.thin].joint, rig_.bones[m.thick].joint,
                         m.excess + static_cast<double>(allowed(m.thin, m.thick)),
                         std::max(0.0, excess(m, m.paths[0], 0)) + static_cast<double>(allowed(m.thin, m.thick))});
  }
  for (std::uint32_t b = 0; b < rig_.bones.size(); ++b) {
    const RigBone& bone = rig_.bones[b];
    const auto j = static_cast<std::size_t>(bone.joint);
    const Vec3d end = transform_point(bone.rest_from_world, bone.rest_end);
    const Vec3d offset = transform_point(world_[j], end) - transform_point(asked_[j], end);
    if (length(offset) > kReliefStill * radius_[b]) moved_.push_back({bone.joint, offset});
  }
  return pose_;
}

}  // namespace cutis
