// Where active vertices should go: how their edges turn, which level they keep, how firmly the initial guess holds
// them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "backends/scalar/implicit.h"
#include "kernels/turn.h"

namespace cutis {
namespace {

using namespace field_rules;

NearPart* row_of(ImplicitVertices& vertices, std::size_t place) {
  return vertices.near[place / kImplicitChunk].data() + std::bit_cast<std::uint32_t>(vertices.given[place][2]);
}

// Levels: where joints are hardly bent the initial guess says where the skin is, as long as the fields do not disagree
// much: fields are fitted to a tolerance, and their unions have edges where bodies have none. Returns the contact.
float set_level(const ImplicitPass& pass, std::size_t place) {
  const ImplicitRest& rest = pass.rest;
  ImplicitVertices& vertices = pass.vertices;
  const std::uint32_t v = rest.places().vertex[place];
  vertices.given[place].v[0] = rest.track.own[v];
  const VertexSkin skin = vertex_skin(rest, pass.pose, vertices, place);
  const float touch = vertices.met[place][0], bent = vertices.met[place][1];
  const bool blends = vertices.blends[place] != 0;
  if (!pass.pose.trusted || rest.track.tracked[v] == 0) return touch;
  VertexSkin plain = skin;
  if (blends) plain.joints = nullptr;  // what a blend adds is wanted
  ResidualSample at = skin_residual(plain, skin.start);
  const Vec3f wanted = narrow(vertices.wanted[place]);
  const float off = wanted != skin.start ? skin_residual(plain, wanted).free : at.free;
  const float shift = level_shift(off, kTrust * (1 - bent));
  vertices.given[place].v[0] += shift;
  NearPart* const near = row_of(vertices, place);
  for (std::uint32_t i = 0; i < skin.count; ++i) near[i].other.level += shift;
  if (touch > 0 || blends) return touch;
  at.value -= shift;  // without contact the levels differ by the shift, and nothing else
  set_sample(at, place, vertices);
  return touch;
}

// Geometric skinning draws the inner side of a sharp bend into the part, past its axis at worst, where the field no
// longer says on which side the vertex belongs. The bone does. Returns the share of the way back to the carried vertex
// after which the projection starts: all of it near the axis, and where the gradient has turned away.
float start_back(const ImplicitPass& pass, std::size_t place) {
  const ImplicitRest& rest = pass.rest;
  const ImplicitVertices& vertices = pass.vertices;
  const float level = rest.track.kept[place][0], depth = rest.inward[place][3] - level, least = kDeepFrom * depth;
  if (!(depth > 0)) return 0;
  if (vertices.started[place] != 0 && vertices.free[place] <= least) return 0;
  const std::uint32_t own = rest.places().owner[place / TrackPlaces::kBlock];
  const FieldSample<float> at = eval_part(pass.pose.parts.fields[own], narrow(vertices.initial[place]));
  const float deep = at.value - level;
  if (!(deep > least)) return 0;
  const Vec3f inward = pass.pose.parts.motion[own].linear * narrow(rest.inward[place]);
  const float scale = std::sqrt(dot(at.gradient, at.gradient) * dot(inward, inward));
  const float turned = scale > 0 ? dot(at.gradient, inward) / scale : -1;
  return way_back(deep, depth, turned);
}

// How edges want to be turned, and how much smooth skinning strains them; squares of the longest and the shortest one
// of the guess over those at rest.
struct Edges {
  Float4 pull;
  float longest = 0, shortest = 1e30F;
};
Edges edges_of(const ImplicitPass& pass, std::size_t place) {
  const ImplicitRest& rest = pass.rest;
  const ImplicitVertices& vertices = pass.vertices;
  const TrackPlaces& places = rest.places();
  const std::size_t block = place / TrackPlaces::kBlock, lane = place % TrackPlaces::kBlock;
  const bool stretched = pass.pose.stretched();
  const auto turned = [&](std::size_t at, float x, float y, float z) {
    const Float4& q = vertices.turn[0][at];
    if (!stretched) return wide(rotate(Quatf{q[0], q[1], q[2], q[3]}, Vec3f{x, y, z}));
    return q * Float4(x) + vertices.turn[1][at] * Float4(y) + vertices.turn[2][at] * Float4(z);
  };
  const Float4& all = rest.pull[place];
  Edges edges{turned(place, all[0], all[1], all[2])};
  for (std::uint32_t row = places.rows[block]; row < places.rows[block + 1]; ++row) {
    const std::size_t u = places.link[row].v[lane] / 4;
    edges.pull += turned(u, rest.edges[0][row].v[lane], rest.edges[1][row].v[lane], rest.edges[2][row].v[lane]);
    const float per_squared = rest.per_squared[row].v[lane];
    if (!(per_squared > 0)) continue;
    const Vec3f now = narrow(vertices.initial[place]) - narrow(vertices.initial[u]);
    const float ratio = dot(now, now) * per_squared;
    edges.longest = larger(edges.longest, ratio);
    edges.shortest = smaller(edges.shortest, ratio);
  }
  return edges;
}

}  // namespace

void scalar::implicit_turns(const ImplicitPass& pass, const BlockRun& run) {
  const RigSurface& surface = pass.rig.surface;
  for (std::size_t block = run.begin; block < run.end; ++block)
    each_place(block, pass.vertices.around[block], [&](std::size_t place) {
      const std::uint32_t v = pass.rest.places().vertex[place];
      const std::uint32_t first = surface.turn.begin[v], count = surface.turn.begin[v + 1] - first;
      const VertexTurn turn = blend_turn(pass.pose.rigid.data(), pass.pose.stretches, surface.turn.items.data() + first,
                                         surface.turn_weight.data() + first, count);
      if (!pass.pose.stretched()) {
        const Quatf& q = turn.motion.real;
        pass.vertices.turn[0][place] = {q.x, q.y, q.z, q.w};
        return;
      }
      const Mat3f linear = turn.linear();
      for (std::size_t c = 0; c < 3; ++c) pass.vertices.turn[c][place] = wide(linear.col[c]);
    });
}

void scalar::implicit_targets(const ImplicitPass& pass, const BlockRun& run) {
  ImplicitVertices& vertices = pass.vertices;
  const TrackRest& track = pass.rest.track;
  for (std::size_t block = run.begin; block < run.end; ++block)
    each_place(block, vertices.active[block], [&](std::size_t place) {
      const Edges edges = edges_of(pass, place);
      vertices.pull[place] = edges.pull;
      const float touch = set_level(pass, place);
      // Without a field there is nothing but the guess.
      vertices.hold[place] = 1;
      if ((track.tracked_lanes[block] >> place % TrackPlaces::kBlock & 1U) == 0) return;
      const float back = touch < 1 ? start_back(pass, place) * (1 - touch) : 0;
      const float strain = larger(root(edges.longest) - 1, 1 - root(edges.shortest));
      vertices.hold[place] = hold_of_guess(track.kept[place][2], touch, soundness(strain)) * (1 - back);
      if (!(back > 0)) return;
      vertices.positions[place] += (vertices.carried[place] - vertices.initial[place]) * Float4(back);
      vertices.started[place] = 0;
    });
}

}  // namespace cutis
