// How skin gives way around contact, and how it follows a method that jumps. See docs/algorithms/contact.md.
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
// Speed that coarse skin gains in a frame, in radii of the part, at most.
constexpr double kStartRadii = 0.01;

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

void ContactPass::Impl::find_rigid(const std::vector<Affine3d>& at, Turns& out) const {
  out.rigid.resize(rig.bones.size());
  for (std::size_t b = 0; b < out.rigid.size(); ++b) out.rigid[b] = make_dual_quat(out.rotation[b], at[b].translation);
}

// Where smooth skinning carries the skin.
void ContactPass::Impl::find_smooth(const std::vector<Affine3d>& at, Turns& with, std::vector<Vec3d>& out,
                                    const Context& context) const {
  const std::size_t bones = rig.bones.size();
  with.rotation.resize(bones);
  with.stretch.resize(bones);
  find_turns(rig, std::span(at).first(bones), with.rotation, with.stretch);
  agree_on_signs(rig, with.rotation);
  find_rigid(at, with);
  blend(at, with, out, context);
}

// `smooth` and `next_smooth`. Bones turn over a sub-step by the short way; where bones that share skin come to be
// blended the other way round, both places change, and no vertex jumps.
void ContactPass::Impl::blend_both(const Context& context) {
  if (smooth.empty()) {
    find_smooth(motion, turns, smooth, context);
  } else {
    agreed = turns.rotation;
    agree_on_signs(rig, agreed);
    if (agreed != turns.rotation) {
      turns.rotation = agreed;
      find_rigid(motion, turns);
      blend(motion, turns, smooth, context);
    }
  }
  const std::size_t bones = rig.bones.size();
  next_turns.rotation.resize(bones);
  next_turns.stretch.resize(bones);
  find_turns(rig, std::span(next_motion).first(bones), next_turns.rotation, next_turns.stretch);
  for (std::size_t b = 0; b < bones; ++b)
    if (dot(next_turns.rotation[b], turns.rotation[b]) < 0) next_turns.rotation[b] = negated(next_turns.rotation[b]);
  find_rigid(next_motion, next_turns);
  blend(next_motion, next_turns, next_smooth, context);
}

void ContactPass::Impl::blend(const std::vector<Affine3d>& at, const Turns& with, std::vector<Vec3d>& out,
                              const Context& context) const {
  const RigSurface& surface = rig.surface;
  out.resize(surface.size());
  parallel_for(context, surface.size(), kGivingPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto rest_place = static_cast<Vec3d>(surface.positions[v]);
      const auto row = surface.turn.row(v);
      if (row.size() < 2 ||
          !blend_turns(with.rigid.data(), with.stretch.data(), row.data(),
                       surface.turn_weight.data() + surface.turn.begin[v], row.size(), rest_place, out[v]))
        out[v] = transform_point(at[row.empty() ? part[v] : row[0]], rest_place);
    }
  });
}

// The method's skin may jump against smooth skinning: a fold that snaps over, a vertex that changes sides. It is
// followed, at once while its speed against that changes little, else with bounded acceleration; in the end it is where
// the method says.
void ContactPass::Impl::start_gently(double frames, const Context& context) {
  from_then.resize(motion.size());
  from_now.resize(motion.size());
  usable.resize(motion.size());
  for (std::size_t p = 0; p < motion.size(); ++p) {
    usable[p] = std::abs(determinant(motion[p].linear)) > 0 && std::abs(determinant(next_motion[p].linear)) > 0 ? 1 : 0;
    if (usable[p] == 0) continue;
    from_then[p] = inverse(motion[p].linear);
    from_now[p] = inverse(next_motion[p].linear);
  }
  parallel_for(context, wanted.size(), kGivingPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Affine3d& now = next_motion[part[v]];
      if (usable[part[v]] == 0) continue;
      const auto here = static_cast<Vec3d>(wanted[v]);
      const Vec3d from = from_then[part[v]] * (here - smooth[v]);
      const Vec3d way = from_now[part[v]] * (static_cast<Vec3d>(raw[v]) - next_smooth[v]) - from;
      const double speed = distance(transform_point(delta[part[v]], here), here) / frames;
      const double gain = std::min<double>(options.start_edges * rig.surface.edge[v], kStartRadii * radius[part[v]]);
      const GentleStart<double> gentle = cutis::start_gently(way, drift[v], gain, speed, frames);
      next_drift[v] = gentle.drift;
      if (gentle.late)
        next_wanted[v] = static_cast<Vec3f>(next_smooth[v] + now.linear * (from + gentle.drift * frames));
    }
  });
}

}  // namespace cutis
