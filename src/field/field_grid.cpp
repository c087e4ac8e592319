#include "field/field_grid.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/hash.h"
#include "base/math.h"

namespace cutis {

namespace {

constexpr double kFirstCell = 0.4;  // support radii
constexpr double kSafety = 0.85;
constexpr int kRefinements = 5;
constexpr std::size_t kProbes = 600;  // random points that measure the error
constexpr double kLargest = 32767;
// Of what the shape itself misses the surface by: a grid need not be more exact than this share of it.
constexpr double kOfTheMiss = 0.05;

std::int16_t quantised(double x) { return static_cast<std::int16_t>(std::lround(std::clamp(x, -kLargest, kLargest))); }

}  // namespace

FieldGrid::FieldGrid(const FittedPart& part, const GridOptions& options) {
  if (part.shape.empty()) return;
  double cell = kFirstCell * part.support.radius;
  const double slope = -compact(part.support.map, 0.0, part.support.radius).slope;
  const double bound = std::max(options.error, kOfTheMiss * slope * part.report.p95);
  const auto fits = [&](double c) { return lattice_nodes(part.box, c) <= static_cast<double>(options.max_nodes); };
  while (!fits(cell)) cell *= 1.1;
  for (int step = 0; step < kRefinements; ++step) {
    if (options.checkpoint) options.checkpoint();
    build(part, cell);
    measure(part);
    report_.bound = bound;
    report_.met = report_.worst <= bound;
    if (report_.met) break;
    // The error falls between the second power of the cell (at the samples of an HRBF, whose second derivatives jump
    // there) and the third (elsewhere).
    double next = cell * std::clamp(kSafety * std::sqrt(bound / report_.worst), 0.35, 0.9);
    while (!fits(next)) next *= 1.05;
    if (next > 0.97 * cell) break;
    cell = next;
  }
}

void FieldGrid::build(const FittedPart& part, double cell) {
  const double r = part.support.radius;
  const Lattice l = sample_lattice(part.shape, part.box, cell, true);
  const Pieces pieces = find_pieces(l, r);
  view_ = {};
  view_.nx = l.nx;
  view_.ny = l.ny;
  view_.nz = l.nz;
  view_.radius = static_cast<float>(r);
  view_.map = part.support.map;
  const Mat3d grid_from_rest = transpose(l.box.axes) * (1 / cell);
  view_.grid_from_rest.linear = {{static_cast<Vec3f>(grid_from_rest.col[0]), static_cast<Vec3f>(grid_from_rest.col[1]),
                                  static_cast<Vec3f>(grid_from_rest.col[2])}};
  view_.grid_from_rest.translation = static_cast<Vec3f>(-(grid_from_rest * l.box.corner));
  const Mat3d rest_from_slope = l.box.axes * (1 / cell);
  view_.rest_from_slope = {{static_cast<Vec3f>(rest_from_slope.col[0]), static_cast<Vec3f>(rest_from_slope.col[1]),
                            static_cast<Vec3f>(rest_from_slope.col[2])}};

  // Beyond the support only the sign matters, so values end a few cells after it.
  const double range = r + 4 * cell;
  double steepest = 1e-6;
  for (std::size_t i = 0; i < l.size(); ++i)
    if (std::abs(static_cast<double>(l.values[i])) < range)
      steepest = std::max(steepest, static_cast<double>(length(l.gradients[i])));
  const double value_step = range / kLargest, slope_step = std::min(steepest, 16.0) * cell / 2 / kLargest;
  view_.value_step = static_cast<float>(value_step);
  view_.slope_step = static_cast<float>(slope_step);
  report_ = {};
  nodes_.resize(l.size());
  const Mat3d axes_inverse = transpose(l.box.axes);
  for (std::size_t i = 0; i < l.size(); ++i) {
    if (l.values[i] < static_cast<float>(r) && pieces.in_support[i] == 0) {
      nodes_[i] = {static_cast<std::int16_t>(kLargest), 0, 0, 0};
      ++report_.masked;
      continue;
    }
    const Vec3d slope = axes_inverse * static_cast<Vec3d>(l.gradients[i]) * (cell / 2 / slope_step);
    nodes_[i] = {quantised(l.values[i] / value_step), quantised(slope.x), quantised(slope.y), quantised(slope.z)};
  }
  report_.cell = cell;
  report_.nodes = nodes_.size();
  report_.bytes = nodes_.size() * sizeof(GridNode);
}

void FieldGrid::measure(const FittedPart& part) {
  std::mt19937_64 random(hash_text(part.report.name));
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  const GridView grid = view();
  const double on_surface = -compact(part.support.map, 0.0, part.support.radius).slope;
  std::vector<double> errors;
  for (std::size_t tries = 0; tries < 20 * kProbes && errors.size() < kProbes; ++tries) {
    const Vec3d local{unit() * part.box.size.x, unit() * part.box.size.y, unit() * part.box.size.z};
    const Vec3f p = static_cast<Vec3f>(part.box.corner + part.box.axes * local);
    const FieldSample<float> f = eval_field(grid, p);
    if (f.value <= 0 || f.value >= 1) continue;
    const FieldSample<double> exact = part.support.apply(part.shape.eval(static_cast<Vec3d>(p)));
    errors.push_back(std::abs(static_cast<double>(f.value) - exact.value));
    report_.worst_gradient =
        std::max(report_.worst_gradient, distance(static_cast<Vec3d>(f.gradient), exact.gradient) / on_surface);
  }
  if (errors.empty()) return;
  std::ranges::sort(errors);
  report_.worst = errors.back();
  report_.p99 = errors[errors.size() * 99 / 100];
}

}  // namespace cutis
