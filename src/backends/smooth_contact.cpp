#include "backends/smooth_contact.h"

#include <utility>

#include "backends/scalar/grain.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"
#include "kernels/smooth.h"

namespace cutis {

namespace {

// Active vertices that means over neighbours carry contact to, kSpread times; `marks`: 0 everywhere, now and then.
void find_around(const RigRows& ring, std::span<const std::uint32_t> active, const std::vector<float>& beta,
                 std::vector<float>& marks, std::vector<std::uint32_t>& around) {
  around.clear();
  const auto mark = [&](std::uint32_t v) {
    if (marks[v] != 0) return;
    marks[v] = 1;
    around.push_back(v);
  };
  for (const std::uint32_t v : active)
    if (beta[v] > 0) mark(v);
  for (std::size_t pass = 0, first = 0; pass < field_constants::kSpread; ++pass) {
    const std::size_t last = around.size();
    for (; first < last; ++first)
      for (const std::uint32_t w : ring.row(around[first])) mark(w);
  }
  for (const std::uint32_t v : active)
    if (marks[v] != 0) marks[v] = 2;
  std::erase_if(around, [&](std::uint32_t v) { return std::exchange(marks[v], 0.0F) != 2; });
}

}  // namespace

void smooth_contact(const Rig& rig, const TrackRest& rest, std::span<const std::uint32_t> active, int passes,
                    const ContactSmoothing& skin, const Context& context) {
  using namespace field_constants;
  const RigRows& ring = rig.surface.neighbours;
  skin.next_beta.assign(skin.beta.size(), 0.0F);
  skin.next_positions.resize(skin.positions.size());
  find_around(ring, active, skin.beta, skin.next_beta, skin.around);
  const auto each = [&](auto&& body) {
    parallel_for(context, skin.around.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(skin.around[i]);
    });
  };
  for (int pass = 0; pass < kSpread; ++pass) {
    each([&](std::uint32_t v) {
      const auto row = ring.row(v);
      skin.next_beta[v] = mean_with_ring(skin.beta[v], skin.beta.data(), row.data(), row.size());
    });
    skin.beta.swap(skin.next_beta);
  }
  // Where edges are as long as the part is thick, a mean over neighbours is no smoothing; what follows its bone stays.
  each([&](std::uint32_t v) { skin.beta[v] *= rest.is_rigid(v) ? 0.0F : rest.fine[v]; });
  for (int pass = 0; pass < passes; ++pass) {
    each([&](std::uint32_t v) {
      const auto row = ring.row(v);
      skin.next_positions[v] = smooth_towards_ring(skin.positions[v], skin.positions.data(), row.data(), row.size(),
                                                   kSmoothing * skin.beta[v]);
    });
    each([&](std::uint32_t v) { skin.positions[v] = skin.next_positions[v]; });
  }
}

}  // namespace cutis
