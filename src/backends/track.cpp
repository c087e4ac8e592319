// The back end that the caller's Context names, for what it has in packs; all else is the scalar one's.
#include "backends/track.h"

#include "backends/scalar/track.h"
#include "backends/simd/track.h"
#include "backends/track_control.h"

namespace cutis {

void TrackSystem::resize(const TrackPlaces& places) {
  if (blocks.size() == places.blocks()) return;
  for (auto* rows : {&at, &start, &sample, &given, &blended, &turn[0], &turn[1], &turn[2], &d})
    rows->assign(places.vertex.size(), {});
  for (auto* numbers : {&bound, &free, &moved}) numbers->assign(places.vertex.size(), 0.0F);
  touching.assign(places.vertex.size(), 0);
  active.assign(places.blocks(), 0);
  lanes.assign(places.blocks(), 0);
  blocks.assign(places.blocks(), {});
  for (auto* rows : {&goal[0], &goal[1], &goal[2], &stretch, &weight}) rows->assign(places.link.size(), {});
}

bool tracks_in_packs(const TrackingOptions& options, const Context& context) {
  return context.backend() == Backend::simd && options.contact != ContactModel::composed &&
         options.relaxation == Relaxation::conjugate_gradients;
}

void track_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                   const Context& context) {
  begin_control(rig, rest, pose, step);
  if (step.packs)
    simd::track_control(rig, rest, step, context);
  else
    scalar::track_control(rig, rest, step, context);
  remember_contact(rig, step);
}

void track_awake(const Rig& rig, const TrackRest& rest, TrackStep& step, const Context& context) {
  step.live_count = step.active.size();
  if (step.packs)
    simd::track_awake(rig, rest, step, context);
  else
    scalar::track_awake(step);
}

void track_narrow(const Rig& rig, const TrackRest& rest, float least, TrackStep& step) {
  if (step.packs) {
    simd::track_narrow(rest, least, step);
  } else {
    scalar::track_narrow(rig, least, step);
    step.live_count = step.live.size();
  }
}

void track_settle(const TrackRest& rest, TrackStep& step, const Context& context) {
  if (step.packs) simd::track_settle(rest, step, context);
}

void track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                   TrackStep& step, const Context& context) {
  if (step.packs)
    simd::track_project(rest, steps, limit, step, context);
  else
    scalar::track_project(rig, rest, steps, limit, composed, step, context);
}

void track_relax(const Rig& rig, const TrackRest& rest, const TrackingOptions& options, TrackStep& step,
                 const Context& context) {
  if (step.packs)
    simd::track_relax(rig, rest, options.inner, step, context);
  else
    scalar::track_relax(rig, rest, options, step, context);
}

}  // namespace cutis
