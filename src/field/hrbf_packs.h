// The cubic HRBF at many points, as many at a time as the machine's registers hold. Each point's sum is made in the
// order of the terms with the operations of the scalar function: the same bits on every machine.
#pragma once

#include <cstddef>
#include <span>

namespace cutis {

template <class T>
struct HrbfTerm {
  T x, y, z, a, bx, by, bz, pad = 0;
};

/// Points go in as rows x, y, z of `count` numbers in units of the function, values and gradients come out in their
/// place: `out` has four rows. Rows are `stride` apart; each has room for kHrbfPack numbers more than `count`.
inline constexpr std::size_t kHrbfPack = 16;
void eval_cubic(std::span<const HrbfTerm<float>> terms, std::size_t count, const float* in, float* out,
                std::size_t stride, float tiny);
void eval_cubic(std::span<const HrbfTerm<double>> terms, std::size_t count, const double* in, double* out,
                std::size_t stride, double tiny);

}  // namespace cutis
