#include "rig/wound_skin.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/math.h"

namespace cutis {
namespace {

// More than half a turn, so that a bone that trembles about that does not go to and fro. Degrees.
constexpr double kMostWound = 200;

// 1 at the bone and those that are linked to the rest through it.
std::vector<char> beyond(const Rig& rig, std::uint32_t bone) {
  std::vector<char> side(rig.bones.size(), 0);
  side[bone] = 1;
  for (const SkinLink& link : rig.links)
    if (side[link.to] != 0) side[link.bone] = 1;
  return side;
}

}  // namespace

void unwind(const Rig& rig, std::span<Quatd> rotations, std::vector<std::uint32_t>& unwound) {
  const double least = std::cos(0.5 * kMostWound * kPi / 180);
  const std::size_t known = unwound.size();
  for (const SkinLink& link : rig.links)
    if (dot(rotations[link.bone], rotations[link.to]) < least) unwound.push_back(link.bone);
  for (std::size_t i = known; i < unwound.size(); ++i) {
    const std::vector<char> side = beyond(rig, unwound[i]);
    for (std::size_t b = 0; b < side.size(); ++b)
      if (side[b] != 0) rotations[b] = negated(rotations[b]);
  }
}

void mark_unwound(const Rig& rig, std::span<const std::uint32_t> unwound, std::vector<char>& region) {
  const RigSurface& s = rig.surface;
  region.resize(s.size(), 0);
  std::vector<float> left(s.size());  // metres that the region may still grow
  std::deque<std::uint32_t> queue;
  const auto radius_of = [&](std::uint32_t b) {
    return b < rig.fields.size() && !rig.fields[b].empty() ? rig.fields[b].grid.radius : 0.0F;
  };
  for (const std::uint32_t bone : unwound) {
    const std::vector<char> side = beyond(rig, bone);
    const auto is_beyond = [&](std::uint32_t b) { return side[b] != 0; };
    float radius = radius_of(bone);
    for (const SkinLink& link : rig.links)
      if (link.bone == bone) radius = std::min(radius, radius_of(link.to));
    std::ranges::fill(left, 0.0F);
    for (std::uint32_t v = 0; v < s.size(); ++v) {
      const auto bones = s.turn.row(v);
      if (std::ranges::none_of(bones, is_beyond) || std::ranges::all_of(bones, is_beyond)) continue;
      left[v] = radius;
      queue.push_back(v);
    }
    for (; !queue.empty(); queue.pop_front()) {
      const std::uint32_t v = queue.front();
      region[v] = 1;
      for (const std::uint32_t w : s.neighbours.row(v)) {
        const float rest = left[v] - distance(s.positions[v], s.positions[w]);
        if (!(rest > left[w])) continue;
        left[w] = rest;
        queue.push_back(w);
      }
    }
  }
}

}  // namespace cutis
