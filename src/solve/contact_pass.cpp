#include "solve/contact_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "base/timer.h"
#include "kernels/eval_field.h"
#include "solve/pose_relief.h"

namespace cutis {
namespace {

constexpr std::size_t kVerticesPerChunk = 1024;
constexpr int kRelaxations = 30;
// Beyond the vertices that give already, so many rings are taken in at once: it spreads over sub-steps anyway.
constexpr std::size_t kRelaxedRings = 4;
// A vertex in contact follows its neighbours by this part in a sub-step: it stays pressed on what holds it, and loses
// touch within a few sub-steps when that goes away.
constexpr double kContactYield = 0.25;
// Of all sub-steps of a frame together: bounds the time of a frame that has no good answer.
constexpr std::size_t kMostHalvings = 3;
constexpr int kMostSubsteps = 32;  // of any frame
// Tests of a frame and of a safe step, per vertex: many times what a fist takes. Beyond the first the rest of the frame
// is taken in one sub-step, beyond the second the parts that block each other are let go.
constexpr std::size_t kFrameTests = 64, kStepTests = 32;
// Along the skeleton from fingertip to thumb tip: 3 + 3 bones.
constexpr int kSameLimb = 6;
// Skin that nothing holds any more returns by at most so many local edges in a sub-step.
constexpr double kReturnEdges = 1;
// Skin held off its place by so many radii of its part may be caught: on the wrong side of something that it cannot
// pass any more. Looked after every few sub-steps, for the test takes as long as one.
constexpr double kCaughtRadii = 0.2;
constexpr int kCaughtSteps = 8;
// Intersections that are taken for it, per vertex that comes free.
constexpr double kCreases = 0.05;
// Parts of one limb are let go too when they are held off by so many times what lets others go.
constexpr double kLimbPatience = 4;
// Sub-steps on end in which a pair must tear its skin: parts that only brush past each other are held.
constexpr int kReleasePatience = 8;
constexpr int kAxisPoints = 8;  // along a bone
// Attempts at a sub-step that cannot be settled, each with more pairs of parts let go.
constexpr int kMostRefusals = 2;
// The rate at which speeds are per frame.
constexpr double kFrameRate = 30;
constexpr double kFarApart = 0.1;  // seconds
constexpr double kFarTurn = 0.5;   // radians of a joint
// Changes of speed by this part of the speed itself are not seen.
constexpr double kUnseen = 0.1;
// Give below this part of a local edge is none.
constexpr double kNoGive = 1e-4;

Pose interpolate(const Pose& a, const Pose& b, double t) {
  Pose pose;
  pose.time = std::lerp(a.time, b.time, t);
  pose.local.reserve(a.local.size());
  for (std::size_t j = 0; j < a.local.size(); ++j)
    pose.local.push_back({lerp(a.local[j].translation, b.local[j].translation, t),
                          slerp(a.local[j].rotation, b.local[j].rotation, t),
                          lerp(a.local[j].scale, b.local[j].scale, t)});
  return pose;
}

double largest_turn(const Pose& a, const Pose& b) {
  double most = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    const double c = std::min(1.0, std::abs(dot(a.local[j].rotation, b.local[j].rotation)));
    if (std::isfinite(c)) most = std::max(most, 2 * std::acos(c));
  }
  return most;
}

// The pose in which every bone is where it was bound.
Pose rest_pose(const Skeleton& skeleton) {
  Pose pose = default_pose(skeleton);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    Affine3d local = joint.world_from_rest;
    if (joint.parent >= 0) {
      const Affine3d& parent = skeleton.joints[static_cast<std::size_t>(joint.parent)].world_from_rest;
      if (!(std::abs(determinant(parent.linear)) > 0)) continue;
      local = inverse(parent) * local;
    }
    if (joint.local_residual) {
      if (!(std::abs(determinant(joint.local_residual->linear)) > 0)) continue;
      local = local * inverse(*joint.local_residual);
    }
    if (!is_finite(local)) continue;
    const Polar polar = polar_decompose(local.linear);
    pose.local[j] = {
        local.translation, polar.rotation, {polar.stretch.col[0].x, polar.stretch.col[1].y, polar.stretch.col[2].z}};
  }
  return pose;
}

}  // namespace

struct ContactPass::Impl {
  const Rig& rig;
  ContactPassOptions options;
  std::vector<std::uint32_t> part;  // per welded vertex; the last part holds what no bone owns and stays put
  std::vector<float> radius;        // per part
  SafeStep safe;

  Pose rest, pose;               // where we are
  std::vector<Affine3d> motion;  // per part, posed from rest
  std::vector<Vec3f> mesh;       // valid
  std::vector<Vec3f> wanted;     // the method's, at the same pose, without its jumps
  std::vector<Vec3d> drift;      // of that, in its part's rest space, a frame
  bool started = false;
  std::vector<Box> box;           // per part, at rest
  std::vector<float> part_edge;   // per part: mean local edge
  std::vector<double> stiffness;  // per vertex: of its own place against its neighbours'
  std::vector<char> in_contact;
  int caught_steps = 0;
  std::map<std::array<std::uint32_t, 2>, int>
      torn;  // pairs of parts that tear each other's skin: for how many sub-steps

  // Scratch of a sub-step.
  std::vector<Vec3f> input, raw, next_wanted, proposed;
  std::vector<Vec3d> give, give_next, carried, next_drift;
  std::vector<Affine3d> next_motion, delta;
  std::vector<char> moved, reached;
  std::vector<std::uint32_t> active;
  bool gentle = false;  // of a frame

  Impl(const Rig& r, const ContactPassOptions& o, const Context& context)
      : rig(r),
        options(o),
        part(parts_of(r)),
        radius(part_radii(r)),
        safe(contact_mesh(), bounded(o.safe, r.surface.size()), context) {
    const std::size_t n = rig.surface.size();
    rest = rest_pose(rig.skeleton);
    box.resize(radius.size());
    part_edge.assign(radius.size(), 0);
    std::vector<std::size_t> count(radius.size(), 0);
    for (std::size_t v = 0; v < n; ++v) {
      box[part[v]].add(static_cast<Vec3d>(rig.surface.positions[v]));
      part_edge[part[v]] += rig.surface.edge[v];
      ++count[part[v]];
    }
    for (std::size_t p = 0; p < count.size(); ++p)
      if (count[p] > 0) part_edge[p] /= static_cast<float>(count[p]);
    stiffness.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      const double reach = options.give_radii * radius[part[v]], edge = rig.surface.edge[v];
      stiffness[v] = reach > 0 ? std::min(1.0, edge * edge / (reach * reach)) : 1.0;
    }
    input.resize(rig.vertex_count());
    restart();
  }

  static std::vector<std::uint32_t> parts_of(const Rig& rig) {
    std::vector<std::uint32_t> part = rig.surface.owner;
    for (std::uint32_t& p : part) p = std::min(p, static_cast<std::uint32_t>(rig.bones.size()));
    return part;
  }
  static SafeStepOptions bounded(SafeStepOptions safe, std::size_t vertices) {
    safe.max_tests = std::min(safe.max_tests, kStepTests * vertices);
    return safe;
  }
  static std::vector<float> part_radii(const Rig& rig) {
    std::vector<float> radius = cutis::part_radii(rig);
    radius.push_back(0);
    return radius;
  }
  [[nodiscard]] ContactMesh contact_mesh() const {
    return {rig.surface.positions, rig.surface.triangles, part, radius.size(), radius};
  }
  void restart() {
    pose = rest;
    motion.assign(radius.size(), Affine3d{});
    mesh = wanted = rig.surface.positions;
    drift.assign(mesh.size(), Vec3d{});
    started = false;
    in_contact.assign(mesh.size(), 0);
    caught_steps = 0;
    torn.clear();
  }

  void motions_at(const Pose& at, std::vector<Affine3d>& out) const;
  [[nodiscard]] int substeps(const Pose& to) const;
  void relax(const Context& context);
  void start_gently(double frames, const Context& context);
  [[nodiscard]] int bones_between(std::uint32_t a, std::uint32_t b) const;  // along the skeleton
  [[nodiscard]] double stretch(std::uint32_t v) const;                      // of the edges at v, the largest
  void release_passed(bool left_behind);
  [[nodiscard]] bool passed(std::uint32_t a, std::uint32_t b) const;  // the thinner part's bone is inside the thicker
  bool release_blocking();
  std::size_t free_caught(std::size_t substeps, const Context& context);
  void substep(const Pose& from, const Pose& to, double t0, double t1, int halvings, const Skin& skin,
               ContactReport& report, const Context& context);
};

void ContactPass::Impl::motions_at(const Pose& at, std::vector<Affine3d>& out) const {
  const std::vector<Affine3d> world = world_from_joint(rig.skeleton, at);
  out = motion;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Affine3d m = world[static_cast<std::size_t>(rig.bones[b].joint)] * rig.bones[b].rest_from_world;
    if (is_finite(m)) out[b] = m;
  }
}

// By the turn of joints, and by how far parts that come near each other move against each other.
int ContactPass::Impl::substeps(const Pose& to) const {
  double count = largest_turn(pose, to) / (options.max_turn_degrees * kPi / 180);
  // Frames far apart are taken as the frames between them would be.
  const double most_travel = options.max_substeps * std::max(1.0, std::ceil(count));
  std::vector<Affine3d> end;
  motions_at(to, end);
  const std::size_t parts = radius.size();
  std::vector<Box> posed(parts);  // over the step
  std::vector<std::array<Vec3d, 8>> from(parts), at(parts);
  for (std::size_t p = 0; p < parts; ++p) {
    if (box[p].empty()) continue;
    for (unsigned c = 0; c < 8; ++c) {
      const Vec3d x{(c & 1U) != 0 ? box[p].hi.x : box[p].lo.x, (c & 2U) != 0 ? box[p].hi.y : box[p].lo.y,
                    (c & 4U) != 0 ? box[p].hi.z : box[p].lo.z};
      from[p][c] = transform_point(motion[p], x);
      at[p][c] = transform_point(end[p], x);
      posed[p].add(from[p][c]);
      posed[p].add(at[p][c]);
    }
  }
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t q = p + 1; q < parts; ++q) {
      if (box[p].empty() || box[q].empty() || p == parts - 1 || q == parts - 1) continue;
      if (rig.bones[p].parent == static_cast<int>(q) || rig.bones[q].parent == static_cast<int>(p)) continue;
      const double edge = std::min(part_edge[p], part_edge[q]);
      bool near = true;
      for (int k = 0; k < 3; ++k)
        near = near && posed[p].lo[k] - edge <= posed[q].hi[k] && posed[q].lo[k] - edge <= posed[p].hi[k];
      if (!near || !(edge > 0)) continue;
      // Seen from q, at the middle of p and the reverse: the boxes' corners are farther out than their skin.
      const auto travel = [&](std::size_t a, std::size_t b) {
        const Vec3d x = transform_point(motion[a], center(box[a]));
        const Affine3d ab = end[b] * inverse(motion[b]);
        return distance(transform_point(end[a], center(box[a])), transform_point(ab, x));
      };
      if (!(std::abs(determinant(motion[p].linear)) > 0) || !(std::abs(determinant(motion[q].linear)) > 0)) continue;
      const double far = std::max(travel(p, q), travel(q, p));
      count = std::max(count, std::min(most_travel, far / (options.max_travel_edges * edge)));
    }
  }
  return std::isfinite(count) ? std::clamp(static_cast<int>(std::ceil(count)), 1, kMostSubsteps) : kMostSubsteps;
}

// The give settles between what holds it and its own stiffness: u = mean of the neighbours' / (1 + stiffness), by
// Jacobi steps over the vertices that give and some rings around them. Vertices in contact keep theirs meanwhile, then
// yield a little.
void ContactPass::Impl::relax(const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = give.size();
  reached.assign(n, 0);
  active.clear();
  for (std::uint32_t v = 0; v < n; ++v)
    if (give[v] != Vec3d{}) {
      reached[v] = 1;
      active.push_back(v);
    }
  if (active.empty()) return;
  for (std::size_t ring = 0, begin = 0; ring < kRelaxedRings; ++ring) {
    const std::size_t end = active.size();
    for (; begin < end; ++begin)
      for (const std::uint32_t w : surface.neighbours.row(active[begin]))
        if (reached[w] == 0) {
          reached[w] = 1;
          active.push_back(w);
        }
  }
  give_next = give;
  const auto settled = [&](std::size_t v) {
    const auto neighbours = surface.neighbours.row(v);
    const float* weight = surface.neighbour_weight.data() + surface.neighbours.begin[v];
    Vec3d sum;
    double total = 0;
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      sum += give[neighbours[k]] * static_cast<double>(weight[k]);
      total += weight[k];
    }
    return total > 0 ? sum / (total * (1 + stiffness[v])) : Vec3d{};
  };
  for (int iteration = 0; iteration <= kRelaxations; ++iteration) {
    const bool last = iteration == kRelaxations;
    parallel_for(context, active.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t v = active[i];
        const bool held = in_contact[v] != 0;
        give_next[v] = give[v];
        if (held && last) give_next[v] = lerp(give[v], settled(v), kContactYield);
        if (!held && !last) give_next[v] = settled(v);
      }
    });
    give.swap(give_next);
  }
  for (const std::uint32_t v : active)
    if (!(length(give[v]) > kNoGive * surface.edge[v])) give[v] = {};
}

// The method's skin may jump against its part: a fold that snaps over, a vertex that changes sides. It is followed, at
// once while its speed changes little, else with bounded acceleration; in the end it is where the method says.
void ContactPass::Impl::start_gently(double frames, const Context& context) {
  parallel_for(context, wanted.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Affine3d& then = motion[part[v]];
      const Affine3d& now = next_motion[part[v]];
      if (!(std::abs(determinant(then.linear)) > 0) || !(std::abs(determinant(now.linear)) > 0)) continue;
      const Vec3d from = transform_point(inverse(then), static_cast<Vec3d>(wanted[v]));
      const Vec3d way = transform_point(inverse(now), static_cast<Vec3d>(raw[v])) - from;
      const auto here = static_cast<Vec3d>(wanted[v]);
      const double speed = distance(transform_point(delta[part[v]], here), here) / frames;
      const double far = length(way);
      const double most = options.start_edges * rig.surface.edge[v] + kUnseen * speed;  // gained a frame
      next_drift[v] = way / frames;
      Vec3d change = next_drift[v] - drift[v];
      if (length(change) <= most * frames || !is_finite(way)) continue;
      // No faster than it can stop there with half of that.
      change = way * (std::min(1 / frames, std::sqrt(most * far) / far)) - drift[v];
      const double size = length(change);
      next_drift[v] = drift[v] + change * (size > most * frames ? most * frames / size : 1);
      next_wanted[v] = static_cast<Vec3f>(transform_point(now, from + next_drift[v] * frames));
    }
  });
}

void ContactPass::Impl::substep(const Pose& from, const Pose& to, double t0, double t1, int halvings, const Skin& skin,
                                ContactReport& report, const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = surface.size();
  const Pose here = t1 < 1 ? interpolate(from, to, t1) : to;
  motions_at(here, next_motion);
  delta.resize(next_motion.size());
  for (std::size_t p = 0; p < delta.size(); ++p)
    delta[p] = std::abs(determinant(motion[p].linear)) > 0 ? next_motion[p] * inverse(motion[p]) : Affine3d{};
  skin(here, input);
  raw.resize(n);
  for (std::size_t v = 0; v < n; ++v) raw[v] = input[surface.first_of[v]];
  next_wanted = raw;
  next_drift.assign(n, Vec3d{});
  if (gentle) {
    const double frames = (t1 - t0) * std::abs(to.time - from.time) * kFrameRate;
    start_gently(frames > 0 ? frames : t1 - t0, context);
  }
  give.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    give[v] = delta[part[v]].linear * (static_cast<Vec3d>(mesh[v]) - static_cast<Vec3d>(wanted[v]));
    if (!is_finite(give[v])) give[v] = {};
  }
  carried = give;
  relax(context);
  for (std::size_t v = 0; v < n; ++v) {
    const Vec3d change = give[v] - carried[v];
    const double most = kReturnEdges * surface.edge[v], wish = length(change);
    if (wish > most) give[v] = carried[v] + change * (most / wish);
  }
  proposed.resize(n);
  moved.assign(n, 0);
  SafeStepReport step;
  for (int attempt = 0;; ++attempt) {
    for (std::size_t v = 0; v < n; ++v) proposed[v] = static_cast<Vec3f>(static_cast<Vec3d>(next_wanted[v]) + give[v]);
    step = safe.step(mesh, proposed, delta, moved, context);
    report.tests += step.tests;
    if (attempt == kMostRefusals || !step.refused || !release_blocking()) break;
  }
  report.safe_ms += step.total_ms;
  report.broad_ms += step.broad_ms;
  report.candidates = std::max(report.candidates, step.candidates);
  if (step.max_lag_edges > 1 && halvings > 0 && report.halvings < kMostHalvings && report.tests < kFrameTests * n) {
    ++report.halvings;
    const double middle = 0.5 * (t0 + t1);
    substep(from, to, t0, middle, halvings - 1, skin, report, context);
    substep(from, to, middle, t1, halvings - 1, skin, report, context);
    return;
  }
  ++report.substeps;
  report.hits += step.hits;
  report.truncated += step.truncated;
  report.max_lag_edges = std::max(report.max_lag_edges, step.max_lag_edges);
  report.certified = report.certified && step.certified;
  mesh.swap(proposed);
  wanted.swap(next_wanted);
  drift.swap(next_drift);
  motion.swap(next_motion);
  std::fill(in_contact.begin(), in_contact.end(), 0);
  for (const ContactRecord& record : safe.contacts()) in_contact[record.vertex] = 1;
  release_passed(step.truncated > 0);
}

int ContactPass::Impl::bones_between(std::uint32_t a, std::uint32_t b) const {
  int steps = 0;
  for (auto x = static_cast<int>(a), y = static_cast<int>(b); x != y; ++steps) {
    int& farther = x > y ? x : y;  // parents have lower numbers
    farther = rig.bones[static_cast<std::size_t>(farther)].parent;
    if (farther < 0) return std::numeric_limits<int>::max();
  }
  return steps;
}

double ContactPass::Impl::stretch(std::uint32_t v) const {
  double most = 0;
  for (const std::uint32_t w : rig.surface.neighbours.row(v)) {
    const double rest_length = distance(rig.surface.positions[v], rig.surface.positions[w]);
    if (rest_length > 0) most = std::max(most, distance(mesh[v], mesh[w]) / rest_length);
  }
  return most;
}

// Skin that is held farther off its place than the thinner part is thick belongs to parts that have passed through each
// other. It is let go when holding on would tear it: it is stretched beyond all measure or left behind. Parts of one
// limb cannot run far from each other: there patience pays.
void ContactPass::Impl::release_passed(bool left_behind) {
  const std::size_t bones = rig.bones.size();
  std::map<std::array<std::uint32_t, 2>, int> still;
  for (const ContactRecord& record : safe.contacts()) {
    const std::uint32_t v = record.vertex, a = part[v], b = record.other_part;
    if (a >= bones || b >= bones) continue;
    const double thin = std::min(radius[a], radius[b]), held = distance(mesh[v], wanted[v]);
    if (!(held > options.release_radii * thin)) continue;
    if (bones_between(a, b) <= kSameLimb && !(held > kLimbPatience * options.release_radii * thin)) continue;
    if (!left_behind && !(stretch(v) > options.release_stretch)) continue;
    const std::array<std::uint32_t, 2> pair{std::min(a, b), std::max(a, b)};
    const auto before = torn.find(pair);
    still[pair] = (before == torn.end() ? 0 : before->second) + 1;
  }
  for (const auto& [pair, steps] : still)
    if (steps >= kReleasePatience || passed(pair[0], pair[1])) safe.release(pair[0], pair[1]);
  torn.swap(still);
}

bool ContactPass::Impl::passed(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t thin = radius[a] <= radius[b] ? a : b, thick = thin == a ? b : a;
  const GridView grid = rig.fields[thick].view();
  if (grid.nodes == nullptr || !(std::abs(determinant(motion[thick].linear)) > 0)) return false;
  const Affine3d into = inverse(motion[thick]) * motion[thin];
  for (int i = 0; i <= kAxisPoints; ++i) {
    const double t = static_cast<double>(i) / kAxisPoints;
    const Vec3d x = transform_point(into, lerp(rig.bones[thin].rest_origin, rig.bones[thin].rest_end, t));
    const Vec3f p = transform_point(grid.grid_from_rest, static_cast<Vec3f>(x));
    if (inside_grid(grid, p) && grid_distance(grid, p).value < -radius[thin]) return true;
  }
  return false;
}

// What cannot be followed at all is let go: two parts that block each other and are not neighbours.
bool ContactPass::Impl::release_blocking() {
  bool any = false;
  for (const auto& [a, b] : safe.blocking()) {
    if (a >= rig.bones.size() || b >= rig.bones.size() || bones_between(a, b) <= 1) continue;
    safe.release(a, b);
    any = true;
  }
  return any;
}

// Skin that the method's mesh would not need to hold any more, because it is free there, but that cannot find its way
// back: a fold caught behind a finger, arms that were taken through each other in one frame. Whatever is free is valid.
// A few intersections elsewhere, a crease in an elbow, are no reason to stay caught: those parts are let go.
std::size_t ContactPass::Impl::free_caught(std::size_t substeps, const Context& context) {
  std::vector<char> caught(radius.size(), 0);
  std::size_t held = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    const std::uint32_t p = part[v];
    if (!is_finite(raw[v])) return 0;
    if (!(radius[p] > 0) || !(distance(mesh[v], wanted[v]) > kCaughtRadii * radius[p])) continue;
    caught[p] = 1;
    ++held;
  }
  caught_steps = held > 0 ? caught_steps + static_cast<int>(substeps) : 0;
  if (held == 0 || caught_steps < kCaughtSteps) return 0;
  caught_steps = 0;
  const auto ignored = [&](std::uint32_t a, std::uint32_t b) { return safe.released(a, b); };
  proposed = mesh;
  for (std::size_t v = 0; v < mesh.size(); ++v)
    if (caught[part[v]] != 0) proposed[v] = raw[v];
  if (!safe.surface().meeting_parts(proposed, ignored, context).empty()) {
    std::size_t creases = 0;
    const ContactSurface::MeetingParts meeting = safe.surface().meeting_parts(raw, ignored, context);
    for (const auto& [parts, pairs] : meeting) {
      if (parts[0] == parts[1]) return 0;
      creases += pairs;
    }
    if (static_cast<double>(creases) > kCreases * static_cast<double>(held)) return 0;
    for (const auto& [parts, pairs] : meeting) safe.release(parts[0], parts[1]);
    proposed = raw;
  }
  std::size_t freed = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) freed += mesh[v] != proposed[v] ? 1U : 0U;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    if (proposed[v] != raw[v] || mesh[v] == raw[v]) continue;
    wanted[v] = raw[v];
    drift[v] = {};
  }
  mesh.swap(proposed);
  return freed;
}

ContactPass::ContactPass(const Rig& rig, const ContactPassOptions& options, const Context& context)
    : impl_(std::make_unique<Impl>(rig, options, context)) {}
ContactPass::~ContactPass() = default;
ContactPass::ContactPass(ContactPass&&) noexcept = default;
ContactPass& ContactPass::operator=(ContactPass&&) noexcept = default;

ContactReport ContactPass::advance(const Pose& pose, const Skin& skin, std::span<Vec3f> positions,
                                   const Context& context) {
  const Timer timer;
  Impl& s = *impl_;
  ContactReport report;
  Pose to = s.pose;
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), to.local.size()), to.local.begin());
  to.time = pose.time;
  const Pose from = s.pose;
  const int count = s.substeps(to);
  // Between frames far apart nobody sees how the skin goes.
  s.gentle = s.started && s.options.start_edges > 0 && std::abs(to.time - from.time) <= kFarApart &&
             largest_turn(from, to) <= kFarTurn;
  for (int i = 0, next = 0; i < count; i = next) {
    next = report.tests < kFrameTests * s.mesh.size() ? i + 1 : count;
    s.substep(from, to, static_cast<double>(i) / count, static_cast<double>(next) / count, s.options.max_halvings, skin,
              report, context);
  }
  s.pose = to;
  s.started = true;
  report.freed = s.free_caught(report.substeps, context);
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = s.mesh[s.rig.surface.welded_of[v]];
  std::map<std::pair<std::uint32_t, std::uint32_t>, TouchingRegion> regions;
  for (const ContactRecord& record : s.safe.contacts()) {
    TouchingRegion& region = regions[{s.part[record.vertex], record.other_part}];
    ++region.vertices;
    region.depth = std::max<double>(region.depth, distance(s.mesh[record.vertex], s.wanted[record.vertex]));
  }
  for (auto& [parts, region] : regions) {
    const auto joint = [&](std::uint32_t p) { return p < s.rig.bones.size() ? s.rig.bones[p].joint : -1; };
    region.joint = joint(parts.first);
    region.other = joint(parts.second);
    report.regions.push_back(region);
  }
  for (const auto& [a, b] : s.safe.released_pairs())
    report.released.push_back({s.rig.bones[a].joint, s.rig.bones[b].joint});
  report.touching_vertices = s.safe.contacts().size();
  report.milliseconds = timer.milliseconds();
  return report;
}

void ContactPass::restart() {
  impl_->restart();
  impl_->safe.restore_state({});
}

ContactPassState ContactPass::save_state() const {
  const Impl& s = *impl_;
  return {s.pose,    s.motion,     s.mesh,         s.wanted, s.drift,
          s.started, s.in_contact, s.caught_steps, s.torn,   s.safe.save_state()};
}

void ContactPass::restore_state(const ContactPassState& state) {
  Impl& s = *impl_;
  s.pose = state.pose;
  s.motion = state.motion;
  s.mesh = state.mesh;
  s.wanted = state.wanted;
  s.drift = state.drift;
  s.started = state.started;
  s.in_contact = state.in_contact;
  s.caught_steps = state.caught_steps;
  s.torn = state.torn;
  s.safe.restore_state(state.safe);
}

// By the smallest turn that takes the normal of the method's mesh to that of ours, at every vertex that gave way.
void ContactPass::bend_normals(std::span<Vec3f> normals, const Context& context) const {
  const Impl& s = *impl_;
  const RigSurface& surface = s.rig.surface;
  const std::size_t n = surface.size();
  std::vector<Vec3d> before(n), after(n);
  std::vector<char> bent(n, 0);
  for (const Triangle& t : surface.triangles) {
    const bool any = s.mesh[t[0]] != s.raw[t[0]] || s.mesh[t[1]] != s.raw[t[1]] || s.mesh[t[2]] != s.raw[t[2]];
    const auto area = [&](const std::vector<Vec3f>& x) {
      return cross(static_cast<Vec3d>(x[t[1]] - x[t[0]]), static_cast<Vec3d>(x[t[2]] - x[t[0]]));
    };
    const Vec3d a = area(s.raw), b = area(s.mesh);
    for (const std::uint32_t v : t) {
      before[v] += a;
      after[v] += b;
      if (any) bent[v] = 1;
    }
  }
  parallel_for(context, normals.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = surface.welded_of[i];
      if (bent[v] == 0) continue;
      const Vec3d a = normalized(before[v]), b = normalized(after[v]);
      const Vec3d half = normalized(a + b);
      if (half == Vec3d{}) continue;
      // Reflections in the half-way plane and in a's: together the turn from a to b.
      const auto m = static_cast<Vec3d>(normals[i]);
      const Vec3d mirrored = m - a * (2 * dot(a, m));
      normals[i] = static_cast<Vec3f>(normalized(mirrored - half * (2 * dot(half, mirrored)), m));
    }
  });
}

const SafeStep& ContactPass::safe_step() const { return impl_->safe; }

}  // namespace cutis
