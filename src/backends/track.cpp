// The back end that the caller's Context names, for what it has in packs; all else is the scalar one's.
#include "backends/track.h"

#include "backends/scalar/track.h"
#include "backends/simd/track.h"

namespace cutis {

void TrackRun::clear() {
  for (auto* numbers : {&number, &owner, &begin, &end, &pending, &next}) numbers->clear();
  at.clear();
  given.clear();
  rigid.clear();
}

void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                   TrackStep& step, const Context& context) {
  if (context.backend() == Backend::simd && composed == nullptr)
    simd::track_project(rig, rest, steps, limit, step, context);
  else
    scalar::track_project(rig, rest, steps, limit, composed, step, context);
}

void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context) {
  const bool packs = context.backend() == Backend::simd && options.relaxation == Relaxation::conjugate_gradients;
  (packs ? simd::track_relax : scalar::track_relax)(rig, rest, options, step, context);
}

}  // namespace cutis
