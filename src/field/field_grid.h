// A part's distance and gradient on a grid around its support: what frames look up.
//
// Tracking §6.1. Differs from the papers: cells are cubes in a box along the bone instead of 64^3 stretched
// ones, their size follows from an error bound; a node takes 8 bytes (four 16-bit integers) instead of 16; and the
// gradient is the derivative of the interpolated value (kernels/eval_field.h), which is exact for quadratics.
#pragma once

#include <functional>
#include <vector>

#include "field/fit_part.h"
#include "kernels/eval_field.h"

namespace cutis {

struct GridOptions {
  double error = 4e-3;                    ///< largest error of f (0 to 1) that is accepted
  std::size_t max_nodes = 600'000;        ///< per part, 8 bytes each
  std::function<void()> checkpoint = {};  ///< called before every refinement; what it throws comes through
};

struct GridReport {
  double cell = 0;  ///< metres
  std::size_t nodes = 0, bytes = 0;
  double bound = 0;           ///< GridOptions::error, or more where the shape itself is far less exact
  double worst = 0, p99 = 0;  ///< error of f at random points of the support, against the shape in double
  double worst_gradient = 0;  ///< error of grad f there, in units of its size on the surface
  bool met = false;           ///< worst <= bound; otherwise max_nodes stopped it
  std::size_t masked = 0;     ///< nodes of stray supports, taken out
};

class FieldGrid {
 public:
  FieldGrid() = default;
  FieldGrid(const FittedPart& part, const GridOptions& options = {});

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  [[nodiscard]] const GridReport& report() const { return report_; }
  /// Valid as long as this grid lives and stays where it is.
  [[nodiscard]] GridView view() const {
    GridView view = view_;
    view.nodes = nodes_.data();
    return view;
  }
  [[nodiscard]] const std::vector<GridNode>& nodes() const { return nodes_; }

 private:
  void build(const FittedPart& part, double cell);
  void measure(const FittedPart& part);

  std::vector<GridNode> nodes_;
  GridView view_;
  GridReport report_;
};

}  // namespace cutis
