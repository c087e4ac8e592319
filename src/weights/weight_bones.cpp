#include "weights/weight_bones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/math.h"
#include "base/segment.h"
#include "base/tree.h"
#include "character/bones.h"
#include "cutis/error.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"
#include "weights/problem.h"

namespace cutis {
namespace {

// Bones no longer than this share of the character's size have no length.
constexpr double kPointBone = 1e-6;
// A leaf ends this far on the way from its joint to the surface, and is no longer than so many times its parent.
constexpr double kLeafReach = 0.8, kLongestLeaf = 3;
// A joint closer to the surface, in sizes of the character, lies on it.
constexpr double kOnSurface = 1e-3;
// A skeleton this many times larger or smaller than the mesh was made in another unit.
constexpr double kTooLarge = 12, kTooSmall = 40;

class BoneMaker {
 public:
  BoneMaker(const WeightProblem& problem, const BoneVisibility& visibility, bool keep_helpers, Fallbacks& fallbacks)
      : problem_(problem),
        skeleton_(problem.character->skeleton),
        visibility_(visibility),
        fallbacks_(fallbacks),
        candidate_(skeleton_.joints.size(), 0),
        kept_(skeleton_.joints.size(), 0) {
    if (skeleton_.joints.empty())
      throw Error(ErrorCode::bad_character, problem.character->source,
                  "has no skeleton to bind to; give one with --skeleton, from a character or a BVH file");
    choose_candidates();
    check_place();
    kept_ = candidate_;
    if (keep_helpers) drop_unweighted();
    drop_without_length();
    drop_outside_root();
  }

  [[nodiscard]] std::vector<WeightBone> make() const {
    std::vector<WeightBone> bones;
    std::vector<int> bone_of(skeleton_.joints.size(), -1);
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      if (kept_[j] == 0) continue;
      WeightBone bone;
      bone.joint = static_cast<int>(j);
      for (int p = skeleton_.joints[j].parent; p >= 0 && bone.parent < 0;
           p = skeleton_.joints[static_cast<std::size_t>(p)].parent)
        bone.parent = bone_of[static_cast<std::size_t>(p)];
      bone.from = bone.to = origin(j);
      const std::vector<Vec3d> ends = ends_of(j, bone.leaf);
      if (!ends.empty())
        bone.to = std::accumulate(ends.begin(), ends.end(), Vec3d{}) / static_cast<double>(ends.size());
      for (const Vec3d& end : ends) bone.segments.push_back({bone.from, end});
      if (bone.segments.empty()) bone.segments.push_back({bone.from, bone.to});
      bone.point = distance(bone.from, bone.to) <= kPointBone * problem_.size;
      bone_of[j] = static_cast<int>(bones.size());
      bones.push_back(std::move(bone));
    }
    return bones;
  }

 private:
  [[nodiscard]] Vec3d origin(std::size_t joint) const { return skeleton_.joints[joint].world_from_rest.translation; }

  // Joints of the file's skins; all joints when it has none.
  void choose_candidates() {
    std::size_t count = 0;
    for (std::size_t j = 0; j < candidate_.size(); ++j) {
      candidate_[j] = skeleton_.joints[j].is_bone && skeleton_.joints[j].alias_of < 0;
      count += candidate_[j];
    }
    if (count == 0) std::fill(candidate_.begin(), candidate_.end(), 1);
  }

  void check_place() const {
    Box mesh, bones;
    for (const Vec3d& p : problem_.positions) mesh.add(p);
    for (std::size_t j = 0; j < candidate_.size(); ++j)
      if (candidate_[j] != 0) bones.add(origin(j));
    const double mesh_size = diagonal(mesh), bone_size = diagonal(bones);
    const std::string place = fmt::format("{} › skeleton", problem_.character->source);
    if (mesh_size > 0 && bone_size > 0 && (bone_size > kTooLarge * mesh_size || bone_size * kTooSmall < mesh_size))
      throw Error(ErrorCode::bad_character, place,
                  fmt::format("is {:.3g} in size and the mesh {:.3g}; scale the skeleton by about {:.2g} "
                              "(--skeleton-scale)",
                              bone_size, mesh_size, mesh_size / bone_size));
    double gap = 0;
    for (int k = 0; k < 3; ++k) gap = std::max({gap, bones.lo[k] - mesh.hi[k], mesh.lo[k] - bones.hi[k]});
    if (gap > 0.5 * std::max(mesh_size, bone_size))
      throw Error(ErrorCode::bad_character, place,
                  fmt::format("lies {:.3g} away from the mesh, which is {:.3g} in size; move or scale it so that its "
                              "bones run through the mesh",
                              gap, mesh_size));
  }

  // Applies `drop` unless that would leave no bone.
  void drop_all(const std::vector<std::size_t>& drop) {
    auto rest = kept_;
    for (const std::size_t j : drop) rest[j] = 0;
    if (std::any_of(rest.begin(), rest.end(), [](char k) { return k != 0; })) kept_ = rest;
  }

  void drop_unweighted() {
    std::vector<char> used(kept_.size(), 0);
    bool any = false;
    for (const Mesh& mesh : problem_.character->meshes)
      for (std::size_t i = 0; i < mesh.weights.joint.size(); ++i) {
        if (!(mesh.weights.weight[i] > 0)) continue;
        const int alias = skeleton_.joints[mesh.weights.joint[i]].alias_of;
        used[alias >= 0 ? static_cast<std::size_t>(alias) : mesh.weights.joint[i]] = 1;
        any = true;
      }
    std::vector<std::size_t> drop;
    for (std::size_t j = 0; any && j < kept_.size(); ++j)
      if (kept_[j] != 0 && used[j] == 0) drop.push_back(j);
    drop_all(drop);
  }

  void drop_without_length() {
    std::vector<std::size_t> drop;
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      if (kept_[j] == 0) continue;
      bool leaf = false;
      const std::vector<Vec3d> ends = ends_of(j, leaf);
      if (std::all_of(ends.begin(), ends.end(), [&](const Vec3d& e) { return same_place(e, origin(j)); }))
        drop.push_back(j);
    }
    drop_all(drop);
  }

  void drop_outside_root() {
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      if (kept_[j] == 0) continue;
      if (parent_bone(skeleton_, static_cast<int>(j)) >= 0) return;  // not a root
      bool leaf = false;
      const std::vector<Vec3d> ends = ends_of(j, leaf);
      if (leaf || !std::all_of(ends.begin(), ends.end(), [&](const Vec3d& e) { return leads_in(origin(j), e); }))
        return;
      drop_all({j});
      if (kept_[j] == 0)
        report_fallback(fallbacks_, "root outside the mesh: owns no vertices", {fmt::format("'{}'", name(j))});
      return;
    }
  }

  // Ends inside, and runs mostly outside.
  [[nodiscard]] bool leads_in(const Vec3d& from, const Vec3d& to) const {
    constexpr int kSamples = 8;
    int outside = 0;
    for (int i = 0; i < kSamples; ++i) outside += inside(lerp(from, to, (i + 0.5) / kSamples)) ? 0 : 1;
    return inside(to) && 2 * outside > kSamples;
  }

  // Against the pieces as they are oriented; a sheet has no inside.
  [[nodiscard]] bool inside(const Vec3d& p) const {
    double sum = 0;
    for (const Triangle& t : problem_.topology.triangles) {
      if (problem_.two_sided[t[0]] != 0 || problem_.two_sided[t[1]] != 0 || problem_.two_sided[t[2]] != 0) continue;
      sum += winding_number(static_cast<Vec3f>(problem_.positions[t[0]]), static_cast<Vec3f>(problem_.positions[t[1]]),
                            static_cast<Vec3f>(problem_.positions[t[2]]), p);
    }
    return sum > 0.5;
  }

  [[nodiscard]] bool same_place(const Vec3d& a, const Vec3d& b) const {
    return distance(a, b) <= kPointBone * problem_.size;
  }
  [[nodiscard]] const std::string& name(std::size_t joint) const { return skeleton_.joints[joint].name; }

  // Where the bones below start: those that are kept; else helpers and end markers; else, for a leaf, a guess.
  [[nodiscard]] std::vector<Vec3d> ends_of(std::size_t joint, bool& leaf) const {
    std::vector<Vec3d> bones, others;
    for (std::size_t j = joint + 1; j < skeleton_.joints.size(); ++j) {
      if (skeleton_.joints[j].alias_of >= 0) continue;
      int p = skeleton_.joints[j].parent;
      while (p > static_cast<int>(joint) && candidate_[static_cast<std::size_t>(p)] == 0)
        p = skeleton_.joints[static_cast<std::size_t>(p)].parent;
      if (p != static_cast<int>(joint)) continue;
      const bool away = !same_place(origin(j), origin(joint));
      if (kept_[j] != 0 && (away || leads_away(j)))
        bones.push_back(origin(j));
      else if (away)
        others.push_back(origin(j));
    }
    leaf = bones.empty() && others.empty();
    if (!bones.empty()) return bones;
    if (!others.empty()) return others;
    return leaf_end(joint);
  }

  // Whether bones below the joint are at another place. If not, it is a helper and its parent the bone.
  [[nodiscard]] bool leads_away(std::size_t joint) const {
    for (std::size_t j = joint + 1; j < skeleton_.joints.size(); ++j) {
      if (hangs_on(skeleton_.joints, static_cast<int>(j), static_cast<int>(joint)) && candidate_[j] != 0 &&
          !same_place(origin(j), origin(joint)))
        return true;
    }
    return false;
  }

  // On along the parent bone, most of the way to the surface.
  [[nodiscard]] std::vector<Vec3d> leaf_end(std::size_t joint) const {
    const Vec3d from = origin(joint);
    int p = skeleton_.joints[joint].parent;
    if (p >= 0 && candidate_[static_cast<std::size_t>(p)] != 0 && same_place(origin(static_cast<std::size_t>(p)), from))
      return {from};  // a helper at its parent's place
    while (p >= 0 &&
           (candidate_[static_cast<std::size_t>(p)] == 0 || same_place(origin(static_cast<std::size_t>(p)), from)))
      p = skeleton_.joints[static_cast<std::size_t>(p)].parent;
    if (p < 0) return {};
    const Vec3d along = from - origin(static_cast<std::size_t>(p));
    const double parent_length = length(along);
    const Vec3d direction = along / parent_length;
    double reach = kLeafReach * distance_to_surface(from, direction);
    if (!std::isfinite(reach)) {
      reach = 0;
      for (const Vec3d& v : problem_.positions) reach = std::max(reach, dot(v - from, direction));
      reach = std::min(reach, parent_length);
    }
    return {from + direction * std::min(reach, kLongestLeaf * parent_length)};
  }

  // A surface at the joint itself is passed through.
  [[nodiscard]] double distance_to_surface(const Vec3d& from, const Vec3d& direction) const {
    const double step = kOnSurface * problem_.size;
    double start = 0;
    for (int i = 0; i < 4; ++i) {
      const double hit = start + visibility_.first_hit(from + direction * start, direction);
      if (hit > step) return hit;
      start = hit + 0.5 * step;
    }
    return std::numeric_limits<double>::infinity();
  }

  const WeightProblem& problem_;
  const Skeleton& skeleton_;
  const BoneVisibility& visibility_;
  Fallbacks& fallbacks_;
  std::vector<char> candidate_, kept_;
};

}  // namespace

std::vector<WeightBone> make_bones(const WeightProblem& problem, const BoneVisibility& visibility, bool keep_helpers,
                                   Fallbacks& fallbacks) {
  return BoneMaker(problem, visibility, keep_helpers, fallbacks).make();
}

NearestOnBone nearest_on_bone(const WeightBone& bone, const Vec3d& p) {
  NearestOnBone best{{}, std::numeric_limits<double>::infinity()};
  for (const Segment& s : bone.segments) {
    const Vec3d q = nearest_on_segment(p, s.from, s.to);
    const double d = distance(p, q);
    if (d < best.distance) best = {q, d};
  }
  return best;
}

}  // namespace cutis
