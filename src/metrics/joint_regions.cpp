#include "metrics/joint_regions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/math.h"
#include "character/bones.h"

namespace cutis {
namespace {

constexpr float kLeastBlend = 0.1F;
// Of the cube over the region's diagonal; a capped tube as long as wide has 0.15.
constexpr double kLeastVolume = 1e-3;

struct Owners {
  int first = -1, second = -1;  // joints with the largest weights; second: -1 when it is hardly there
};

// Several skins may bind one joint under several numbers; the first stands for all.
int canonical(const Skeleton& skeleton, int joint) {
  const int original = skeleton.joints[static_cast<std::size_t>(joint)].alias_of;
  return original >= 0 ? original : joint;
}

std::vector<Owners> owners_of(const Character& character, const WeldedCharacter& welded) {
  std::vector<Owners> owners(welded.positions.size());
  for (std::size_t w = 0; w < owners.size(); ++w) {
    const std::uint32_t v = welded.weld.first_of[w];
    const auto m = static_cast<std::size_t>(std::upper_bound(welded.mesh_begin.begin(), welded.mesh_begin.end(), v) -
                                            welded.mesh_begin.begin() - 1);
    const Weights& weights = character.meshes[m].weights;
    if (weights.empty()) continue;
    const WeightRow row = weight_row(weights, v - welded.mesh_begin[m]);
    if (row.joints.empty()) continue;
    owners[w].first = canonical(character.skeleton, static_cast<int>(row.joints[0]));
    if (row.joints.size() > 1 && row.weights[1] >= kLeastBlend)
      owners[w].second = canonical(character.skeleton, static_cast<int>(row.joints[1]));
  }
  return owners;
}

}  // namespace

CappedPatch make_capped_patch(const Topology& topology, std::vector<std::uint32_t> triangles) {
  CappedPatch patch;
  patch.triangles = std::move(triangles);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> net;  // (a < b): times run a to b, less b to a
  for (const std::uint32_t t : patch.triangles) {
    const Triangle& tri = topology.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = tri[k], b = tri[(k + 1) % 3];
      if (a < b)
        ++net[{a, b}];
      else
        --net[{b, a}];
    }
  }
  // As many boundary edges enter a vertex as leave it: walking on along unused ones always returns to the start.
  std::map<std::uint32_t, std::vector<std::uint32_t>> next;
  for (const auto& [edge, count] : net) {
    for (int i = 0; i < count; ++i) next[edge.first].push_back(edge.second);
    for (int i = 0; i > count; --i) next[edge.second].push_back(edge.first);
  }
  for (auto& [start, targets] : next) {
    while (!targets.empty()) {
      std::vector<std::uint32_t> loop;
      std::uint32_t v = start;
      do {
        loop.push_back(v);
        std::vector<std::uint32_t>& out = next[v];
        v = out.back();
        out.pop_back();
      } while (v != start);
      patch.loops.push_back(std::move(loop));
    }
  }
  return patch;
}

std::optional<double> volume(const CappedPatch& patch, const PosedSurface& surface, const Topology& topology) {
  if (patch.triangles.empty()) return 0.0;
  // Near the patch, to lose no digits; a closed surface's volume does not depend on it.
  const auto origin = static_cast<Vec3d>(surface.positions[topology.triangles[patch.triangles[0]][0]]);
  const auto at = [&](std::uint32_t v) { return static_cast<Vec3d>(surface.positions[v]) - origin; };
  double six_volumes = 0;
  for (const std::uint32_t t : patch.triangles) {
    const auto& [a, b, c] = topology.triangles[t];
    if (!surface.finite[a] || !surface.finite[b] || !surface.finite[c]) return std::nullopt;
    six_volumes += dot(at(a), cross(at(b), at(c)));
  }
  for (const std::vector<std::uint32_t>& loop : patch.loops) {
    Vec3d centroid;
    for (const std::uint32_t v : loop) centroid += at(v);
    centroid = centroid / static_cast<double>(loop.size());
    for (std::size_t i = 0; i < loop.size(); ++i)  // the fan runs against the patch
      six_volumes += dot(centroid, cross(at(loop[(i + 1) % loop.size()]), at(loop[i])));
  }
  return six_volumes / 6;
}

JointRegions find_joint_regions(const Character& character, const WeldedCharacter& welded, const PosedSurface& rest) {
  JointRegions result;
  const std::vector<Owners> owners = owners_of(character, welded);
  const Skeleton& skeleton = character.skeleton;
  std::vector<int> parent(skeleton.joints.size(), -1);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    const int p = parent_bone(skeleton, static_cast<int>(j));
    parent[j] = p < 0 ? -1 : canonical(skeleton, p);
  }
  // The joint between two bones: the one that is the other's child.
  const auto joint_between = [&](int a, int b) {
    if (a < 0 || b < 0) return -1;
    if (parent[static_cast<std::size_t>(a)] == b) return a;
    return parent[static_cast<std::size_t>(b)] == a ? b : -1;
  };
  std::vector<std::vector<std::uint32_t>> triangles_of(skeleton.joints.size());
  for (std::uint32_t t = 0; t < welded.topology.triangles.size(); ++t) {
    const Triangle& tri = welded.topology.triangles[t];
    if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) continue;
    std::array<int, 6> joints{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Owners& o = owners[tri[k]];
      joints[k] = joint_between(o.first, o.second);
      joints[3 + k] = joint_between(o.first, owners[tri[(k + 1) % 3]].first);
    }
    std::sort(joints.begin(), joints.end());
    const auto end = std::unique(joints.begin(), joints.end());
    for (auto it = joints.begin(); it != end; ++it)
      if (*it >= 0) triangles_of[static_cast<std::size_t>(*it)].push_back(t);
  }
  for (std::size_t j = 0; j < triangles_of.size(); ++j) {
    if (triangles_of[j].empty()) continue;
    Box box;
    for (const std::uint32_t t : triangles_of[j])
      for (const std::uint32_t v : welded.topology.triangles[t]) box.add(static_cast<Vec3d>(rest.positions[v]));
    CappedPatch patch = make_capped_patch(welded.topology, std::move(triangles_of[j]));
    const std::optional<double> rest_volume = volume(patch, rest, welded.topology);
    if (!rest_volume || !(std::abs(*rest_volume) > kLeastVolume * std::pow(diagonal(box), 3))) continue;
    result.regions.push_back({static_cast<int>(j), skeleton.joints[j].name, patch.triangles.size(), *rest_volume});
    result.patches.push_back(std::move(patch));
  }
  return result;
}

}  // namespace cutis
