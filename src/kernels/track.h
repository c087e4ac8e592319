// ONE VERTEX of iso-surface tracking: its residual on its own side of every contact, and a Newton step.
//
// Vertex i belongs to bone b; k are the other parts near it, c_k in [0,1] how much they are in contact.
//   U = f_b + max over joined k of (1 - c_k) max(0, (f_k - l_k) - (f_b - l))   the union of what is not in contact
//   C = l + max_k c_k max(0, f_k + o_k + gap - l)                              what contact asks of the own field
//   residual = U - C
// l and l_k are the levels at which the vertex rides the own and the other field. Without contact it is on the union;
// in full contact the residual is f_b - max(l, f_k + o_k + gap): the vertex rides its own surface, and where the other
// part is stronger it stays on f_b = f_k, a gap apart. The residual has a
// sign, so a vertex that has crossed comes back; and its gradient is the difference of opposed gradients, largest
// where the composed field of Tracking has none.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/eval_field.h"

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
  float rise = 0, hold = 0;
  Vec3f rise_gradient, hold_gradient;
  for (std::size_t k = 0; k < count; ++k) {
    const TrackOther& other = others[k];
    const FieldSample<float> f = field(k);
    const float r = (1 - other.contact) * (f.value - other.level - own.value + level);
    if (other.is_joined() && r > rise) {
      rise = r;
      rise_gradient = (f.gradient - own.gradient) * (1 - other.contact);
    }
    if (other.contact <= 0 || f.value <= 0) continue;
    const float h = other.contact * (f.value + other.offset + gap * length(own.gradient - f.gradient) - level);
    if (h > hold) {
      hold = h;
      hold_gradient = f.gradient * other.contact;
    }
  }
  return {own.value + rise - level - hold, own.gradient + rise_gradient - hold_gradient, own.value + rise - level,
          hold > 0};
}

/// `fields`: posed, by bone; without nodes for bones that have none.
CUTIS_HD inline TrackSample track_residual(const GridView* fields, std::uint32_t bone, const TrackOther* others,
                                           std::size_t count, float level, float gap, const Vec3f& p) {
  const FieldSample<float> own = fields[bone].nodes != nullptr ? eval_field(fields[bone], p) : FieldSample<float>{};
  return track_combine(own, others, count, level, gap,
                       [&](std::size_t k) { return eval_field(fields[others[k].bone()], p); });
}

/// Of the slope: where gradients are nearly parallel their difference says little.
inline constexpr float kTrackDamping = 0.1F;

/// A damped Newton step, no longer than `limit`; `slope` is the size of a field's gradient on its surface.
CUTIS_HD inline Vec3f track_step(const TrackSample& s, float slope, float limit) {
  const float d = kTrackDamping * slope;
  const Vec3f step = s.gradient * (-s.residual / (dot(s.gradient, s.gradient) + d * d));
  const float n = length(step);
  return n > limit ? step * (limit / n) : step;
}

}  // namespace cutis
