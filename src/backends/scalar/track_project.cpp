#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/scalar/track.h"
#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using namespace field_constants;

// Counts how often an operator of the tree is asked.
struct CountingController {
  std::size_t& count;
  float operator()(const TreeView& tree, std::uint32_t n, const SkinSample& a, const SkinSample& b) const {
    ++count;
    return AngleController{}(tree, n, a, b);
  }
};

// The paper's field. On the contact surface its gradient vanishes and values below 0.5 have no root: a vertex that is
// in contact keeps to the side it is on, a little above the surface, and one that has arrived there stays.
ResidualSample composed_sample(const PosedField& field, float iso, float slope, const Vec3f& p,
                               std::size_t& operations) {
  constexpr float kFloor = 0.506F;  // iso-values below have no root in contact
  constexpr float kFlat = 0.05F;    // share of the slope on the surface
  const SkinSample s = eval_tree(field.view(), p, CountingController{operations});
  ResidualSample t;
  t.contact = s.contact();
  t.value = s.value - (t.contact ? std::max(iso, kFloor) : iso);
  t.free = s.value - iso;
  t.gradient = s.gradient;
  if (t.contact && length(s.gradient) < kFlat * slope) t.value = 0;
  return t;
}

}  // namespace

void scalar::track_project(const Rig& rig, const TrackRest& rest, int steps, float limit, const PosedField* composed,
                           scalar::Step& step, const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t count = step.live.size();
  step.evaluated.assign(2 * ((count + kGrain - 1) / kGrain), 0);
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::size_t evaluated = 0, operations = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t a = step.live[i];
      const std::uint32_t v = step.active[a];
      if (rest.tracked[v] == 0) continue;
      const std::span<const TrackOther> others = step.others_of(a);
      const auto sample = [&](const Vec3f& p) {
        evaluated += composed != nullptr ? 1 : 1 + others.size();
        if (composed != nullptr) return composed_sample(*composed, s.iso[v], rest.slope[v], p, operations);
        operations += others.size();
        return track_residual(step.fields.data(), s.owner[v], others.data(), others.size(), step.level[a], rest.gap[v],
                              p);
      };
      const Vec3f start = step.p[v];
      ResidualSample first = sample(start);
      if (rest.is_rigid(v) && !first.contact) {
        first.value = 0;
        step.samples[a] = first;
        continue;
      }
      const ProjectLimits limits{
          .tolerance = kProjected, .steps = steps, .step = limit * s.edge[v], .slope = rest.slope[v], .guarded = false};
      const Projected found = project_vertex(sample, start, first, limits);
      step.p[v] = found.position;
      step.samples[a] = found.at;
      step.moved[a] = std::max(step.moved[a], distance(start, found.position) / s.edge[v]);
    }
    step.evaluated[2 * (begin / kGrain)] = evaluated;
    step.evaluated[2 * (begin / kGrain) + 1] = operations;
  });
  for (std::size_t i = 0; i < step.evaluated.size(); i += 2) {
    step.evaluations += step.evaluated[i];
    step.operations += step.evaluated[i + 1];
  }
}

}  // namespace cutis
