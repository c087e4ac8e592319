// How skin gives way around contact. See docs/algorithms/contact.md.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "contact/contact_pass_impl.h"
#include "kernels/give_way.h"
#include "rig/bone_turns.h"

namespace cutis {
namespace {

constexpr std::size_t kGivingPerChunk = 1024;
constexpr int kRelaxations = 30;
// Beyond the vertices that give already, so many rings are taken in at once: it spreads over sub-steps anyway.
constexpr std::size_t kRelaxedRings = 4;

}  // namespace

// The give settles between what holds it and its own stiffness: u = mean of the neighbours' / (1 + stiffness), by
// Jacobi steps over the vertices that give and some rings around them. Vertices in contact keep theirs meanwhile, then
// yield a little.
void ContactPass::Impl::relax(const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = give.size();
  reached.assign(n, 0);
  active.clear();
  for (std::uint32_t v = 0; v < n; ++v)
    if (give[v] != Vec3d{}) {
      reached[v] = 1;
      active.push_back(v);
    }
  if (active.empty()) return;
  for (std::size_t ring = 0, begin = 0; ring < kRelaxedRings; ++ring) {
    const std::size_t end = active.size();
    for (; begin < end; ++begin)
      for (const std::uint32_t w : surface.neighbours.row(active[begin]))
        if (reached[w] == 0) {
          reached[w] = 1;
          active.push_back(w);
        }
  }
  give_next = give;
  const auto settled = [&](std::size_t v) {
    const auto ring = surface.neighbours.row(v);
    return settled_give<double>(give.data(), ring.data(), surface.neighbour_weight.data() + surface.neighbours.begin[v],
                                ring.size(), stiffness[v]);
  };
  for (int iteration = 0; iteration <= kRelaxations; ++iteration) {
    const bool last = iteration == kRelaxations;
    parallel_for(context, active.size(), kGivingPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t v = active[i];
        const bool held = in_contact[v] != 0;
        give_next[v] = give[v];
        if (held && last) give_next[v] = lerp(give[v], settled(v), kContactYield);
        if (!held && !last) give_next[v] = settled(v);
      }
    });
    give.swap(give_next);
  }
  for (const std::uint32_t v : active)
    if (!(length(give[v]) > kNoGive * surface.edge[v])) give[v] = {};
}

void ContactPass::Impl::turn_bones(const std::vector<Affine3d>& at, Turns& with) const {
  const std::size_t bones = rig.bones.size();
  with.rotation.resize(bones);
  with.stretch.resize(bones);
  find_turns(rig, std::span(at).first(bones), with.rotation, with.stretch);
  agree_on_signs(rig, with.rotation);
  with.rigid.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) with.rigid[b] = make_dual_quat(with.rotation[b], at[b].translation);
}

Vec3d ContactPass::Impl::smooth_place(std::size_t v, const std::vector<Affine3d>& at, const Turns& with) const {
  const RigSurface& surface = rig.surface;
  const auto rest_place = static_cast<Vec3d>(surface.positions[v]);
  const auto row = surface.turn.row(v);
  Vec3d place;
  if (row.size() < 2 || !blend_turns(with.rigid.data(), with.stretch.data(), row.data(),
                                     surface.turn_weight.data() + surface.turn.begin[v], row.size(), rest_place, place))
    place = transform_point(at[row.empty() ? part[v] : row[0]], rest_place);
  return place;
}

// Where smooth skinning puts the skin.
void ContactPass::Impl::find_plain(const std::vector<Affine3d>& at, const Context& context) {
  turn_bones(at, turns);
  plain.resize(mesh.size());
  parallel_for(context, mesh.size(), kGivingPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) plain[v] = static_cast<Vec3f>(smooth_place(v, at, turns));
  });
}

}  // namespace cutis
