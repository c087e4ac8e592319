// ONE VERTEX of the field engine: its residual on its own side of every contact (kernels/field_rules.h), from the
// fields of its own part and of those near it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/float4.h"
#include "kernels/eval_field.h"
#include "kernels/field_rules.h"
#include "kernels/project.h"

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

/// 0 for a part without a grid.
CUTIS_HD inline FieldSample<float> eval_part(const GridView& part, const Vec3f& p) {
  return part.nodes == nullptr ? FieldSample<float>{} : eval_field(part, p);
}

/// From the own field and those of `count` other parts where the vertex is. `gap` is a length. Others, for part k:
///   other(k)                       its TrackOther
///   look_up(k, own, reached, f)    whether it can be felt; then f is its field. `reached`: some field has been
///   compose(k, own, f, added)      what it rises to by an operator; false: by the union
template <class Others>
CUTIS_HD inline ResidualSample combine_parts(const FieldSample<float>& own, const Others& others, std::size_t count,
                                             float level, float gap) {
  field_rules::Added<float, Vec3f> added{};
  bool reached = own.value > 0;
  for (std::size_t k = 0; k < count; ++k) {
    const TrackOther& other = others.other(k);
    FieldSample<float> f;
    if (!others.look_up(k, own, reached, f)) continue;
    reached = reached || f.value > 0;
    if (!others.compose(k, own, f, added))
      field_rules::unite(other.is_joined(), other.contact, f.value, f.gradient, other.level, own.value, own.gradient,
                         level, added);
    field_rules::press(true, other.contact, f.value, f.gradient, other.offset, gap, own.gradient, level, added);
  }
  const float free = own.value + added.rise - level;
  return {free - added.hold, own.gradient + added.rise_gradient - added.hold_gradient, reached, added.hold > 0, free};
}

/// All of them, united.
struct UnitedParts {
  const GridView* fields;
  const TrackOther* others;
  Vec3f p;

  [[nodiscard]] CUTIS_HD const TrackOther& other(std::size_t k) const { return others[k]; }
  CUTIS_HD bool look_up(std::size_t k, const FieldSample<float>&, bool, FieldSample<float>& f) const {
    f = eval_field(fields[others[k].bone()], p);
    return true;
  }
  CUTIS_HD bool compose(std::size_t, const FieldSample<float>&, const FieldSample<float>&,
                        field_rules::Added<float, Vec3f>&) const {
    return false;
  }
};

/// `fields`: posed, by bone; without nodes for bones that have none.
CUTIS_HD inline ResidualSample track_residual(const GridView* fields, std::uint32_t bone, const TrackOther* others,
                                              std::size_t count, float level, float gap, const Vec3f& p) {
  return combine_parts(eval_part(fields[bone], p), UnitedParts{fields, others, p}, count, level, gap);
}

/// Around the field of a part, in the pose; until it is set it holds nothing.
struct PartBox {
  Float4 lo{1e30F}, hi{-1e30F};

  /// Whether the point is in the box or within `margin` of it along every axis.
  [[nodiscard]] CUTIS_HD bool holds(const Vec3f& p, float margin) const {
    const Float4 at(p.x, p.y, p.z, 0);
    return (mask_less_equal(lo - Float4(margin), at) & mask_less_equal(at, hi + Float4(margin)) & 7U) == 7U;
  }
  /// Whether another box is, or within `margin` of it.
  [[nodiscard]] bool overlaps(const Box& box, double margin) const {
    for (int axis = 0; axis < 3; ++axis)
      if (box.lo[axis] - margin > static_cast<double>(hi.v[axis]) ||
          box.hi[axis] + margin < static_cast<double>(lo.v[axis]))
        return false;
    return true;
  }
};

/// Where a part and one that hangs on it fold against each other, seen from the upper one at rest.
struct Fold {
  Vec3f origin, axis;  ///< of the lower bone
  Vec3f inside;        ///< unit vector across the axis, to the inner side of the bend

  /// 1 in the middle of the inner side, 0 beside the axis, -1 on the back.
  [[nodiscard]] CUTIS_HD float side(const Vec3f& p_rest) const {
    return field_rules::side_of_bend(p_rest - origin, axis, inside);
  }
};

/// A joint at rest, how far it is bent, and the distances up to which and from which on that matters.
struct TrackBend {
  float gate = 0;
  Vec3f at;
  float near = 0, far = 0;
};

}  // namespace cutis
