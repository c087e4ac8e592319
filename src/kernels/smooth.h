// ONE VERTEX and its neighbours: smoothing around contact (Implicit §3.5.3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math.h"

namespace cutis {

/// Of a number and those of the neighbours.
CUTIS_HD inline float mean_with_ring(float own, const float* numbers, const std::uint32_t* ring, std::size_t count) {
  float sum = own;
  for (std::size_t j = 0; j < count; ++j) sum += numbers[ring[j]];
  return sum / static_cast<float>(count + 1);
}

template <class T>
struct RingSum {
  Vec3<T> sum;
  T weight = 0;
};
/// Of the neighbours, weighted.
template <class T>
CUTIS_HD RingSum<T> sum_of_ring(const Vec3<T>* of, const std::uint32_t* ring, const float* weights, std::size_t count) {
  RingSum<T> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.sum += of[ring[k]] * static_cast<T>(weights[k]);
    all.weight += weights[k];
  }
  return all;
}

/// Towards the mean of the neighbours by `strength`, not at all from 0 down.
CUTIS_HD inline Vec3f smooth_towards_ring(const Vec3f& p, const Vec3f* positions, const std::uint32_t* ring,
                                          std::size_t count, float strength) {
  if (!(strength > 0) || count == 0) return p;
  Vec3f sum;
  for (std::size_t j = 0; j < count; ++j) sum += positions[ring[j]];
  return lerp(p, sum / static_cast<float>(count), strength);
}

}  // namespace cutis
