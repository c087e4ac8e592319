// Rounding positions to float without joining vertices that a file keeps apart.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "base/hash.h"
#include "cutis/types.h"

namespace cutis {

/// Pieces placed by different node transforms may end up less than a float's rounding apart. Welding goes by equal
/// floats, so such neighbours are put on neighbouring floats; equal points stay equal.
class KeepApart {
 public:
  Vec3f round(const Vec3d& p) {
    auto q = static_cast<Vec3f>(p);
    // A crowd of points within one rounding (far from the origin) is beyond help: a few steps, then let be.
    for (int step = 0; step < kSteps; ++step) {
      const auto [it, is_new] = taken_.try_emplace(key(q), p);
      if (is_new || it->second == p) return q;
      const Vec3d d = p - it->second;
      const int axis = std::abs(d.x) >= std::abs(d.y) && std::abs(d.x) >= std::abs(d.z) ? 0
                       : std::abs(d.y) >= std::abs(d.z)                                 ? 1
                                                                                        : 2;
      q[axis] = std::nextafter(q[axis], d[axis] > 0 ? HUGE_VALF : -HUGE_VALF);
    }
    return q;
  }

 private:
  static constexpr int kSteps = 4;
  using Key = std::array<std::uint32_t, 3>;
  struct Hash {
    std::size_t operator()(const Key& k) const { return hash_bytes(k.data(), sizeof(k)); }
  };
  static Key key(const Vec3f& p) {
    const auto bits = [](float v) { return std::bit_cast<std::uint32_t>(v == 0 ? 0.0F : v); };
    return {bits(p.x), bits(p.y), bits(p.z)};
  }

  std::unordered_map<Key, Vec3d, Hash> taken_;
};

}  // namespace cutis
