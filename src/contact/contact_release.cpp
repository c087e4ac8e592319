// Parts that cannot be kept apart are let go; skin that is caught comes free. See docs/algorithms/contact.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "contact/contact_pass_impl.h"
#include "geometry/normals.h"
#include "kernels/eval_field.h"
#include "kernels/whole.h"
#include "rig/wound_skin.h"

namespace cutis {
namespace {

// Along the skeleton from fingertip to thumb tip: 3 + 3 bones.
constexpr int kSameLimb = 6;
// Skin held off its place by so many radii of its part may be caught: on the wrong side of something that it cannot
// pass any more. Looked after every few sub-steps, for the test takes as long as one.
constexpr double kCaughtRadii = 0.2;
constexpr int kCaughtSteps = 8;
// Intersections that are taken for it, per vertex that comes free.
constexpr double kCreases = 0.05;
// Parts of one limb are let go too when they are held off by so many times what lets others go.
constexpr double kLimbPatience = 4;
// Sub-steps on end in which a pair must tear its skin: parts that only brush past each other are held.
constexpr int kReleasePatience = 8;
// Stretched so far, and kTornMore times as far as the method's, skin is torn.
constexpr double kTornStretch = 3;
// A part whose vertices are on average so many radii off their places is left behind.
constexpr double kLeftBehind = 2;
// What is rigid is left behind sooner, by this share of its size: a blade that comes off its handle is seen.
constexpr double kRigidLag = 0.02;
constexpr double kFoldedCosine = -0.5;  // between the normals of two faces, as `measure` counts folds
constexpr double kMovedEdges = 0.1;     // off the method's place: looked at
// Edges of a part, and in all, that are folded or torn, and the longest: a fist that is closed in few frames has up to
// 17 and stretches by 5, skin that is caught has hundreds. What is repaired is repaired well.
constexpr BrokenBounds kTooMuch{24, 3, 48, 6, 8, 2}, kRepaired{6, 1, 12, 2, 5, 1};
// Against smooth skinning: skin that contact folds where that passes through itself is whole.
constexpr BrokenBounds kTorn{24, 3, 48, 6, 8, 2, false};
// Of the edges of a part, and of all: what the bounds above are of a finger and of a body of 13,000 vertices.
constexpr double kPartShare = 0.03, kAllShare = 0.004;
// First what is broken itself and so many rings around it, twice as many, four times as many; then parts with such
// edges; then everything.
constexpr int kAttempts = 5, kLocalAttempts = 3;
constexpr int kWholeRings = 3, kFadeRings = 6;
// Folds and tears are worse than an edge that is longer by half.
constexpr double kLittleMore = 1.5;
// Of pressing apart what was let go, each without the parts that could not be the time before.
constexpr int kPressAttempts = 3;
constexpr std::uint32_t kLagging = ~0U;
constexpr int kAxisPoints = 8;  // along a bone

}  // namespace

int ContactPass::Impl::bones_between(std::uint32_t a, std::uint32_t b) const {
  int steps = 0;
  for (auto x = static_cast<int>(a), y = static_cast<int>(b); x != y; ++steps) {
    int& farther = x > y ? x : y;  // parents have lower numbers
    farther = rig.bones[static_cast<std::size_t>(farther)].parent;
    if (farther < 0) return std::numeric_limits<int>::max();
  }
  return steps;
}

double ContactPass::Impl::rest_edge(std::uint32_t v, std::uint32_t w) const { return whole_edge(rig.surface, v, w); }

double ContactPass::Impl::stretch(std::uint32_t v) const {
  double most = 0;
  for (const std::uint32_t w : rig.surface.neighbours.row(v)) {
    const double edge = rest_edge(v, w);
    if (edge > 0) most = std::max(most, distance(mesh[v], mesh[w]) / edge);
  }
  return most;
}

// Skin that is held farther off its place than the thinner part is thick belongs to parts that have passed through each
// other. It is let go when holding on would tear it: it is stretched beyond all measure or left behind. Parts of one
// limb cannot run far from each other: there patience pays.
void ContactPass::Impl::release_passed(bool left_behind) {
  const std::size_t bones = rig.bones.size();
  const auto find = [](std::vector<Torn>& list, const std::array<std::uint32_t, 2>& pair) {
    return std::ranges::lower_bound(list, pair, {}, &Torn::parts);
  };
  still_torn.clear();
  for (const ContactRecord& record : safe.contacts()) {
    const std::uint32_t v = record.vertex, a = part[v], b = record.other_part;
    if (a >= bones || b >= bones) continue;
    const double thin = std::min(radius[a], radius[b]), held = held_off(v);
    if (!(held > options.release_radii * thin)) continue;
    if (bones_between(a, b) <= kSameLimb && !(held > kLimbPatience * options.release_radii * thin)) continue;
    if (!left_behind && !(stretch(v) > options.release_stretch)) continue;
    const std::array<std::uint32_t, 2> pair{std::min(a, b), std::max(a, b)};
    const auto known = find(torn, pair), at = find(still_torn, pair);
    if (at != still_torn.end() && at->parts == pair) continue;
    still_torn.insert(at, {pair, (known != torn.end() && known->parts == pair ? known->steps : 0) + 1});
  }
  for (const auto& [pair, steps] : still_torn)
    if (steps >= kReleasePatience || passed(pair[0], pair[1])) safe.release(pair[0], pair[1]);
  torn = still_torn;
}

bool ContactPass::Impl::passed(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t thin = radius[a] <= radius[b] ? a : b, thick = thin == a ? b : a;
  const GridView grid = rig.fields[thick].view();
  if (grid.nodes == nullptr || !(std::abs(determinant(motion[thick].linear)) > 0)) return false;
  const Affine3d into = inverse(motion[thick]) * motion[thin];
  for (int i = 0; i <= kAxisPoints; ++i) {
    const double t = static_cast<double>(i) / kAxisPoints;
    const Vec3d x = transform_point(into, lerp(rig.bones[thin].rest_origin, rig.bones[thin].rest_end, t));
    const Vec3f p = transform_point(grid.grid_from_rest, static_cast<Vec3f>(x));
    if (inside_grid(grid, p) && grid_distance(grid, p).value < -radius[thin]) return true;
  }
  return false;
}

// What cannot be followed at all is let go: parts that block each other. False: they are neighbours, or one.
bool ContactPass::Impl::release_blocking(bool neighbours) {
  bool any = false;
  for (const auto& [a, b] : safe.blocking()) {
    if (a >= rig.bones.size() || b >= rig.bones.size() || (!neighbours && bones_between(a, b) <= 1)) continue;
    safe.release(a, b);
    any = true;
  }
  return any;
}

// What contact breaks and the method does not: edges whose faces turn against each other, edges that are stretched far
// beyond what they are there; parts that are left behind. Only where the skin is held off its place. True: too much.
bool ContactPass::Impl::find_broken(const std::vector<Vec3f>& skin, const std::vector<Vec3f>& target,
                                    const BrokenBounds& most) {
  const RigSurface& surface = rig.surface;
  const std::size_t parts = radius.size();
  broken_edges.assign(parts, 0);
  torn_edges.assign(parts, 0);
  lag.assign(parts, 0);
  vertices_of.assign(parts, 0);
  differs.resize(skin.size());
  broken.assign(skin.size(), 0);
  for (std::size_t v = 0; v < skin.size(); ++v) {
    const double off = distance(skin[v], target[v]);
    differs[v] = off > kMovedEdges * surface.edge[v] ? 1 : 0;
    if (rigid[part[v]] != 0)
      lag[part[v]] = std::max(lag[part[v]], off);
    else
      lag[part[v]] += off;
    ++vertices_of[part[v]];
  }
  bool too_much = false;
  std::size_t all = 0, all_torn = 0;
  double farthest = 0;  // of the target's edges, once it is asked for
  const auto stretch_bound = [&] {
    if (farthest == 0) farthest = longest_stretch(target);
    return std::clamp(static_cast<double>(kTornMore) * farthest, std::min(kSurelyTorn, most.stretch), most.stretch);
  };
  const auto share_of = [](double share, std::size_t edges, std::size_t least, std::size_t most_edges) {
    return std::clamp(static_cast<std::size_t>(share * static_cast<double>(edges)), least, most_edges);
  };
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const Edge& edge = topology.edges[e];
    const std::uint32_t v = edge.a, w = edge.b;
    if ((differs[v] | differs[w]) == 0) continue;
    const double rest_length = shared->edge_length[e];
    const double here = distance(skin[v], skin[w]),
                 there = static_cast<double>(kTornMore) * distance(target[v], target[w]);
    const bool torn_here = here > kTornStretch * rest_length && here > there;
    const auto folded = [&] {
      const auto sharp = [&](const std::vector<Vec3f>& x) {
        const auto faces = topology.edge_faces.row(e);
        const auto normal = [&](const Triangle& t) { return normalized(area_vector(x[t[0]], x[t[1]], x[t[2]])); };
        const double agreement = dot(normal(topology.triangles[faces[0]]), normal(topology.triangles[faces[1]]));
        return (edge.forward == 1 ? agreement : -agreement) < kFoldedCosine;
      };
      return most.folds && edge.faces == 2 && sharp(skin) && !sharp(target);
    };
    if (!torn_here && !folded()) continue;
    broken[v] = broken[w] = 1;
    ++all;
    const std::uint32_t p = part[v];
    const bool far = (here > kSurelyTorn * rest_length && here > stretch_bound() * rest_length) ||
                     (radius[p] > 0 && here - std::max(rest_length, there) > most.far * radius[p]);
    too_much = ++broken_edges[p] >= most.of_a_part || (torn_here && far) || too_much;
    if (!torn_here) continue;
    ++all_torn;
    too_much = ++torn_edges[p] >= share_of(kPartShare, edges_of[p], most.least_of_a_part, most.of_a_part) || too_much;
  }
  for (std::size_t p = 0; p < parts; ++p) {
    const double most_lag =
        rigid[p] != 0 ? kRigidLag * diagonal(box[p]) : kLeftBehind * static_cast<double>(radius[p]) * vertices_of[p];
    if (!(most_lag > 0) || !(lag[p] > most_lag)) continue;
    broken_edges[p] = kLagging;
    too_much = true;
  }
  return too_much || all >= most.in_all ||
         all_torn >= share_of(kAllShare, topology.edges.size(), most.least_in_all, most.in_all);
}

// Per vertex: 1 where it is broken and in some rings around that, at whole parts, or everywhere; 0 a few rings farther.
void ContactPass::Impl::fade_broken(int attempt) {
  let_go.assign(mesh.size(), 0);
  fringe.clear();
  for (std::uint32_t v = 0; v < mesh.size(); ++v) {
    const std::uint32_t edges = broken_edges[part[v]];
    if (broken[v] == 0 && edges != kLagging && attempt + 1 < kAttempts && (attempt < kLocalAttempts || edges < 1))
      continue;
    let_go[v] = 1;
    fringe.push_back(v);
  }
  spread_fringe(kWholeRings << std::min(attempt, kLocalAttempts - 1));
}

// From the vertices of `fringe`, where let_go is 1: as far over some rings, then fading.
void ContactPass::Impl::spread_fringe(int rings) {
  for (int depth = 1; depth <= rings + kFadeRings; ++depth) {
    const float share = std::min(1.0F, 1 - static_cast<float>(depth - rings) / (kFadeRings + 1));
    next_fringe.clear();
    for (const std::uint32_t v : fringe)
      for (const std::uint32_t w : rig.surface.neighbours.row(v)) {
        if (let_go[w] > 0) continue;
        let_go[w] = share;
        next_fringe.push_back(w);
      }
    fringe.swap(next_fringe);
  }
}

double ContactPass::Impl::longest_stretch(const std::vector<Vec3f>& skin) const {
  double most = 0;
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    most = std::max(most, distance(skin[topology.edges[e].a], skin[topology.edges[e].b]) /
                              std::max<double>(shared->edge_length[e], 1e-30));
  return most;
}

// Takes `skin` back to `target` where it is folded or torn and that is neither: as little of it as makes it whole. The
// target may be torn elsewhere, smooth skinning in a crease: what tears the skin much more than it was is taken back.
void ContactPass::Impl::repair(std::vector<Vec3f>& skin, const std::vector<Vec3f>& target) {
  const double most = std::max(kSurelyTorn, kLittleMore * longest_stretch(skin));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fade_broken(attempt);
    unrepaired = skin;
    for (std::size_t v = 0; v < skin.size(); ++v)
      if (let_go[v] > 0) skin[v] = let_go[v] < 1 ? lerp(skin[v], target[v], let_go[v]) : target[v];
    if (longest_stretch(skin) > most) skin.swap(unrepaired);
    if (!find_broken(skin, target, kRepaired)) break;
  }
}

// The method's skin (`input`) has gone another way round: there is nothing that contact could follow. The skin is taken
// for what the method's would have been in the pose before, and what meets there is let go until it is apart.
std::size_t ContactPass::Impl::go_the_short_way(std::span<const std::uint32_t> unwound, const Context& context) {
  const RigSurface& surface = rig.surface;
  wound.assign(mesh.size(), 0);
  mark_unwound(rig, unwound, wound);
  let_go.assign(mesh.size(), 0);
  fringe.clear();
  for (std::uint32_t v = 0; v < mesh.size(); ++v) {
    if (wound[v] == 0) continue;
    let_go[v] = 1;
    fringe.push_back(v);
  }
  spread_fringe(kWholeRings);
  std::size_t changed = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    if (!(let_go[v] > 0)) continue;
    const Affine3d& way = delta[part[v]];
    if (!(std::abs(determinant(way.linear)) > 0)) continue;
    const auto at = static_cast<Vec3f>(transform_point(inverse(way), static_cast<Vec3d>(input[surface.first_of[v]])));
    if (!is_finite(at)) continue;
    mesh[v] = lerp(mesh[v], at, let_go[v]);
    wanted[v] = lerp(wanted[v], at, let_go[v]);
    lift[v] = lift[v] * (1.0 - static_cast<double>(let_go[v]));
    ++changed;
  }
  const auto ignored = [](std::uint32_t, std::uint32_t) { return false; };
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * mesh.size(), 0);
  const auto meeting = meeting_search.find(mesh, ignored, context, &own);
  for (const auto& [parts, pairs] : meeting) safe.release(parts[0], parts[1], true);
  safe.set_meeting(meeting);
  swell.restart();
  unfold.restart();
  return changed;
}

// Parts that were left behind, after find_broken(): an arm that swings through a leg in one frame. They go where they
// belong with the give that they had before this frame: what touched then, an armpit, still does.
void ContactPass::Impl::catch_up() {
  fade_broken(0);
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    const std::uint32_t p = part[v];
    if (!(let_go[v] > 0)) continue;
    if (broken_edges[p] == kLagging && std::abs(determinant(first_motion[p].linear)) > 0) {
      const Vec3d kept = (motion[p] * inverse(first_motion[p])).linear * static_cast<Vec3d>(first_give[v]);
      if (is_finite(kept)) whole[v] = static_cast<Vec3f>(static_cast<Vec3d>(raw[v]) + kept);
    }
    mesh[v] = lerp(mesh[v], whole[v], let_go[v]);
  }
}

// Skin is whole first. Where contact has broken it, it goes back to the method's at once, and where that is broken too,
// to smooth skinning; what meets then is let go until it is apart. See docs/algorithms/contact.md.
std::size_t ContactPass::Impl::keep_whole(const Context& context) {
  rearm_parted(context);
  // A shape that was given is as it is meant; smooth skinning at the pose that was found for it may be wrung.
  bool may_be_torn = false;
  for (std::size_t e = 0; e < topology.edges.size() && !may_be_torn && !options.shape; ++e) {
    const Edge& edge = topology.edges[e];
    may_be_torn = distance(mesh[edge.a], mesh[edge.b]) > kTornStretch * shared->edge_length[e];
  }
  if (may_be_torn) find_plain(motion, context);
  const bool torn_by_method = may_be_torn && find_broken(mesh, plain, kTorn);
  if (!find_broken(mesh, raw, kTooMuch) && !torn_by_method) return 0;
  for (const Vec3f& p : raw)
    if (!is_finite(p)) return 0;
  proposed = mesh;
  whole = raw;
  if (prompt && std::ranges::find(broken_edges, kLagging) != broken_edges.end()) catch_up();
  if (find_broken(mesh, whole, kTooMuch) || torn_by_method) {
    whole = raw;
    if (!options.shape) {
      if (!may_be_torn) find_plain(motion, context);
      if (find_broken(whole, plain, kRepaired)) repair(whole, plain);
    }
    mesh = proposed;
    if (find_broken(mesh, whole, kRepaired)) repair(mesh, whole);
  }
  const auto ignored = [](std::uint32_t, std::uint32_t) { return false; };
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * mesh.size(), 0);
  const auto meeting = meeting_search.find(mesh, ignored, context, &own);
  if (own.stopped()) {  // what meets is not known: the skin stays as it was, which is valid
    mesh.swap(proposed);
    return 0;
  }
  for (const auto& [parts, pairs] : meeting) safe.release(parts[0], parts[1], true);
  safe.set_meeting(meeting);
  std::size_t changed = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    if (mesh[v] == proposed[v]) continue;
    ++changed;
    wanted[v] = whole[v];
    lift[v] = {};
  }
  swell.restart();
  unfold.restart();
  torn.clear();
  return changed;
}

void ContactPass::mend(std::span<Vec3f> positions, const Context& context) {
  Impl& s = *impl_;
  const RigSurface& surface = s.rig.surface;
  s.whole.resize(s.mesh.size());
  for (std::size_t v = 0; v < s.mesh.size(); ++v) {
    s.whole[v] = positions[surface.first_of[v]];
    if (!is_finite(s.whole[v])) return;
  }
  s.find_plain(s.goal_motion, context);
  const bool broken = s.find_broken(s.whole, s.plain, kTooMuch);
  if (broken) s.repair(s.whole, s.plain);
  if (s.draw_together(s.whole, context) == 0 && !broken) return;
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = s.whole[surface.welded_of[v]];
}

// Of the triangles that the last look at all of `whole` found: their middle, and the mean of the ways out, which is the
// other's normal less the own one.
void ContactPass::Impl::note_met() {
  met.clear();
  for (const MeetingParts& m : meeting_search.meeting()) met.push_back({m.parts[0], m.parts[1], {}, {}});
  const auto triangles = safe.surface().triangles();
  const auto parts = safe.surface().triangle_part();
  const auto add = [&](std::uint32_t t, std::uint32_t u) {  // of lower and of higher part
    const auto at = std::ranges::find_if(met, [&](const SkinMeeting& m) { return m.a == parts[t] && m.b == parts[u]; });
    if (at == met.end()) return;
    const Vec3d x = face_normal<double>(whole, triangles[t]), y = face_normal<double>(whole, triangles[u]);
    for (const std::uint32_t v : triangles[t]) at->at += static_cast<Vec3d>(whole[v]);
    for (const std::uint32_t v : triangles[u]) at->at += static_cast<Vec3d>(whole[v]);
    at->away += normalized(y) * length(x) - normalized(x) * length(y);
  };
  for (const auto& [t, u] : meeting_search.triangles()) parts[t] <= parts[u] ? add(t, u) : add(u, t);
  for (SkinMeeting& m : met) {
    const auto pairs = std::ranges::find_if(meeting_search.meeting(), [&](const MeetingParts& p) {
                         return p.parts[0] == m.a && p.parts[1] == m.b;
                       })->pairs;
    m.at = m.at / (6.0 * static_cast<double>(pairs));
  }
}

std::span<const SkinMeeting> ContactPass::met() const { return impl_->met; }

bool ContactPass::land(const Pose& pose, std::span<Vec3f> positions, Landing how, const Context& context) {
  Impl& s = *impl_;
  const RigSurface& surface = s.rig.surface;
  if (s.safe.surface().rest_report().endless) return false;
  s.set_goal(pose);
  s.whole.resize(s.mesh.size());
  for (std::size_t v = 0; v < s.mesh.size(); ++v) {
    s.whole[v] = positions[surface.first_of[v]];
    if (!is_finite(s.whole[v])) return false;
  }
  s.proposed = s.whole;
  const auto ignored = [](std::uint32_t, std::uint32_t) { return false; };
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * s.mesh.size(), 0);
  const auto found = s.meeting_search.find(s.whole, ignored, context, &own);
  if (own.stopped()) return false;
  s.first_meeting.assign(found.begin(), found.end());
  s.note_met();
  const bool apart = s.first_meeting.empty() || (s.press_apart.run(s.whole, s.meeting_search, ignored, context, &own) &&
                                                 !s.find_broken(s.whole, s.proposed, kRepaired));
  if (!apart && how != Landing::let_go) return false;
  s.restart();
  s.safe.restore_state({});
  s.pose = s.goal;
  s.motion = s.goal_motion;
  s.wanted = s.proposed;
  s.mesh = apart ? s.whole : s.proposed;
  s.started = s.landed = true;
  s.opened = how == Landing::opened;
  if (apart || s.stops <= 1) s.pause = 0;
  if (!apart) {
    for (const auto& [parts, pairs] : s.first_meeting) s.safe.release(parts[0], parts[1], true);
    s.safe.set_meeting(s.first_meeting);
    return false;
  }
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = s.mesh[surface.welded_of[v]];
  return true;
}

void ContactPass::Impl::suspect_moved(const std::vector<Vec3f>& from, const std::vector<Vec3f>& to) {
  suspects.resize(from.size());
  for (std::size_t v = 0; v < from.size(); ++v) suspects[v] = from[v] != to[v] ? 1 : 0;
}

// A part that was let pass through itself is held again when it does not any more.
void ContactPass::Impl::rearm_parted(const Context& context) {
  const auto itself = [](const SafeStepState::Released& pair) { return pair.a == pair.b; };
  if (std::ranges::none_of(safe.released_pairs(), itself)) return;
  suspects.assign(mesh.size(), 0);
  for (const SafeStepState::Released& pair : safe.released_pairs())
    for (std::size_t v = 0; itself(pair) && v < mesh.size(); ++v) suspects[v] |= part[v] == pair.a ? 1U : 0U;
  const auto ignored = [](std::uint32_t a, std::uint32_t b) { return a != b; };
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * mesh.size(), 0);
  const auto meeting = meeting_search.find_near(suspects, mesh, ignored, context, &own);
  if (own.stopped()) return;
  safe.rearm_if([&](const SafeStepState::Released& pair) {
    return itself(pair) && std::ranges::none_of(meeting, [&](const auto& m) { return m.parts[0] == pair.a; });
  });
}

// What was let go and is only a little inside each other now is pressed apart, and held again. Parts that stay in each
// other whatever is done are left out, so that the others need not wait for them.
void ContactPass::Impl::hold_again(const Context& context) {
  if (safe.released_pairs().empty()) return;
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * mesh.size(), 0);
  const auto find_among = [](const auto& list, std::uint32_t a, std::uint32_t b) {
    return std::ranges::any_of(list, [&](const MeetingParts& m) { return m.parts[0] == a && m.parts[1] == b; });
  };
  left_out.clear();
  const auto ignored = [&](std::uint32_t a, std::uint32_t b) {
    return !left_out.empty() && find_among(left_out, std::min(a, b), std::max(a, b));
  };
  const auto found = meeting_search.find(mesh, ignored, context, &own);
  if (own.stopped()) return;
  first_meeting.assign(found.begin(), found.end());
  safe.set_meeting(first_meeting);
  for (int attempt = 0; attempt < kPressAttempts; ++attempt) {
    if (attempt > 0) (void)meeting_search.find(mesh, ignored, context, &own);
    if (own.stopped()) return;
    if (meeting_search.meeting().empty() || press_apart.run(mesh, meeting_search, ignored, context, &own)) {
      safe.rearm_if([&](const SafeStepState::Released& pair) { return !find_among(left_out, pair.a, pair.b); });
      for (const MeetingParts& m : left_out) safe.release(m.parts[0], m.parts[1], true);
      return;
    }
    if (own.stopped()) return;
    const std::size_t known = left_out.size();
    for (const MeetingParts& m : meeting_search.meeting())
      if (find_among(first_meeting, m.parts[0], m.parts[1]) && !find_among(left_out, m.parts[0], m.parts[1]))
        left_out.push_back(m);
    if (left_out.size() == known) return;
  }
}

// Skin that the method's mesh would not need to hold any more, because it is free there, but that cannot find its way
// back: a fold caught behind a finger, arms that were taken through each other in one frame. Whatever is free is valid.
// A few intersections elsewhere, a crease in an elbow, are no reason to stay caught: those parts are let go.
std::size_t ContactPass::Impl::free_caught(std::size_t substeps, const Context& context) {
  caught.assign(radius.size(), 0);
  std::size_t held = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    const std::uint32_t p = part[v];
    if (!is_finite(raw[v])) return 0;
    if (!(radius[p] > 0) || !(held_off(v) > kCaughtRadii * radius[p])) continue;
    caught[p] = 1;
    ++held;
  }
  caught_steps = held > 0 ? caught_steps + static_cast<int>(substeps) : 0;
  if (held == 0 || caught_steps < kCaughtSteps) return 0;
  caught_steps = 0;
  const auto ignored = [&](std::uint32_t a, std::uint32_t b) { return safe.released(a, b); };
  proposed = mesh;
  for (std::size_t v = 0; v < mesh.size(); ++v)
    if (caught[part[v]] != 0) proposed[v] = raw[v];
  suspect_moved(mesh, proposed);  // the mesh does not intersect
  const bool meets = !meeting_search.find_near(suspects, proposed, ignored, context, meter).empty();
  if (stopped()) return 0;
  if (meets) {
    std::size_t creases = 0;
    const auto meeting = meeting_search.find(raw, ignored, context, meter);
    if (stopped()) return 0;
    for (const auto& [parts, pairs] : meeting) {
      if (parts[0] == parts[1]) return 0;
      creases += pairs;
    }
    if (static_cast<double>(creases) > kCreases * static_cast<double>(held)) return 0;
    for (const auto& [parts, pairs] : meeting) safe.release(parts[0], parts[1]);
    proposed = raw;
  }
  std::size_t freed = 0;
  for (std::size_t v = 0; v < mesh.size(); ++v) freed += mesh[v] != proposed[v] ? 1U : 0U;
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    if (proposed[v] != raw[v] || mesh[v] == raw[v]) continue;
    wanted[v] = raw[v];
    lift[v] = {};
  }
  mesh.swap(proposed);
  swell.restart();  // what was pressed in is free
  unfold.restart();
  return freed;
}

}  // namespace cutis
