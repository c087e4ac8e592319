// The reference: kernels/skin.h over all vertices, in parallel chunks.
#include "kernels/skin.h"

#include "backends/engine.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

// Vertices a chunk: large enough to hide the hand-over, small enough to share 10k vertices among cores.
constexpr std::size_t kGrain = 1024;

struct BlockRange {
  const InfluenceBlock *first, *last;
};

// Calls one(v, blocks) for all vertices; one block a vertex is the common case and keeps the loop straight.
template <class One>
void for_each_vertex(const Rig& rig, const Context& context, One&& one) {
  const InfluenceBlock* blocks = rig.blocks.data();
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    if (rig.block_begin.empty()) {
      for (std::size_t v = begin; v < end; ++v) one(v, BlockRange{blocks + v, blocks + v + 1});
    } else {
      for (std::size_t v = begin; v < end; ++v)
        one(v, BlockRange{blocks + rig.block_begin[v], blocks + rig.block_begin[v + 1]});
    }
  });
}

template <class Sum>
inline Sum blend(const BlockRange& range, const Sum* palette) {
  Sum sum{};
  for (const InfluenceBlock* b = range.first; b != range.last; ++b) accumulate(sum, *b, palette);
  return sum;
}

}  // namespace

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context) {
  const SkinMatrix* matrices = palette.matrices.data();
  const bool with_normals = !normals.empty();
  for_each_vertex(rig, context, [&](std::size_t v, const BlockRange& range) {
    const SkinMatrix m = blend(range, matrices);
    positions[v] = apply_point(m, rig.rest_positions[v]);
    if (with_normals) normals[v] = apply_normal(m, rig.rest_normals[v]);
  });
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  const SkinDualQuat* rigid = palette.rigid.data();
  const SkinMatrix* stretches = palette.stretches.empty() ? nullptr : palette.stretches.data();
  const bool with_normals = !normals.empty();
  for_each_vertex(rig, context, [&](std::size_t v, const BlockRange& range) {
    Vec3f p = rig.rest_positions[v];
    Vec3f n = with_normals ? rig.rest_normals[v] : Vec3f{};
    if (stretches != nullptr) {
      const SkinMatrix s = blend(range, stretches);
      p = apply_point(s, p);
      if (with_normals) n = apply_normal(s, n);
    }
    const RigidMotion m = rigid_motion(blend(range, rigid), rigid[range.first->bone[0]]);
    positions[v] = apply_point(m, p);
    if (with_normals) normals[v] = rotate(m.rotation, n);
  });
}

}  // namespace cutis
