#include "weights/mirror.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/math.h"

namespace cutis {
namespace {

// Partners are this close, in sizes of the character.
constexpr double kVertexTolerance = 1e-4;
// Bones of a symmetric mesh may be placed less exactly: with names that fit, and without.
constexpr double kNamedTolerance = 0.1, kBoneTolerance = 0.04, kNameBonus = 0.01;
// A normal this close to an axis is the axis.
constexpr double kSnap = 0.999;
constexpr double kLeastShare = 0.5;

struct MirrorPlane {
  Vec3d point, normal;
  [[nodiscard]] Vec3d reflect(const Vec3d& p) const { return p - normal * (2 * dot(p - point, normal)); }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Vertices in cubes, to find the one at a place.
class PointGrid {
 public:
  PointGrid(const std::vector<Vec3d>& points, double tolerance) : points_(points), cell_(2 * tolerance) {
    for (std::uint32_t i = 0; i < points.size(); ++i) cells_[key(cell_of(points[i]))].push_back(i);
  }
  [[nodiscard]] std::uint32_t nearest(const Vec3d& p, double tolerance) const {
    std::uint32_t best = Mirror::kNone;
    double best_distance = tolerance;
    const Cell c = cell_of(p);
    for (std::int64_t x = -1; x <= 1; ++x)
      for (std::int64_t y = -1; y <= 1; ++y)
        for (std::int64_t z = -1; z <= 1; ++z) {
          const auto it = cells_.find(key({c[0] + x, c[1] + y, c[2] + z}));
          if (it == cells_.end()) continue;
          for (const std::uint32_t i : it->second) {
            const double d = distance(points_[i], p);
            if (d < best_distance || (d == best_distance && i < best)) {
              best_distance = d;
              best = i;
            }
          }
        }
    return best;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  [[nodiscard]] Cell cell_of(const Vec3d& p) const {
    const auto at = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
    return {at(p.x), at(p.y), at(p.z)};
  }
  static std::uint64_t key(const Cell& c) {
    std::uint64_t h = 0;
    for (const std::int64_t x : c) h = (h ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15ULL, h ^= h >> 29;
    return h;
  }

  const std::vector<Vec3d>& points_;
  double cell_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

const std::string& bone_name(const WeightProblem& problem, std::size_t bone) {
  return problem.character->skeleton.joints[static_cast<std::size_t>(problem.bones[bone].joint)].name;
}

/// Partners by name alone; kNone without.
std::vector<std::uint32_t> pair_by_name(const WeightProblem& problem) {
  std::map<std::string, std::uint32_t> by_name;
  for (std::uint32_t b = 0; b < problem.bones.size(); ++b) by_name.emplace(bone_name(problem, b), b);
  std::vector<std::uint32_t> partner(problem.bones.size(), Mirror::kNone);
  for (std::uint32_t b = 0; b < problem.bones.size(); ++b) {
    const auto it = by_name.find(mirrored_name(bone_name(problem, b)));
    if (it != by_name.end() && it->second != b) partner[b] = it->second;
  }
  for (std::uint32_t b = 0; b < partner.size(); ++b)
    if (partner[b] != Mirror::kNone && partner[partner[b]] != b) partner[b] = Mirror::kNone;
  return partner;
}

std::vector<MirrorPlane> candidates(const WeightProblem& problem, const std::vector<std::uint32_t>& partner) {
  std::vector<MirrorPlane> planes;
  Vec3d across, middle;
  double count = 0;
  for (std::uint32_t b = 0; b < partner.size(); ++b) {
    if (partner[b] == Mirror::kNone || partner[b] < b) continue;
    Vec3d d = problem.bones[b].from - problem.bones[partner[b]].from;
    if (dot(d, across) < 0) d = -d;
    across += d;
    middle += (problem.bones[b].from + problem.bones[partner[b]].from) * 0.5;
    count += 1;
  }
  constexpr std::array<Vec3d, 3> kAxes{Vec3d{1, 0, 0}, Vec3d{0, 0, 1}, Vec3d{0, 1, 0}};
  if (count > 0 && length(across) > 0) {
    const MirrorPlane found{middle / count, normalized(across)};
    for (const Vec3d& axis : kAxes) {
      if (std::abs(dot(axis, found.normal)) < kSnap) continue;
      planes.push_back({{}, axis});
      planes.push_back({found.point, axis});
    }
    planes.push_back(found);
  }
  Box box;
  for (const Vec3d& p : problem.positions) box.add(p);
  for (const Vec3d& axis : kAxes) {
    planes.push_back({{}, axis});
    planes.push_back({center(box), axis});
  }
  return planes;
}

/// Mutual partners under the plane.
std::vector<std::uint32_t> pair_vertices(const WeightProblem& problem, const PointGrid& grid,
                                         const MirrorPlane& plane) {
  const double tolerance = kVertexTolerance * problem.size;
  std::vector<std::uint32_t> partner(problem.positions.size());
  for (std::size_t v = 0; v < partner.size(); ++v)
    partner[v] = grid.nearest(plane.reflect(problem.positions[v]), tolerance);
  for (std::uint32_t v = 0; v < partner.size(); ++v)
    if (partner[v] != Mirror::kNone && partner[partner[v]] != v) partner[v] = Mirror::kNone;
  return partner;
}

std::size_t count_pairs(const std::vector<std::uint32_t>& partner) {
  return static_cast<std::size_t>(
      std::count_if(partner.begin(), partner.end(), [](std::uint32_t p) { return p != Mirror::kNone; }));
}

void pair_bones(const WeightProblem& problem, const std::vector<std::uint32_t>& named, Mirror& mirror) {
  const MirrorPlane plane{mirror.point, mirror.normal};
  const auto off = [&](std::uint32_t a, std::uint32_t b) {
    return distance(plane.reflect(problem.bones[a].from), problem.bones[b].from) +
           distance(plane.reflect(problem.bones[a].to), problem.bones[b].to);
  };
  const std::size_t n = problem.bones.size();
  mirror.bone.assign(n, Mirror::kNone);
  // Each the other's best, itself included. The place decides, a fitting name where places are about equal: in some
  // files left and right are numbered in opposite directions.
  std::vector<std::uint32_t> best(n, Mirror::kNone);
  for (std::uint32_t b = 0; b < n; ++b) {
    double best_off = kBoneTolerance * problem.size;
    for (std::uint32_t c = 0; c < n; ++c) {
      const double o = off(b, c) - (named[b] == c ? kNameBonus * problem.size : 0);
      if (o >= best_off) continue;
      best_off = o;
      best[b] = c;
    }
  }
  for (std::uint32_t b = 0; b < n; ++b)
    if (best[b] != Mirror::kNone && best[best[b]] == b) mirror.bone[b] = best[b];
  for (std::uint32_t b = 0; b < n; ++b) {
    const std::uint32_t c = named[b];
    if (c == Mirror::kNone || mirror.bone[b] != Mirror::kNone || mirror.bone[c] != Mirror::kNone) continue;
    if (off(b, c) > kNamedTolerance * problem.size) continue;
    mirror.bone[b] = c;
    mirror.bone[c] = b;
  }
  for (std::uint32_t b = 0; b < n; ++b) {
    if (mirror.bone[b] != Mirror::kNone) continue;
    mirror.bone[b] = b;
    if (off(b, b) > kBoneTolerance * problem.size) mirror.alone.push_back(b);
  }
}

WeightMatrix::Row mirrored(const Mirror& mirror, const WeightMatrix::Row& row) {
  WeightMatrix::Row result;
  for (const auto& [b, w] : row) result.emplace_back(mirror.bone[b], w);
  std::sort(result.begin(), result.end());
  return result;
}

double weight_of(const WeightMatrix::Row& row, std::uint32_t bone) {
  const auto it =
      std::lower_bound(row.begin(), row.end(), bone, [](const auto& x, std::uint32_t b) { return x.first < b; });
  return it != row.end() && it->first == bone ? it->second : 0;
}

WeightMatrix::Row mean(const WeightMatrix::Row& a, const WeightMatrix::Row& b) {
  WeightMatrix::Row result;
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    if (k == b.size() || (i < a.size() && a[i].first < b[k].first)) {
      result.emplace_back(a[i].first, 0.5 * a[i].second);
      ++i;
    } else if (i == a.size() || b[k].first < a[i].first) {
      result.emplace_back(b[k].first, 0.5 * b[k].second);
      ++k;
    } else {
      result.emplace_back(a[i].first, 0.5 * (a[i].second + b[k].second));
      ++i;
      ++k;
    }
  }
  return result;
}

}  // namespace

std::string mirrored_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{
      {{"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}}};
  for (const auto& [left, right] : kWords)
    for (const auto& [from, to] : {std::pair{left, right}, std::pair{right, left}})
      if (const auto at = name.find(from); at != std::string_view::npos) {
        std::string result(name);
        return result.replace(at, from.size(), to);
      }
  // A letter that stands alone: at either end or between separators.
  constexpr std::string_view kSides = "LRlr", kOthers = "RLrl";
  for (std::size_t i = name.size(); i-- > 0;) {
    const auto side = kSides.find(name[i]);
    if (side == std::string_view::npos) continue;
    const bool starts = i == 0 || (!is_letter(name[i - 1]) && !(name[i - 1] >= '0' && name[i - 1] <= '9'));
    const bool ends = i + 1 == name.size() || (!is_letter(name[i + 1]) && !(name[i + 1] >= '0' && name[i + 1] <= '9'));
    if (!starts || !ends || name.size() == 1) continue;
    std::string result(name);
    result[i] = kOthers[side];
    return result;
  }
  return {};
}

std::optional<Mirror> find_mirror(const WeightProblem& problem) {
  const std::vector<std::uint32_t> named = pair_by_name(problem);
  const PointGrid grid(problem.positions, kVertexTolerance * problem.size);
  Mirror best;
  std::size_t best_pairs = 0;
  for (const MirrorPlane& plane : candidates(problem, named)) {
    std::vector<std::uint32_t> partner = pair_vertices(problem, grid, plane);
    const std::size_t pairs = count_pairs(partner);
    if (pairs <= best_pairs) continue;
    best_pairs = pairs;
    best.point = plane.point;
    best.normal = plane.normal;
    best.vertex = std::move(partner);
    if (pairs == problem.positions.size()) break;
  }
  if (static_cast<double>(best_pairs) < kLeastShare * static_cast<double>(problem.positions.size())) return {};
  pair_bones(problem, named, best);
  return best;
}

double mirror_error(const Mirror& mirror, const WeightMatrix& matrix) {
  double error = 0;
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    if (mirror.vertex[v] == Mirror::kNone) continue;
    const WeightMatrix::Row& other = matrix.rows[mirror.vertex[v]];
    for (const auto& [b, w] : matrix.rows[v]) error = std::max(error, std::abs(w - weight_of(other, mirror.bone[b])));
  }
  return error;
}

void symmetrise(const Mirror& mirror, WeightMatrix& matrix) {
  for (std::uint32_t v = 0; v < matrix.rows.size(); ++v) {
    const std::uint32_t other = mirror.vertex[v];
    if (other == Mirror::kNone || other < v) continue;
    matrix.rows[v] = mean(matrix.rows[v], mirrored(mirror, matrix.rows[other]));
    if (other != v) matrix.rows[other] = mirrored(mirror, matrix.rows[v]);
  }
}

}  // namespace cutis
