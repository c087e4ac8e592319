#include "backends/track_places.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"

namespace cutis {
namespace {

// Morton code: the bits of three coordinates of ten bits, one after the other.
std::uint32_t along_curve(const Vec3f& p, const Box& box, double per_cell) {
  std::uint32_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double at = (static_cast<double>(p[axis]) - box.lo[axis]) * per_cell;
    const auto cell = static_cast<std::uint32_t>(std::clamp(at, 0.0, 1023.0));
    for (unsigned bit = 0; bit < 10; ++bit) code |= ((cell >> bit) & 1U) << (3 * bit + static_cast<unsigned>(axis));
  }
  return code;
}

void order_vertices(const RigSurface& s, TrackPlaces& places) {
  Box box;
  for (const Vec3f& p : s.positions) box.add(static_cast<Vec3d>(p));
  const Vec3d size = box.empty() ? Vec3d{} : box.hi - box.lo;
  const double longest = std::max({size.x, size.y, size.z});
  const double per_cell = longest > 0 && std::isfinite(longest) ? 1024 / longest : 0.0;
  std::vector<std::uint32_t> code(s.size());
  for (std::size_t v = 0; v < s.size(); ++v) code[v] = along_curve(s.positions[v], box, per_cell);
  places.order.resize(s.size());
  std::iota(places.order.begin(), places.order.end(), 0U);
  std::ranges::stable_sort(places.order, [&](std::uint32_t a, std::uint32_t b) {
    return s.owner[a] != s.owner[b] ? s.owner[a] < s.owner[b] : code[a] < code[b];
  });
}

void place_vertices(const RigSurface& s, TrackPlaces& places) {
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  places.place.resize(s.size());
  const auto fill_block = [&] {
    while (places.vertex.size() % kBlock != 0) places.vertex.push_back(TrackPlaces::kNone);
  };
  for (std::size_t i = 0; i < places.order.size(); ++i) {
    const std::uint32_t v = places.order[i];
    if (i > 0 && s.owner[v] != s.owner[places.order[i - 1]]) fill_block();
    places.place[v] = static_cast<std::uint32_t>(places.vertex.size());
    if (places.vertex.size() % kBlock == 0) places.owner.push_back(s.owner[v]);
    places.vertex.push_back(v);
  }
  fill_block();
  places.rest.resize(places.vertex.size());
  for (std::size_t v = 0; v < s.size(); ++v) {
    const Vec3f& p = s.positions[v];
    places.rest[places.place[v]] = {p.x, p.y, p.z, 0};
  }
}

void pad_neighbours(const RigSurface& s, TrackPlaces& places) {
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  places.rows.assign(1, 0);
  places.degree.resize(places.blocks());
  for (std::size_t block = 0; block < places.blocks(); ++block) {
    std::size_t most = 0;
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      const std::uint32_t v = places.vertex[block * kBlock + lane];
      const std::size_t degree = v == TrackPlaces::kNone ? 0 : s.neighbours.row(v).size();
      places.degree[block].v[lane] = static_cast<float>(degree);
      most = std::max(most, degree);
    }
    for (std::size_t k = 0; k < most; ++k) {
      TrackLanes<std::uint32_t>& link = places.link.emplace_back();
      TrackLanes<float>&weight = places.weight.emplace_back(), &length_squared = places.length_squared.emplace_back();
      for (std::size_t lane = 0; lane < kBlock; ++lane) {
        const std::size_t place = block * kBlock + lane;
        const std::uint32_t v = places.vertex[place];
        link.v[lane] = static_cast<std::uint32_t>(4 * place);
        length_squared.v[lane] = 1;
        if (v == TrackPlaces::kNone || k >= s.neighbours.row(v).size()) continue;
        const std::uint32_t item = s.neighbours.begin[v] + static_cast<std::uint32_t>(k), u = s.neighbours.items[item];
        const Vec3f edge = s.positions[v] - s.positions[u];
        link.v[lane] = 4 * places.place[u];
        weight.v[lane] = s.neighbour_weight[item];
        length_squared.v[lane] = dot(edge, edge);
      }
    }
    places.rows.push_back(static_cast<std::uint32_t>(places.link.size()));
  }
}

}  // namespace

TrackPlaces make_track_places(const RigSurface& surface) {
  TrackPlaces places;
  order_vertices(surface, places);
  place_vertices(surface, places);
  pad_neighbours(surface, places);
  return places;
}

}  // namespace cutis
