#include "backends/track_show.h"

#include <algorithm>
#include <cmath>

#include "backends/scalar/grain.h"
#include "backends/track_relaxation.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "kernels/field_constants.h"
#include "kernels/field_rules.h"
#include "kernels/shared_gain.h"
#include "kernels/smooth.h"

namespace cutis {

using namespace field_constants;
using relaxation::odds;

namespace {

// Between the tracked and the smooth skin, in shortest edges: up to here they are two versions of one surface, from
// there on one of them alone is whole.
constexpr float kNearBy = 0.5F, kFarOff = 1;
// Roughness of the smooth skin over that of the tracked one: up to here it is shown in coarse pieces, from there on the
// tracked one; frames in which one takes over from the other, so that nothing jumps.
constexpr float kAsFair = 1, kRougher = 1.1F, kTakeOver = 8;
// Longest edge of the tracked skin over that of the smooth one: beyond the second it is torn.
constexpr float kSound = 1.5F, kTorn = 3;
// How far the tracked skin is from the smooth one where it touches, in local edges and in the mean: up to here a
// contact pass parts smooth skin without more ado (faces turn by some ten degrees), from there on it crumples
// it.
constexpr float kShallow = 0.2F, kDeep = 0.25F;
// Degrees that are not seen.
constexpr float kNoAngle = 0.1F;

}  // namespace

TrackShow::TrackShow(const Rig& rig, const TrackRest& rest, const Context& context)
    : rig_(rig), rest_(rest), context_(context) {
  const std::size_t n = rig.surface.size();
  list_.reserve(n);
  rows_.reserve(n);
  twist_.resize(n);
  next_twist_.resize(n);
  state_.smooth.reserve(rest.pieces.size());
  if (rest.pieces.size() > 0) beside_contact_.resize(n);
  restart();
}

void TrackShow::restart() {
  state_.off.assign(rig_.surface.size(), Vec3f{});
  state_.drift.assign(rig_.surface.size(), Vec3f{});
  state_.motion.clear();
  state_.smooth.clear();
  at_once_.assign(rig_.surface.size(), 0);
}

void TrackShow::show_at_once(std::span<const char> region) {
  for (std::size_t v = 0; v < region.size(); ++v)
    if (region[v] != 0) at_once_[v] = 1;
}

// The tracked skin may jump against smooth skinning: a fold that snaps over, a vertex that changes sides. It is
// followed, at once while its speed against that changes little, or turns back as that of the skin around it does; else
// with bounded acceleration. In the end it is where it is.
void TrackShow::follow(const TrackStep& step, double frames, std::vector<Vec3f>& shown) {
  const RigSurface& s = rig_.surface;
  const bool at_once = !(frames > 0) || state_.motion.empty();
  to_rest_.resize(step.motion.size());
  for (std::size_t b = 0; b < to_rest_.size(); ++b) to_rest_[b] = inverse(step.motion[b].linear);
  const auto passed = static_cast<float>(frames);
  const auto active = [&](std::size_t v) { return !step.slot.empty() && step.slot[v] >= 0; };
  const auto follows = [&](std::size_t v) {
    return s.owner[v] != RigSurface::kNoBone && (active(v) || state_.off[v] != Vec3f{} || state_.drift[v] != Vec3f{});
  };
  const auto smooth_place = [&](std::size_t v) {
    if (!active(v)) return step.p[v];
    return step.lift.empty() ? step.blended[v] : step.blended[v] + step.lift[v];  // it rises as smoothly as bones turn
  };
  const auto target_of = [&](std::size_t v) { return to_rest_[s.owner[v]] * (step.p[v] - smooth_place(v)); };
  list_.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (follows(v)) list_.push_back(v);
  const auto each_follower = [&](auto&& body) {
    parallel_for(context_, list_.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(list_[i]);
    });
  };
  std::vector<Vec3f>& gains = next_;  // a frame, to be there at once
  gains.assign(s.size(), Vec3f{});
  each_follower([&](std::uint32_t v) {
    if (at_once) return;
    const Vec3f way = target_of(v) - state_.off[v];
    if (is_finite(way)) gains[v] = step.motion[s.owner[v]].linear * ((way / passed - state_.drift[v]) / passed);
  });
  each_follower([&](std::uint32_t v) {
    Vec3f &off = state_.off[v], &drift = state_.drift[v];
    const std::uint32_t b = s.owner[v];
    const Vec3f target = target_of(v);
    if (at_once || at_once_[v] != 0 || !is_finite(target)) {
      off = is_finite(target) ? target : Vec3f{};
      drift = {};
      return;
    }
    const float speed =
        distance(transform_point(step.motion[b], s.positions[v]), transform_point(state_.motion[b], s.positions[v])) /
        passed;
    const float radius = rig_.fields[b].empty() ? s.edge[v] : rig_.fields[b].grid.radius;
    const auto ring = s.neighbours.row(v);
    const Vec3f shared = to_rest_[b] * shared_gain(v, gains.data(), ring.data(), ring.size());
    const GentleStart<float> gentle =
        start_gently(target - off, drift, gentle_gain(s.edge[v], radius, off, shared), speed, passed);
    drift = gentle.drift;
    off = gentle.late ? off + gentle.drift * passed : target;
    if (gentle.late) shown[v] = smooth_place(v) + step.motion[b].linear * off;
  });
  state_.motion = step.motion;
  std::ranges::fill(at_once_, 0);
}

bool find_bone_twists(const Rig& rig, const TrackRest& rest, std::span<const SkinDualQuat> rigid,
                      std::vector<float>& twists) {
  twists.assign(rig.bones.size(), 0.0F);
  bool any = false;
  const auto turn = [&](std::size_t b) {
    const Float4& q = rigid[b].real;
    return Quatf{q[0], q[1], q[2], q[3]};
  };
  for (std::size_t b = 0; b < twists.size() && !rigid.empty(); ++b) {
    if (rig.bones[b].parent < 0) continue;
    const Quatf q = conjugate(turn(static_cast<std::size_t>(rig.bones[b].parent))) * turn(b);
    const float along = std::abs(dot(Vec3f{q.x, q.y, q.z}, static_cast<Vec3f>(rest.axis[b])));
    const float degrees = 2 * std::atan2(along, std::abs(q.w)) * static_cast<float>(180 / kPi);
    twists[b] = smooth_step(degrees, kTwistFrom, kTwistTo);
    any = any || twists[b] > 0;
  }
  return any;
}

// Per vertex in `twist_`: 1 where bones share skin whose joint is twisted, fading out over some rings around.
bool TrackShow::find_twists(const TrackStep& step) {
  const RigSurface& s = rig_.surface;
  if (!find_bone_twists(rig_, rest_, step.rigid, bone_twist_)) return false;
  const auto all = [&](auto&& body) {
    parallel_for(context_, s.size(), 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) body(v);
    });
  };
  all([&](std::size_t v) {
    const auto bones = s.turn.row(v);
    twist_[v] = 0;
    if (bones.size() > 1)
      for (const std::uint32_t b : bones) twist_[v] = std::max(twist_[v], bone_twist_[b]);
  });
  for (int ring = 0; ring < kTwistRings; ++ring) {
    all([&](std::size_t v) {
      next_twist_[v] = twist_[v];
      for (const std::uint32_t w : s.neighbours.row(v))
        next_twist_[v] = std::max(next_twist_[v], kTwistFade * twist_[w]);
    });
    twist_.swap(next_twist_);
  }
  return true;
}

// Of all that is not carried exactly.
void TrackShow::find_rows(TrackStep& step, bool guarded, const std::vector<Vec3f>& shown) {
  const RigSurface& s = rig_.surface;
  list_ = step.active;
  const auto turn_with_bone = [&](std::uint32_t v) {
    if (step.is_wanted[v] == 0 && s.owner[v] != RigSurface::kNoBone) step.turn[v] = step.motion[s.owner[v]].linear;
  };
  for (std::uint32_t v = 0; v < s.size(); ++v) {
    if (step.slot[v] >= 0 || shown[v] == step.p[v]) continue;
    list_.push_back(v);
    turn_with_bone(v);
    for (const std::uint32_t w : s.neighbours.row(v)) turn_with_bone(w);
  }
  const bool twisted = find_twists(step);
  rows_.resize(list_.size());
  parallel_for(context_, list_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = list_[i], b = s.owner[v];
      rows_[i] = {shown[v], 0};
      if (rest_.is_rigid(v)) continue;
      float reach = kFairEdges;
      if (b != RigSurface::kNoBone && !rig_.fields[b].empty())
        reach = std::min(reach, kFairRadii * rig_.fields[b].grid.radius / s.edge[v]);
      float attached = 1 / (reach * reach);
      if (twisted) attached += kTwistHold * twist_[v];
      if (!guarded && touches_) attached += odds(smoothing_.beta[v]);
      if (!rest_.stiffness.empty()) attached += odds(rest_.stiffness[v]);
      if (!step.pin.empty()) attached += odds(step.pin[v]);
      const auto ring = s.neighbours.row(v);
      rows_[i] = fair_row(shown[v], v, s.positions.data(), step.turn.data(), ring.data(),
                          s.neighbour_weight.data() + s.neighbours.begin[v], ring.size(), attached);
    }
  });
}

// Chebyshev's iteration: the rows' eigenvalues are within 1 / (1 + k), for the least k.
void TrackShow::make_fair(std::vector<Vec3f>& shown) {
  const RigSurface& s = rig_.surface;
  constexpr float rho = 1 / (1 + 1 / (kFairEdges * kFairEdges));
  next_ = previous_ = shown;
  float weight = 1;
  for (int pass = 0; pass < kFairPasses; ++pass) {
    if (pass > 0) weight = pass == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * weight);
    parallel_for(context_, list_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t v = list_[i];
        const auto ring = s.neighbours.row(v);
        const Vec3f place = fair_place(rows_[i], shown.data(), ring.data(),
                                       s.neighbour_weight.data() + s.neighbours.begin[v], ring.size());
        next_[v] = pass == 0 ? place : lerp(previous_[v], place, weight);
      }
    });
    previous_.swap(shown);
    shown.swap(next_);
  }
}

// Between the vertices of a coarse part there is no skin that a field could shape: there the skin is shown nearer to
// where smooth skinning has it, unless something touches.
void TrackShow::keep_smooth(const TrackStep& step, std::vector<Vec3f>& shown) {
  const RigSurface& s = rig_.surface;
  keep_ = rest_.coarse;
  const auto each_active = [&](auto&& body) {
    parallel_for(context_, step.active.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) body(a, step.active[a]);
    });
  };
  each_active([&](std::size_t a, std::uint32_t v) {
    if (!(keep_[v] > 0)) return;
    float touch = step.pin.empty() ? 0.0F : step.pin[v];
    for (const TrackOther& other : step.others_of(a)) touch = std::max(touch, other.contact);
    // No farther than the shortest edge at it allows: its neighbours may stay with the tracked skin.
    float shortest = s.edge[v];
    for (const std::uint32_t w : s.neighbours.row(v))
      shortest = std::min(shortest, distance(s.positions[v], s.positions[w]));
    const float apart = distance(shown[v], step.blended[v]);
    keep_[v] *= shortest > 0 ? (1 - smooth_step(apart / shortest, kNearBy, kFarOff)) * (1 - touch) : 0.0F;
  });
  each_active([&](std::size_t, std::uint32_t v) {
    if (!(rest_.coarse[v] > 0) || rest_.is_rigid(v)) return;
    const auto ring = s.neighbours.row(v);
    shown[v] = lerp(shown[v], step.blended[v], mean_with_ring(keep_[v], keep_.data(), ring.data(), ring.size()));
  });
}

// In a piece whose edges span its parts no field shapes anything, and what relaxation and fairing spread over a ring or
// two is spread over all of it. There the skin is shown that keeps the angles between its faces better: where smooth
// skinning is strained the tracked one, else the smooth one, all of a piece, since a patchwork of both keeps none.
// Away from contact, for there smooth skinning is folded, and a contact pass is to follow.
void TrackShow::take_the_fairer(const TrackStep& step, const TrackView& view, std::vector<Vec3f>& shown) {
  const CoarseSkin& pieces = rest_.pieces;
  const bool at_once = !(view.frames > 0) || state_.smooth.size() != pieces.size();
  state_.smooth.resize(pieces.size(), 0.0F);
  std::vector<Vec3f>& smooth = next_;
  const auto touches = [&](std::uint32_t v) {
    const std::int32_t slot = step.slot[v];
    return slot >= 0 && std::ranges::any_of(step.others_of(static_cast<std::size_t>(slot)),
                                            [](const TrackOther& other) { return other.contact > 0; });
  };
  const auto is_held = [&](std::uint32_t v) {  // by what smooth skinning does not know
    return (!rest_.stiffness.empty() && rest_.stiffness[v] > 0) ||
           (!step.pin.empty() && step.slot[v] >= 0 && step.pin[v] > 0);
  };
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto members = pieces.vertices(p);
    float& share = state_.smooth[p];
    if (std::ranges::any_of(members, is_held)) {
      share = 0;
      continue;
    }
    for (const std::uint32_t v : members) {
      smooth[v] = step.slot[v] < 0 ? step.p[v] : step.blended[v];
      beside_contact_[v] = touches(v) || std::ranges::any_of(rig_.surface.neighbours.row(v), touches) ? 1 : 0;
    }
    float apart = 0, touching = 0;
    for (const std::uint32_t v : members) {
      if (!(rig_.surface.edge[v] > 0) || !touches(v)) continue;
      apart += distance(shown[v], smooth[v]) / rig_.surface.edge[v];
      touching += 1;
    }
    float wanted = share;  // where there is nothing to tell by
    const auto tracked = pieces.roughness(p, shown, beside_contact_),
               rival = pieces.roughness(p, smooth, beside_contact_);
    if (tracked && rival) wanted = 1 - smooth_step((*rival + kNoAngle) / (*tracked + kNoAngle), kAsFair, kRougher);
    if (touching > 0) wanted *= 1 - smooth_step(apart / touching, kShallow, kDeep);
    // Without a contact pass only the tracked skin keeps to its side.
    if (!view.guarded && std::ranges::any_of(members, touches)) wanted = 0;
    const float torn = smooth_step(pieces.longest(p, shown) / std::max(1.0F, pieces.longest(p, smooth)), kSound, kTorn);
    const float most = at_once ? 1 : static_cast<float>(view.frames) / kTakeOver;
    share = std::max(share + std::clamp(wanted - share, -most, most), torn);  // torn skin is gone at once
    if (!(share > 0)) continue;
    for (const std::uint32_t v : members)
      if (step.slot[v] >= 0) shown[v] = lerp(shown[v], step.blended[v], share);
  }
}

void TrackShow::update(TrackStep& step, const TrackView& view, int smoothing, std::vector<Vec3f>& shown) {
  shown = step.p;
  follow(step, view.frames, shown);
  // What operators of joints lift is no roughness: the skin below is made fair.
  for (std::size_t v = 0; v < step.lift.size(); ++v) shown[v] -= step.lift[v];
  touches_ = track_smooth(rig_, rest_, smoothing, step, smoothing_, shown, context_);
  if (step.slot.empty()) return;
  find_rows(step, view.guarded, shown);
  if (list_.empty()) return;
  make_fair(shown);
  if (!rest_.coarse.empty()) keep_smooth(step, shown);
  if (rest_.pieces.size() > 0) take_the_fairer(step, view, shown);
  for (std::size_t v = 0; v < step.lift.size(); ++v) shown[v] += step.lift[v];
}

}  // namespace cutis
