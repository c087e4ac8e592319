#include "backends/simd/skin_groups.h"

#include <algorithm>
#include <numeric>

#include "kernels/skin.h"
#include "rig/bone_turns.h"

namespace cutis::simd {
namespace {

// Fewer vertices of one bone than this are no run of their own.
constexpr std::size_t kLeastAlone = 16;
// Behind the last place: packs are loaded whole.
constexpr std::size_t kRoom = 16;

struct Key {
  std::uint32_t bones;  // kManyBones comes last
  std::int32_t alone;
  bool operator==(const Key&) const = default;
  [[nodiscard]] bool before(const Key& o) const {
    return bones - 1U != o.bones - 1U ? bones - 1U < o.bones - 1U
                                      : static_cast<std::uint32_t>(alone) < static_cast<std::uint32_t>(o.alone);
  }
};

// Weights of 0 behind the last add nothing to a blend, to the last bit.
Key key_of(const InfluenceBlock* first, const InfluenceBlock* last) {
  if (last - first > 1) return {SkinGroups::kManyBones, -1};
  std::uint32_t bones = 4;
  while (bones > 1 && first->weight[bones - 1] == 0) --bones;
  return {bones, bones == 1 && first->weight[0] == 1 ? static_cast<std::int32_t>(first->bone[0]) : -1};
}

}  // namespace

SkinGroups make_skin_groups(const Rig& rig) {
  const std::size_t n = rig.vertex_count();
  const auto begin_of = [&](std::size_t v) { return rig.block_begin.empty() ? v : rig.block_begin[v]; };
  std::vector<Key> keys(n);
  std::vector<std::size_t> alone(rig.bones.size(), 0);
  for (std::size_t v = 0; v < n; ++v) {
    keys[v] = key_of(rig.blocks.data() + begin_of(v), rig.blocks.data() + begin_of(v + 1));
    if (keys[v].alone >= 0) ++alone[static_cast<std::size_t>(keys[v].alone)];
  }
  for (Key& key : keys)
    if (key.alone >= 0 && alone[static_cast<std::size_t>(key.alone)] < kLeastAlone) key.alone = -1;
  SkinGroups g;
  g.vertex.resize(n);
  std::iota(g.vertex.begin(), g.vertex.end(), 0U);
  std::ranges::stable_sort(g.vertex, [&](std::uint32_t a, std::uint32_t b) { return keys[a].before(keys[b]); });

  std::vector<SkinMatrix> stretches;
  const std::vector<Mat3d> bound = bound_stretches(rig);
  for (std::size_t b = 0; b < rig.bones.size(); ++b)
    stretches.push_back(skin_stretch_about(bound[b], rig.bones[b].rest_origin));
  const bool normals = !rig.rest_normals.empty();
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t v = g.vertex[i];
    if (i == 0 || !(keys[v] == keys[g.vertex[i - 1]])) g.runs.push_back({i, i, keys[v].bones, keys[v].alone});
    g.runs.back().end = i + 1;
    g.blocks.push_back(rig.blocks[begin_of(v)]);
    SkinMatrix s{};
    for (std::size_t b = begin_of(v); b < begin_of(v + 1); ++b) accumulate(s, rig.blocks[b], stretches.data());
    g.positions.push_back(rig.rest_positions[v]);
    g.bound.push_back(apply_point(s, rig.rest_positions[v]));
    if (!normals) continue;
    g.normals.push_back(rig.rest_normals[v]);
    g.bound_normals.push_back(apply_normal(s, rig.rest_normals[v]));
  }
  for (auto* list : {&g.positions, &g.bound, &g.normals, &g.bound_normals})
    if (!list->empty()) list->resize(n + kRoom);
  return g;
}

std::shared_ptr<const SkinGroups> skin_groups(const Rig& rig) {
  return rig.rest.get<SkinGroups>([&] { return make_skin_groups(rig); });
}

}  // namespace cutis::simd
