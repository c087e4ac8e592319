// What follows the sub-steps: smoothing around contact, and the count of triangles that came out the wrong way round.
#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"

namespace cutis {

using namespace field_constants;

void track_smooth(const Rig& rig, const TrackRest& rest, int passes, const TrackStep& step, TrackSmoothing& scratch,
                  std::vector<Vec3f>& positions, const Context& context) {
  const RigSurface& s = rig.surface;
  bool any = false;
  for (const TrackSample& sample : step.samples) any = any || sample.touching;
  if (!any || passes <= 0) return;
  const auto each_active = [&](auto&& body) {
    parallel_for(context, step.active.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) body(step.active[a]);
    });
  };
  scratch.beta.assign(s.size(), 0.0F);
  scratch.next_beta.assign(s.size(), 0.0F);
  for (std::size_t a = 0; a < step.active.size(); ++a)
    if (step.samples[a].touching) scratch.beta[step.active[a]] = 1;
  for (int pass = 0; pass < kSpread; ++pass) {
    each_active([&](std::uint32_t v) {
      float sum = scratch.beta[v];
      const auto row = s.neighbours.row(v);
      for (const std::uint32_t w : row) sum += scratch.beta[w];
      scratch.next_beta[v] = sum / static_cast<float>(row.size() + 1);
    });
    scratch.beta.swap(scratch.next_beta);
  }
  each_active([&](std::uint32_t v) { scratch.beta[v] *= rest.fine[v]; });
  for (int pass = 0; pass < passes; ++pass) {
    scratch.smoothed = positions;
    each_active([&](std::uint32_t v) {
      const auto row = s.neighbours.row(v);
      if (scratch.beta[v] <= 0 || row.empty() || rest.is_rigid(v)) return;
      Vec3f sum;
      for (const std::uint32_t w : row) sum += positions[w];
      scratch.smoothed[v] = lerp(positions[v], sum / static_cast<float>(row.size()), kSmoothing * scratch.beta[v]);
    });
    positions.swap(scratch.smoothed);
  }
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
