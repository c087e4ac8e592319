// What follows the sub-steps: smoothing around contact, and the count of triangles that came out the wrong way round.
#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/smooth_contact.h"
#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {

void track_smooth(const Rig& rig, const TrackRest& rest, int passes, const TrackStep& step, TrackSmoothing& scratch,
                  std::vector<Vec3f>& positions, const Context& context) {
  bool any = false;
  for (const TrackSample& sample : step.samples) any = any || sample.touching;
  if (!any || passes <= 0) return;
  scratch.beta.assign(rig.surface.size(), 0.0F);
  for (std::size_t a = 0; a < step.active.size(); ++a)
    if (step.samples[a].touching) scratch.beta[step.active[a]] = 1;
  smooth_contact(rig, rest, step.active, passes, {scratch.beta, scratch.next_beta, positions, scratch.smoothed},
                 context);
}

std::size_t count_inverted(const Rig& rig, const TrackStep& step, const Context& context) {
  const RigSurface& s = rig.surface;
  return ordered_sum(context, s.triangles.size(), 8 * kGrain, std::size_t{0}, [&](std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Triangle& t = s.triangles[i];
      if (step.slot[t[0]] < 0 && step.slot[t[1]] < 0 && step.slot[t[2]] < 0) continue;
      const auto normal = [&](const std::vector<Vec3f>& p) { return cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]); };
      const Vec3f now = normal(step.p), before = normal(s.positions);
      bool against = true;
      for (const std::uint32_t v : t) against = against && step.slot[v] >= 0 && dot(now, step.turn[v] * before) < 0;
      count += against ? 1 : 0;
    }
    return count;
  });
}

}  // namespace cutis
