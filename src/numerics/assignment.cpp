#include "numerics/assignment.h"

#include <limits>

namespace cutis {

std::vector<std::size_t> least_cost_assignment(std::size_t rows, std::size_t columns, std::span<const double> cost) {
  // Row and column 0 are empty; u and v are the prices under which every taken pair costs nothing.
  std::vector<double> u(rows + 1), v(columns + 1);
  std::vector<std::size_t> row_of(columns + 1, 0), before(columns + 1, 0);
  for (std::size_t row = 1; row <= rows; ++row) {
    row_of[0] = row;
    std::size_t column = 0;
    std::vector<double> least(columns + 1, std::numeric_limits<double>::infinity());
    std::vector<char> used(columns + 1, 0);
    do {
      used[column] = 1;
      const std::size_t r = row_of[column];
      double step = std::numeric_limits<double>::infinity();
      std::size_t next = 0;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (used[c]) continue;
        const double price = cost[(r - 1) * columns + c - 1] - u[r] - v[c];
        if (price < least[c]) least[c] = price, before[c] = column;
        if (least[c] < step) step = least[c], next = c;
      }
      for (std::size_t c = 0; c <= columns; ++c) {
        if (used[c]) {
          u[row_of[c]] += step;
          v[c] -= step;
        } else {
          least[c] -= step;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
  }
  std::vector<std::size_t> result(rows, 0);
  for (std::size_t c = 1; c <= columns; ++c)
    if (row_of[c] != 0) result[row_of[c] - 1] = c - 1;
  return result;
}

}  // namespace cutis
