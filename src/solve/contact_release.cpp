// Parts that cannot be kept apart are let go; skin that is caught comes free. See docs/algorithms/contact.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "kernels/eval_field.h"
#include "solve/contact_pass_impl.h"

namespace cutis {
namespace {

// Along the skeleton from fingertip to thumb tip: 3 + 3 bones.
constexpr int kSameLimb = 6;
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

}  // namespace

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
  const auto find = [](std::vector<Torn>& list, const std::array<std::uint32_t, 2>& pair) {
    return std::ranges::lower_bound(list, pair, {}, &Torn::parts);
  };
  still_torn.clear();
  for (const ContactRecord& record : safe.contacts()) {
    const std::uint32_t v = record.vertex, a = part[v], b = record.other_part;
    if (a >= bones || b >= bones) continue;
    const double thin = std::min(radius[a], radius[b]), held = held_off(v);
    if (!(held > options.release_radii * thin)) continue;
    if (bones_between(a, b) <= kSameLimb && !(held > kLimbPatience * options.release_radii * thin)) continue;
    if (!left_behind && !(stretch(v) > options.release_stretch)) continue;
    const std::array<std::uint32_t, 2> pair{std::min(a, b), std::max(a, b)};
    const auto known = find(torn, pair), at = find(still_torn, pair);
    if (at != still_torn.end() && at->parts == pair) continue;
    still_torn.insert(at, {pair, (known != torn.end() && known->parts == pair ? known->steps : 0) + 1});
  }
  for (const auto& [pair, steps] : still_torn)
    if (steps >= kReleasePatience || passed(pair[0], pair[1])) safe.release(pair[0], pair[1]);
  torn = still_torn;
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
  caught.assign(radius.size(), 0);
  std::size_t held = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    const std::uint32_t p = part[v];
    if (!is_finite(raw[v])) return 0;
    if (!(radius[p] > 0) || !(held_off(v) > kCaughtRadii * radius[p])) continue;
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
  const auto find_meeting = [&](std::span<const Vec3f> at) {
    return safe.surface().meeting_parts(at, ignored, context, meter);
  };
  const bool meets = !find_meeting(proposed).empty();
  if (stopped()) return 0;
  if (meets) {
    std::size_t creases = 0;
    const auto meeting = find_meeting(raw);
    if (stopped()) return 0;
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
    lift[v] = {};
    drift[v] = {};
  }
  mesh.swap(proposed);
  swell.restart();  // what was pressed in is free
  unfold.restart();
  return freed;
}

}  // namespace cutis
