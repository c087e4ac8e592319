// ONE VERTEX of iso-surface tracking: its residual on its own side of every contact (kernels/field_rules.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/eval_field.h"
#include "kernels/field_rules.h"

namespace cutis {

/// Another part that may meet the vertex.
struct alignas(16) TrackOther {
  float contact = 0;       ///< c in [0,1]
  float level = 0;         ///< where its surface is for this vertex: its field at rest, at least the own one
  float offset = 0;        ///< o = min(0, f_b - f_k) at rest
  std::uint32_t part = 0;  ///< twice the bone; one more: joined

  static constexpr std::uint32_t kNoPart = 0x7fffffffU;  ///< behind the last of a row

  /// The two parts grow out of each other: their union is one surface.
  [[nodiscard]] CUTIS_HD bool is_joined() const { return (part & 1U) != 0; }
  [[nodiscard]] CUTIS_HD std::uint32_t bone() const { return part >> 1U; }
};

struct TrackSample {
  float residual = 0;
  Vec3f gradient;
  float free = 0;         ///< the residual without contact
  bool touching = false;  ///< contact holds it
};

/// From the own field and `field(k)`, that of other part k, where the vertex is. `gap` is a length.
template <class Field>
CUTIS_HD inline TrackSample track_combine(const FieldSample<float>& own, const TrackOther* others, std::size_t count,
                                          float level, float gap, const Field& field) {
  field_rules::Added<float, Vec3f> added{};
  for (std::size_t k = 0; k < count; ++k) {
    const TrackOther& other = others[k];
    const FieldSample<float> f = field(k);
    field_rules::unite(other.is_joined(), other.contact, f.value, f.gradient, other.level, own.value, own.gradient,
                       level, added);
    field_rules::press(true, other.contact, f.value, f.gradient, other.offset, gap, own.gradient, level, added);
  }
  const float free = own.value + added.rise - level;
  return {free - added.hold, own.gradient + added.rise_gradient - added.hold_gradient, free, added.hold > 0};
}

/// `fields`: posed, by bone; without nodes for bones that have none.
CUTIS_HD inline TrackSample track_residual(const GridView* fields, std::uint32_t bone, const TrackOther* others,
                                           std::size_t count, float level, float gap, const Vec3f& p) {
  const FieldSample<float> own = fields[bone].nodes != nullptr ? eval_field(fields[bone], p) : FieldSample<float>{};
  return track_combine(own, others, count, level, gap,
                       [&](std::size_t k) { return eval_field(fields[others[k].bone()], p); });
}

}  // namespace cutis
