// The parts of a rig in a pose: their fields, and which of them are near a point.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/track_rest.h"
#include "base/float4.h"
#include "cutis/types.h"
#include "kernels/eval_field.h"
#include "kernels/track.h"
#include "rig/rig.h"

namespace cutis {

/// Four boxes at once; lanes that are not used hold nothing.
struct BoxBlock {
  Float4 lo[3] = {1e30F, 1e30F, 1e30F}, hi[3] = {-1e30F, -1e30F, -1e30F};
  std::uint32_t bone[4] = {};

  /// Bit i: PartBox::holds() of box i.
  [[nodiscard]] unsigned holds(const Vec3f& p, float margin) const {
    const auto along = [&](int axis, float x) {
      return less_equal(lo[axis] - Float4(margin), x) & less_equal(x, hi[axis] + Float4(margin));
    };
    return bits(along(0, p.x) & along(1, p.y) & along(2, p.z));
  }
};

/// Rows of boxes, by rising bone.
struct BoxRows {
  std::vector<BoxBlock> blocks;
  std::vector<std::uint32_t> begin{0};

  void clear();
  /// To the last row.
  void add(std::uint32_t bone, const PartBox& box);
  void end_row();
  [[nodiscard]] std::span<const BoxBlock> row(std::size_t i) const {
    return {blocks.data() + begin[i], blocks.data() + begin[i + 1]};
  }

 private:
  std::size_t lanes_ = 4;  // of the last block that are taken
};

/// Per bone.
struct PosedParts {
  std::vector<GridView> fields;  ///< without nodes: none
  std::vector<PartBox> boxes;
  BoxRows all_boxes;             ///< one row
  std::vector<Affine3f> motion;  ///< posed from rest
  std::vector<float> steepest;   ///< of the field, 1 / metres
};

/// Flat parts have no field. `motion`: posed from rest, `stretch`: what of it comes before its rotation.
void pose_parts(const Rig& rig, const TrackRest& rest, std::span<const Affine3d> motion, std::span<const Mat3d> stretch,
                PosedParts& parts);

/// In node numbers.
[[nodiscard]] Box grid_box(const GridView& grid);

/// body(k, near_q) for the parts whose field is within `margin` of q, or of p where there is one.
template <class Body>
void each_near_part(std::span<const BoxBlock> blocks, const Vec3f& q, const Vec3f* p, float margin, const Body& body) {
  for (const BoxBlock& block : blocks) {
    const unsigned at_q = block.holds(q, margin);
    for (unsigned left = p != nullptr ? at_q | block.holds(*p, margin) : at_q; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      body(block.bone[lane], (at_q >> lane & 1U) != 0);
    }
  }
}

}  // namespace cutis
