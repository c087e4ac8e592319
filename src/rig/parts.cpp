#include "rig/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include "base/math.h"
#include "base/segment.h"
#include "base/tree.h"

namespace cutis {
namespace {

// Of the surface at a part's vertices, the share whose corners are all its own: below the first it is a ring, above the
// second a field has something to shape. Limbs of two rings have a fifth to a third.
constexpr float kRing = 0.05F, kTwoRings = 0.2F;
// Mean edge of a piece, in radii of the fields: from here on edges span the parts. Clean bodies have 0.1 to 0.6, game
// avatars 0.5 to 0.9, hands of a robot 1.3, legs of a spider of four-sided tubes 5 to 8.
constexpr double kSpanning = 1;
// Of the weight: a vertex follows one bone.
constexpr float kWholly = 0.99F;

// Parts whose skins meet, or come within the part's thickness of each other along the surface.
void join_along_surface(const Rig& rig, std::vector<char>& joined) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size(), bones = rig.bones.size();
  using Item = std::pair<float, std::uint32_t>;
  std::vector<float> way(n);
  for (std::uint32_t b = 0; b < bones; ++b) {
    if (rig.fields[b].empty()) continue;
    const float reach = rig.fields[b].grid.radius;
    std::ranges::fill(way, 1e30F);
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (std::uint32_t v = 0; v < n; ++v)
      if (s.owner[v] == b) {
        way[v] = 0;
        queue.emplace(0.0F, v);
      }
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > way[v]) continue;
      const std::uint32_t k = s.owner[v];
      if (k != b && k != RigSurface::kNoBone) joined[b * bones + k] = joined[k * bones + b] = 1;
      for (const std::uint32_t w : s.neighbours.row(v)) {
        const float next = d + distance(s.positions[v], s.positions[w]);
        if (next >= way[w] || (next > reach && d > 0)) continue;  // across the seam at least
        way[w] = next;
        queue.emplace(next, w);
      }
    }
  }
}

}  // namespace

std::vector<float> part_radii(const Rig& rig) {
  std::vector<std::vector<float>> distances(rig.bones.size());
  for (std::size_t v = 0; v < rig.surface.size(); ++v) {
    const std::uint32_t b = rig.surface.owner[v];
    if (b < rig.bones.size())
      distances[b].push_back(static_cast<float>(distance_to_segment(static_cast<Vec3d>(rig.surface.positions[v]),
                                                                    rig.bones[b].rest_origin, rig.bones[b].rest_end)));
  }
  std::vector<float> radius(rig.bones.size(), 0.0F);
  for (std::size_t b = 0; b < radius.size(); ++b) {
    if (distances[b].empty()) continue;
    const auto middle = distances[b].begin() + static_cast<std::ptrdiff_t>(distances[b].size() / 2);
    std::nth_element(distances[b].begin(), middle, distances[b].end());
    radius[b] = *middle;
  }
  return radius;
}

std::vector<float> coarse_parts(const Rig& rig) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  std::vector<double> own(bones, 0), all(bones, 0);
  for (const Triangle& t : s.triangles) {
    const auto at = [&](std::size_t i) { return static_cast<Vec3d>(s.positions[t[i]]); };
    const double area = length(cross(at(1) - at(0), at(2) - at(0)));
    if (!std::isfinite(area)) continue;
    const std::uint32_t b[3] = {s.owner[t[0]], s.owner[t[1]], s.owner[t[2]]};
    for (std::size_t i = 0; i < 3; ++i) {
      const bool again = (i > 0 && b[i] == b[0]) || (i > 1 && b[i] == b[1]);
      if (b[i] == RigSurface::kNoBone || again) continue;
      all[b[i]] += area;
      if (b[0] == b[1] && b[1] == b[2]) own[b[i]] += area;
    }
  }
  std::vector<float> coarse(bones, 0.0F);
  for (std::size_t b = 0; b < bones; ++b)
    if (all[b] > 0 && !rig.fields[b].empty())
      coarse[b] = 1 - smooth_step(static_cast<float>(own[b] / all[b]), kRing, kTwoRings);
  return coarse;
}

std::vector<std::uint32_t> coarse_pieces(const Rig& rig) {
  const RigSurface& s = rig.surface;
  constexpr std::uint32_t kUnseen = kNotCoarse - 1;
  std::vector<std::uint32_t> piece(s.size(), kUnseen), members;
  std::uint32_t pieces = 0;
  for (std::uint32_t first = 0; first < s.size(); ++first) {
    if (piece[first] != kUnseen) continue;
    members.assign(1, first);
    piece[first] = pieces;
    double edges = 0;  // in radii
    std::size_t with_field = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t v = members[i], b = s.owner[v];
      if (b != RigSurface::kNoBone && !rig.fields[b].empty() && rig.fields[b].grid.radius > 0) {
        edges += static_cast<double>(s.edge[v] / rig.fields[b].grid.radius);
        ++with_field;
      }
      for (const std::uint32_t w : s.neighbours.row(v))
        if (piece[w] == kUnseen) {
          piece[w] = pieces;
          members.push_back(w);
        }
    }
    if (with_field > 0 && edges > kSpanning * static_cast<double>(with_field))
      ++pieces;
    else
      for (const std::uint32_t v : members) piece[v] = kNotCoarse;
  }
  return piece;
}

std::vector<char> rigid_parts(const Rig& rig) {
  const RigSurface& s = rig.surface;
  std::vector<char> rigid(rig.bones.size(), 1);
  for (std::uint32_t v = 0; v < s.size(); ++v) {
    const std::uint32_t p = s.owner[v], input = s.first_of[v];
    if (p >= rigid.size()) continue;
    const InfluenceBlock& block = rig.blocks[rig.block_begin.empty() ? input : rig.block_begin[input]];
    const bool own = block.bone[0] == p && block.weight[0] >= kWholly;
    const auto around = s.neighbours.row(v);
    if (!own || std::ranges::any_of(around, [&](std::uint32_t w) { return s.owner[w] != p; })) rigid[p] = 0;
  }
  const std::vector<char>& joined = parts_rest(rig)->joined;
  const std::size_t bones = rigid.size();
  for (std::size_t p = 0; p < bones; ++p)
    if (std::any_of(joined.begin() + static_cast<std::ptrdiff_t>(p * bones),
                    joined.begin() + static_cast<std::ptrdiff_t>((p + 1) * bones), [](char j) { return j != 0; }))
      rigid[p] = 0;
  return rigid;
}

int parent_part(const Rig& rig, std::size_t bone) {
  return first_upwards(rig.bones, rig.bones[bone].parent,
                       [&](int b) { return !rig.fields[static_cast<std::size_t>(b)].empty(); });
}

std::vector<char> joined_parts(const Rig& rig) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  std::vector<char> joined(bones * bones, 0);
  std::vector<GridView> fields;
  for (const RigField& f : rig.fields) fields.push_back(f.view());
  for (std::size_t v = 0; v < s.size(); ++v) {
    const std::uint32_t b = s.owner[v];
    if (b == RigSurface::kNoBone) continue;
    for (std::uint32_t k = 0; k < bones; ++k)
      if (k != b && !rig.fields[k].empty() && eval_field(fields[k], s.positions[v]).value > kOverlapAtRest)
        joined[b * bones + k] = joined[k * bones + b] = 1;
  }
  join_along_surface(rig, joined);
  return joined;
}

void PartsRest::write(RestWriter& out) const {
  out.list(radius);
  out.list(joined);
}

bool PartsRest::read(RestReader& in, const Rig& rig) {
  in.list(radius);
  in.list(joined);
  const std::size_t bones = rig.bones.size();
  return radius.size() == bones && joined.size() == bones * bones &&
         std::ranges::all_of(radius, [](float r) { return r >= 0 && r < 1e30F; });
}

std::shared_ptr<const PartsRest> parts_rest(const Rig& rig) {
  return rig.rest.get_kept<PartsRest>(rig, [&] { return PartsRest{part_radii(rig), joined_parts(rig)}; });
}

}  // namespace cutis
