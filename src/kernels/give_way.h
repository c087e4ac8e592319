// ONE VERTEX of the contact pass: where smooth skinning has it, how its give settles, how folds around contact are
// smoothed. docs/algorithms/contact.md.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/dual_quat.h"
#include "base/math.h"
#include "kernels/field_constants.h"
#include "kernels/smooth.h"

namespace cutis {

// ---- smooth skinning ----

/// Dual quaternions after a linear blend of stretches: no method's skin, but one that moves as smoothly as the bones do
/// and keeps its volume. False, and nothing else, where the rotations cancel.
template <class T>
CUTIS_HD bool blend_turns(const DualQuat<T>* rigid, const Mat3<T>* stretch, const std::uint32_t* bones,
                          const float* weights, std::size_t count, const Vec3<T>& rest, Vec3<T>& out) {
  const auto add = [](Quat<T>& sum, const Quat<T>& q, T w) {
    sum = {sum.x + q.x * w, sum.y + q.y * w, sum.z + q.z * w, sum.w + q.w * w};
  };
  Quat<T> real{0, 0, 0, 0}, dual{0, 0, 0, 0};
  Vec3<T> stretched;
  for (std::size_t k = 0; k < count; ++k) {
    const auto w = static_cast<T>(weights[k]);
    add(real, rigid[bones[k]].real, w);
    add(dual, rigid[bones[k]].dual, w);
    stretched += stretch[bones[k]] * rest * w;
  }
  const T size = std::sqrt(dot(real, real));
  if (!(size > T(field_constants::kOpposite))) return false;
  const T s = 1 / size;
  out = transform_point(
      DualQuat<T>{{real.x * s, real.y * s, real.z * s, real.w * s}, {dual.x * s, dual.y * s, dual.z * s, dual.w * s}},
      stretched);
  return true;
}

// ---- give ----

/// Between what holds it and its own stiffness: the mean of the neighbours' / (1 + stiffness).
template <class T>
CUTIS_HD Vec3<T> settled_give(const Vec3<T>* give, const std::uint32_t* ring, const float* weights, std::size_t count,
                              T stiffness) {
  const RingSum<T> ring_sum = sum_of_ring(give, ring, weights, count);
  return ring_sum.weight > 0 ? ring_sum.sum / (ring_sum.weight * (1 + stiffness)) : Vec3<T>{};
}

/// A vertex in contact follows its neighbours by this part in a sub-step: it stays pressed on what holds it, and loses
/// touch within a few sub-steps when that goes away.
inline constexpr double kContactYield = 0.25;

/// Give below this part of a local edge is none.
inline constexpr double kNoGive = 1e-4;

/// How deep a vertex at `at` is pressed in, metres, against where its part's motion carries it; >= 0.
template <class T>
CUTIS_HD T pressed_in(const Vec3<T>& rest, const Vec3<T>& rest_normal, const Affine<T>& motion, const Vec3<T>& at) {
  const Vec3<T> normal = normalized(cofactor(motion.linear) * rest_normal);
  const T depth = dot(transform_point(motion, rest) - at, normal);
  return std::isfinite(depth) && depth > 0 ? depth : T(0);
}

// ---- swelling: (1 - c) A u - div(lambda^2 grad u) = c A h ----

/// Goes to `goal` by `rate` when it rises, by `release` when it falls.
template <class T>
CUTIS_HD void follow(T& value, T goal, T rate, T release) {
  value += (goal > value ? rate : release) * (goal - value);
}

/// What falls goes twice as fast as what rises.
template <class T>
CUTIS_HD T release_of(T rate) {
  return 1 - (1 - rate) * (1 - rate);
}

/// Touch lingers, half as fast as it came: while a fold opens, its sides touch in one sub-step and not in the next.
template <class T>
CUTIS_HD T linger_of(T rate) {
  return 1 - std::sqrt(1 - rate);
}

/// The diagonal of that system; 1 for a vertex that has nothing to do with it.
template <class T>
CUTIS_HD T swell_diagonal(T touch, T area, const T* conduct, std::size_t count) {
  T sum = (1 - touch) * area;
  for (std::size_t k = 0; k < count; ++k) sum += conduct[k];
  return sum > 0 ? sum : T(1);
}

/// A row of it; `slot`: of each vertex in x, below 0: not in it.
template <class T>
CUTIS_HD T swell_row(T diagonal, T own, const T* x, const std::int32_t* slot, const std::uint32_t* ring,
                     const T* conduct, std::size_t count) {
  T y = diagonal * own;
  for (std::size_t k = 0; k < count; ++k)
    if (const std::int32_t u = slot[ring[k]]; u >= 0) y -= conduct[k] * x[u];
  return y;
}

/// What skin is lifted in the end: bounded, nothing where it is not worth it, none where skin touches.
template <class T>
CUTIS_HD T swell_height(T lift, T radius, T touch) {
  constexpr T kMost = T(0.2);     // radii that skin is lifted
  constexpr T kLeast = T(0.005);  // radii that are not worth lifting: skin far away stays exactly where it is
  const T most = kMost * radius, over = lift - kLeast * radius;
  return most > 0 ? most * std::tanh((over > 0 ? over : T(0)) / most) * (1 - touch) : T(0);
}

/// Which way: `normal` as the vertex's bones turn it.
template <class T>
CUTIS_HD Vec3<T> swell_direction(const Vec3<T>& normal, const Affine<T>* motion, const std::uint32_t* bones,
                                 const float* weights, std::size_t count) {
  Vec3<T> sum;
  for (std::size_t k = 0; k < count; ++k)
    sum += cofactor(motion[bones[k]].linear) * normal * static_cast<T>(weights[k]);
  return normalized(sum);
}

// ---- folds ----

/// How much a fold is smoothed; cosines between the normals of its two faces, now and at rest.
template <class T>
CUTIS_HD T fold_weight(T cosine, T rest) {
  // Where smoothing begins and is complete; and by how much it must be below rest's.
  constexpr T kFrom = 0, kTo = T(-0.6), kMoreThanRest = T(0.5);
  if (cosine >= kFrom) return 0;
  return smooth_step(-cosine, -kFrom, -kTo) * smooth_step(rest - cosine, T(0), kMoreThanRest);
}

/// Towards the neighbours' mean. Weights by cotangents: long edges do not pull short ones out of shape.
template <class T>
CUTIS_HD Vec3<T> smoothed_fold(const Vec3<T>& p, const Vec3<T>* at, const std::uint32_t* ring, const float* weights,
                               std::size_t count, T weight) {
  const RingSum<T> ring_sum = sum_of_ring(at, ring, weights, count);
  return ring_sum.weight > 0 ? lerp(p, ring_sum.sum / ring_sum.weight, T(0.5) * weight) : p;
}

}  // namespace cutis
