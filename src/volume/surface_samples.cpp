#include "volume/surface_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/segment.h"
#include "geometry/normals.h"
#include "volume/point_grid.h"

namespace cutis {
namespace {

// Edges grow with the thickness of the body to this power: thin parts get somewhat fewer around them than thick ones.
constexpr double kThicknessPower = 0.65;
// However few vertices are asked for, five stay around a limb: no edge is longer than so many thicknesses.
constexpr double kLongestPerThickness = 1.25;
// Parts thinner or thicker than these shares of the size count as that.
constexpr double kThinnestPart = 0.0035, kThickestPart = 0.04;
// How fast edge lengths may change, a length per length.
constexpr double kGradation = 0.4;
// Candidates a sample, and rounds of moving samples to the middle of theirs.
constexpr double kCandidates = 24;
constexpr int kLloydRounds = 6;

struct Candidates {
  std::vector<Vec3d> positions, normals;
  std::vector<double> spacing;
};

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}
double unit(std::uint64_t z) { return static_cast<double>(mixed(z) >> 11U) / 9007199254740992.0; }

}  // namespace

double distance_to_segments(std::span<const DrivenSegment> segments, const Vec3d& p) {
  double best = std::numeric_limits<double>::max();
  for (const DrivenSegment& s : segments) {
    const Vec3d r = p - nearest_on_segment(p, s.from, s.to);
    best = std::min(best, dot(r, r));
  }
  return std::sqrt(best);
}

SurfaceSamples surface_vertices(const Solid& solid) {
  SurfaceSamples samples;
  std::vector<std::int64_t> place(solid.positions().size(), -1);
  std::vector<int> count;
  for (const Triangle& t : solid.triangles())
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = t[k];
      if (place[v] < 0) {
        place[v] = static_cast<std::int64_t>(samples.positions.size());
        samples.positions.push_back(static_cast<Vec3d>(solid.positions()[v]));
        samples.normals.emplace_back();
        samples.spacing.push_back(0);
        count.push_back(0);
      }
      const auto i = static_cast<std::size_t>(place[v]);
      const Vec3f &a = solid.positions()[v], &b = solid.positions()[t[(k + 1) % 3]],
                  &c = solid.positions()[t[(k + 2) % 3]];
      samples.normals[i] += area_vector(a, b, c);
      samples.spacing[i] += distance(static_cast<Vec3d>(a), static_cast<Vec3d>(b));
      ++count[i];
    }
  for (std::size_t i = 0; i < count.size(); ++i) {
    samples.normals[i] = normalized(samples.normals[i]);
    samples.spacing[i] /= count[i];
  }
  return samples;
}

SurfaceSamples sample_surface(const Solid& solid, std::span<const DrivenSegment> segments, std::size_t count,
                              const Context& context) {
  const auto positions = solid.positions();
  const auto triangles = solid.triangles();
  const double size = solid.size();

  const std::vector<Vec3d> normals = area_weighted_normals(positions, triangles);
  // Wanted lengths at the vertices of the mesh, for a factor on all of them.
  std::vector<double> thickness(positions.size(), 0), lengths(positions.size(), 0);
  std::vector<char> in_use(positions.size(), 0);
  for (const Triangle& t : triangles)
    for (const std::uint32_t v : t) in_use[v] = 1;
  parallel_for(context, positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (in_use[v]) {
        // From the skin to the bone, or half through the body where the bone runs close to the skin. Lids and ears are
        // far from any bone: details like these are not the control mesh's business.
        const auto p = static_cast<Vec3d>(positions[v]);
        const double through = solid.room(p, -normals[v], 1e-4 * size, 2 * kThickestPart * size);
        thickness[v] = std::clamp(std::max(distance_to_segments(segments, p), 0.5 * through), kThinnestPart * size,
                                  kThickestPart * size);
      }
  });
  const auto set_lengths = [&](double factor) {
    for (std::size_t v = 0; v < positions.size(); ++v)
      lengths[v] =
          std::min(factor * size * std::pow(thickness[v] / size, kThicknessPower), kLongestPerThickness * thickness[v]);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
          const std::uint32_t a = t[k], b = t[(k + 1) % 3];
          const double slack = kGradation * static_cast<double>(length(positions[a] - positions[b]));
          if (lengths[a] > (lengths[b] + slack) * (1 + 1e-9)) lengths[a] = lengths[b] + slack, changed = true;
          if (lengths[b] > (lengths[a] + slack) * (1 + 1e-9)) lengths[b] = lengths[a] + slack, changed = true;
        }
    }
  };
  // A vertex covers sqrt(3)/2 of its squared length: the factor for the wanted number is found by bisection.
  const auto expected = [&] {
    double n = 0;
    for (const Triangle& t : triangles) {
      const auto a = static_cast<Vec3d>(positions[t[0]]), b = static_cast<Vec3d>(positions[t[1]]),
                 c = static_cast<Vec3d>(positions[t[2]]);
      const double l = (lengths[t[0]] + lengths[t[1]] + lengths[t[2]]) / 3;
      n += 0.5 * length(cross(b - a, c - a)) / (0.8660254 * l * l);
    }
    return n;
  };
  double low = 1e-3, high = 10;
  for (int step = 0; step < 20; ++step) {
    const double middle = std::sqrt(low * high);
    set_lengths(middle);
    (expected() > static_cast<double>(count) ? low : high) = middle;
  }

  // Candidates: random points of the triangles, as many a wanted sample everywhere; none in cavities.
  Candidates c;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    const auto p0 = static_cast<Vec3d>(positions[t[0]]), p1 = static_cast<Vec3d>(positions[t[1]]),
               p2 = static_cast<Vec3d>(positions[t[2]]);
    const double l = (lengths[t[0]] + lengths[t[1]] + lengths[t[2]]) / 3;
    const double share = kCandidates * 0.5 * length(cross(p1 - p0, p2 - p0)) / (0.8660254 * l * l);
    const auto n = static_cast<std::size_t>(share + unit(i * 3 + 1));
    for (std::size_t k = 0; k < n; ++k) {
      double u = unit((i << 20U) + 2 * k), v = unit((i << 20U) + 2 * k + 1);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      c.positions.push_back(p0 * (1 - u - v) + p1 * u + p2 * v);
      c.normals.push_back(normalized(normals[t[0]] * (1 - u - v) + normals[t[1]] * u + normals[t[2]] * v));
      c.spacing.push_back(lengths[t[0]] * (1 - u - v) + lengths[t[1]] * u + lengths[t[2]] * v);
    }
  }
  std::vector<char> hidden(c.positions.size(), 0);
  parallel_for(context, hidden.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) hidden[i] = solid.buried(c.positions[i], c.normals[i]);
  });

  // Darts in a fixed random order: taken when no sample of a similar normal is near.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < hidden.size(); ++i)
    if (!hidden[i]) order.push_back(i);
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) { return mixed(a) < mixed(b); });
  double cell = 0;  // cells as large as the widest spacing: wide searches meet few cells, narrow ones few points
  for (const std::size_t i : order) cell = std::max(cell, 0.7 * c.spacing[i]);
  SurfaceSamples samples;
  PointGrid taken(cell);
  for (const std::size_t i : order) {
    bool free = true;
    const double reach = 0.75 * c.spacing[i];
    taken.visit_near(c.positions[i], reach, [&](std::uint32_t k) {
      // The other side of a thin part does not count as near.
      if (distance(samples.positions[k], c.positions[i]) < reach && dot(samples.normals[k], c.normals[i]) > -0.2)
        free = false;
    });
    if (!free) continue;
    taken.add(c.positions[i]);
    samples.positions.push_back(c.positions[i]);
    samples.normals.push_back(c.normals[i]);
    samples.spacing.push_back(c.spacing[i]);
  }
  std::vector<double> spacing = samples.spacing;
  const auto middle = spacing.begin() + static_cast<std::ptrdiff_t>(spacing.size() / 2);
  if (!spacing.empty()) std::nth_element(spacing.begin(), middle, spacing.end());
  const double usual = spacing.empty() ? cell : *middle;
  // Lloyd: every sample to the candidate nearest to the mean of those that are nearest to it.
  for (int round = 0; round < kLloydRounds; ++round) {
    const StaticPointGrid near(samples.positions, usual);
    std::vector<std::uint32_t> owner(order.size(), 0xffffffffU);
    parallel_for(context, order.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t o = begin; o < end; ++o) {
        const std::size_t i = order[o];
        double least = std::numeric_limits<double>::max();
        near.visit_near(c.positions[i], 1.3 * c.spacing[i], [&](std::uint32_t k) {
          const Vec3d d = samples.positions[k] - c.positions[i];
          const double d2 =
              dot(d, d) + (dot(samples.normals[k], c.normals[i]) > -0.2 ? 0 : 4 * c.spacing[i] * c.spacing[i]);
          if (d2 < least || (d2 == least && k < owner[o])) least = d2, owner[o] = k;
        });
      }
    });
    std::vector<Vec3d> sum(samples.positions.size());
    std::vector<double> weight(samples.positions.size(), 0), least(samples.positions.size(), 1e300);
    for (std::size_t o = 0; o < order.size(); ++o)
      if (owner[o] != 0xffffffffU) sum[owner[o]] += c.positions[order[o]], weight[owner[o]] += 1;
    for (std::size_t o = 0; o < order.size(); ++o) {
      if (owner[o] == 0xffffffffU) continue;
      const std::size_t i = order[o], k = owner[o];
      const double d = distance(sum[k] / weight[k], c.positions[i]);
      if (d >= least[k]) continue;
      least[k] = d;
      samples.positions[k] = c.positions[i];
      samples.normals[k] = c.normals[i];
      samples.spacing[k] = c.spacing[i];
    }
  }
  return samples;
}

}  // namespace cutis
