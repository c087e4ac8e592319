// Relaxation within the surface.
//
// Sliding minimises Tracking's equation 3 with target rotations given by the bones,
//   sum w_ij |(p_i - p_j) - (R_i + R_j)/2 (p_i0 - p_j0)|^2 + sum a_i |p_i - g_i|^2
// over displacements in the tangent planes; g is the initial guess. No field is evaluated inside.
#include <cmath>

#include "backends/lane_sums.h"
#include "backends/scalar/implicit.h"
#include "base/conjugate_gradients.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_rules;

Vec3f load(const ImplicitRelaxed::Numbers (&from)[3], std::size_t lane) {
  return {from[0][lane], from[1][lane], from[2][lane]};
}
void store(const Vec3f& a, ImplicitRelaxed::Numbers (&to)[3], std::size_t lane) {
  to[0][lane] = a.x;
  to[1][lane] = a.y;
  to[2][lane] = a.z;
}

}  // namespace

void scalar::implicit_slide(const ImplicitRest& rest, int steps, ImplicitVertices& vertices, const Context& context) {
  const TrackPlaces& places = rest.places();
  // Sums body(place, block, lane) over the vertices that slide.
  const auto sum = [&](const auto& body) {
    return ordered_sum(context, vertices.sliding.size(), kBlocksAtOnce, 0.0, [&](std::size_t begin, std::size_t end) {
      LaneSums sums;
      for (std::size_t i = begin; i < end; ++i)
        each_place(vertices.sliding[i].block, vertices.sliding[i].lanes, [&](std::size_t place) {
          const std::size_t block = place / TrackPlaces::kBlock, lane = place % TrackPlaces::kBlock;
          sums.part[lane] += static_cast<double>(body(place, block, lane));
        });
      return sums.total();
    });
  };
  const auto set_up = [&] {
    return sum([&](std::size_t place, std::size_t block, std::size_t lane) {
      ImplicitRelaxed& relaxed = vertices.blocks[block];
      const Vec3f p = narrow(vertices.positions[place]);
      Vec3f pull = narrow(vertices.pull[place]);
      for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row)
        pull += (narrow(vertices.positions[places.link[row].v[lane] / 4]) - p) * places.weight[row].v[lane];
      const float links = rest.lengths[place][3], hold = vertices.hold[place] * links;
      pull += (narrow(vertices.initial[place]) - p) * hold;
      const float diagonal = larger(links + hold, 1e-12F), inverse = 1 / diagonal;
      const Float4& s = vertices.sample[place];
      const Vec3f n = normalized(Vec3f{s[1], s[2], s[3]}), r = tangent(n, pull), d = r * inverse;
      relaxed.diagonal[lane] = diagonal;
      relaxed.inverse_diagonal[lane] = inverse;
      store(n, relaxed.n, lane);
      store({}, relaxed.x, lane);
      store(r, relaxed.r, lane);
      vertices.d[place] = wide(d);
      return dot(r, d);
    });
  };
  const auto apply = [&] {
    return sum([&](std::size_t place, std::size_t block, std::size_t lane) {
      ImplicitRelaxed& relaxed = vertices.blocks[block];
      const Vec3f d = narrow(vertices.d[place]);
      Vec3f y = d * relaxed.diagonal[lane];
      for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row)
        y -= narrow(vertices.d[places.link[row].v[lane] / 4]) * places.weight[row].v[lane];
      const Vec3f q = tangent(load(relaxed.n, lane), y);
      store(q, relaxed.q, lane);
      return dot(d, q);
    });
  };
  const auto reduce = [&](float alpha) {
    return sum([&](std::size_t place, std::size_t block, std::size_t lane) {
      ImplicitRelaxed& relaxed = vertices.blocks[block];
      const Vec3f r = load(relaxed.r, lane) - load(relaxed.q, lane) * alpha;
      store(load(relaxed.x, lane) + narrow(vertices.d[place]) * alpha, relaxed.x, lane);
      store(r, relaxed.r, lane);
      return dot(r, r) * relaxed.inverse_diagonal[lane];
    });
  };
  const auto go_on = [&](float, float beta) {
    parallel_for(context, vertices.sliding.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        each_place(vertices.sliding[i].block, vertices.sliding[i].lanes, [&](std::size_t place) {
          const ImplicitRelaxed& relaxed = vertices.blocks[place / TrackPlaces::kBlock];
          const std::size_t lane = place % TrackPlaces::kBlock;
          const Vec3f z = load(relaxed.r, lane) * relaxed.inverse_diagonal[lane];
          vertices.d[place] = wide(z + narrow(vertices.d[place]) * beta);
        });
    });
  };
  conjugate_gradients<float>(steps, reduced_for_a_round, set_up, apply, reduce, go_on);
}

void scalar::implicit_take(const ImplicitRest& rest, ImplicitVertices& vertices, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const TrackLive& live = vertices.sliding[i];
    vertices.around[live.block] = 0;
    each_place(live.block, live.lanes, [&](std::size_t place) {
      const std::size_t lane = place % TrackPlaces::kBlock;
      const Vec3f move = load(vertices.blocks[live.block].x, lane);
      const float way = length(move), edge = rest.lengths[place][2], limit = kLongestSlide * edge;
      vertices.d[place] = Float4();
      if (!std::isfinite(way) || !(way > kNoMove * edge)) return;
      vertices.positions[place] = wide(narrow(vertices.positions[place]) + (way > limit ? move * (limit / way) : move));
      vertices.moved[live.block] |= 1U << lane;
      vertices.started[place] = 0;
      if (way > kSettled * edge) vertices.around[live.block] |= 1U << lane;
    });
  }
}

}  // namespace cutis
