// The field of one part, ready to be composed: compact, in rest space, looked up in its grid or computed exactly.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cutis/context.h"
#include "field/field_grid.h"
#include "field/fit_part.h"

namespace cutis {

struct FieldOptions {
  FitOptions fit = {};
  std::vector<FitOptions> per_part = {};  ///< instead of `fit`: one per part
  GridOptions grid = {};
  /// Of all parts together, 8 bytes each. A part has a share of these and of the work, and no more: half goes to all
  /// parts alike, a quarter follows their vertices, a quarter their surface.
  std::size_t grid_nodes = 4'000'000;
  double fit_work = 8e7;  ///< of all parts together, as FitOptions::work: 640 systems of 50 samples
};

class PartField {
 public:
  PartField() = default;
  PartField(FittedPart part, const GridOptions& options);

  /// No field: 0 everywhere.
  [[nodiscard]] bool empty() const { return part_.shape.empty(); }
  [[nodiscard]] const std::string& name() const { return part_.report.name; }
  [[nodiscard]] const FitReport& report() const { return part_.report; }
  [[nodiscard]] const PartShape& shape() const { return part_.shape; }
  [[nodiscard]] const CompactSupport& support() const { return part_.support; }
  [[nodiscard]] const OrientedBox& box() const { return part_.box; }
  [[nodiscard]] const FieldGrid& grid() const { return grid_; }

  /// From the grid. f in [0,1], 0.5 on the surface; the gradient points inward; both 0 outside the support.
  [[nodiscard]] FieldSample<float> eval(const Vec3f& p_rest) const {
    return grid_.empty() ? FieldSample<float>{} : eval_field(grid_.view(), p_rest);
  }
  /// Many points, as many samples.
  void eval(std::span<const Vec3f> p_rest, std::span<FieldSample<float>> samples) const;
  /// From the shape itself, in double; 0 outside the box.
  [[nodiscard]] FieldSample<double> eval_exact(const Vec3d& p_rest) const;

 private:
  FittedPart part_;
  FieldGrid grid_;
};

/// All parts, one task each; the result does not depend on the number of threads.
[[nodiscard]] std::vector<PartField> make_fields(std::span<const PartPatch> patches, const FieldOptions& options,
                                                 const Context& context);

}  // namespace cutis
