// Farthest-point sampling: of many candidates always the one that is farthest from those taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace cutis {

template <class T>
class FarthestPoints {
 public:
  explicit FarthestPoints(std::size_t candidates) : gap_(candidates, std::numeric_limits<T>::max()) {}

  /// The candidate that is farthest from those taken, the first of equals. There must be a candidate.
  [[nodiscard]] std::size_t next() const {
    return static_cast<std::size_t>(std::ranges::max_element(gap_) - gap_.begin());
  }
  /// Its distance from the nearest one taken; below 0 when it is taken or left out.
  [[nodiscard]] T gap(std::size_t candidate) const { return gap_[candidate]; }
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::ranges::count_if(gap_, [](T gap) { return gap >= 0; }));
  }
  void leave_out(std::size_t candidate) { gap_[candidate] = -1; }
  /// `distance_to(i)`: of candidate i from the one taken, >= 0; squared or otherwise increasing serves as well.
  template <class DistanceTo>
  void take(std::size_t candidate, const DistanceTo& distance_to) {
    gap_[candidate] = -1;
    for (std::size_t i = 0; i < gap_.size(); ++i)
      if (!(gap_[i] < 0)) gap_[i] = std::min(gap_[i], distance_to(i));
  }

 private:
  std::vector<T> gap_;
};

}  // namespace cutis
