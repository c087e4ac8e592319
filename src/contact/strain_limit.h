// The last guard on what is shown: skin is not stretched far beyond what smooth skinning stretches it by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "kernels/strain.h"
#include "rig/rig.h"

namespace cutis {

/// What strain limiting derives from the rest pose.
struct StrainRest {
  explicit StrainRest(const RigSurface& surface);
  std::vector<float> free_square;  ///< per item of the surface's neighbours: so long, squared, an edge may be unasked
};

/// Edges that are too long (kernels/strain.h) are drawn together, by passes over the vertices at them and over those
/// that these pull along. What is whole stays exactly where it is, and a skin that changes by little is changed by
/// little more. All positions are per welded vertex and finite.
class StrainLimit {
 public:
  /// Both must outlive this.
  StrainLimit(const RigSurface& surface, const StrainRest& rest);

  /// Vertices at edges so long that smooth skinning must be asked; valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> find_suspects(std::span<const Vec3f> skin, const Context& context);
  /// Whether an edge between suspects may be too long. `smooth`: known at suspects.
  [[nodiscard]] bool may_act(std::span<const Vec3f> smooth, std::span<const Vec3f> skin) const;
  /// Whether an edge between suspects is torn: longer than is counted, where may_act() asks for less. `smooth`: as
  /// there.
  [[nodiscard]] bool is_torn(std::span<const Vec3f> smooth, std::span<const Vec3f> skin) const;
  /// After find_suspects() of the same skin. `smooth`: known everywhere. Returns how many vertices were looked at.
  std::size_t apply(std::span<const Vec3f> smooth, std::vector<Vec3f>& skin, const Context& context);

 private:
  template <class Test>
  [[nodiscard]] bool any_edge(Test&& test) const;  // between suspects
  [[nodiscard]] StrainSurface against(std::span<const Vec3f> smooth, float worst) const;
  [[nodiscard]] float largest_stretch(std::span<const Vec3f> smooth, const Context& context);

  const RigSurface& surface_;
  const StrainRest& rest_;
  std::vector<float> worst_of_;  // per chunk of vertices
  std::vector<char> listed_;     // per vertex
  std::vector<std::uint32_t> list_;
  std::vector<Vec3f> next_;  // per place in the list
};

}  // namespace cutis
