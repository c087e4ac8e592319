// project_vertex() over packs of vertices, guarded, bit for bit the scalar one.
//
// In every round the vertices of a run that have not ended are looked up where they want to go next, packed anew: by a
// Newton step, by a shorter one, or between two points on both sides of the surface. What each learns from that is
// decided by masks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "backends/simd/implicit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/simd/implicit_project.cpp"
#include <hwy/foreach_target.h>  // first: compiles the rest of this file once per instruction set

#include "backends/simd/implicit_residual-inl.h"

#ifndef CUTIS_BACKENDS_SIMD_IMPLICIT_PROJECT_ONCE
#define CUTIS_BACKENDS_SIMD_IMPLICIT_PROJECT_ONCE
namespace cutis::simd {

/// Of a run of blocks, while their vertices are projected; by place from the first of the run on. Not set at first.
struct ProjectRun {
  struct Rows {
    alignas(64) float numbers[4 * kImplicitChunk];
    [[nodiscard]] float* operator[](std::size_t local) { return numbers + 4 * local; }
  };
  Rows to;                                                      ///< where it is looked up next, and its phase
  Rows start;                                                   ///< where it was at first, and steps done
  Rows lo, hi;                                                  ///< between which the surface is
  std::uint32_t pending[kImplicitChunk + TrackPlaces::kBlock];  ///< packs load more than there are
  std::uint32_t next[kImplicitChunk + TrackPlaces::kBlock];
};

/// Phases: the first look-up, a Newton step, one halved so many times, and from kBetween on so many bisections.
inline constexpr float kFirst = -1, kNewton = 0, kBetween = 16;

}  // namespace cutis::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace cutis::simd {
namespace HWY_NAMESPACE {  // NOLINT: a macro of Highway

// Where vertices are, and what the residual is there.
struct Standing {
  Pack3 p;
  Pack value;
  Pack3 gradient;
  PackMask reached, touching;
  Pack steps;  // done
};

class Projection {
 public:
  HWY_INLINE Projection(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& blocks, ProjectRun& run)
      : pass_(pass),
        vertices_(pass.vertices),
        run_(run),
        base_(static_cast<std::uint32_t>(blocks.begin * TrackPlaces::kBlock)),
        steps_(steps),
        tolerance_(tolerance) {}

  HWY_INLINE void begin(const BlockRun& blocks) {
    const TrackRest& track = pass_.rest.track;
    for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
      std::uint32_t started = 0;
      each_place(block, to_project(pass_, block, tolerance_), [&](std::size_t place) {
        if (vertices_.blends[place] != 0) {
          const std::uint32_t bone = track.places.owner[block];
          evaluations_ += project_place(pass_, limits_of_part(pass_.rig, pass_.pose, bone, steps_, tolerance_), place);
          return;
        }
        const std::size_t local = place - base_;
        put(vertices_.positions[place], kFirst, run_.to[local]);
        put(vertices_.positions[place], 0, run_.start[local]);
        if (vertices_.started[place] != 0) {
          started |= 1U << place % TrackPlaces::kBlock;
          return;
        }
        run_.next[more_++] = static_cast<std::uint32_t>(local);
      });
      vertices_.moved[block] = 0;
      if (started != 0) go_on_from_samples(block, started);
    }
  }

  HWY_INLINE std::uint32_t run() {
    while (more_ > 0) {
      const std::size_t count = more_;
      more_ = 0;
      std::copy_n(run_.next, count, run_.pending);
      for (std::size_t first = 0, last = 0; first < count; first = last) {
        const std::uint32_t b = bone(run_.pending[first]);
        for (last = std::min(count, first + lanes()); bone(run_.pending[last - 1]) != b;) --last;
        look_up_next(run_.pending + first, last - first, b);
      }
    }
    return evaluations_;
  }

 private:
  static HWY_INLINE void put(const Float4& row, float last, float* to) {
    to[0] = row[0];
    to[1] = row[1];
    to[2] = row[2];
    to[3] = last;
  }
  HWY_INLINE std::uint32_t bone(std::uint32_t local) const {
    return pass_.rest.places().owner[(base_ + local) / TrackPlaces::kBlock];
  }
  static HWY_INLINE Pack4 load(const std::vector<Float4>& rows, const std::uint32_t* link) {
    return load_linked(reinterpret_cast<const float*>(rows.data()), link);
  }
  static HWY_INLINE Pack4 load(const ProjectRun::Rows& rows, const std::uint32_t* link) {
    return load_linked(rows.numbers, link);
  }

  // The vertices of a block that know their residual.
  HWY_INLINE void go_on_from_samples(std::size_t block, std::uint32_t started) {
    for (std::size_t lane = 0; lane < TrackPlaces::kBlock; lane += lanes()) {
      const std::uint32_t bits = started >> lane & static_cast<std::uint32_t>((std::uint64_t{1} << lanes()) - 1);
      if (bits == 0) continue;
      const std::size_t place = block * TrackPlaces::kBlock + lane;
      std::uint32_t local[kMostLanes];
      for (std::size_t i = 0; i < lanes(); ++i) local[i] = static_cast<std::uint32_t>(place - base_ + i);
      const Pack4 at = load_places(vertices_.sample, place);
      evaluations_ += static_cast<std::uint32_t>(std::popcount(bits));
      go_on({xyz(load_places(vertices_.positions, place)),
             at.x,
             {at.y, at.z, at.w},
             mask_of(bits_of_flags(&vertices_.reached[place])),
             mask_of(bits_of_flags(&vertices_.touching[place])),
             zero()},
            xyz(load_places(vertices_.positions, place)), load_places(vertices_.given, place).w, mask_of(bits), local,
            bone(local[0]));
    }
  }

  // The top of the loop over steps: who ends, and where the others want to go.
  HWY_INLINE void go_on(const Standing& at, const Pack3& start, Pack longest, PackMask who, const std::uint32_t* local,
                        std::uint32_t b) {
    const PackTag d;
    const ProjectLimits limits = limits_of_part(pass_.rig, pass_.pose, b, steps_, tolerance_);
    const PackMask last = hn::Ge(at.steps, set(static_cast<float>(steps_)));
    const PackMask arrived = hn::Le(hn::Abs(at.value), set(tolerance_));
    const PackMask outside = hn::And(who, hn::Not(hn::Or(last, at.reached)));
    const PackMask left = hn::AndNot(outside, who);
    const PackMask converged = hn::And(left, arrived);
    PackMask goes = hn::AndNot(hn::Or(arrived, last), left);
    const PackMask flat = hn::And(goes, hn::Not(hn::Gt(dot(at.gradient, at.gradient), set(limits.flat * limits.flat))));
    goes = hn::AndNot(flat, goes);
    const Pack3 to = add(at.p, newton_step(at.value, at.gradient, set(limits.slope), longest));
    const Pack3 way = sub(to, start);
    goes = hn::And(goes, hn::Not(hn::Gt(hn::Sqrt(dot(way, way)), set(limits.move))));
    end(bits_of(outside), VertexState::outside, local);
    end(bits_of(hn::And(converged, at.touching)), VertexState::contact, local);
    end(bits_of(hn::AndNot(at.touching, converged)), VertexState::converged, local);
    end(bits_of(flat), VertexState::flat, local);
    end(bits_of(hn::And(left, hn::Not(hn::Or(hn::Or(converged, flat), goes)))), VertexState::limit, local);
    if (!hn::AllFalse(d, goes)) look_there(to, set(kNewton), bits_of(goes), local);
  }

  HWY_INLINE void end(std::uint32_t who, VertexState state, const std::uint32_t* local) {
    each_bit(who, [&](std::size_t i) { vertices_.state[base_ + local[i]] = state; });
  }
  HWY_INLINE void look_there(const Pack3& to, Pack phase, std::uint32_t who, const std::uint32_t* local) {
    HWY_ALIGN float rows[4 * kMostLanes];
    hn::StoreInterleaved4(to.x, to.y, to.z, phase, PackTag(), rows);
    keep_in_memory(rows);
    each_bit(who, [&](std::size_t i) {
      std::memcpy(run_.to[local[i]], rows + 4 * i, 4 * sizeof(float));
      run_.next[more_++] = local[i];
    });
  }

  // One round of `count` vertices, all of one part.
  HWY_INLINE void look_up_next(const std::uint32_t* pending, std::size_t count, std::uint32_t b) {
    const PackTag d;
    const hn::RebindToUnsigned<IntTag> du;
    HWY_ALIGN std::uint32_t local[kMostLanes], link[kMostLanes], at_run[kMostLanes];
    const auto numbers = hn::IfThenElse(hn::FirstN(du, count), hn::LoadU(du, pending), hn::Set(du, pending[count - 1]));
    hn::Store(numbers, du, local);
    hn::Store(hn::ShiftLeft<2>(numbers), du, at_run);
    hn::Store(hn::ShiftLeft<2>(hn::Add(numbers, hn::Set(du, base_))), du, link);
    keep_in_memory(local);
    keep_in_memory(at_run);
    keep_in_memory(link);
    const Pack4 to = load(run_.to, at_run), given = load(vertices_.given, link);
    const PackSkin skin{pass_.pose,
                        vertices_.near[base_ / kImplicitChunk].data(),
                        b,
                        given.x,
                        given.y,
                        hn::BitCast(IntTag(), given.z),
                        xyz(load(vertices_.initial, link))};
    const SkinResiduals there = residual_of(skin, xyz(to));
    evaluations_ += static_cast<std::uint32_t>(count);

    const Pack4 stands = load(vertices_.positions, link), sample = load(vertices_.sample, link),
                start = load(run_.start, at_run);
    const PackMask all = hn::FirstN(d, count), first = hn::And(all, hn::Lt(to.w, zero()));
    const PackMask between = hn::And(all, hn::Ge(to.w, set(kBetween)));
    const PackMask newton = hn::And(all, hn::Eq(to.w, set(kNewton)));
    const PackMask near = hn::Le(hn::Abs(there.residual), set(tolerance_));
    const PackMask same_side = hn::Not(hn::Xor(hn::Gt(there.residual, zero()), hn::Gt(sample.x, zero())));
    const PackMask gained = hn::And(there.reached, hn::Lt(hn::Abs(there.residual), hn::Abs(sample.x)));
    // Over the surface and not much nearer: the surface is on the way.
    const PackMask over =
        hn::And(hn::AndNot(same_side, newton),
                hn::And(there.reached, hn::Gt(hn::Abs(there.residual), hn::Mul(set(0.5F), hn::Abs(sample.x)))));
    const Pack bisections = hn::Sub(to.w, set(kBetween - 1));
    const PackMask closes_in = hn::AndNot(
        near, hn::Or(over, hn::And(between, hn::Lt(bisections, set(static_cast<float>(kProjectBisections))))));
    const PackMask halves = hn::AndNot(hn::Or(hn::Or(gained, over), hn::Or(between, first)),
                                       hn::And(all, hn::Lt(to.w, set(static_cast<float>(kProjectHalvings)))));
    const PackMask accepted = hn::Or(first, hn::AndNot(closes_in, hn::And(all, gained)));
    // Nothing gained: pressed by contact more than its own field can answer, or without a root.
    const PackMask lost = hn::AndNot(hn::Or(hn::Or(accepted, closes_in), halves), all);
    each_bit(bits_of(lost), [&](std::size_t i) {
      const std::size_t place = base_ + local[i];
      vertices_.state[place] = vertices_.touching[place] != 0 ? VertexState::contact : VertexState::limit;
    });
    if (!hn::AllFalse(d, closes_in)) {
      const Pack3 old_lo = select(over, xyz(stands), xyz(load(run_.lo, at_run)));
      const Pack3 old_hi = select(over, xyz(to), xyz(load(run_.hi, at_run)));
      const Pack3 lo = select(hn::And(between, same_side), xyz(to), old_lo);
      const Pack3 hi = select(hn::AndNot(same_side, between), xyz(to), old_hi);
      store_rows(lo, bits_of(closes_in), local, run_.lo);
      store_rows(hi, bits_of(closes_in), local, run_.hi);
      const Pack phase = hn::IfThenElse(over, set(kBetween), hn::Add(to.w, set(1)));
      look_there(mul(set(0.5F), add(lo, hi)), phase, bits_of(closes_in), local);
    }
    if (!hn::AllFalse(d, halves)) {
      const ProjectLimits limits = limits_of_part(pass_.rig, pass_.pose, b, steps_, tolerance_);
      Pack3 move = newton_step(sample.x, Pack3{sample.y, sample.z, sample.w}, set(limits.slope), given.w);
      for (int i = 0; i <= kProjectHalvings; ++i)
        move = select(hn::Ge(to.w, set(static_cast<float>(i))), mul(set(0.5F), move), move);
      look_there(add(xyz(stands), move), hn::Add(to.w, set(1)), bits_of(halves), local);
    }
    if (!hn::AllFalse(d, accepted)) accept(xyz(to), there, accepted, first, start, given.w, local, b);
  }

  HWY_INLINE void accept(const Pack3& p, const SkinResiduals& there, PackMask who, PackMask first, const Pack4& start,
                         Pack longest, const std::uint32_t* local, std::uint32_t b) {
    const PackTag d;
    const Pack steps = hn::IfThenElse(first, zero(), hn::Add(start.w, set(1)));
    HWY_ALIGN float rows[4 * kMostLanes], free[kMostLanes], done[kMostLanes];
    hn::StoreInterleaved4(there.residual, there.gradient.x, there.gradient.y, there.gradient.z, d, rows);
    hn::Store(there.free, d, free);
    hn::Store(steps, d, done);
    keep_in_memory(rows);
    const std::uint32_t bits = bits_of(who), reached = bits_of(there.reached), touching = bits_of(there.touching);
    each_bit(bits, [&](std::size_t i) {
      const std::size_t place = base_ + local[i];
      const float* const at = run_.to[local[i]];
      vertices_.positions[place] = {at[0], at[1], at[2], 0};
      vertices_.sample[place] = Float4(rows + 4 * i);
      vertices_.free[place] = free[i];
      vertices_.reached[place] = static_cast<char>(reached >> i & 1U);
      vertices_.touching[place] = static_cast<char>(touching >> i & 1U);
      vertices_.started[place] = 1;
      run_.start[local[i]][3] = done[i];
    });
    go_on({p, there.residual, there.gradient, there.reached, there.touching, steps}, xyz(start), longest, who, local,
          b);
  }

  HWY_INLINE void store_rows(const Pack3& a, std::uint32_t who, const std::uint32_t* local, ProjectRun::Rows& to) {
    HWY_ALIGN float rows[4 * kMostLanes];
    hn::StoreInterleaved4(a.x, a.y, a.z, zero(), PackTag(), rows);
    keep_in_memory(rows);
    each_bit(who, [&](std::size_t i) { std::memcpy(to[local[i]], rows + 4 * i, 4 * sizeof(float)); });
  }

  const ImplicitPass& pass_;
  ImplicitVertices& vertices_;
  ProjectRun& run_;
  std::uint32_t base_;
  int steps_;
  float tolerance_;
  std::size_t more_ = 0;
  std::uint32_t evaluations_ = 0;
};

// Residuals of the lanes of a pack where they are now.
HWY_INLINE void assess_pack(const ImplicitPass& pass, std::size_t block, std::size_t lane, std::uint32_t who) {
  ImplicitVertices& vertices = pass.vertices;
  const std::size_t place = block * TrackPlaces::kBlock + lane;
  const Pack4 given = load_places(vertices.given, place);
  const auto rows = hn::IfThenElseZero(hn::RebindMask(IntTag(), mask_of(who)), hn::BitCast(IntTag(), given.z));
  const PackSkin skin{
      pass.pose, vertices.near[place / kImplicitChunk].data(), pass.rest.places().owner[block], given.x, given.y,
      rows,      xyz(load_places(vertices.initial, place))};
  HWY_ALIGN float residual[kMostLanes];
  hn::Store(residual_of(skin, xyz(load_places(vertices.positions, place))).residual, PackTag(), residual);
  each_bit(who, [&](std::size_t i) {
    if (vertices.blends[place + i] != 0)
      residual[i] =
          skin_residual(vertex_skin(pass.rest, pass.pose, vertices, place + i), narrow(vertices.positions[place + i]))
              .value;
    vertices.sample[place + i].v[0] = residual[i];
    if (std::abs(residual[i]) > kSmoothTolerance && vertices.state[place + i] == VertexState::converged)
      vertices.state[place + i] = VertexState::contact;
  });
}

HWY_INLINE void normal_pack(const ImplicitPass& pass, std::size_t block, std::size_t lane) {
  const ImplicitRest& rest = pass.rest;
  ImplicitVertices& vertices = pass.vertices;
  const std::size_t place = block * TrackPlaces::kBlock + lane;
  const float* const positions = reinterpret_cast<const float*>(vertices.positions.data());
  const Pack3 p = xyz(load_places(vertices.positions, place));
  Pack3 sum{zero(), zero(), zero()};
  for (std::uint32_t row = rest.corner_rows[block]; row < rest.corner_rows[block + 1]; ++row)
    sum = add(sum, cross(sub(xyz(load_linked(positions, rest.corners[0][row].v + lane)), p),
                         sub(xyz(load_linked(positions, rest.corners[1][row].v + lane)), p)));
  const Pack size = hn::Sqrt(dot(sum, sum));
  const Pack3 n = select(hn::And(hn::Gt(size, zero()), hn::IsFinite(size)), sum / size, {zero(), zero(), zero()});
  hn::StoreInterleaved4(n.x, n.y, n.z, zero(), PackTag(), reinterpret_cast<float*>(&vertices.normals[place]));
}

void assess_run(const ImplicitPass& pass, const BlockRun& run) {
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes()) - 1);
  for (std::size_t block = run.begin; block < run.end; ++block)
    for (std::size_t lane = 0; lane < TrackPlaces::kBlock; lane += lanes())
      if (const std::uint32_t who = pass.vertices.flags[block] >> lane & all; who != 0)
        assess_pack(pass, block, lane, who);
}

void normal_run(const ImplicitPass& pass, const BlockRun& run) {
  for (std::size_t block = run.begin; block < run.end; ++block)
    for (std::size_t lane = 0; lane < TrackPlaces::kBlock && pass.vertices.active[block] >> lane != 0; lane += lanes())
      normal_pack(pass, block, lane);
}

std::uint32_t project_run(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& blocks) {
  ProjectRun run;  // NOLINT: written before it is read
  Projection projection(pass, steps, tolerance, blocks, run);
  projection.begin(blocks);
  return projection.run();
}

}  // namespace HWY_NAMESPACE
}  // namespace cutis::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cutis::simd {
namespace {

HWY_EXPORT(project_run);
HWY_EXPORT(assess_run);
HWY_EXPORT(normal_run);

}  // namespace

std::uint32_t implicit_project(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& run) {
  return HWY_DYNAMIC_DISPATCH(project_run)(pass, steps, tolerance, run);
}
void implicit_assess(const ImplicitPass& pass, const BlockRun& run) { HWY_DYNAMIC_DISPATCH(assess_run)(pass, run); }
void implicit_normals(const ImplicitPass& pass, const BlockRun& run) { HWY_DYNAMIC_DISPATCH(normal_run)(pass, run); }

}  // namespace cutis::simd
#endif  // HWY_ONCE
