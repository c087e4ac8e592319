// With q = phi'/x and s = (phi'' - q)/x^2: value a phi + q (b.D), gradient a q D + q b + s (b.D) D. For x^3, s = 3/x
// grows at a centre while (b.D) D falls faster: a tiny number under the root makes the product 0 there, its limit, and
// keeps the loop free of branches.
#include "field/hrbf.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "numerics/dense_solve.h"

namespace cutis {

namespace {

constexpr double kTinyDouble = 1e-60;  // under the root, in units of the samples' extent squared
constexpr double kAccepted = 1e-4;     // samples missed by more were contradictory
constexpr double kFloatError = 1e-4;   // of the samples' extent: what float may lose
constexpr float kTinyFloat = 1e-30F;

struct Radial {
  double phi, q, s;
};

Radial radial(HrbfKernel kernel, double x2, double shape) {
  const double x = std::sqrt(x2);
  switch (kernel) {
    case HrbfKernel::quintic:
      return {x2 * x2 * x, 5 * x2 * x, 15 * x};
    case HrbfKernel::multiquadric: {
      const double e2 = shape * shape, phi = std::sqrt(1 + e2 * x2), q = e2 / phi;
      return {phi, q, -q * e2 / (phi * phi)};
    }
    case HrbfKernel::cubic:
      break;
  }
  return {x2 * x, 3 * x, 3 / x};
}

}  // namespace

Hrbf::Hrbf(std::span<const SurfaceSample> samples, HrbfKernel kernel) : kernel_(kernel) {
  const std::size_t n = samples.size();
  report_.samples = n;
  if (n == 0) return;
  Box box;
  for (const SurfaceSample& s : samples) box.add(s.position);
  origin_ = center(box);
  scale_ = diagonal(box) > 0 ? diagonal(box) / 2 : 1;
  for (const SurfaceSample& s : samples) centers_.push_back((s.position - origin_) / scale_);
  // Spacing of n points spread over a closed surface whose extent is 1: its area is of the order of 2 pi.
  shape_ = std::sqrt(static_cast<double>(n) / 6);

  const std::size_t size = 4 * n;
  std::vector<double> matrix(size * size, 0.0), rhs(size, 0.0);
  const auto at = [&](std::size_t row, std::size_t col) -> double& { return matrix[col * size + row]; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Vec3d d = centers_[i] - centers_[j];
      const Radial r = radial(kernel, dot(d, d) + kTinyDouble, shape_);
      at(4 * i, 4 * j) = r.phi;
      for (int u = 0; u < 3; ++u) {
        const auto row = static_cast<std::size_t>(u + 1);
        at(4 * i, 4 * j + row) = r.q * d[u];
        at(4 * i + row, 4 * j) = r.q * d[u];
        for (int v = 0; v < 3; ++v)
          at(4 * i + row, 4 * j + static_cast<std::size_t>(v + 1)) = r.s * d[u] * d[v] + (u == v ? r.q : 0.0);
      }
    }
    rhs[4 * i] = samples[i].value / scale_;
    for (int u = 0; u < 3; ++u) rhs[4 * i + static_cast<std::size_t>(u + 1)] = samples[i].normal[u];
  }
  const DenseSolution solution = solve_dense(size, matrix, rhs);
  a_.resize(n);
  b_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    a_[i] = solution.x[4 * i];
    b_[i] = {solution.x[4 * i + 1], solution.x[4 * i + 2], solution.x[4 * i + 3]};
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d &cd = centers_[i], &bd = b_[i];
    precise_terms_.push_back({cd.x, cd.y, cd.z, a_[i], bd.x, bd.y, bd.z});
    const Vec3f c = static_cast<Vec3f>(cd), b = static_cast<Vec3f>(bd);
    terms_.push_back({c.x, c.y, c.z, static_cast<float>(a_[i]), b.x, b.y, b.z});
  }
  report_.ok = solution.ok;
  if (!report_.ok) return;
  for (const SurfaceSample& s : samples) {
    const DistanceSample d = eval(s.position);
    report_.worst_value = std::max(report_.worst_value, std::abs(d.value - s.value) / scale_);
    report_.worst_gradient = std::max(report_.worst_gradient, distance(d.gradient, s.normal));
  }
  report_.ok = report_.worst_value <= kAccepted && report_.worst_gradient <= kAccepted;

  // Smoother kernels, and samples close to each other that want different things, have large coefficients of both
  // signs: float would lose their digits.
  needs_double_ = kernel != HrbfKernel::cubic;
  if (needs_double_) return;
  std::vector<Vec3f> points(n), gradients(n);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) points[i] = static_cast<Vec3f>(samples[i].position);
  eval(points, values, gradients);
  for (std::size_t i = 0; i < n; ++i) {
    const double exact = eval(static_cast<Vec3d>(points[i])).value;
    if (!(std::abs(static_cast<double>(values[i]) - exact) <= kFloatError * scale_)) needs_double_ = true;
  }
}

DistanceSample Hrbf::eval(const Vec3d& p) const {
  const Vec3d x = (p - origin_) / scale_;
  DistanceSample sum;
  for (std::size_t k = 0; k < centers_.size(); ++k) {
    const Vec3d d = x - centers_[k];
    const Radial r = radial(kernel_, dot(d, d) + kTinyDouble, shape_);
    const double bd = dot(b_[k], d);
    sum.value += a_[k] * r.phi + r.q * bd;
    sum.gradient += d * (a_[k] * r.q + r.s * bd) + b_[k] * r.q;
  }
  sum.value *= scale_;
  return sum;
}

namespace {

// So many points at a time: their rows stay in the first cache.
constexpr std::size_t kBlock = 128;

template <class T>
void eval_blocks(std::span<const HrbfTerm<T>> terms, const Vec3<T>& origin, double scale, T tiny,
                 std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients) {
  constexpr std::size_t kStride = kBlock + kHrbfPack;
  T in[3 * kStride] = {}, out[4 * kStride];
  const T unit = static_cast<T>(scale), inverse = static_cast<T>(1 / scale);
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, points.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3<T> p = static_cast<Vec3<T>>(points[first + i]) - origin,
                    x = sizeof(T) == sizeof(double) ? p / unit : p * inverse;
      in[i] = x.x;
      in[kStride + i] = x.y;
      in[2 * kStride + i] = x.z;
    }
    eval_cubic(terms, count, in, out, kStride, tiny);
    for (std::size_t i = 0; i < count; ++i) {
      values[first + i] = static_cast<float>(out[i] * unit);
      gradients[first + i] = {static_cast<float>(out[kStride + i]), static_cast<float>(out[2 * kStride + i]),
                              static_cast<float>(out[3 * kStride + i])};
    }
  }
}

}  // namespace

void Hrbf::eval_precise(std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients) const {
  if (kernel_ == HrbfKernel::cubic) {
    eval_blocks<double>(precise_terms_, origin_, scale_, kTinyDouble, points, values, gradients);
    return;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const DistanceSample d = eval(static_cast<Vec3d>(points[i]));
    values[i] = static_cast<float>(d.value);
    gradients[i] = static_cast<Vec3f>(d.gradient);
  }
}

void Hrbf::eval(std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients) const {
  if (kernel_ != HrbfKernel::cubic) return eval_precise(points, values, gradients);
  const Vec3f origin = static_cast<Vec3f>(origin_);
  eval_blocks<float>(terms_, origin, scale_, kTinyFloat, points, values, gradients);
}

}  // namespace cutis
