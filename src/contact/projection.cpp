// In each sweep all pairs whose points changed are examined at once (in parallel): each gives a plane that its points
// must respect. Then the planes are satisfied one after the other, in the order of the list, each with the positions
// of the moment: Gauss-Seidel, and the same bits for any number of threads.
#include "contact/projection.h"

#include <algorithm>
#include <array>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

constexpr std::size_t kPlanesPerChunk = 256;
// Operations: of looking at a pair, and of a step on its way. In tests of boxes, about.
constexpr std::uint64_t kPlaneWork = 4;
// Violations below this part of the gap are left: the gap is a wish, the certificate is not.
constexpr double kSlack = 0.02;
// How readily skin gives along itself, against across itself: what slides over it presses it down and does not plough.
constexpr double kAlong = 0.1;

}  // namespace

FourPoints start_of(const CandidatePair& pair, std::span<const Vec3f> last, std::span<const Affine3d> frame) {
  FourPoints x;
  for (std::size_t k = 0; k < 4; ++k)
    x[k] = transform_point(frame[pair.frame], static_cast<Vec3d>(last[pair.vertex[k]]));
  return x;
}

std::size_t Projection::run(const ContactSurface& surface, std::span<const CandidatePair> pairs,
                            std::span<const Vec3f> last, std::span<const Affine3d> frame, std::span<const Vec3d> normal,
                            std::span<Vec3d> to, const ProjectionOptions& options, const Context& context) {
  using State = Constraint::State;
  constraints_.resize(pairs.size());
  changed_.assign(surface.vertex_count(), -1);
  const auto part = surface.part();
  const auto edge_length = surface.edge_length();
  const auto parts = surface.parts();
  std::size_t first_hits = 0;
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    parallel_for(context, pairs.size(), kPlanesPerChunk, [&](std::size_t begin, std::size_t end) {
      WorkCount work(options.meter);
      for (std::size_t i = begin; i < end; ++i) {
        const CandidatePair& pair = pairs[i];
        Constraint& c = constraints_[i];
        c.state = State::off;
        if (sweep > 0) {
          bool dirty = false;
          for (const std::uint32_t v : pair.vertex) dirty = dirty || changed_[v] == sweep - 1;
          if (!dirty) continue;
        }
        if (!work.spend(kPlaneWork)) return;
        const FourPoints x0 = start_of(pair, last, frame);
        FourPoints x1;
        for (std::size_t k = 0; k < 4; ++k) x1[k] = to[pair.vertex[k]];
        if (pair.distance - motion_bound(pair.kind, x0, x1) > pair.gap) continue;
        const Impact impact = first_impact(pair.kind, x0, x1, pair.distance, options.keep);
        (void)work.spend(kPlaneWork * static_cast<std::uint64_t>(impact.steps));
        const Separation s = impact.hit ? impact.at_time : separation(pair.kind, x1);
        if (!(s.distance > 0) || (!impact.hit && s.distance >= pair.gap * (1 - kSlack))) continue;
        c.state = impact.hit ? State::hit : State::near;
        c.normal = s.delta / s.distance;
        c.weight = s.weight;
      }
    });
    if (options.meter != nullptr && options.meter->stopped()) return first_hits;
    bool any = false;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Constraint& c = constraints_[i];
      if (c.state == State::off) continue;
      if (sweep == 0 && c.state == State::hit) ++first_hits;
      const CandidatePair& pair = pairs[i];
      double apart = 0, yield = 0;
      std::array<Vec3d, 4> give;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::uint32_t v = pair.vertex[k];
        const Vec3d across = normal[v] == Vec3d{} ? c.normal : normal[v] * dot(normal[v], c.normal);
        give[k] = (across + (c.normal - across) * kAlong) * (c.weight[k] * parts[part[v]].inverse_mass);
        apart += c.weight[k] * dot(c.normal, to[v]);
        yield += c.weight[k] * dot(give[k], c.normal);
      }
      if (apart >= pair.gap * (1 - kSlack) || !(yield > 0)) continue;
      const double push = (pair.gap - apart) / yield;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::uint32_t v = pair.vertex[k];
        Vec3d move = give[k] * push;
        const double most = options.max_push_edges * edge_length[v], size = length(move);
        if (size > most) move = move * (most / size);
        to[v] += move;
        if (size > 0) changed_[v] = sweep;
      }
      any = true;
    }
    if (!any) break;
  }
  return first_hits;
}

}  // namespace cutis
