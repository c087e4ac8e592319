#include "field/part_field.h"

#include <algorithm>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {

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
  const auto stop_if_cancelled = [&context] { context.check_cancelled(); };
  const auto fit_of = [&](std::size_t i) {
    FitOptions fit = options.per_part.empty() ? options.fit : options.per_part[i];
    fit.checkpoint = stop_if_cancelled;
    return fit;
  };
  GridOptions grid = options.grid;
  grid.checkpoint = stop_if_cancelled;
  std::vector<PartField> fields(patches.size());
  parallel_for(context, patches.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      fields[order[i]] = PartField(fit_part(patches[order[i]], fit_of(order[i])), grid);
  });
  // Too much in all: the largest ones are cut down to an equal share.
  std::size_t bytes = 0;
  for (const PartField& field : fields) bytes += field.grid().report().bytes;
  if (bytes <= options.grid_bytes) return fields;
  const std::size_t share = options.grid_bytes / sizeof(GridNode) / patches.size();
  grid.max_nodes = std::min(grid.max_nodes, std::max<std::size_t>(share, 64));
  parallel_for(context, patches.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (fields[i].grid().report().nodes > grid.max_nodes)
        fields[i] = PartField(fit_part(patches[i], fit_of(i)), grid);
  });
  return fields;
}

}  // namespace cutis
