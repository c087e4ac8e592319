// What follows the sub-steps: smoothing around contact, and the count of triangles that came out the wrong way round.
#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/smooth_contact.h"
#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/whole.h"

namespace cutis {

bool track_smooth(const Rig& rig, const TrackRest& rest, int passes, const TrackStep& step, TrackSmoothing& scratch,
                  std::vector<Vec3f>& positions, const Context& context) {
  bool any = false;
  for (const ResidualSample& sample : step.samples) any = any || sample.contact;
  if (!any) return false;
  scratch.beta.assign(rig.surface.size(), 0.0F);
  for (std::size_t a = 0; a < step.active.size(); ++a)
    if (step.samples[a].contact) scratch.beta[step.active[a]] = 1;
  smooth_contact(rig, rest, step.active, passes, {scratch.beta, scratch.next_beta, positions, scratch.smoothed, scratch.around},
                 context);
  return true;
}

// Twice: of two that flew together the second is seen when the first is back.
std::size_t bring_back(const Rig& rig, TrackStep& step, const Context& context) {
  constexpr int kPasses = 2;
  const RigSurface& s = rig.surface;
  std::size_t all = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    step.next_flags.assign(s.size(), 0);
    const std::size_t found =
        ordered_sum(context, step.active.size(), kGrain, std::size_t{0}, [&](std::size_t begin, std::size_t end) {
          std::size_t count = 0;
          for (std::size_t a = begin; a < end; ++a) {
            const std::uint32_t v = step.active[a];
            const auto ring = s.neighbours.row(v);
            const bool flew = flew_off(step.p[v], step.blended[v], s.positions[v], s.edge[v], step.p.data(),
                                       step.blended.data(), s.positions.data(), ring.data(), ring.size());
            step.next_flags[v] = flew ? 1 : 0;
            count += flew ? 1 : 0;
          }
          return count;
        });
    if (found == 0) break;
    all += found;
    for (const std::uint32_t v : step.active) {
      if (step.next_flags[v] == 0) continue;
      const auto ring = s.neighbours.row(v);
      step.p[v] = among_neighbours(step.blended[v], step.p.data(), step.blended.data(), ring.data(), ring.size());
    }
  }
  return all;
}

std::size_t count_inverted(const Rig& rig, const TrackStep& step, const Context& context) {
  const RigSurface& s = rig.surface;
  return ordered_sum(context, s.triangles.size(), 8 * kGrain, std::size_t{0}, [&](std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Triangle& t = s.triangles[i];
      if (step.slot[t[0]] < 0 && step.slot[t[1]] < 0 && step.slot[t[2]] < 0) continue;
      const auto now = face_normal<float>(step.p, t), before = face_normal<float>(s.positions, t);
      bool against = true;
      for (const std::uint32_t v : t) against = against && step.slot[v] >= 0 && dot(now, step.turn[v] * before) < 0;
      count += against ? 1 : 0;
    }
    return count;
  });
}

}  // namespace cutis
