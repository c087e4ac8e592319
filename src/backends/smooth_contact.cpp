#include "backends/smooth_contact.h"

#include "backends/scalar/grain.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"
#include "kernels/smooth.h"

namespace cutis {

void smooth_contact(const Rig& rig, const TrackRest& rest, std::span<const std::uint32_t> active, int passes,
                    const ContactSmoothing& skin, const Context& context) {
  using namespace field_constants;
  const RigRows& ring = rig.surface.neighbours;
  const auto each_active = [&](auto&& body) {
    parallel_for(context, active.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) body(active[a]);
    });
  };
  skin.next_beta.assign(skin.beta.size(), 0.0F);
  for (int pass = 0; pass < kSpread; ++pass) {
    each_active([&](std::uint32_t v) {
      const auto row = ring.row(v);
      skin.next_beta[v] = mean_with_ring(skin.beta[v], skin.beta.data(), row.data(), row.size());
    });
    skin.beta.swap(skin.next_beta);
  }
  // Where edges are as long as the part is thick, a mean over neighbours is no smoothing; what follows its bone stays.
  each_active([&](std::uint32_t v) { skin.beta[v] *= rest.is_rigid(v) ? 0.0F : rest.fine[v]; });
  skin.next_positions = skin.positions;
  for (int pass = 0; pass < passes; ++pass) {
    each_active([&](std::uint32_t v) {
      const auto row = ring.row(v);
      skin.next_positions[v] = smooth_towards_ring(skin.positions[v], skin.positions.data(), row.data(), row.size(),
                                                   kSmoothing * skin.beta[v]);
    });
    skin.positions.swap(skin.next_positions);
  }
}

}  // namespace cutis
