// The determinant of float coordinates is a sum of few products. A product of two floats is exact in double, a third
// factor splits it into two doubles (product and its rounding error, by fma), and the sum of those terms is kept as an
// expansion: doubles that do not overlap, so that the largest one carries the sign (Dekker 1971, Priest 1991,
// Shewchuk 1997). Products of three floats lie within 2^-447 .. 2^384, so that nothing over- or underflows.
#include "geometry/predicates.h"

#include <array>
#include <cmath>

namespace cutis {
namespace {

constexpr double kEpsilon = 0x1p-53;  // unit roundoff
// Rounded evaluation: every product carries at most 3 rounded differences, 2 multiplications and 4 additions, i.e.
// a relative error below 9.1 kEpsilon of the sum of magnitudes; doubled to be safe from the bound's own rounding.
constexpr double kBound3d = 18 * kEpsilon;
constexpr double kBound2d = 10 * kEpsilon;

int sign(double x) { return (x > 0) - (x < 0); }

// A sum kept as components of increasing magnitude.
template <int kCapacity>
class Expansion {
 public:
  void add(double x) {
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      // Exact sum of x and the component: rounded sum moves on, rounding error stays (zeros are dropped).
      const double c = component_[i], sum = x + c, virtual_c = sum - x;
      const double error = (x - (sum - virtual_c)) + (c - virtual_c);
      x = sum;
      if (error != 0) component_[kept++] = error;
    }
    if (x != 0) component_[kept++] = x;
    size_ = kept;
  }
  void add_product(double exact_pair, double factor) {
    const double product = exact_pair * factor;
    add(std::fma(exact_pair, factor, -product));
    add(product);
  }
  [[nodiscard]] int sign_of_sum() const { return size_ == 0 ? 0 : sign(component_[size_ - 1]); }

 private:
  std::array<double, kCapacity> component_;
  int size_ = 0;
};

double exact(float a, float b) { return static_cast<double>(a) * b; }

// det[p, q, r], times s
void add_determinant(Expansion<48>& sum, const Vec3f& p, const Vec3f& q, const Vec3f& r, double s) {
  sum.add_product(exact(q.y, r.z), s * p.x);
  sum.add_product(exact(q.z, r.y), -s * p.x);
  sum.add_product(exact(q.z, r.x), s * p.y);
  sum.add_product(exact(q.x, r.z), -s * p.y);
  sum.add_product(exact(q.x, r.y), s * p.z);
  sum.add_product(exact(q.y, r.x), -s * p.z);
}

int orient3d_exact(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3f& d) {
  Expansion<48> sum;  // 4 determinants of 6 products of 2 components
  add_determinant(sum, a, b, c, 1);
  add_determinant(sum, a, b, d, -1);
  add_determinant(sum, a, c, d, 1);
  add_determinant(sum, b, c, d, -1);
  return sum.sign_of_sum();
}

}  // namespace

int orient3d(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3f& d) {
  const auto o = static_cast<Vec3d>(d);
  const Vec3d u = static_cast<Vec3d>(a) - o, v = static_cast<Vec3d>(b) - o, w = static_cast<Vec3d>(c) - o;
  const double vy_wz = v.y * w.z, vz_wy = v.z * w.y;
  const double vz_wx = v.z * w.x, vx_wz = v.x * w.z;
  const double vx_wy = v.x * w.y, vy_wx = v.y * w.x;
  const double det = u.x * (vy_wz - vz_wy) + u.y * (vz_wx - vx_wz) + u.z * (vx_wy - vy_wx);
  const double magnitude = std::abs(u.x) * (std::abs(vy_wz) + std::abs(vz_wy)) +
                           std::abs(u.y) * (std::abs(vz_wx) + std::abs(vx_wz)) +
                           std::abs(u.z) * (std::abs(vx_wy) + std::abs(vy_wx));
  if (std::abs(det) > kBound3d * magnitude) return sign(det);
  return orient3d_exact(a, b, c, d);
}

int orient2d(const Vec2f& a, const Vec2f& b, const Vec2f& c) {
  const double left = (static_cast<double>(a.x) - c.x) * (static_cast<double>(b.y) - c.y);
  const double right = (static_cast<double>(a.y) - c.y) * (static_cast<double>(b.x) - c.x);
  const double det = left - right;
  if (std::abs(det) > kBound2d * (std::abs(left) + std::abs(right))) return sign(det);
  Expansion<6> sum;
  sum.add(exact(a.x, b.y));
  sum.add(-exact(a.y, b.x));
  sum.add(exact(b.x, c.y));
  sum.add(-exact(b.y, c.x));
  sum.add(exact(c.x, a.y));
  sum.add(-exact(c.y, a.x));
  return sum.sign_of_sum();
}

bool has_zero_area(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  for (int axis = 0; axis < 3; ++axis)
    if (orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)) != 0) return false;
  return true;
}

}  // namespace cutis
