// The nearest of many points: a k-d tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/math.h"

namespace cutis {

class PointTree {
 public:
  PointTree() = default;
  explicit PointTree(std::span<const Vec3d> points);

  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] std::size_t size() const { return order_.size(); }

  struct Near {
    std::uint32_t point = 0;
    double squared = 0;
    friend bool operator<(const Near& a, const Near& b) {
      return a.squared < b.squared || (a.squared == b.squared && a.point < b.point);
    }
  };
  /// The nearest `count` within `reach`, nearest first, the lower number first of equals. Replaces `found`.
  void nearest(const Vec3d& p, std::size_t count, double reach, std::vector<Near>& found) const;

 private:
  void build(std::size_t begin, std::size_t end);
  static constexpr std::size_t kLeaf = 8;
  std::vector<Vec3d> points_;         // in the order of the tree
  std::vector<std::uint32_t> order_;  // their numbers
  std::vector<unsigned char> axis_;   // of the split at the middle of each range
};

}  // namespace cutis
