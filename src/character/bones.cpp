#include "character/bones.h"

#include <algorithm>

#include "base/math.h"
#include "base/tree.h"

namespace cutis {

std::vector<std::vector<int>> children_of(const Skeleton& skeleton) {
  std::vector<std::vector<int>> children(skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
    if (const int parent = skeleton.joints[j].parent; parent >= 0)
      children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(j));
  return children;
}

int parent_bone(const Skeleton& skeleton, int joint) {
  return first_upwards(skeleton.joints, parent_of(skeleton.joints, joint),
                       [&](int j) { return skeleton.joints[static_cast<std::size_t>(j)].is_bone; });
}

bool BoneSegment::degenerate(double size) const { return distance(from, to) <= 1e-6 * size; }

std::vector<BoneSegment> bone_segments(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  const std::size_t n = skeleton.joints.size();
  const auto origin = [&](std::size_t j) { return skeleton.joints[j].world_from_rest.translation; };

  std::vector<Vec3d> child_sum(n), owned_sum(n);
  std::vector<int> child_count(n, 0), owned_count(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    if (!skeleton.joints[j].is_bone || skeleton.joints[j].alias_of >= 0) continue;
    if (const int parent = parent_bone(skeleton, static_cast<int>(j)); parent >= 0) {
      child_sum[static_cast<std::size_t>(parent)] += origin(j);
      ++child_count[static_cast<std::size_t>(parent)];
    }
  }
  const auto for_each_owned = [&](auto&& visit) {
    for (const Mesh& mesh : character.meshes)
      for (std::size_t v = 0; v < mesh.weights.rows(); ++v)
        visit(mesh.weights.joint[mesh.weights.row_begin[v]], static_cast<Vec3d>(mesh.positions[v]));
  };
  for_each_owned([&](std::uint32_t joint, const Vec3d& p) {
    owned_sum[joint] += p;
    ++owned_count[joint];
  });
  std::vector<double> reach(n, 0);
  std::vector<Vec3d> direction(n);
  for (std::size_t j = 0; j < n; ++j)
    if (owned_count[j] > 0) direction[j] = normalized(owned_sum[j] / static_cast<double>(owned_count[j]) - origin(j));
  for_each_owned([&](std::uint32_t joint, const Vec3d& p) {
    reach[joint] = std::max(reach[joint], dot(p - origin(joint), direction[joint]));
  });

  std::vector<BoneSegment> segments;
  for (std::size_t j = 0; j < n; ++j) {
    if (!skeleton.joints[j].is_bone) continue;
    BoneSegment s{static_cast<int>(j), origin(j), origin(j), owned_count[j] > 0};
    s.to = child_count[j] > 0 ? child_sum[j] / static_cast<double>(child_count[j]) : s.from + direction[j] * reach[j];
    segments.push_back(s);
  }
  return segments;
}

}  // namespace cutis
