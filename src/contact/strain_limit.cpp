// Position-based strain limiting (Provot 1995; Müller et al. 2007), by Jacobi passes: bits do not depend on the order.
#include "contact/strain_limit.h"

#include <algorithm>

#include "base/math.h"
#include "base/parallel_for.h"
#include "kernels/strain.h"

namespace cutis {
namespace {

constexpr std::size_t kLimitedPerChunk = 1024;
// A vertex that is off by itself is back after five; a limb of twenty rings that was left behind takes all of them.
constexpr int kMostPasses = 60;
// Of what the passes average: edges around a vertex mostly ask for the same.
constexpr float kOver = 1.5F;

float squared_distance(const Vec3f& a, const Vec3f& b) {
  const Vec3f way = a - b;
  return dot(way, way);
}

// Of an edge that can be seen, else 1.
float stretch_of(const RigSurface& s, std::span<const Vec3f> at, std::uint32_t v, std::uint32_t w) {
  const float rest = distance(s.positions[v], s.positions[w]);
  return rest > kNoEdge * s.edge[v] ? distance(at[v], at[w]) / rest : 1.0F;
}

}  // namespace

StrainRest::StrainRest(const RigSurface& surface) {
  const RigRows& rings = surface.neighbours;
  free_square.reserve(rings.items.size());
  for (std::size_t v = 0; v < surface.size(); ++v)
    for (const std::uint32_t w : rings.row(v))
      free_square.push_back(squared_distance(surface.positions[v], surface.positions[w]));
}

StrainLimit::StrainLimit(const RigSurface& surface, const StrainRest& rest) : surface_(surface), rest_(rest) {
  const std::size_t n = surface.size();
  worst_of_.resize((n + kLimitedPerChunk - 1) / kLimitedPerChunk);
  listed_.resize(n);
  list_.reserve(n);
  next_.resize(n);
}

StrainSurface StrainLimit::against(std::span<const Vec3f> smooth, float worst) const {
  return {surface_.positions.data(), smooth.data(), surface_.edge.data(), worst};
}

std::span<const std::uint32_t> StrainLimit::find_suspects(std::span<const Vec3f> skin, const Context& context) {
  const RigSurface& s = surface_;
  parallel_for(context, s.size(), kLimitedPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      bool longer = false;
      for (std::size_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i)
        longer |= squared_distance(skin[v], skin[s.neighbours.items[i]]) > rest_.free_square[i];
      listed_[v] = longer ? 1 : 0;
    }
  });
  list_.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (listed_[v] != 0) list_.push_back(v);
  return list_;
}

template <class Test>
bool StrainLimit::any_edge(Test&& test) const {
  return std::ranges::any_of(list_, [&](std::uint32_t v) {
    return std::ranges::any_of(surface_.neighbours.row(v),
                               [&](std::uint32_t w) { return listed_[w] != 0 && test(v, w); });
  });
}

bool StrainLimit::is_torn(std::span<const Vec3f> smooth, std::span<const Vec3f> skin) const {
  const RigSurface& s = surface_;
  return any_edge([&](std::uint32_t v, std::uint32_t w) {
    return distance(skin[v], skin[w]) > torn_from(distance(s.positions[v], s.positions[w]),
                                                  distance(smooth[v], smooth[w]), 0.5F * (s.edge[v] + s.edge[w]));
  });
}

// An edge that is too long has two suspects. What smooth skinning stretches elsewhere could only allow more.
bool StrainLimit::may_act(std::span<const Vec3f> smooth, std::span<const Vec3f> skin) const {
  const RigSurface& s = surface_;
  float worst = 1;
  (void)any_edge([&](std::uint32_t v, std::uint32_t w) {
    worst = std::max(worst, stretch_of(s, smooth, v, w));
    return false;
  });
  const StrainSurface bounds = against(smooth, worst);
  return any_edge(
      [&](std::uint32_t v, std::uint32_t w) { return distance(skin[v], skin[w]) > longest_edge(bounds, v, w); });
}

float StrainLimit::largest_stretch(std::span<const Vec3f> smooth, const Context& context) {
  const RigSurface& s = surface_;
  parallel_for(context, s.size(), kLimitedPerChunk, [&](std::size_t begin, std::size_t end) {
    float worst = 1;
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v)
      for (const std::uint32_t w : s.neighbours.row(v)) worst = std::max(worst, stretch_of(s, smooth, v, w));
    worst_of_[begin / kLimitedPerChunk] = worst;
  });
  return *std::ranges::max_element(worst_of_);
}

std::size_t StrainLimit::apply(std::span<const Vec3f> smooth, std::vector<Vec3f>& skin, const Context& context) {
  const RigSurface& s = surface_;
  if (list_.empty()) return 0;
  const StrainSurface bounds = against(smooth, largest_stretch(smooth, context));
  for (int pass = 0; pass < kMostPasses; ++pass) {
    parallel_for(context, list_.size(), kLimitedPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto ring = s.neighbours.row(list_[i]);
        next_[i] = drawn_together(bounds, list_[i], skin.data(), ring.data(), ring.size());
      }
    });
    bool any = false;
    for (std::size_t i = 0, count = list_.size(); i < count; ++i) {
      const std::uint32_t v = list_[i];
      if (next_[i] == skin[v]) continue;
      any = true;
      skin[v] += (next_[i] - skin[v]) * kOver;
      for (const std::uint32_t w : s.neighbours.row(v)) {
        if (listed_[w] != 0) continue;
        listed_[w] = 1;
        list_.push_back(w);
      }
    }
    if (!any) return pass == 0 ? 0 : list_.size();
  }
  return list_.size();
}

}  // namespace cutis
