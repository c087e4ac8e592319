// What the implicit skin measures once, at the rest pose: fields and lengths at each vertex, and the weights of both
// relaxations.
#include <algorithm>
#include <cmath>

#include "backends/implicit_engine.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/mean_value.h"

namespace cutis {
namespace {

// Signed weights of a vertex's ring; a border, a ring that does not go around once, or any negative weight: none.
void set_mean_value(const RigSurface& surface, std::uint32_t v, std::span<const std::uint32_t> corners,
                    std::span<float> weights) {
  std::fill(weights.begin(), weights.end(), 0.0F);
  const auto ring = surface.neighbours.row(v);
  const auto n = normalized(static_cast<Vec3d>(surface.normals[v]));
  const auto to = [&](std::uint32_t w) {
    const Vec3d d = static_cast<Vec3d>(surface.positions[w]) - static_cast<Vec3d>(surface.positions[v]);
    return d - n * dot(n, d);
  };
  std::vector<double> sum(ring.size(), 0.0);
  std::vector<int> leaving(ring.size(), 0), arriving(ring.size(), 0);
  double turned = 0;
  for (std::size_t c = 0; c + 1 < corners.size(); c += 2) {
    const Vec3d a = to(corners[c]), b = to(corners[c + 1]);
    const double t = half_angle_tangent(a, b, n);
    turned += 2 * std::atan(t);
    const auto add = [&](std::uint32_t w, const Vec3d& d, std::vector<int>& uses) {
      const auto j = static_cast<std::size_t>(std::find(ring.begin(), ring.end(), w) - ring.begin());
      sum[j] += length(d) > 0 ? t / length(d) : -1.0;  // a neighbour on top of the vertex: no weights
      ++uses[j];
    };
    add(corners[c], a, leaving);
    add(corners[c + 1], b, arriving);
  }
  double total = 0;
  for (std::size_t j = 0; j < ring.size(); ++j) {
    if (leaving[j] != 1 || arriving[j] != 1 || !(sum[j] > 0)) return;
    total += sum[j];
  }
  if (ring.empty() || !(std::abs(turned - 2 * kPi) < 1e-3) || !std::isfinite(total)) return;
  for (std::size_t j = 0; j < ring.size(); ++j) weights[j] = static_cast<float>(sum[j] / total);
}

RigRows triangle_corners(const RigSurface& surface) {
  RigRows corners;
  corners.begin.assign(surface.size() + 1, 0);
  for (const Triangle& t : surface.triangles)
    for (const std::uint32_t v : t) corners.begin[v + 1] += 2;
  for (std::size_t v = 0; v < surface.size(); ++v) corners.begin[v + 1] += corners.begin[v];
  corners.items.resize(corners.begin.back());
  std::vector<std::uint32_t> next(corners.begin.begin(), corners.begin.end() - 1);
  for (const Triangle& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      corners.items[next[t[k]]++] = t[(k + 1) % 3];
      corners.items[next[t[k]]++] = t[(k + 2) % 3];
    }
  return corners;
}

// Per place: what the own field says, lengths, and edges.
void bring_to_places(const Rig& rig, const std::vector<GridView>& parts, ImplicitRest& rest) {
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  const RigSurface& surface = rig.surface;
  const TrackPlaces& places = rest.places();
  for (auto* rows : {&rest.inward, &rest.lengths, &rest.pull}) rows->assign(places.vertex.size(), Float4());
  for (auto* rows : {&rest.edges[0], &rest.edges[1], &rest.edges[2], &rest.per_squared})
    rows->assign(places.link.size(), {});
  rest.owned.assign(places.blocks(), 0);
  rest.filled_lanes.assign(places.blocks(), 0);
  rest.source.assign(places.vertex.size(), 0);
  for (std::size_t place = 0; place < places.vertex.size(); ++place) {
    const std::uint32_t v = places.vertex[place], own = places.owner[place / kBlock];
    if (v == TrackPlaces::kNone) continue;
    const std::size_t block = place / kBlock, lane = place % kBlock;
    rest.filled_lanes[block] |= 1U << lane;
    rest.source[place] = surface.first_of[v];
    float step = 2 * surface.edge[v];
    if (own != RigSurface::kNoBone) {
      rest.owned[block] |= 1U << lane;
      const Vec3f inward = normalized(eval_part(parts[own], surface.positions[v]).gradient);
      rest.inward[place] = {inward.x, inward.y, inward.z, eval_part(parts[own], rest.track.core[v]).value};
      if (parts[own].nodes != nullptr) step = std::min(step, 0.25F * parts[own].radius);
    }
    float sum = 0;
    const auto ring = surface.neighbours.row(v);
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const std::size_t row = places.rows[block] + k;
      const Vec3f edge = surface.positions[v] - surface.positions[ring[k]];
      const float weight = places.weight[row].v[lane], squared = dot(edge, edge);
      const Vec3f half = edge * (0.5F * weight);
      rest.edges[0][row].v[lane] = half.x;
      rest.edges[1][row].v[lane] = half.y;
      rest.edges[2][row].v[lane] = half.z;
      rest.per_squared[row].v[lane] = squared > 0 ? 1 / squared : 0;
      rest.pull[place] += wide(half);
      sum += weight;
    }
    rest.lengths[place] = {rest.track.gap[v], step, surface.edge[v], sum};
  }
}

void bring_corners(const RigRows& corners, ImplicitRest& rest) {
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  const TrackPlaces& places = rest.places();
  rest.corner_rows.assign(1, 0);
  for (std::size_t block = 0; block < places.blocks(); ++block) {
    std::size_t most = 0;
    const auto row_of = [&](std::size_t lane) {
      const std::uint32_t v = places.vertex[block * kBlock + lane];
      return v == TrackPlaces::kNone ? std::span<const std::uint32_t>() : corners.row(v);
    };
    for (std::size_t lane = 0; lane < kBlock; ++lane) most = std::max(most, row_of(lane).size() / 2);
    for (std::size_t k = 0; k < most; ++k)
      for (std::size_t c = 0; c < 2; ++c) {
        TrackLanes<std::uint32_t>& row = rest.corners[c].emplace_back();
        for (std::size_t lane = 0; lane < kBlock; ++lane) {
          const auto of = row_of(lane);
          const std::size_t place = 2 * k + c < of.size() ? places.place[of[2 * k + c]] : block * kBlock + lane;
          row.v[lane] = static_cast<std::uint32_t>(4 * place);
        }
      }
    rest.corner_rows.push_back(static_cast<std::uint32_t>(rest.corners[0].size()));
  }
}

ImplicitRest make_implicit_rest(const Rig& rig, const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = surface.size();
  ImplicitRest rest(track_rest(rig, context));
  std::vector<GridView> parts;  // without muscles, as in every pose: a frame by itself has no way to follow them
  for (const RigField& field : rig.fields)
    parts.push_back(field.empty() ? GridView{} : posed(field.view(), Affine3d{}));
  rest.filled.resize(parts.size());
  parallel_for(context, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) rest.filled[b] = FilledBlocks(parts[b]);
  });
  bring_to_places(rig, parts, rest);
  const RigRows corners = triangle_corners(surface);
  bring_corners(corners, rest);
  std::vector<Vec3f> normals;
  for (std::uint32_t v = 0; v < n; ++v)
    normals.push_back(normalized(sum_of_corners(surface.positions, v, corners.row(v))));
  for (std::size_t i = 0; i < rig.vertex_count(); ++i)
    rest.differs.push_back(rig.rest_normals[i] - normals[surface.welded_of[i]]);
  rest.mean_value.assign(surface.neighbours.items.size(), 0);
  parallel_for(context, n, 256, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      const std::uint32_t first = surface.neighbours.begin[v], last = surface.neighbours.begin[v + 1];
      set_mean_value(surface, v, corners.row(v), {rest.mean_value.data() + first, last - first});
    }
  });
  return rest;
}

}  // namespace

std::shared_ptr<const ImplicitRest> implicit_rest(const Rig& rig, const Context& context) {
  return rig.rest.get<ImplicitRest>([&] { return make_implicit_rest(rig, context); });
}

}  // namespace cutis
