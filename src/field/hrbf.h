// Hermite radial basis functions: a smooth function that is 0 at given points and has given gradients there.
//
// Implicit §3.3.1: d(p) = sum_k a_k phi(|D|) + b_k . grad phi(|D|), D = p - c_k. Centres are the samples,
// the system is square (4 n), without a polynomial part. d is a distance near the samples only: with phi = x^3 it is
// about half the radius on the axis of a cylinder.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "field/distance.h"
#include "field/hrbf_packs.h"

namespace cutis {

enum class HrbfKernel : std::uint8_t {
  cubic,         ///< x^3: the papers' choice; smooth far fields
  quintic,       ///< x^5: rounder, less local
  multiquadric,  ///< sqrt(1 + x^2), x in units of the mean spacing of the samples
};

struct SurfaceSample {
  Vec3d position, normal;  ///< outward, unit (any wanted gradient for points that are not on the surface)
  double value = 0;        ///< wanted distance, metres: 0 on the surface
};

struct HrbfReport {
  std::size_t samples = 0;
  double worst_value = 0;     ///< largest |d| at a sample, in units of the extent of the samples
  double worst_gradient = 0;  ///< largest |grad d - n| at a sample
  bool ok = false;            ///< the system was regular; otherwise the function is not usable
};

class Hrbf {
 public:
  Hrbf() = default;
  /// Fits in double. Samples must be finite and pairwise different; see report().ok for whether it succeeded.
  explicit Hrbf(std::span<const SurfaceSample> samples, HrbfKernel kernel = HrbfKernel::cubic);

  [[nodiscard]] const HrbfReport& report() const { return report_; }
  [[nodiscard]] bool empty() const { return centers_.empty(); }
  /// Coefficients so large that float loses digits that matter.
  [[nodiscard]] bool needs_double() const { return needs_double_; }
  [[nodiscard]] std::size_t size() const { return centers_.size(); }

  [[nodiscard]] DistanceSample eval(const Vec3d& p) const;

  /// The same at many points: the bits of eval(p), rounded to float.
  void eval_precise(std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients) const;
  /// The same in float (the cubic kernel; others in double), for grids and frames. Writes as many samples as there are
  /// points. Not exact where needs_double() holds.
  void eval(std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients) const;

 private:
  HrbfKernel kernel_ = HrbfKernel::cubic;
  Vec3d origin_;  // the samples' centre and extent: the system is solved in units in which they are 0 and 1
  double scale_ = 1;
  double shape_ = 1;  // of the multiquadric, per unit
  std::vector<Vec3d> centers_, b_;
  std::vector<double> a_;
  std::vector<HrbfTerm<double>> precise_terms_;  // the same, together
  std::vector<HrbfTerm<float>> terms_;           // in float
  bool needs_double_ = false;
  HrbfReport report_;
};

}  // namespace cutis
