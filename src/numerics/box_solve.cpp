#include "numerics/box_solve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "numerics/dense_solve.h"

namespace cutis {
namespace {

/// Rounds of changing all at once that may pass without progress before one at a time is changed.
constexpr int kPatience = 4;
/// Beyond a bound, or pulled off it, by less than this part of the largest number around is rounding.
constexpr double kRounding = 1e-12;

}  // namespace

bool solve_within(std::span<const double> a, std::span<double> x, std::span<const double> lower,
                  std::span<const double> upper) {
  const std::size_t n = x.size();
  const std::vector<double> b(x.begin(), x.end());
  std::vector<signed char> side(n, 0);  // -1: at its lower end, 1: at its upper one, 0: free
  std::vector<std::size_t> free;
  std::vector<double> small, y, result(n), wrong(n);
  std::size_t fewest = n + 1;
  int patience = kPatience;
  // Changing the last one that is wrong ends after finitely many rounds; in practice a handful.
  for (std::size_t round = 0; round < 20 * n + 100; ++round) {
    free.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (side[i] == 0)
        free.push_back(i);
      else
        result[i] = side[i] < 0 ? lower[i] : upper[i];
    }
    const std::size_t m = free.size();
    small.resize(m * m);
    y.resize(m);
    for (std::size_t r = 0; r < m; ++r) {
      const std::size_t i = free[r];
      y[r] = b[i];
      for (std::size_t j = 0; j < n; ++j)
        if (side[j] != 0) y[r] -= a[i * n + j] * result[j];
      for (std::size_t c = 0; c < m; ++c) small[r * m + c] = a[i * n + free[c]];
    }
    if (!solve_positive(small, y)) return false;
    for (std::size_t r = 0; r < m; ++r) result[free[r]] = y[r];

    // How far each is from where it belongs: beyond an end, or held at one that it is pulled away from.
    std::size_t count = 0, last = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong[i] = 0;
      if (side[i] == 0) {
        const double bit = kRounding * (1 + std::abs(result[i]));
        if (result[i] < lower[i] - bit) wrong[i] = -1;
        if (result[i] > upper[i] + bit) wrong[i] = 1;
      } else {
        double pull = b[i], scale = std::abs(b[i]);
        for (std::size_t j = 0; j < n; ++j) {
          pull -= a[i * n + j] * result[j];
          scale += std::abs(a[i * n + j] * result[j]);
        }
        if ((side[i] < 0 && pull > kRounding * scale) || (side[i] > 0 && pull < -kRounding * scale)) wrong[i] = 2;
      }
      if (wrong[i] != 0) ++count, last = i;
    }
    if (count == 0) break;
    if (count < fewest) fewest = count, patience = kPatience;
    const bool all = patience-- > 0;
    for (std::size_t i = all ? 0 : last; i <= last; ++i)
      if (wrong[i] != 0) side[i] = static_cast<signed char>(wrong[i] == 2 ? 0 : wrong[i]);
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(result[i], lower[i], upper[i]);
  return true;
}

}  // namespace cutis
