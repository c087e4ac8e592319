#include "field/part_field.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {

namespace {

constexpr std::size_t kFewNodes = 1000;  // a grid of ten nodes along each side, whatever its share
constexpr double kSmall = 0.5;           // of the mean share
constexpr double kWorthIt = 2;           // times the work of a fit, for one more to be begun
constexpr double kSameForAll = 0.25, kByVertices = 0.25, kBySize = 0.5;

// The root of its surface, metres.
double size_of(const PartPatch& patch) {
  double area = 0;
  for (const Triangle& t : patch.triangles) {
    const Vec3d &a = patch.points[t[0]], &b = patch.points[t[1]], &c = patch.points[t[2]];
    const double twice = length(cross(b - a, c - a));
    if (std::isfinite(twice)) area += twice / 2;
  }
  return std::sqrt(area);
}

// What each part may take of what is there for all; they sum to 1.
std::vector<double> shares_of(std::span<const PartPatch> patches) {
  double parts = 0, vertices = 0, size = 0;
  std::vector<double> sizes;
  for (const PartPatch& patch : patches) {
    parts += patch.own_points > 0 ? 1 : 0;
    vertices += static_cast<double>(patch.own_points);
    sizes.push_back(size_of(patch));
    size += sizes.back();
  }
  std::vector<double> shares(patches.size(), 0.0);
  for (std::size_t i = 0; i < patches.size(); ++i)
    if (patches[i].own_points > 0)
      shares[i] = kSameForAll / parts + kByVertices * static_cast<double>(patches[i].own_points) / vertices +
                  (size > 0 ? kBySize * sizes[i] / size : 0.0);
  return shares;
}

}  // namespace

PartField::PartField(FittedPart part, const GridOptions& options) : part_(std::move(part)), grid_(part_, options) {}

void PartField::eval(std::span<const Vec3f> p_rest, std::span<FieldSample<float>> samples) const {
  if (grid_.empty()) {
    std::ranges::fill(samples, FieldSample<float>{});
    return;
  }
  const GridView grid = grid_.view();
  for (std::size_t i = 0; i < p_rest.size(); ++i) samples[i] = eval_field(grid, p_rest[i]);
}

FieldSample<double> PartField::eval_exact(const Vec3d& p_rest) const {
  if (empty()) return {};
  const Vec3d local = transpose(part_.box.axes) * (p_rest - part_.box.corner);
  for (int a = 0; a < 3; ++a)
    if (!(local[a] >= 0 && local[a] <= part_.box.size[a])) return {};
  return part_.support.apply(part_.shape.eval(p_rest));
}

std::vector<PartField> make_fields(std::span<const PartPatch> patches, const FieldOptions& options,
                                   const Context& context) {
  // Large parts first: the last task to end is then a short one.
  std::vector<std::size_t> order(patches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return patches[i].points.size(); });
  const std::vector<double> shares = shares_of(patches);
  const auto stop_if_cancelled = [&context] { context.check_cancelled(); };
  std::vector<FittedPart> parts(patches.size());
  const auto fit = [&](std::size_t i, double work) {
    FitOptions how = options.per_part.empty() ? options.fit : options.per_part[i];
    how.checkpoint = stop_if_cancelled;
    how.work = std::min(how.work, work);
    parts[i] = how.given.empty() ? fit_part(patches[i], how) : check_shape(patches[i], how.given, how);
  };
  const auto each = [&](auto&& body) {
    parallel_for(context, patches.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) body(order[n]);
    });
  };
  each([&](std::size_t i) { fit(i, shares[i] * options.fit_work); });
  // What is left goes to those that have not had enough, who begin anew. Not to the small ones: eyelids and lips.
  const auto with_skin = std::ranges::count_if(shares, [](double s) { return s > 0; });
  const double small = kSmall / static_cast<double>(std::max<std::ptrdiff_t>(with_skin, 1));
  const auto is_hungry = [&](std::size_t i) { return parts[i].report.stinted && shares[i] >= small; };
  double left = options.fit_work, hungry = 0;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    left -= parts[i].report.work;
    hungry += is_hungry(i) ? shares[i] : 0.0;
  }
  each([&](std::size_t i) {
    if (!is_hungry(i)) return;
    const double work = left * shares[i] / hungry;
    if (work > kWorthIt * parts[i].report.work) fit(i, work);
  });
  std::vector<PartField> fields(patches.size());
  each([&](std::size_t i) {
    GridOptions grid = options.grid;
    grid.checkpoint = stop_if_cancelled;
    grid.max_nodes =
        std::min(grid.max_nodes,
                 std::max(kFewNodes, static_cast<std::size_t>(shares[i] * static_cast<double>(options.grid_nodes))));
    fields[i] = PartField(std::move(parts[i]), grid);
  });
  return fields;
}

}  // namespace cutis
