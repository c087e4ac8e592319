// Generalised winding numbers: 1 inside, 0 outside of a closed outward mesh, graceful in between for open ones.
//
// Barill, Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for soups and clouds", SIGGRAPH 2018: far groups of
// triangles are replaced by a Taylor expansion, here of degree two. Differs from the paper: the remainder of the
// expansion is bounded beside it, so that a decision (inside or not) is the one of the exact sum, not a likely one.
#pragma once

#include <span>
#include <vector>

#include "cutis/types.h"
#include "geometry/triangle_bvh.h"

namespace cutis {

/// Solid angle of the triangle seen from q over 4 pi; positive when q is behind it. 0 in the triangle's own plane.
[[nodiscard]] double winding_number(const Vec3f& a, const Vec3f& b, const Vec3f& c, const Vec3d& q);

class WindingNumber {
 public:
  /// Of the triangles in `bvh`. All three are kept by reference and must outlive this.
  WindingNumber(const TriangleBvh& bvh, std::span<const Vec3f> positions, std::span<const Triangle> triangles);

  /// The plain sum over all triangles.
  [[nodiscard]] double exact(const Vec3d& q) const;

  struct Estimate {
    double value = 0;
    double error = 0;  ///< |value - exact(q)| is no larger (rounding aside)
  };
  /// Groups farther away than `beta` >= 1.5 times their radius are expanded. Larger is slower and closer.
  [[nodiscard]] Estimate estimate(const Vec3d& q, double beta) const;

  /// exact(q) > threshold, decided from estimates as far as their error bounds allow.
  [[nodiscard]] bool exceeds(const Vec3d& q, double threshold) const;

 private:
  // Expansion of a node around `center`, contracted to what its evaluation needs.
  struct Moments {
    Vec3d center;
    double radius = 0;   // of a ball around the centre that holds all triangles
    double spread = 0;   // integral of |d|^2 over radius^2, for the error bound
    Vec3d first;         // N_i = sum of area vectors
    double trace = 0;    // M_ii, M_ij = integral of n_i d_j, d = x - centre
    double second[6]{};  // xx yy zz, xy+yx, xz+zx, yz+zy of M
    Vec3d contracted;    // 2 T_iik + T_kii, T_ijk = integral of n_i d_j d_k
    double third[10]{};  // coefficients of x^3 y^3 z^3 x^2y x^2z y^2x y^2z z^2x z^2y xyz in T_ijk r_i r_j r_k
  };

  const TriangleBvh& bvh_;
  std::span<const Vec3f> positions_;
  std::span<const Triangle> triangles_;
  std::vector<Moments> moments_;  // per node
};

}  // namespace cutis
