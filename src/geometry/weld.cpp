// A hash from position bits to the welded vertices at that position; copies with other weights chain behind it.
#include "geometry/weld.h"

#include <bit>
#include <unordered_map>

namespace cutis {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffffU;

struct Key {
  std::uint32_t x, y, z;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& k) const {
    std::uint64_t h = k.x * 0x9E3779B97F4A7C15ULL;
    h = (h ^ (h >> 32) ^ k.y) * 0xC2B2AE3D27D4EB4FULL;
    h = (h ^ (h >> 29) ^ k.z) * 0x165667B19E3779F9ULL;
    return h ^ (h >> 32);
  }
};

std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v == 0.0F ? 0.0F : v); }

}  // namespace

Weld weld(std::span<const Vec3f> positions, const std::function<bool(std::uint32_t, std::uint32_t)>& compatible) {
  Weld result;
  result.welded_of.resize(positions.size());
  std::vector<std::uint32_t> next;  // per welded vertex: another one at the same position
  std::unordered_map<Key, std::uint32_t, KeyHash> at;
  at.reserve(positions.size());
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    const Vec3f& p = positions[v];
    const auto fresh = static_cast<std::uint32_t>(result.first_of.size());
    auto [it, inserted] = at.try_emplace(Key{bits(p.x), bits(p.y), bits(p.z)}, fresh);
    std::uint32_t found = kNoVertex;
    if (!inserted) {
      for (std::uint32_t w = it->second;; w = next[w]) {
        if (!compatible || compatible(result.first_of[w], v)) {
          found = w;
          break;
        }
        if (next[w] == kNoVertex) {
          next[w] = fresh;
          break;
        }
      }
    }
    if (found == kNoVertex) {
      found = fresh;
      result.first_of.push_back(v);
      next.push_back(kNoVertex);
    }
    result.welded_of[v] = found;
  }
  return result;
}

std::vector<Triangle> weld_triangles(const Weld& weld, std::span<const Triangle> triangles) {
  std::vector<Triangle> result;
  result.reserve(triangles.size());
  for (const Triangle& t : triangles)
    result.push_back({weld.welded_of[t[0]], weld.welded_of[t[1]], weld.welded_of[t[2]]});
  return result;
}

}  // namespace cutis
