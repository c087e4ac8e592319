// Polar decomposition M = R S of a 3x3 matrix: R a proper rotation, S symmetric.
#pragma once

#include "base/math.h"

namespace cutis {

struct Polar {
  Quatd rotation;
  Mat3d stretch;  ///< symmetric; negative definite part included when M mirrors, so that rotation * stretch = M
};

/// Exact to rounding for regular M. A singular M gets a rotation that completes its image to a right-handed frame.
[[nodiscard]] Polar polar_decompose(const Mat3d& m);

/// The proper rotation nearest to M. Continuous as long as not two of M's singular values vanish, and, where M mirrors,
/// as long as the smallest is alone.
[[nodiscard]] Quatd nearest_rotation(const Mat3d& m);

struct SymmetricEigen {
  Mat3d vectors;  ///< columns, orthonormal, right-handed
  Vec3d values;
};
[[nodiscard]] SymmetricEigen eigen_decompose(const Mat3d& symmetric);

/// M as translation * rotation * scale times a residual that is the identity unless M has shear.
struct TrsDecomposition {
  Trsd trs;
  Affine3d residual;
  bool exact = true;  ///< residual is the identity to rounding
};
[[nodiscard]] TrsDecomposition decompose_trs(const Affine3d& m);

}  // namespace cutis
