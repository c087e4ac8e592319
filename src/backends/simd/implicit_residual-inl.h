// skin_residual() of packs of vertices of one part, the same bits, without operators. Included once per instruction
// set.
#if defined(CUTIS_BACKENDS_SIMD_IMPLICIT_RESIDUAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CUTIS_BACKENDS_SIMD_IMPLICIT_RESIDUAL_INL_H_
#undef CUTIS_BACKENDS_SIMD_IMPLICIT_RESIDUAL_INL_H_
#else
#define CUTIS_BACKENDS_SIMD_IMPLICIT_RESIDUAL_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "backends/implicit_engine.h"
#include "backends/simd/eval_field-inl.h"
#include "backends/simd/field_rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

struct SkinResiduals {
  Pack residual, free;
  Pack3 gradient;
  PackMask reached, touching;
  PackSample own;
};

// What the vertices of a pack know of the parts near them.
struct PackSkin {
  const ImplicitPose& pose;
  const NearPart* rows;  // of their chunk
  std::uint32_t bone;
  Pack level, gap;
  Ints row;     // where each one's begins
  Pack3 start;  // VertexSkin
};

HWY_INLINE SkinResiduals residual_of(const PackSkin& skin, const Pack3& p) {
  static_assert(sizeof(NearPart) == 32 && offsetof(NearPart, value) == 16 && offsetof(TrackOther, part) == 12);
  const PackTag d;
  const IntTag di;
  const hn::RebindToUnsigned<IntTag> du;
  const PosedParts& parts = skin.pose.parts;
  const float* const rows = reinterpret_cast<const float*>(skin.rows);
  const Pack3 none_yet{zero(), zero(), zero()};
  Added<Pack, Pack3> added{zero(), zero(), none_yet, none_yet};
  const PackSample own =
      parts.fields[skin.bone].nodes != nullptr ? look_up(parts.fields[skin.bone], p) : PackSample{zero(), none_yet};
  const Pack3 off = sub(p, skin.start);
  const Pack moved = hn::Sqrt(dot(off, off));
  PackMask reached = hn::Gt(own.value, zero());
  Ints next = skin.row;
  for (;;) {
    HWY_ALIGN std::uint32_t at[kMostLanes];
    hn::Store(hn::BitCast(du, hn::ShiftLeft<3>(next)), du, at);
    keep_in_memory(at);
    const Pack4 other = load_linked(rows, at);  // of each lane the next: contact, level, offset, part
    const Ints lanes_parts = hn::BitCast(di, other.w);
    // Mostly that of the first lane is that of all, which is known before the lanes have come together.
    auto part = static_cast<std::int32_t>(skin.rows[at[0] / 8].other.part);
    auto found = hn::Eq(lanes_parts, hn::Set(di, part));
    if (!hn::AllTrue(di, found)) {
      part = hn::GetLane(hn::MinOfLanes(di, lanes_parts));
      found = hn::Eq(lanes_parts, hn::Set(di, part));
    }
    if (part == static_cast<std::int32_t>(TrackOther::kNoPart)) break;
    next = hn::Sub(next, hn::VecFromMask(di, found));  // one further where found
    const std::uint32_t k = static_cast<std::uint32_t>(part) / 2;
    const float slope = parts.steepest[k];
    const Pack most = hn::Add(load_linked(rows + 4, at).x, hn::Mul(set(slope), moved));
    const Pack gap = hn::Mul(skin.gap, set(slope + parts.steepest[skin.bone]));
    PackMask felt = hn::And(hn::Gt(other.x, zero()), hn::Gt(hn::Add(hn::Add(most, other.z), gap), skin.level));
    if (part % 2 != 0) felt = hn::Or(felt, hn::Gt(hn::Sub(most, other.y), hn::Sub(own.value, skin.level)));
    felt = hn::And(hn::RebindMask(d, found), hn::Or(felt, hn::Not(reached)));
    if (hn::AllFalse(d, felt)) continue;
    const PackSample f = look_up(parts.fields[k], p);
    felt = hn::And(felt, hn::Gt(f.value, zero()));
    reached = hn::Or(reached, felt);
    if (part % 2 != 0) unite(felt, other.x, f.value, f.gradient, other.y, own.value, own.gradient, skin.level, added);
    press(felt, other.x, f.value, f.gradient, other.z, skin.gap, own.gradient, skin.level, added);
  }
  const Pack free = hn::Sub(hn::Add(own.value, added.rise), skin.level);
  return {hn::Sub(free, added.hold),  free, sub(add(own.gradient, added.rise_gradient), added.hold_gradient), reached,
          hn::Gt(added.hold, zero()), own};
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
