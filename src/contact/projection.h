// Pushing pairs of elements apart until none meets on its way.
#pragma once

#include <span>
#include <vector>

#include "base/work_meter.h"
#include "contact/contact_surface.h"
#include "cutis/context.h"

namespace cutis {

struct ProjectionOptions {
  int sweeps = 1;
  double max_push_edges = 1;
  double keep = 0;             ///< metres, see first_impact()
  WorkMeter* meter = nullptr;  ///< when it stops, `to` is worth nothing
};

/// Scratch kept between steps.
class Projection {
 public:
  /// Moves `to` so that pairs neither meet on the way from frame * last nor end nearer than their gap. Returns how many
  /// pairs met on the way in the first sweep. `normal`: of the skin, per vertex, unit or 0.
  std::size_t run(const ContactSurface& surface, std::span<const CandidatePair> pairs, std::span<const Vec3f> last,
                  std::span<const Affine3d> frame, std::span<const Vec3d> normal, std::span<Vec3d> to,
                  const ProjectionOptions& options, const Context& context);

 private:
  struct Constraint {
    Vec3d normal;
    OfFour<double> weight{};
    enum class State : std::uint8_t { off, near, hit } state = State::off;
  };
  std::vector<Constraint> constraints_;
  std::vector<int> changed_;  // per vertex: the last sweep that moved it
};

/// The four points of a pair at the start of the step, in its frame.
[[nodiscard]] FourPoints start_of(const CandidatePair& pair, std::span<const Vec3f> last,
                                  std::span<const Affine3d> frame);

}  // namespace cutis
