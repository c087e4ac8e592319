// The rotation nearest to a 3x3 matrix, from a start that is close: the local step of ARAP.
//
// Müller, Bender, Chentanez, Macklin, "A robust method to extract the rotational part of deformations", MIG 2016. A few
// steps suffice from frame to frame; never a reflection, also for flat and turned-over cells.
#pragma once

#include <cmath>

#include "base/math.h"

namespace cutis {

/// After a turn as small as this there is nothing left to gain, radians: what remains is of its square's order.
inline constexpr double kRestedTurn = 1e-3;

/// Improves `q` (unit) towards the rotation R that maximises trace(R^T a).
inline Quatd fit_rotation(const Mat3d& a, Quatd q, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Mat3d r = to_matrix(q);
    const Vec3d torque = cross(r.col[0], a.col[0]) + cross(r.col[1], a.col[1]) + cross(r.col[2], a.col[2]);
    const double stiffness =
        std::abs(dot(r.col[0], a.col[0]) + dot(r.col[1], a.col[1]) + dot(r.col[2], a.col[2])) + 1e-30;
    const Vec3d turn = torque / stiffness;
    const double angle2 = dot(turn, turn);
    if (!(angle2 > 0)) break;
    // Half the turn as the vector of the quaternion: the angle is then 2 atan(|turn| / 2), which bounds large steps and
    // needs no sine. The fixed point is the same.
    q = normalized(Quatd{0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1} * q);
    if (angle2 < kRestedTurn * kRestedTurn) break;
  }
  return q;
}

}  // namespace cutis
