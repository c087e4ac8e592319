// Target rotations and smooth skinning over packs of vertices, bit for bit blend_vertex().
//
// Dual quaternions are blended vertex by vertex, four numbers at a time; what is made of them, in packs.
#include <bit>

#include "backends/simd/track.h"
#include "backends/track_control.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"
#include "kernels/turn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/track_blend.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/packs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

using namespace field_constants;

constexpr std::size_t kBlock = TrackPlaces::kBlock;

HWY_INLINE void store_places(const Pack3& a, std::vector<Float4>& rows, std::size_t place) {
  hn::StoreInterleaved4(a.x, a.y, a.z, zero(), PackTag(), reinterpret_cast<float*>(&rows[place]));
}

// blend_vertex() of the wanted vertices of a pack, where nothing is stretched or stiff.
HWY_INLINE void blend_pack(const TrackPass& pass, std::size_t place) {
  const PackTag d;
  const RigSurface& s = pass.rig.surface;
  Step& step = pass.step;
  TrackSystem& sys = step.system;
  const std::uint32_t* const vertex = &pass.rest.places.vertex[place];
  Float4 real[kMostLanes], dual[kMostLanes];
  std::uint32_t wanted = 0;
  for (std::size_t i = 0; i < lanes(); ++i) {
    const std::uint32_t v = vertex[i];
    real[i] = {0, 0, 0, 1};
    dual[i] = {};
    if (v == TrackPlaces::kNone || step.is_wanted[v] == 0) continue;
    wanted |= 1U << i;
    const std::uint32_t first = s.turn.begin[v], count = s.turn.begin[v + 1] - first;
    if (count == 0) continue;
    const SkinDualQuat sum =
        sum_of_turns(step.rigid.data(), s.turn.items.data() + first, s.turn_weight.data() + first, count);
    real[i] = sum.real;
    dual[i] = sum.dual;
  }
  if (wanted == 0) return;
  const auto length_of_real = [&]() HWY_ATTR {
    const Pack4 q = load_transposed(reinterpret_cast<const float*>(real), 4);
    return hn::Sqrt(
        hn::Add(hn::Add(hn::Add(hn::Mul(q.x, q.x), hn::Mul(q.y, q.y)), hn::Mul(q.z, q.z)), hn::Mul(q.w, q.w)));
  };
  Pack size = length_of_real();
  const PackMask cancels = hn::Not(hn::Gt(size, set(kOpposite)));
  if (!hn::AllFalse(d, cancels)) {  // opposite rotations: the heaviest bone's
    std::uint32_t replaced = 0;
    each_bit(bits_of(cancels) & wanted, [&](std::size_t i) {
      const SkinDualQuat& bone = step.rigid[s.turn.items[s.turn.begin[vertex[i]]]];
      real[i] = bone.real;
      dual[i] = bone.dual;
      replaced |= 1U << i;
    });
    size = hn::IfThenElse(mask_of(replaced), set(1), size);
  }
  const auto unit = [&](const Float4* rows) HWY_ATTR {
    const Pack4 q = load_transposed(reinterpret_cast<const float*>(rows), 4);
    return Pack4{hn::Div(q.x, size), hn::Div(q.y, size), hn::Div(q.z, size), hn::Div(q.w, size)};
  };
  const Pack4 r = unit(real), e = unit(dual);
  const Pack3 turn[3] = {rotate(r, {set(1), zero(), zero()}), rotate(r, {zero(), set(1), zero()}),
                         rotate(r, {zero(), zero(), set(1)})};
  // translation_of(): twice the first three numbers of e times r conjugated.
  const Pack cx = hn::Neg(r.x), cy = hn::Neg(r.y), cz = hn::Neg(r.z);
  const auto sum = [](Pack a, Pack b, Pack c) HWY_ATTR { return hn::Add(hn::Add(a, b), c); };
  const Pack3 t{hn::Sub(sum(hn::Mul(e.w, cx), hn::Mul(e.x, r.w), hn::Mul(e.y, cz)), hn::Mul(e.z, cy)),
                hn::Add(hn::Add(hn::Sub(hn::Mul(e.w, cy), hn::Mul(e.x, cz)), hn::Mul(e.y, r.w)), hn::Mul(e.z, cx)),
                hn::Add(hn::Sub(hn::Add(hn::Mul(e.w, cz), hn::Mul(e.x, cy)), hn::Mul(e.y, cx)), hn::Mul(e.z, r.w))};
  const Pack3 blended = add(rotate(r, xyz(load_places(pass.rest.places.rest, place))), mul(set(2), t));
  store_places(blended, sys.blended, place);
  for (std::size_t c = 0; c < 3; ++c) store_places(turn[c], sys.turn[c], place);
  each_bit(wanted, [&](std::size_t i) {
    const std::uint32_t v = vertex[i];
    const auto number = [&](const std::vector<Float4>& rows) {
      return Vec3f{rows[place + i][0], rows[place + i][1], rows[place + i][2]};
    };
    step.blended[v] = number(sys.blended);
    step.turn[v] = {{number(sys.turn[0]), number(sys.turn[1]), number(sys.turn[2])}};
  });
}

void blend_blocks(const TrackPass& pass, std::size_t begin, std::size_t end) {
  for (std::size_t place = begin * kBlock; place < end * kBlock; place += lanes()) blend_pack(pass, place);
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

constexpr std::size_t kBlock = TrackPlaces::kBlock;
constexpr std::size_t kGrain = 16;  // blocks

HWY_EXPORT(blend_blocks);

}  // namespace

void blend_all(const Rig& rig, const TrackRest& rest, Step& step, const Context& context) {
  const TrackPlaces& places = rest.places;
  TrackSystem& sys = step.system;
  if (step.stretched || !rest.stiffness.empty()) {
    parallel_for(context, step.wanted.size(), kGrain * kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t v = step.wanted[i], place = places.place[v];
        blend_vertex(rig, rest, v, step);
        const auto row = [](const Vec3f& x) { return Float4(x.x, x.y, x.z, 0); };
        sys.blended[place] = row(step.blended[v]);
        for (std::size_t c = 0; c < 3; ++c) sys.turn[c][place] = row(step.turn[v].col[c]);
      }
    });
  } else {
    parallel_for(context, places.blocks(), kGrain, [&](std::size_t begin, std::size_t end) {
      HWY_DYNAMIC_DISPATCH(blend_blocks)({rig, rest, step}, begin, end);
    });
  }
}

}  // namespace cutis::simd
#endif  // HWY_ONCE
