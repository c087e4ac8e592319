// Joints whose operator shapes the skin beside a contact: bulge, blend, profiles (kernels/skin_line.h).
//
// Of the operator of a joint, tracking on the own side takes the line on which the skin is. Its parameter is the
// controller at the bend of the joint: in the middle of a fold that is the angle between the gradients, which the
// papers take, and beside it, where theirs falls off, contact fades in the same way (docs/algorithms/tracking.md): with
// how far the other part's field has risen at the vertex as its bone carries it. So it is 0 at rest and on the outer
// side of a bend, and depends on the pose alone.
#pragma once

#include <cstdint>
#include <vector>

#include "cutis/context.h"
#include "kernels/skin_line.h"
#include "rig/rig.h"

namespace cutis {

struct TrackStep;
struct TrackRest;

/// What a rig asks for at its joints.
class JointShapes {
 public:
  JointShapes() = default;
  /// `rig` must outlive this.
  explicit JointShapes(const Rig& rig);

  [[nodiscard]] bool empty() const { return shapes_.empty(); }
  /// By how much the level of vertex v falls: the most that any joint of its part asks for.
  [[nodiscard]] float drop(const TrackRest& rest, const TrackStep& step, std::uint32_t v) const;

 private:
  struct Shape {
    std::uint32_t bone = 0, other = 0;
    std::uint32_t joint = 0;  // of the two, the one that hangs on the other
    OperatorView op;
    const ControllerKnot* knots = nullptr;
    int knot_count = 0;
  };
  const Rig* rig_ = nullptr;
  std::vector<Shape> shapes_;         // by bone; a joint is there twice
  std::vector<std::uint32_t> begin_;  // per bone and one more
};

/// Levels of active vertices, after control; and how far that lifts them.
void shape_levels(const Rig& rig, const TrackRest& rest, const JointShapes& shapes, TrackStep& step,
                  const Context& context);

}  // namespace cutis
