// The reference: kernels/skin.h over all vertices, in parallel chunks.
#include "backends/scalar/skin.h"

#include <algorithm>

#include "base/parallel_for.h"
#include "kernels/skin.h"

namespace cutis::scalar {
namespace {

// Vertices a chunk: large enough to hide the hand-over, small enough to share 10k vertices among cores.
constexpr std::size_t kGrain = 1024;

struct BlockRange {
  const InfluenceBlock *first, *last;
};

BlockRange blocks_of(const Rig& rig, std::size_t v) {
  const InfluenceBlock* blocks = rig.blocks.data();
  if (rig.block_begin.empty()) return {blocks + v, blocks + v + 1};
  return {blocks + rig.block_begin[v], blocks + rig.block_begin[v + 1]};
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
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const SkinMatrix m = blend(blocks_of(rig, v), matrices);
      positions[v] = apply_point(m, rig.rest_positions[v]);
      if (with_normals) normals[v] = apply_normal(m, rig.rest_normals[v]);
    }
  });
}

namespace {

bool is_cancelled(const SkinDualQuat& sum) {
  const Float4 squares = sum.real * sum.real;
  return squares[0] + squares[1] + squares[2] + squares[3] <= kCancelled;
}

Quat<Float4> gather(Float4 a, Float4 b, Float4 c, Float4 d) {
  transpose(a, b, c, d);
  return {a, b, c, d};
}
Vec3<Float4> gather(const Vec3f (&p)[4]) {
  return {Float4(p[0].x, p[1].x, p[2].x, p[3].x), Float4(p[0].y, p[1].y, p[2].y, p[3].y),
          Float4(p[0].z, p[1].z, p[2].z, p[3].z)};
}
Vec3f lane(const Vec3<Float4>& p, int i) { return {p.x[i], p.y[i], p.z[i]}; }

}  // namespace

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  const SkinDualQuat* rigid = palette.rigid.data();
  const SkinMatrix* stretches = palette.stretches.empty() ? nullptr : palette.stretches.bones.data();
  const bool with_normals = !normals.empty();
  // Blends are four numbers wide already; what follows takes four vertices at a time.
  parallel_for(context, rig.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += 4) {
      const std::size_t count = std::min<std::size_t>(4, end - first);
      SkinDualQuat motion[4];
      Vec3f p[4], n[4];
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t v = first + std::min(i, count - 1);  // the last chunk repeats its last vertex
        const BlockRange range = blocks_of(rig, v);
        motion[i] = blend(range, rigid);
        const bool cancelled = is_cancelled(motion[i]);  // the heaviest bone moves the vertex
        const std::uint32_t heaviest = range.first->bone[0];
        if (cancelled) motion[i] = rigid[heaviest];
        p[i] = rig.rest_positions[v];
        if (with_normals) n[i] = rig.rest_normals[v];
        if (stretches == nullptr) continue;
        SkinMatrix s = cancelled && palette.stretches.turned ? stretches[heaviest] : blend(range, stretches);
        if (palette.stretches.turned) s = stretch_of(motion[i].real, s);
        p[i] = apply_point(s, p[i]);
        if (with_normals) n[i] = apply_normal(s, n[i]);
      }
      const auto m = rigid_motion(gather(motion[0].real, motion[1].real, motion[2].real, motion[3].real),
                                  gather(motion[0].dual, motion[1].dual, motion[2].dual, motion[3].dual));
      const Vec3<Float4> moved = apply_point(m, gather(p));
      for (std::size_t i = 0; i < count; ++i) positions[first + i] = lane(moved, static_cast<int>(i));
      if (!with_normals) continue;
      const Vec3<Float4> turned = rotate(m.rotation, gather(n));
      for (std::size_t i = 0; i < count; ++i) normals[first + i] = lane(turned, static_cast<int>(i));
    }
  });
}

}  // namespace cutis::scalar
