// Every question is put to the fields of the parts as the pose carries them: on which side a vertex is (its own part's
// field against the other's), and how deep points of a bone's axis lie in the other part.
#include "cutis/explain.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/alive.h"
#include "base/math.h"
#include "cutis/error.h"
#include "kernels/eval_field.h"
#include "rig/motion.h"
#include "rig/parts.h"
#include "rig/rig.h"

namespace cutis {
namespace {

constexpr int kAxisSamples = 9;

}  // namespace

std::string_view to_string(PairCause cause) {
  constexpr std::string_view kNames[kPairCauses] = {"same_part", "joint", "rest_overlap", "bone_inside", "contact"};
  const auto index = static_cast<std::size_t>(cause);
  return index < kPairCauses ? kNames[index] : "?";
}

struct Explainer::Impl {
  std::shared_ptr<const Rig> rig;
  std::vector<Triangle> triangles;  // of all meshes, input vertices
  std::vector<GridView> grids;      // per bone
  std::vector<char> overlap;        // bones x bones, symmetric: at rest

  [[nodiscard]] float field(std::size_t bone, const Vec3d& p_rest) const {
    return grids[bone].nodes == nullptr ? 0.0F : eval_field(grids[bone], static_cast<Vec3f>(p_rest)).value;
  }
  /// Negative inside; false far outside.
  [[nodiscard]] bool distance(std::size_t bone, const Vec3d& p_rest, double& d) const {
    const GridView& grid = grids[bone];
    if (grid.nodes == nullptr) return false;
    const Vec3f p = transform_point(grid.grid_from_rest, static_cast<Vec3f>(p_rest));
    if (!inside_grid(grid, p)) return false;
    d = grid_distance(grid, p).value;
    return true;
  }
  [[nodiscard]] std::uint32_t part_of(const Triangle& t) const {
    const auto owner = [&](std::size_t k) { return rig->surface.owner[rig->surface.welded_of[t[k]]]; };
    return owner(1) == owner(2) ? owner(1) : owner(0);
  }
  /// How deep the axis of bone a lies in the part of bone b.
  [[nodiscard]] double axis_depth(std::size_t a, std::size_t b, const std::vector<Affine3d>& motion,
                                  const std::vector<Affine3d>& back) const {
    double deepest = 0;
    for (int i = 0; i < kAxisSamples; ++i) {
      const Vec3d p = lerp(rig->bones[a].rest_origin, rig->bones[a].rest_end, i / (kAxisSamples - 1.0));
      double d = 0;
      if (distance(b, transform_point(back[b], transform_point(motion[a], p)), d)) deepest = std::max(deepest, -d);
    }
    return deepest;
  }
};

Explainer::Explainer(const Character& character, std::shared_ptr<const Rig> rig) : impl_(std::make_unique<Impl>()) {
  if (!rig || !rig->has_skin() || rig->vertex_count() != character.vertex_count())
    throw Error(ErrorCode::bad_argument, "explain", "needs the character's own rig, bound with implicit_skin");
  Impl& s = *impl_;
  s.rig = std::move(rig);
  std::uint32_t base = 0;
  for (const Mesh& mesh : character.meshes) {
    for (const Triangle& t : mesh.triangles) {
      if (std::max({t[0], t[1], t[2]}) >= mesh.positions.size())
        throw Error(ErrorCode::bad_character, fmt::format("explain › mesh '{}'", mesh.name),
                    "has a triangle with a vertex that does not exist; validate() the character");
      s.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    }
    base += static_cast<std::uint32_t>(mesh.positions.size());
  }
  for (const RigField& field : s.rig->fields) s.grids.push_back(field.view());
  const std::size_t bones = s.rig->bones.size();
  s.overlap.assign(bones * bones, 0);
  for (std::size_t v = 0; v < s.rig->surface.size(); ++v) {
    const std::uint32_t b = s.rig->surface.owner[v];
    if (b >= bones) continue;
    for (std::size_t k = 0; k < bones; ++k)
      if (k != b && s.field(k, static_cast<Vec3d>(s.rig->surface.positions[v])) > kOverlapAtRest)
        s.overlap[b * bones + k] = s.overlap[k * bones + b] = 1;
  }
}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

std::vector<PairGroup> Explainer::explain(const Pose& pose, std::span<const Vec3f> positions,
                                          std::span<const std::array<std::uint32_t, 2>> pairs) const {
  const Impl& s = alive(impl_, "explainer");
  const Rig& rig = *s.rig;
  if (positions.size() != rig.vertex_count())
    throw Error(ErrorCode::bad_argument, "explain",
                fmt::format("{} positions for {} vertices", positions.size(), rig.vertex_count()));
  const std::size_t bones = rig.bones.size();
  Pose full = default_pose(rig.skeleton);
  std::copy_n(pose.local.begin(), std::min(pose.local.size(), full.local.size()), full.local.begin());
  const std::vector<Affine3d> world = world_from_joint(rig.skeleton, full);
  std::vector<Affine3d> motion(bones), back(bones);
  for (std::size_t b = 0; b < bones; ++b) {
    const Affine3d m = motion_of(rig.bones[b], world);
    if (!is_finite(m) || !(std::abs(determinant(m.linear)) > 0)) continue;  // at rest, then: nothing better is known
    motion[b] = m;
    back[b] = inverse(m);
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, PairGroup> groups;
  for (const auto& [first, second] : pairs) {
    if (first >= s.triangles.size() || second >= s.triangles.size())
      throw Error(ErrorCode::bad_argument, "explain", "a pair names a triangle that the character does not have");
    const Triangle &t = s.triangles[first], &u = s.triangles[second];
    const std::uint32_t a = s.part_of(t), b = s.part_of(u);
    PairGroup& group = groups[{std::min(a, b), std::max(a, b)}];
    ++group.pairs;
    if (a == b || a >= bones || b >= bones) continue;
    const auto own_side = [&](const Triangle& of, std::uint32_t own, std::uint32_t other) {
      return std::all_of(of.begin(), of.end(), [&](std::uint32_t v) {
        const auto p = static_cast<Vec3d>(positions[v]);
        return s.field(own, transform_point(back[own], p)) >= s.field(other, transform_point(back[other], p));
      });
    };
    if (own_side(t, a, b) && own_side(u, b, a)) ++group.own_side;
  }

  std::vector<PairGroup> result;
  for (auto& [parts, group] : groups) {
    const auto [a, b] = parts;
    group.joint_a = a < bones ? rig.bones[a].joint : -1;
    group.joint_b = b < bones ? rig.bones[b].joint : -1;
    if (a == b || a >= bones || b >= bones) {
      group.cause = PairCause::same_part;
    } else if (rig.bones[a].parent == static_cast<int>(b) || rig.bones[b].parent == static_cast<int>(a)) {
      group.cause = PairCause::joint;
    } else {
      const double ab = s.axis_depth(a, b, motion, back), ba = s.axis_depth(b, a, motion, back);
      if (s.overlap[a * bones + b] != 0) {
        group.cause = PairCause::rest_overlap;
      } else if (std::max(ab, ba) > 0) {
        group.cause = PairCause::bone_inside;
        group.depth = std::max(ab, ba);
        group.inside = ab >= ba ? group.joint_a : group.joint_b;
      }
    }
    result.push_back(group);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PairGroup& x, const PairGroup& y) { return x.pairs > y.pairs; });
  return result;
}

}  // namespace cutis
