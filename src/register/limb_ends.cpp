// Ends are the points that are farthest from all others along the surface. Those of the character are assigned to those
// of the scan so that distances along the surface agree: they do not change with the pose.
#include "register/limb_ends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "base/math.h"
#include "register/point_tree.h"

namespace cutis {
namespace {

constexpr std::size_t kEnds = 5;        // of a character: head, hands, feet; fingertips
constexpr std::size_t kScanEnds = 8;    // of a scan: some are corners of holes
constexpr std::size_t kEndStarts = 16;  // best assignments of ends that are tried

/// Distances along the surface: over neighbours that face much the same way.
class SurfaceGraph {
 public:
  SurfaceGraph(std::span<const Vec3d> points, std::span<const Vec3d> normals) : points_(points) {
    const PointTree tree(points);
    next_.resize(points.size());
    std::vector<PointTree::Near> found;
    std::vector<double> near;
    for (const Vec3d& p : points) {
      tree.nearest(p, 7, 1e300, found);
      near.push_back(std::sqrt(found.back().squared));
    }
    std::vector<double> sorted = near;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    const double reach = 2 * sorted[sorted.size() / 2];
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      tree.nearest(points[i], 9, reach, found);
      for (const auto& f : found)
        if (f.point != i && dot(normals[f.point], normals[i]) > -0.2) {
          next_[i].push_back({f.point, std::sqrt(f.squared)});
          next_[f.point].push_back({i, std::sqrt(f.squared)});
        }
    }
  }
  /// From the nearest of `sources`; infinite where there is no way.
  [[nodiscard]] std::vector<double> distances(std::span<const std::uint32_t> sources) const {
    std::vector<double> d(points_.size(), std::numeric_limits<double>::infinity());
    using Item = std::pair<double, std::uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (const std::uint32_t s : sources) d[s] = 0, queue.emplace(0.0, s);
    while (!queue.empty()) {
      const auto [at, i] = queue.top();
      queue.pop();
      if (at > d[i]) continue;
      for (const auto& [j, w] : next_[i])
        if (at + w < d[j]) d[j] = at + w, queue.emplace(d[j], j);
    }
    return d;
  }

 private:
  std::span<const Vec3d> points_;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> next_;
};

struct Ends {
  std::uint32_t middle = 0;
  std::vector<std::uint32_t> points;
  std::vector<std::vector<double>> apart;  // along the surface; the middle is the last
};

Ends find_ends(std::span<const Vec3d> points, std::span<const Vec3d> normals, std::size_t count) {
  const SurfaceGraph graph(points, normals);
  Ends ends;
  // The middle of the surface: least far from a few points spread over it.
  std::vector<double> sum(points.size(), 0.0);
  std::vector<std::uint32_t> spread{0};
  for (int k = 0; k < 12; ++k) {
    const std::vector<double> d = graph.distances(std::array{spread.back()});
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += std::isfinite(d[i]) ? d[i] : 0;
    const std::vector<double> all = graph.distances(spread);
    std::uint32_t far = 0;
    double most = -1;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (std::isfinite(all[i]) && all[i] > most) most = all[i], far = i;
    spread.push_back(far);
  }
  const std::vector<double> from_first = graph.distances(std::array{0U});
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < sum.size(); ++i)
    if (std::isfinite(from_first[i]) && sum[i] < least) least = sum[i], ends.middle = i;
  std::vector<std::uint32_t> sources{ends.middle};
  while (ends.points.size() < count) {
    const std::vector<double> d = graph.distances(sources);
    std::uint32_t far = 0;
    double most = 0;
    for (std::uint32_t i = 0; i < d.size(); ++i)
      if (std::isfinite(d[i]) && d[i] > most) most = d[i], far = i;
    if (!(most > 0)) break;
    ends.points.push_back(far);
    sources.push_back(far);
  }
  std::vector<std::uint32_t> all = ends.points;
  all.push_back(ends.middle);
  for (const std::uint32_t a : all) {
    const std::vector<double> d = graph.distances(std::array{a});
    std::vector<double> row;
    for (const std::uint32_t b : all) row.push_back(d[b]);
    ends.apart.push_back(std::move(row));
  }
  return ends;
}

/// Ways to put the ends of the character to those of the scan whose distances agree, best first.
std::vector<std::vector<std::size_t>> assign_ends(const Ends& own, const Ends& scan, std::size_t count) {
  struct Way {
    double cost;
    std::vector<std::size_t> to;
  };
  std::vector<Way> ways;
  const std::size_t n = own.points.size();
  std::vector<std::size_t> to;
  std::vector<char> used(scan.points.size(), 0);
  const auto judge = [&] {
    // The scale is the one that suits best.
    double sum_own = 0, sum_scan = 0;
    const auto each = [&](auto&& visit) {
      for (std::size_t i = 0; i < n; ++i) {
        visit(own.apart[i][own.points.size()], scan.apart[to[i]][scan.points.size()], 2.0);
        for (std::size_t j = 0; j < i; ++j) visit(own.apart[i][j], scan.apart[to[i]][to[j]], 1.0);
      }
    };
    each([&](double a, double b, double w) { sum_own += w * a, sum_scan += w * b; });
    if (!std::isfinite(sum_scan) || !std::isfinite(sum_own) || !(sum_scan > 0)) return;
    const double scale = sum_own / sum_scan;
    double cost = 0;
    each([&](double a, double b, double w) { cost += w * (a - scale * b) * (a - scale * b); });
    ways.push_back({cost, to});
  };
  const auto go = [&](const auto& self) -> void {
    if (to.size() == n) return judge();
    for (std::size_t k = 0; k < scan.points.size(); ++k) {
      if (used[k]) continue;
      used[k] = 1;
      to.push_back(k);
      self(self);
      to.pop_back();
      used[k] = 0;
    }
  };
  if (scan.points.size() >= n) go(go);
  std::ranges::stable_sort(ways, {}, &Way::cost);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < std::min(count, ways.size()); ++i) result.push_back(ways[i].to);
  return result;
}

}  // namespace

std::vector<ModelState> starts_from_ends(const BodyModel& model, const FitTarget& target) {
  std::vector<ModelState> starts;
  std::vector<Vec3d> own_points, own_normals;
  const std::size_t samples = std::min<std::size_t>(1500, model.samples.size());
  for (std::size_t i = 0; i < samples; ++i) {
    own_points.push_back(model.samples[i].position);
    own_normals.push_back(model.samples[i].normal);
  }
  const Ends own = find_ends(own_points, own_normals, kEnds);
  const Ends scan = find_ends(target.points, target.normals, kScanEnds);
  for (const std::vector<std::size_t>& to : assign_ends(own, scan, kEndStarts)) {
    std::vector<KnownPoint> known;
    for (std::size_t i = 0; i < to.size(); ++i)
      known.push_back({model.samples[own.points[i]], target.points[scan.points[to[i]]]});
    ModelState state = fit_to_points(model, known, rest_state(model), 25);
    if (std::isfinite(state.size) && is_finite(state.root)) starts.push_back(std::move(state));
  }
  return starts;
}

}  // namespace cutis
