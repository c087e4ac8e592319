#include "contact/contact_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "contact/carry_on.h"
#include "contact/contact_pass_impl.h"
#include "geometry/normals.h"
#include "rig/motion.h"
#include "rig/pose_limits.h"

namespace cutis {
namespace {

constexpr std::size_t kVerticesPerChunk = 1024;
// Of all sub-steps of a frame together: bounds the time of a frame that has no good answer.
constexpr std::size_t kMostHalvings = 3, kClosingHalvings = 12;
// Tests of a frame and of a safe step, per vertex: many times what a fist takes. Beyond the first the rest of the frame
// is taken in one sub-step, beyond the second the parts that block each other are let go.
constexpr std::size_t kFrameTests = 64, kFirstTests = 1024, kStepTests = 32;
// Pairs of a safe step, per vertex, likewise.
constexpr std::size_t kStepPairs = 256;
// A frame that took too much work is tried again after 1, 2, 4 … frames, but no more than these; the second time and
// ever after it starts from rest.
constexpr int kMostPause = 16;
// Pairs of so many parts are all looked at; of more parts those that a sweep finds near each other.
constexpr std::size_t kFewParts = 256;
// Skin that nothing holds any more returns by at most so many local edges in a sub-step.
constexpr double kReturnEdges = 1;
// Sub-steps of the way to the first frame, by how far parts travel, over those by the turns of joints.
constexpr int kFirstSubsteps = 2;
// Sub-steps at its end, at most, until no vertex moves by more than this share of its edges.
constexpr int kSettlingSteps = 8;
constexpr double kSettledEdges = 0.25;
// Attempts at a sub-step that cannot be settled, each with more pairs of parts let go.
constexpr int kMostRefusals = 3;
// The rate at which speeds are per frame.
constexpr double kFrameRate = 30;
constexpr double kSwellFrames = 2;  // in which flesh comes out, and folds are smoothed
constexpr double kFarApart = 0.1;   // seconds
constexpr double kFarTurn = 0.5;    // radians of a joint
constexpr double kNoTurn = 1e-6;    // radians

void interpolate(const Pose& a, const Pose& b, double t, Pose& out) {
  out.time = std::lerp(a.time, b.time, t);
  out.local.resize(a.local.size());
  for (std::size_t j = 0; j < a.local.size(); ++j)
    out.local[j] = {lerp(a.local[j].translation, b.local[j].translation, t),
                    slerp(a.local[j].rotation, b.local[j].rotation, t), lerp(a.local[j].scale, b.local[j].scale, t)};
}

double largest_turn(const Pose& a, const Pose& b) {
  double most = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    const double c = std::min(1.0, std::abs(dot(a.local[j].rotation, b.local[j].rotation)));
    if (std::isfinite(c)) most = std::max(most, 2 * std::acos(c));
  }
  return most;
}

SafeStepOptions bounded(SafeStepOptions safe, std::size_t vertices) {
  safe.max_tests = std::min(safe.max_tests, kStepTests * vertices);
  safe.max_pairs = std::min(safe.max_pairs, std::max<std::size_t>(100'000, kStepPairs * vertices));
  return safe;
}

}  // namespace

ContactPass::Impl::Impl(const Rig& r, const ContactPassOptions& o, const Context& context)
    : rig(r),
      options(o),
      shared(contact_rest(r, context)),
      part(shared->part),
      radius(shared->radius),
      rigid(shared->rigid),
      topology(shared->topology()),
      safe(shared->surface, bounded(o.safe, r.surface.size()), context),
      meeting_search(*shared->surface),
      press_apart(*shared->surface, radius),
      swell(r, shared->swell, part, radius),
      unfold(r, topology, shared->unfold),
      strain(r.surface, shared->strain),
      box(shared->box),
      part_edge(shared->part_edge),
      figure_size(shared->figure_size) {
  const std::size_t n = rig.surface.size();
  stiffness.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    const double reach = options.give_radii * radius[part[v]], edge = rig.surface.edge[v];
    stiffness[v] = reach > 0 ? std::min(1.0, edge * edge / (reach * reach)) : 1.0;
  }
  edges_of.assign(radius.size(), 0);
  for (const Edge& edge : topology.edges) ++edges_of[part[edge.a]];
  input.resize(rig.vertex_count());
  restart();
  stops = pause = 0;
}

void ContactPass::Impl::restart() {
  pose = shared->pose;
  motion.assign(radius.size(), Affine3d{});
  mesh = wanted = rig.surface.positions;
  lift.assign(mesh.size(), Vec3d{});
  swell.restart();
  unfold.restart();
  started = landed = opened = false;
  in_contact.assign(mesh.size(), 0);
  caught_steps = 0;
  torn.clear();
}

void ContactPass::Impl::motions_at(const Pose& at, std::vector<Affine3d>& out) {
  world_from_joint(rig.skeleton, at, world);
  out = motion;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Affine3d m = motion_of(rig.bones[b], world);
    if (is_finite(m)) out[b] = m;
  }
}

// By the turn of joints, and by how far parts that come near each other move against each other.
int ContactPass::Impl::substeps() {
  double count = largest_turn(pose, goal) / (options.max_turn_degrees * kPi / 180);
  // Frames far apart are taken as the frames between them would be.
  // Nobody sees the way to the first frame: it is not as fine, but what meets on it must not pass through.
  // Limbs that close on each other meet head-on, all their skin at once.
  const double most_travel = closing
                                 ? options.most_substeps
                                 : (started ? options.max_substeps : kFirstSubsteps) * std::max(1.0, std::ceil(count));
  const std::size_t parts = radius.size();
  posed.assign(parts, {});
  for (std::size_t p = 0; p < parts; ++p) {
    if (box[p].empty()) continue;
    for (unsigned c = 0; c < 8; ++c) {
      const Vec3d x{(c & 1U) != 0 ? box[p].hi.x : box[p].lo.x, (c & 2U) != 0 ? box[p].hi.y : box[p].lo.y,
                    (c & 4U) != 0 ? box[p].hi.z : box[p].lo.z};
      posed[p].add(transform_point(motion[p], x));
      posed[p].add(transform_point(goal_motion[p], x));
    }
  }
  const auto consider = [&](std::size_t p, std::size_t q) {
    if (box[p].empty() || box[q].empty() || p == parts - 1 || q == parts - 1) return;
    if (rig.bones[p].parent == static_cast<int>(q) || rig.bones[q].parent == static_cast<int>(p)) return;
    const double edge = std::min(part_edge[p], part_edge[q]);
    bool near = true;
    for (int k = 0; k < 3; ++k)
      near = near && posed[p].lo[k] - edge <= posed[q].hi[k] && posed[q].lo[k] - edge <= posed[p].hi[k];
    if (!near || !(edge > 0)) return;
    if (!(std::abs(determinant(motion[q].linear)) > 0) || !(std::abs(determinant(goal_motion[q].linear)) > 0)) return;
    const double unit = options.max_travel_edges * edge;
    const double far = safe.surface().travel_near(
        static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(q), inverse(motion[q]) * motion[p],
        inverse(goal_motion[q]) * goal_motion[p], edge, unit * std::max(1.0, std::ceil(count)), meter);
    count = std::max(count, std::min(most_travel, far / unit));
  };
  if (parts <= kFewParts) {
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t q = p + 1; q < parts; ++q) consider(p, q);
  } else {
    double widest = 0;
    by_x.clear();
    for (std::uint32_t p = 0; p < parts; ++p) {
      if (box[p].empty()) continue;
      by_x.push_back(p);
      widest = std::max<double>(widest, part_edge[p]);
    }
    std::ranges::sort(by_x, {}, [&](std::uint32_t p) { return std::pair(posed[p].lo.x, p); });
    WorkCount work(meter);
    for (std::size_t i = 0; i < by_x.size(); ++i)
      for (std::size_t j = i + 1; j < by_x.size() && posed[by_x[j]].lo.x <= posed[by_x[i]].hi.x + widest; ++j) {
        if (!work.spend(1)) return 1;
        consider(std::min(by_x[i], by_x[j]), std::max(by_x[i], by_x[j]));
      }
  }
  return std::isfinite(count) ? std::clamp(static_cast<int>(std::ceil(count)), 1, options.most_substeps)
                              : options.most_substeps;
}

// Where the skin would go from here: the method's mesh, swelling (next_lift), and the give of what contact holds.
void ContactPass::Impl::propose(double rate, const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = surface.size();
  const auto all_vertices = [&](auto&& body) {
    parallel_for(context, n, kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) body(v);
    });
  };
  for (auto* list : {&raw, &next_wanted, &proposed}) list->resize(n);
  for (auto* list : {&give, &carried}) list->resize(n);
  all_vertices([&](std::size_t v) { next_wanted[v] = raw[v] = input[surface.first_of[v]]; });
  swell.lift(next_motion, next_lift);
  all_vertices([&](std::size_t v) {
    give[v] = delta[part[v]].linear * (static_cast<Vec3d>(mesh[v]) - static_cast<Vec3d>(wanted[v]) - lift[v]);
    if (!is_finite(give[v])) give[v] = {};
    carried[v] = give[v];
  });
  relax(context);
  all_vertices([&](std::size_t v) {
    const Vec3d change = give[v] - carried[v];
    const double most = kReturnEdges * surface.edge[v], wish = length(change);
    if (wish > most) give[v] = carried[v] + change * (most / wish);
    carried[v] = static_cast<Vec3d>(next_wanted[v]) + give[v];
  });
  if (options.swell) unfold.smooth(carried, next_lift, swell.state().touch, rate, context);
  all_vertices([&](std::size_t v) {
    proposed[v] = static_cast<Vec3f>(static_cast<Vec3d>(next_wanted[v]) + next_lift[v] + give[v]);
  });
}

// What is proposed, or as much of it as can be had, in `proposed`. Parts that pinch skin between them are let go,
// unless the sub-step may be halved: those that are far from each other along the skeleton first, then all. A body that
// stays behind as a whole for a thumb between two fingers is worse.
SafeStepReport ContactPass::Impl::make_safe(bool may_halve, ContactReport& report, const Context& context) {
  moved.assign(mesh.size(), 0);
  for (int attempt = 0;; ++attempt) {
    reached_mesh = proposed;
    const SafeStepReport step = safe.step(mesh, reached_mesh, delta, moved, context, meter, away,
                                          attempt < kMostRefusals ? Pinched::refuse : Pinched::hold_back);
    report.tests += step.tests;
    report.safe_ms += step.total_ms;
    report.broad_ms += step.broad_ms;
    report.candidates = std::max(report.candidates, step.candidates);
    const bool again = step.refused && !may_halve && attempt < kMostRefusals;
    if (again) {
      if (attempt > 0 || !release_blocking(false)) static_cast<void>(release_blocking(true));
      continue;
    }
    proposed.swap(reached_mesh);
    return step;
  }
}

std::size_t ContactPass::Impl::most_tests() const {
  return (closing || !started ? kFirstTests : kFrameTests) * mesh.size();
}

// The way of this frame from t0 to t1, in [0,1]. False: the meter stopped before its end; `way_done` says where.
bool ContactPass::Impl::substep(double t0, double t1, int halvings, const Skin& skin, ContactReport& report,
                                const Context& context) {
  if (t1 < 1)
    interpolate(start, goal, t1, here_pose);
  else
    here_pose = goal;
  motions_at(here_pose, next_motion);
  delta.resize(next_motion.size());
  for (std::size_t p = 0; p < delta.size(); ++p)
    delta[p] = std::abs(determinant(motion[p].linear)) > 0 ? next_motion[p] * inverse(motion[p]) : Affine3d{};
  const double passed = (t1 - t0) * std::abs(goal.time - start.time) * kFrameRate;
  const double frames = passed > 0 ? passed : t1 - t0;
  const std::span<const std::uint32_t> unwound = skin(here_pose, prompt ? frames : 0.0, input);
  if (stopped()) return false;
  if (!unwound.empty()) report.untangled += go_the_short_way(unwound, context);

  const double rate = prompt ? 1 - std::exp(-frames / kSwellFrames) : 1.0;
  unfolded = unfold.state();
  {
    const StageTimer giving(report.give_ms);
    propose(rate, context);
  }
  const bool may_halve =
      halvings > 0 && report.halvings < (closing ? kClosingHalvings : kMostHalvings) && report.tests < most_tests();
  const SafeStepReport step = make_safe(may_halve, report, context);
  if (step.stopped) {
    unfold.set_state(unfolded);
    return false;
  }
  if (may_halve && (step.refused || step.max_lag_edges > 1)) {
    ++report.halvings;
    unfold.set_state(unfolded);
    const double middle = 0.5 * (t0 + t1);
    return substep(t0, middle, halvings - 1, skin, report, context) &&
           substep(middle, t1, halvings - 1, skin, report, context);
  }
  ++report.substeps;
  report.hits += step.hits;
  report.truncated += step.truncated;
  report.max_lag_edges = std::max(report.max_lag_edges, step.max_lag_edges);
  report.certified = report.certified && step.certified;
  mesh.swap(proposed);
  wanted.swap(next_wanted);
  lift.swap(next_lift);
  motion.swap(next_motion);
  std::fill(in_contact.begin(), in_contact.end(), 0);
  for (const ContactRecord& record : safe.contacts()) in_contact[record.vertex] = 1;
  const StageTimer giving(report.give_ms);
  if (options.swell) swell.update(mesh, lift, motion, in_contact, rate, context);
  release_passed(step.truncated > 0);
  way_done = t1;
  return true;
}

// The way to the first frame is coarse, and skin returns from where it was held step by step: it has some more.
bool ContactPass::Impl::settle(const Skin& skin, ContactReport& report, const Context& context) {
  for (int i = 0; i < kSettlingSteps && report.tests < most_tests(); ++i) {
    unrepaired = mesh;
    if (!substep(1, 1, 0, skin, report, context)) return false;
    bool moves = false;
    for (std::size_t v = 0; v < mesh.size() && !moves; ++v)
      moves = distance(mesh[v], unrepaired[v]) > kSettledEdges * rig.surface.edge[v];
    if (!moves) break;
  }
  return true;
}

ContactPass::ContactPass(const Rig& rig, const ContactPassOptions& options, const Context& context)
    : impl_(std::make_unique<Impl>(rig, options, context)) {}
ContactPass::~ContactPass() = default;
ContactPass::ContactPass(ContactPass&&) noexcept = default;
ContactPass& ContactPass::operator=(ContactPass&&) noexcept = default;

void restart(ContactReport& report) {
  ContactReport fresh;
  const auto keep = [](auto& list, auto& old) {
    list = std::move(old);
    list.clear();
  };
  keep(fresh.regions, report.regions);
  keep(fresh.released, report.released);
  keep(fresh.relief, report.relief);
  keep(fresh.overlaps, report.overlaps);
  report = std::move(fresh);
}

void ContactPass::Impl::report_regions(ContactReport& report) {
  regions.clear();
  for (const ContactRecord& record : safe.contacts()) {
    const std::array<std::uint32_t, 2> parts{part[record.vertex], record.other_part};
    auto at = std::ranges::lower_bound(regions, parts, {}, &Region::parts);
    if (at == regions.end() || at->parts != parts) at = regions.insert(at, {parts, {}});
    ++at->region.vertices;
    at->region.depth = std::max(at->region.depth, held_off(record.vertex));
  }
  const auto joint = [&](std::uint32_t p) { return p < rig.bones.size() ? rig.bones[p].joint : -1; };
  for (auto& [parts, region] : regions) {
    region.joint = joint(parts[0]);
    region.other = joint(parts[1]);
    report.regions.push_back(region);
  }
}

void ContactPass::Impl::set_goal(const Pose& at) {
  start = goal = pose;
  std::copy_n(at.local.begin(), std::min(at.local.size(), goal.local.size()), goal.local.begin());
  goal.time = at.time;
  motions_at(goal, goal_motion);
}

// Skin follows bones that are where bones can be.
bool ContactPass::Impl::follows() const {
  const std::size_t bones = rig.bones.size();
  std::optional<Vec3d> first;
  for (std::size_t p = 0; p < bones; ++p) {
    if (box[p].empty()) continue;
    if (!keeps_skin(goal_motion[p])) return false;
    const Vec3d at = transform_point(goal_motion[p], center(box[p]));
    if (!first) first = at;
    if (!(distance(at, *first) <= kFarthestParts * figure_size)) return false;
  }
  return true;
}

// Whether this frame is not even tried.
bool ContactPass::Impl::lets_go(ContactReport& report) {
  if (safe.surface().rest_report().endless) {
    report.limit = ContactLimit::work;
  } else if (!follows()) {
    report.limit = ContactLimit::pose;
  } else if (pause > 0) {
    --pause;
    report.limit = ContactLimit::work;
  }
  report.certified = report.limit == ContactLimit::none;
  return !report.certified;
}

// Out of work or time: the skin is as far as it got.
void ContactPass::Impl::stop(ContactReport& report) {
  report.certified = false;
  report.limit = meter->late() ? ContactLimit::time : ContactLimit::work;
  if (way_done > 0) {
    interpolate(start, goal, way_done, pose);
    started = true;
  }
  if (report.limit == ContactLimit::work) {
    if (++stops > 1) {
      restart();
      safe.restore_state({});
    }
    pause = std::min(kMostPause, 1 << std::min(stops - 1, 10));
  }
}

bool ContactPass::advance(const Pose& pose, const Skin& skin, std::span<Vec3f> positions, ContactReport& report,
                          const Context& context, WorkMeter* meter, double away, const Pose* asked) {
  const Timer timer;
  Impl& s = *impl_;
  cutis::restart(report);
  s.meter = meter;
  s.away = away;
  s.way_done = 0;
  s.set_goal(asked != nullptr ? *asked : pose);
  s.asked_motion = s.goal_motion;
  if (asked != nullptr && asked != &pose) s.set_goal(pose);
  if (s.lets_go(report)) return false;
  s.first_motion = s.motion;
  s.first_give.resize(s.mesh.size());
  for (std::size_t v = 0; v < s.mesh.size(); ++v) s.first_give[v] = s.mesh[v] - s.wanted[v];
  s.closing = s.opened;
  const int count = s.substeps();
  // Between frames far apart nobody sees how the skin goes.
  const bool first = !s.started || (s.landed && (s.opened || largest_turn(s.start, s.goal) < kNoTurn));
  s.landed = s.opened = false;
  s.prompt = !first && std::abs(s.goal.time - s.start.time) <= kFarApart && largest_turn(s.start, s.goal) <= kFarTurn;
  bool arrived = true;
  for (int i = 0, next = 0; i < count && arrived; i = next) {
    next = report.tests < s.most_tests() ? i + 1 : count;
    arrived = s.substep(static_cast<double>(i) / count, static_cast<double>(next) / count, s.options.max_halvings, skin,
                        report, context);
  }
  if (arrived && first) arrived = s.settle(skin, report, context);
  if (arrived) {
    s.pose = s.goal;
    s.started = true;
    s.stops = 0;
    report.freed = s.free_caught(report.substeps, context);
    // Between frames far apart skin may be anywhere: it has the way of the next ones to come free.
    if (s.prompt || first) report.untangled += s.keep_whole(context);
    s.hold_again(context);
    report.certified = report.certified && s.safe.all_apart();
    s.show(report, context);
    if (s.options.shape && !report.certified && s.is_worse_than_shape(context)) s.shown = s.raw;
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = s.shown[s.rig.surface.welded_of[v]];
    s.report_regions(report);
    report.touching_vertices = s.safe.contacts().size();
  } else {
    s.stop(report);
  }
  for (const SafeStepState::Released& pair : s.safe.released_pairs())
    report.released.push_back({s.rig.bones[pair.a].joint, s.rig.bones[pair.b].joint});
  if (meter != nullptr) report.work = meter->used();
  report.milliseconds = timer.milliseconds();
  return arrived;
}

bool ContactPass::follows(const Pose& pose) {
  impl_->set_goal(pose);
  return impl_->follows();
}

void ContactPass::carry_on(std::span<Vec3f> positions, const Context& context) {
  Impl& s = *impl_;
  cutis::carry_on(s.rig.surface, s.mesh, s.motion, s.goal_motion, s.proposed, context);
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = s.proposed[s.rig.surface.welded_of[v]];
}

void ContactPass::restart() {
  impl_->restart();
  impl_->stops = impl_->pause = 0;
  impl_->safe.restore_state({});
}

const Pose& ContactPass::pose() const { return impl_->pose; }
bool ContactPass::at_rest() const { return !impl_->started; }

ContactPassState ContactPass::save_state() const {
  const Impl& s = *impl_;
  return {s.pose,          s.motion,         s.mesh,         s.wanted, s.lift,
          s.started,       s.in_contact,     s.caught_steps, s.torn,   s.safe.save_state(),
          s.swell.state(), s.unfold.state(), s.stops,        s.pause};
}

void ContactPass::restore_state(const ContactPassState& state) {
  Impl& s = *impl_;
  s.pose = state.pose;
  s.motion = state.motion;
  s.mesh = state.mesh;
  s.wanted = state.wanted;
  s.lift = state.lift;
  s.started = state.started;
  s.in_contact = state.in_contact;
  s.caught_steps = state.caught_steps;
  s.torn = state.torn;
  s.safe.restore_state(state.safe);
  s.swell.set_state(state.swell);
  s.unfold.set_state(state.unfold);
  s.stops = state.stops;
  s.pause = state.pause;
}

// By the smallest turn that takes the normal of the method's mesh to that of ours, at every vertex that gave way.
void ContactPass::bend_normals(std::span<Vec3f> normals, const Context& context) {
  constexpr double kFits = 0.5;       // cosine
  constexpr double kOneSided = 0.05;  // of a local edge squared: sums of faces below are those of doubled cards
  Impl& s = *impl_;
  const RigSurface& surface = s.rig.surface;
  const std::size_t n = surface.size();
  s.differs.resize(n);
  s.bent.assign(n, 0);
  for (std::size_t v = 0; v < n; ++v) s.differs[v] = s.shown[v] != s.raw[v] ? 1 : 0;
  for (const Triangle& t : surface.triangles)
    if ((s.differs[t[0]] | s.differs[t[1]] | s.differs[t[2]]) != 0) s.bent[t[0]] = s.bent[t[1]] = s.bent[t[2]] = 1;
  s.before.assign(n, Vec3d{});
  s.after.assign(n, Vec3d{});
  const auto at_bent = [&](const Triangle& t) { return (s.bent[t[0]] | s.bent[t[1]] | s.bent[t[2]]) != 0; };
  add_face_normals(s.raw, surface.triangles, at_bent, s.before);
  add_face_normals(s.shown, surface.triangles, at_bent, s.after);
  parallel_for(context, normals.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = surface.welded_of[i];
      if (s.bent[v] == 0) continue;
      const double least = kOneSided * surface.edge[v] * surface.edge[v];
      if (length(s.before[v]) < least || length(s.after[v]) < least) continue;
      const Vec3d a = normalized(s.before[v]), b = normalized(s.after[v]);
      const Vec3d half = normalized(a + b);
      const auto m = static_cast<Vec3d>(normals[i]);
      if (dot(a, m) < kFits && b != Vec3d{}) {  // the method's mesh is inside out there, and its normals are not
        normals[i] = static_cast<Vec3f>(b);
        continue;
      }
      if (half == Vec3d{}) continue;
      // Reflections in the half-way plane and in a's: together the turn from a to b.
      const Vec3d mirrored = m - a * (2 * dot(a, m));
      normals[i] = static_cast<Vec3f>(normalized(mirrored - half * (2 * dot(half, mirrored)), m));
    }
  });
}

void ContactPass::contact(std::vector<SkinContact>& out) {
  Impl& s = *impl_;
  const RigSurface& surface = s.rig.surface;
  const std::vector<double>& touch = s.fade.update(surface, s.in_contact);
  out.assign(surface.welded_of.size(), {});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t v = surface.welded_of[i];
    if (!(touch[v] > 0)) continue;
    out[i].touch = static_cast<float>(touch[v]);
    if (s.part[v] < s.rig.bones.size())
      out[i].depth = static_cast<float>(touch[v] * pressed_in(surface, v, s.motion[s.part[v]], s.mesh[v]));
  }
}

const SafeStep& ContactPass::safe_step() const { return impl_->safe; }

}  // namespace cutis
