#include "backends/delta_mush.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel_for.h"
#include "base/polar.h"

namespace cutis {
namespace {

// The parameters of the paper's authors' examples: smoothing of strength 3 in 20 passes for the moments, of strength 1
// in 20 for the weights that place the smoothed vertex, which make up 0.8 of its motion. A pass of strength s is a
// diffusion for the time s of the mesh's random walk, so that widths count edges, as in the paper.
constexpr double kMomentTime = 3 * 20, kWeightTime = 1 * 20;
constexpr double kPlacedShare = 0.8;
// Of a step: a walker stays with one third, which damps the finest waves of the mesh three times a step.
constexpr double kWalk = 2.0 / 3;
constexpr int kMomentSteps = static_cast<int>(kMomentTime / kWalk + 0.5),
              kWeightSteps = static_cast<int>(kWeightTime / kWalk + 0.5);
// Shares too small to be seen: while smoothing, and of what is kept (a tenth of a millimetre where bones are a metre
// apart).
constexpr double kFaded = 1e-7, kLeastWeight = 1e-4;
constexpr std::size_t kMushGrain = 128;

// 1, x y z, xx xy xz yy yz zz: weighted sums over the mesh. Of weights alone the first.
constexpr std::size_t kMoments = 10;
template <std::size_t N>
struct Share {
  std::uint32_t bone = 0;
  std::array<double, N> sum{};
};
template <std::size_t N>
using Row = std::vector<Share<N>>;  // sorted by bone

template <std::size_t N>
void add(Row<N>& row, const Row<N>& other, double factor) {
  std::size_t at = 0;
  for (const Share<N>& o : other) {
    while (at < row.size() && row[at].bone < o.bone) ++at;
    if (at == row.size() || row[at].bone != o.bone)
      row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), Share<N>{o.bone, {}});
    for (std::size_t k = 0; k < N; ++k) row[at].sum[k] += factor * o.sum[k];
  }
}

// Steps of a walk over the edges. Rows do not depend on each other within a step: same bits for any number of threads.
template <std::size_t N>
void smooth(const RigSurface& surface, int steps, std::vector<Row<N>>& rows, const Context& context) {
  std::vector<Row<N>> next(rows.size());
  for (int step = 0; step < steps; ++step) {
    parallel_for(context, rows.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const auto ring = surface.neighbours.row(v);
        const float* weight = surface.neighbour_weight.data() + surface.neighbours.begin[v];
        double total = 0;
        for (std::size_t i = 0; i < ring.size(); ++i) total += static_cast<double>(weight[i]);
        next[v].clear();
        add(next[v], rows[v], total > 0 ? 1 - kWalk : 1);
        for (std::size_t i = 0; i < ring.size(); ++i)
          add(next[v], rows[ring[i]], kWalk * static_cast<double>(weight[i]) / total);
        std::erase_if(next[v], [](const Share<N>& s) { return s.sum[0] < kFaded; });
      }
    });
    rows.swap(next);
  }
}

// Starting rows: the weights of the rig, as moments about `origin`.
template <std::size_t N>
std::vector<Row<N>> rows_of(const Rig& rig, const Vec3d& origin) {
  std::vector<Row<N>> rows(rig.surface.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const std::uint32_t input = rig.surface.first_of[v];
    const std::size_t begin = rig.block_begin.empty() ? input : rig.block_begin[input],
                      end = rig.block_begin.empty() ? input + 1 : rig.block_begin[input + 1];
    const Vec3d p = static_cast<Vec3d>(rig.surface.positions[v]) - origin;
    const std::array<double, kMoments> moments{1,         p.x,       p.y,       p.z,       p.x * p.x,
                                               p.x * p.y, p.x * p.z, p.y * p.y, p.y * p.z, p.z * p.z};
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t k = 0; k < 4; ++k) {
        if (rig.blocks[b].weight[k] <= 0) continue;
        Share<N> share{rig.blocks[b].bone[k], {}};
        for (std::size_t i = 0; i < N; ++i) share.sum[i] = moments[i];
        add(rows[v], {share}, static_cast<double>(rig.blocks[b].weight[k]));
      }
  }
  return rows;
}

// Leaves out what is too small and makes the rest sum to 1.
template <std::size_t N>
void normalise(Row<N>& row) {
  std::erase_if(row, [](const Share<N>& s) { return s.sum[0] < kLeastWeight; });
  double total = 0;
  for (const Share<N>& s : row) total += s.sum[0];
  for (Share<N>& s : row)
    for (double& sum : s.sum) sum /= total;
}

MushRest make_rest(const Rig& rig, const Context& context) {
  const RigSurface& surface = rig.surface;
  Vec3d origin;
  for (const Vec3f& p : surface.positions) origin += static_cast<Vec3d>(p);
  if (surface.size() > 0) origin *= 1 / static_cast<double>(surface.size());
  auto moments = rows_of<kMoments>(rig, origin);
  auto weights = rows_of<1>(rig, origin);
  smooth(surface, kMomentSteps, moments, context);
  smooth(surface, kWeightSteps, weights, context);

  MushRest rest;
  rest.begin.push_back(0);
  for (std::size_t v = 0; v < surface.size(); ++v) {
    normalise(moments[v]);
    normalise(weights[v]);
    Vec3d center;
    for (const auto& s : moments[v]) center += Vec3d{s.sum[1], s.sum[2], s.sum[3]};
    const auto first = rest.items.size();
    for (const auto& moment : moments[v]) {
      const auto& s = moment.sum;
      // About the smoothed vertex; there the paper's second term, alpha w' [p p^T, p; p^T, 1], is a weight alone.
      const double keep = 1 - kPlacedShare, w = s[0];
      const Vec3d m{s[1] - w * center.x, s[2] - w * center.y, s[3] - w * center.z};
      const auto second = [&](std::size_t k, int i, int j) {
        return static_cast<float>(keep *
                                  (s[k] - s[1 + i] * center[j] - center[i] * s[1 + j] + w * center[i] * center[j]));
      };
      rest.items.push_back(
          {moment.bone,
           static_cast<float>(keep * w),
           static_cast<Vec3f>(m * keep),
           {second(4, 0, 0), second(5, 0, 1), second(6, 0, 2), second(7, 1, 1), second(8, 1, 2), second(9, 2, 2)}});
    }
    for (const auto& [bone, s] : weights[v]) {
      const auto at = std::find_if(rest.items.begin() + static_cast<std::ptrdiff_t>(first), rest.items.end(),
                                   [b = bone](const MushItem& i) { return i.bone == b; });
      const auto w = static_cast<float>(kPlacedShare * s[0]);
      if (at == rest.items.end())
        rest.items.push_back({bone, w, {}, {}});
      else
        at->weight += w;
    }
    std::stable_sort(rest.items.begin() + static_cast<std::ptrdiff_t>(first), rest.items.end(),
                     [](const MushItem& a, const MushItem& b) { return a.weight > b.weight; });
    rest.begin.push_back(static_cast<std::uint32_t>(rest.items.size()));
    rest.center.push_back(center + origin);
    rest.offset.push_back(static_cast<Vec3f>(static_cast<Vec3d>(surface.positions[v]) - rest.center.back()));
  }
  return rest;
}

}  // namespace

std::shared_ptr<const MushRest> mush_rest(const Rig& rig, const Context& context) {
  return rig.rest.get<MushRest>([&] { return make_rest(rig, context); });
}

void skin_delta_mush(const Rig& rig, const MushRest& rest, std::span<const Affine3d> motions,
                     std::span<Vec3f> positions, std::span<Vec3f> normals, const Context& context) {
  parallel_for(context, rig.vertex_count(), kMushGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t input = begin; input < end; ++input) {
      if (rig.layers.rides(input)) continue;
      const std::uint32_t v = rig.surface.welded_of[input];
      const std::span items(rest.items.data() + rest.begin[v], rest.items.data() + rest.begin[v + 1]);
      const Vec3d& center = rest.center[v];
      const Vec3d about = transform_point(motions[items.front().bone], center);
      MushSum sum;
      double size = 0;
      for (const MushItem& item : items) {
        accumulate(sum, item, motions[item.bone], center, about);
        size += static_cast<double>(item.weight) * std::cbrt(std::abs(determinant(motions[item.bone].linear)));
      }
      const Quatd turn = nearest_rotation(sum.turn);
      positions[input] = static_cast<Vec3f>(sum.center + rotate(turn, static_cast<Vec3d>(rest.offset[v]) * size));
      if (!normals.empty())
        normals[input] = static_cast<Vec3f>(rotate(turn, static_cast<Vec3d>(rig.rest_normals[input])));
    }
  });
}

}  // namespace cutis
