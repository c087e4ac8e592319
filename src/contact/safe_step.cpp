// One round: broad phase on the proposal, projection, search again around vertices that were pushed far, then
// certification: pairs that still meet are held back along their own way, in the frame in which they are tested, until
// none meets. Should that not settle (a vertex pinched between two parts that move differently), vertices fall back on
// the motion of the main part: with all of them there the mesh is the last one, moved as a whole, so this ends. When
// vertices are left behind, further rounds take them on from the new valid mesh.
//
// After Li, Kaufman, Jiang (2021) for the detection; paths in moving frames, the order of the stages and the sharing by
// thickness are ours.
#include "contact/safe_step.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "contact/broad_phase.h"
#include "contact/part_intersection.h"
#include "contact/projection.h"
#include "cutis/error.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

constexpr std::size_t kPairsPerChunk = 256;
constexpr std::size_t kVerticesPerChunk = 4096;
// Operations of looking at a pair, and of a step on its way; in tests of boxes, about.
constexpr std::uint64_t kImpactWork = 4;
// Held back so much short of the impact.
constexpr double kBackOff = 0.9;
// Rounds of holding back in the pairs' own frames, then in the main part's: there each halves a blocked way at least,
// and 2^-30 of it is nothing in float.
constexpr int kOwnFrameRounds = 8, kMainFrameRounds = 30;
constexpr double kMainFrameBackOff = 0.5;
// Of a float coordinate. What is kept between elements, whatever the gap: more than rounding can take.
constexpr double kUlp = 1.0 / (1 << 24);
constexpr double kKeepUlps = 16;
// Nearer than this, relative to the body, is no distance at all in double.
constexpr double kTouching = 1e-13;
// A released pair that never meets is armed again after so many steps.
constexpr int kReleasedSteps = 16;
constexpr double kContactGaps = 2;  // within so many gaps a vertex is in contact
// Of the distance at rest, where that says more.
constexpr double kNearer = 0.75;

Vec3d round_to_float(const Vec3d& p) { return static_cast<Vec3d>(static_cast<Vec3f>(p)); }

}  // namespace

struct SafeStep::Impl {
  std::shared_ptr<const ContactSurface> shared;
  const ContactSurface& surface;
  SafeStepOptions options;
  BroadPhase broad;
  PartIntersection intersection;
  Projection projection;

  std::vector<char> released;  // parts x parts, symmetric; empty: none
  using Released = SafeStepState::Released;
  std::vector<Released> released_pairs;
  std::vector<ContactRecord> contacts;
  std::vector<std::array<std::uint32_t, 2>> blocking;

  // Of one step.
  std::vector<Vec3f> last;      // of the round
  std::vector<Affine3d> frame;  // per part
  std::vector<Vec3d> target, to, searched, projected, normal;
  std::vector<float> pad;
  std::vector<char> flagged;
  std::vector<char> in_list;  // per vertex: what comes within its pad is in `pairs`, its own part's skin too
  std::vector<CandidatePair> pairs;
  std::vector<Impact> impacts;
  std::vector<double> hold;  // per vertex: share of its way that it may go, 1: all
  std::vector<std::uint32_t> hold_frame;
  std::vector<char> truncated, has_normal;
  std::vector<int> changed;
  std::vector<ContactRecord> nearest;                // per vertex
  std::vector<Vec3d> wished;                         // before the first round
  std::vector<std::size_t> chunk_hits, chunk_tests;  // per chunk of pairs
  double keep = 0;
  double largest = 0;  // coordinate
  double away = 0;     // metres, of the mesh that is handed out from this one
  Pinched pinched = Pinched::hold_back;
  WorkMeter* meter = nullptr;
  [[nodiscard]] bool stopped() const { return meter != nullptr && meter->stopped(); }
  std::size_t examined = 0;

  Impl(std::shared_ptr<const ContactSurface> given, const SafeStepOptions& o)
      : shared(std::move(given)), surface(*shared), options(o), broad(surface), intersection(surface) {
    const std::size_t n = surface.vertex_count();
    pad.resize(n);
    flagged.resize(n);
    in_list.resize(n);
    hold.resize(n);
    hold_frame.resize(n);
    truncated.resize(n);
    nearest.resize(n);
  }

  void check_sizes(std::size_t last_size, std::size_t proposed, std::size_t motions, std::size_t moved) const;
  void prepare(std::span<const Vec3f> from, std::span<const Vec3f> proposed, std::span<const Affine3d> motion,
               SafeStepReport& report, const Context& context);
  void flag_movers(std::span<const char> moved, const Context& context);
  void find_normals();
  bool round(bool first, std::span<const char> moved, SafeStepReport& report, const Context& context);
  bool search_strays(bool all, SafeStepReport& report, const Context& context);
  bool certify(SafeStepReport& report, const Context& context);
  std::size_t find_impacts(int pass, std::size_t begin_new, const Context& context);
  void hold_back(bool main_frame);
  void hold_all();
  void note_blocking();
  void note_contacts(const Context& context);
  [[nodiscard]] bool is_as_at_rest(const CandidatePair& pair, const Impact& impact) const;
  void finish(std::span<Vec3f> proposed, SafeStepReport& report, const Context& context);
};

void SafeStep::Impl::check_sizes(std::size_t last_size, std::size_t proposed, std::size_t motions,
                                 std::size_t moved) const {
  const std::size_t n = surface.vertex_count(), p = surface.parts().size();
  if (last_size != n || proposed != n || moved != n || motions != p)
    throw Error(ErrorCode::bad_argument, "contact",
                fmt::format("a step takes {} vertices and {} parts, not {}, {}, {} vertices and {} parts", n, p,
                            last_size, proposed, moved, motions));
}

void SafeStep::Impl::prepare(std::span<const Vec3f> from, std::span<const Vec3f> proposed,
                             std::span<const Affine3d> motion, SafeStepReport& report, const Context& context) {
  const std::size_t n = surface.vertex_count();
  last.assign(from.begin(), from.end());
  frame.assign(motion.begin(), motion.end());
  for (Affine3d& f : frame)
    if (!is_finite(f)) f = {};
  target.resize(n);
  largest = 0;
  report.nonfinite +=
      ordered_sum(context, n, kVerticesPerChunk, std::size_t{0}, [&](std::size_t begin, std::size_t end) {
        std::size_t nonfinite = 0;
        for (std::size_t v = begin; v < end; ++v) {
          target[v] = static_cast<Vec3d>(proposed[v]);
          nearest[v] = {};
          truncated[v] = 0;
          if (is_finite(target[v])) continue;
          ++nonfinite;
          target[v] = round_to_float(transform_point(frame[surface.part()[v]], static_cast<Vec3d>(last[v])));
        }
        return nonfinite;
      });
  largest = largest_of(context, n, kVerticesPerChunk, 0.0, [&](std::size_t begin, std::size_t end) {
    double most = 0;
    for (std::size_t v = begin; v < end; ++v)
      for (int k = 0; k < 3; ++k)
        most = std::max({most, std::abs(target[v][k]), std::abs(static_cast<double>(last[v][k]))});
    return most;
  });
  keep = kKeepUlps * kUlp * (largest + away);
  for (std::size_t v = 0; v < n; ++v) pad[v] = static_cast<float>(options.pad_edges * surface.grain()[v] + keep);
}

// Movers: what the caller says, and all that differs from riding along with its part.
void SafeStep::Impl::flag_movers(std::span<const char> moved, const Context& context) {
  const double tiny = 4 * kUlp * largest;
  parallel_for(context, flagged.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      flagged[v] = moved.empty() ? 0 : moved[v];
      if (flagged[v] != 0) continue;
      const Vec3d carried = transform_point(frame[surface.part()[v]], static_cast<Vec3d>(last[v]));
      flagged[v] = distance(carried, target[v]) > tiny ? 1 : 0;
    }
  });
  // Triangles across a seam are tested in the frame of most of their corners: there the others move.
  for (const std::uint32_t t : surface.seam_triangles())
    for (const std::uint32_t v : surface.triangles()[t]) {
      const Vec3d carried = transform_point(frame[surface.triangle_part()[t]], static_cast<Vec3d>(last[v]));
      if (distance(carried, target[v]) > tiny) flagged[v] = 1;
    }
}

// Of the proposed skin, where it may meet other skin.
void SafeStep::Impl::find_normals() {
  normal.resize(target.size());
  has_normal.assign(target.size(), 0);
  for (const CandidatePair& pair : pairs)
    for (const std::uint32_t v : pair.vertex) {
      if (has_normal[v] != 0) continue;
      has_normal[v] = 1;
      Vec3d sum;
      for (const std::uint32_t f : surface.topology().vertex_faces.row(v))
        sum += face_normal<double>(target, surface.triangles()[f]);
      normal[v] = normalized(sum);
    }
}

// Pairs that the list may lack because vertices have left the neighbourhood in which they were searched for, or were
// to ride along with their part, so that their part's other skin was not looked at, and were pushed.
bool SafeStep::Impl::search_strays(bool all, SafeStepReport& report, const Context& context) {
  const std::size_t strays =
      ordered_sum(context, flagged.size(), kVerticesPerChunk, std::size_t{0}, [&](std::size_t begin, std::size_t end) {
        std::size_t count = 0;
        for (std::size_t v = begin; v < end; ++v) {
          if (!all) flagged[v] = in_list[v] != 0 ? distance(to[v], searched[v]) > pad[v] : to[v] != searched[v];
          if (!all && flagged[v] == 0) continue;
          in_list[v] = flagged[v];
          searched[v] = to[v];
          ++count;
        }
        return count;
      });
  if (strays == 0) return true;
  const Timer timer;
  const BroadPhaseOptions broad_options{static_cast<float>(options.gap_edges), options.max_pairs, meter};
  const std::size_t known = pairs.size();
  const bool fits = broad.collect({last, searched, pad, frame}, flagged, all, released, broad_options, pairs, context);
  const auto touching =
      std::remove_if(pairs.begin() + static_cast<std::ptrdiff_t>(known), pairs.end(),
                     [&](const CandidatePair& p) { return !(p.distance > kTouching * surface.size()); });
  report.touching += static_cast<std::size_t>(pairs.end() - touching);
  pairs.erase(touching, pairs.end());
  report.broad_ms += timer.milliseconds();
  return fits;
}

// Examines the pairs from `begin_new` on and those with a vertex changed in the last pass.
std::size_t SafeStep::Impl::find_impacts(int pass, std::size_t begin_new, const Context& context) {
  impacts.resize(pairs.size());
  chunk_hits.assign((pairs.size() + kPairsPerChunk - 1) / kPairsPerChunk, 0);
  chunk_tests.assign(chunk_hits.size(), 0);
  parallel_for(context, pairs.size(), kPairsPerChunk, [&](std::size_t begin, std::size_t end) {
    WorkCount work(meter);
    for (std::size_t i = begin; i < end; ++i) {
      const CandidatePair& pair = pairs[i];
      impacts[i].hit = false;
      if (pass > 0 && i < begin_new) {
        bool dirty = false;
        for (const std::uint32_t v : pair.vertex) dirty = dirty || changed[v] == pass - 1;
        if (!dirty) continue;
      }
      const FourPoints x0 = start_of(pair, last, frame);
      FourPoints x1;
      for (std::size_t k = 0; k < 4; ++k) x1[k] = to[pair.vertex[k]];
      impacts[i] = first_impact(pair.kind, x0, x1, pair.distance, keep);
      if (!work.spend(kImpactWork * static_cast<std::uint64_t>(1 + impacts[i].steps))) return;
      ++chunk_tests[begin / kPairsPerChunk];
      chunk_hits[begin / kPairsPerChunk] += impacts[i].hit ? 1U : 0U;
    }
  });
  std::size_t sum = 0;
  for (const std::size_t h : chunk_hits) sum += h;
  for (const std::size_t t : chunk_tests) examined += t;
  return sum;
}

// Every vertex of a pair that meets goes only so far as the earliest of its impacts.
void SafeStep::Impl::hold_back(bool main_frame) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!impacts[i].hit) continue;
    for (const std::uint32_t v : pairs[i].vertex) {
      if (impacts[i].time >= hold[v]) continue;
      hold[v] = impacts[i].time;
      hold_frame[v] = main_frame ? surface.main_part() : pairs[i].frame;
    }
  }
}

bool SafeStep::Impl::certify(SafeStepReport& report, const Context& context) {
  changed.assign(surface.vertex_count(), -1);
  std::size_t begin_new = 0;
  for (int pass = 0; pass < kOwnFrameRounds + kMainFrameRounds; ++pass) {
    const std::size_t hits = find_impacts(pass, begin_new, context);
    if (stopped()) return false;
    if (hits == 0) return true;
    if (examined > options.max_tests || (pass == kOwnFrameRounds && pinched == Pinched::refuse)) return false;
    std::fill(hold.begin(), hold.end(), 1.0);
    hold_back(pass >= kOwnFrameRounds);
    for (std::size_t v = 0; v < hold.size(); ++v) {
      if (hold[v] >= 1) continue;
      const Vec3d from = transform_point(frame[hold_frame[v]], static_cast<Vec3d>(last[v]));
      const double share = (pass < kOwnFrameRounds ? kBackOff : kMainFrameBackOff) * hold[v];
      to[v] = round_to_float(from + (to[v] - from) * share);
      changed[v] = pass;
      truncated[v] = 1;
    }
    begin_new = pairs.size();
    if (!search_strays(false, report, context)) return false;
  }
  return false;
}

// Parts of the elements that still meet.
void SafeStep::Impl::note_blocking() {
  for (std::size_t i = 0; i < pairs.size() && i < impacts.size(); ++i) {
    if (!impacts[i].hit) continue;
    const std::size_t split = pairs[i].kind == ElementPair::vertex_face ? 1 : 2;
    for (std::size_t j = 0; j < split; ++j)
      for (std::size_t k = split; k < 4; ++k) {
        const std::uint32_t a = surface.part()[pairs[i].vertex[j]], b = surface.part()[pairs[i].vertex[k]];
        blocking.push_back({std::min(a, b), std::max(a, b)});
      }
  }
  std::sort(blocking.begin(), blocking.end());
  blocking.erase(std::unique(blocking.begin(), blocking.end()), blocking.end());
}

// The last mesh, moved as a whole.
void SafeStep::Impl::hold_all() {
  const Affine3d& main = frame[surface.main_part()];
  for (std::size_t v = 0; v < to.size(); ++v) {
    to[v] = round_to_float(transform_point(main, static_cast<Vec3d>(last[v])));
    truncated[v] = 1;
  }
}

// Around a limb that is thinner than its edges are long all is near all: what has not come nearer is no contact.
bool SafeStep::Impl::is_as_at_rest(const CandidatePair& pair, const Impact& impact) const {
  const auto is_long = [&](std::uint32_t v) { return surface.grain()[v] < surface.edge_length()[v]; };
  if (std::ranges::none_of(pair.vertex, is_long)) return false;
  FourPoints r;
  for (std::size_t k = 0; k < 4; ++k) r[k] = static_cast<Vec3d>(surface.rest()[pair.vertex[k]]);
  return impact.at_time.distance > kNearer * separation(pair.kind, r).distance;
}

void SafeStep::Impl::note_contacts(const Context& context) {
  impacts.resize(pairs.size());  // the final separations
  parallel_for(context, pairs.size(), kPairsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      impacts[i].hit = false;
      if (pairs[i].sheet) continue;
      FourPoints x;
      for (std::size_t k = 0; k < 4; ++k) x[k] = to[pairs[i].vertex[k]];
      impacts[i].at_time = separation(pairs[i].kind, x);
      impacts[i].hit =
          impacts[i].at_time.distance < kContactGaps * pairs[i].gap && !is_as_at_rest(pairs[i], impacts[i]);
    }
  });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!impacts[i].hit) continue;
    const Separation& s = impacts[i].at_time;
    const CandidatePair& pair = pairs[i];
    const std::size_t split = pair.kind == ElementPair::vertex_face ? 1 : 2;
    // The part of the heaviest corner on either side stands for the element.
    std::size_t first = 0, second = split;
    for (std::size_t k = 0; k < 4; ++k) {
      std::size_t& best = k < split ? first : second;
      if (std::abs(s.weight[k]) > std::abs(s.weight[best])) best = k;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      ContactRecord& record = nearest[pair.vertex[k]];
      const auto distance = static_cast<float>(s.distance);
      if (record.normal != Vec3f{} && record.distance <= distance) continue;
      record.other_part = surface.part()[pair.vertex[k < split ? second : first]];
      record.distance = distance;
      record.normal = static_cast<Vec3f>(normalized(s.delta) * (k < split ? 1.0 : -1.0));
    }
  }
}

bool SafeStep::Impl::round(bool first, std::span<const char> moved, SafeStepReport& report, const Context& context) {
  ++report.rounds;
  flag_movers(moved, context);
  to.assign(target.begin(), target.end());
  searched.resize(target.size());
  pairs.clear();
  std::fill(truncated.begin(), truncated.end(), 0);
  if (!search_strays(true, report, context)) return false;
  if (first) report.candidates = pairs.size();
  if (pairs.empty()) {  // nothing comes near anything
    projected = to;
    return true;
  }
  Timer projecting;
  find_normals();
  const std::size_t hits = projection.run(surface, pairs, last, frame, normal, to,
                                          {options.sweeps, options.max_push_edges, keep, meter}, context);
  if (stopped()) return false;
  if (first) report.hits = hits;
  for (Vec3d& p : to) p = round_to_float(p);
  projected = to;
  report.project_ms += projecting.milliseconds();
  const double broad_before = report.broad_ms;
  Timer certifying;
  const bool done = search_strays(false, report, context) && certify(report, context);
  report.certify_ms += certifying.milliseconds() - (report.broad_ms - broad_before);
  return done;
}

void SafeStep::Impl::finish(std::span<Vec3f> proposed, SafeStepReport& report, const Context& context) {
  contacts.clear();
  struct Pushed {
    std::size_t count = 0;
    double most = 0;  // edges
    void operator+=(const Pushed& b) {
      count += b.count;
      most = std::max(most, b.most);
    }
  };
  const Pushed pushed =
      ordered_sum(context, to.size(), kVerticesPerChunk, Pushed{}, [&](std::size_t begin, std::size_t end) {
        Pushed some;
        for (std::size_t v = begin; v < end; ++v) {
          proposed[v] = static_cast<Vec3f>(to[v]);
          if (to[v] == wished[v]) continue;
          const double push = distance(to[v], wished[v]), edge = surface.edge_length()[v];
          if (!(edge > 0)) continue;
          some.most = std::max(some.most, push / edge);
          if (push > 0.01 * edge) ++some.count;
        }
        return some;
      });
  report.pushed += pushed.count;
  report.max_push_edges = std::max(report.max_push_edges, pushed.most);
  for (std::uint32_t v = 0; v < to.size(); ++v) {
    if (nearest[v].normal == Vec3f{}) continue;
    contacts.push_back(nearest[v]);
    contacts.back().vertex = v;
    contacts.back().push = static_cast<float>(distance(to[v], wished[v]));
  }
}

SafeStep::SafeStep(const ContactMesh& mesh, const SafeStepOptions& options, const Context& context)
    : SafeStep(std::make_shared<const ContactSurface>(mesh, context), options, context) {}

SafeStep::SafeStep(std::shared_ptr<const ContactSurface> surface, const SafeStepOptions& options,
                   const Context& context)
    : impl_(std::make_unique<Impl>(std::move(surface), options)) {
  const ContactSurface::RestReport& rest = impl_->surface.rest_report();
  if (rest.endless)
    context.warn(
        "the rest pose intersects in more places than can be looked at: skins pass through each other; "
        "take pieces that lie on each other out of the file");
  if (rest.intersecting_pairs > 0)
    context.warn(fmt::format(
        "the rest pose has {} intersecting pairs of triangles; contact leaves them as they are{}",
        rest.intersecting_pairs,
        rest.excluded_components > 0
            ? fmt::format(" and ignores {} pairs of pieces that pass through each other", rest.excluded_components)
            : ""));
}
SafeStep::~SafeStep() = default;
SafeStep::SafeStep(SafeStep&&) noexcept = default;
SafeStep& SafeStep::operator=(SafeStep&&) noexcept = default;

SafeStepReport SafeStep::step(std::span<const Vec3f> last, std::span<Vec3f> proposed,
                              std::span<const Affine3d> part_motion, std::span<const char> moved,
                              const Context& context, WorkMeter* meter, double away, Pinched pinched) {
  const Timer timer;
  Impl& s = *impl_;
  s.meter = meter;
  s.pinched = pinched;
  s.away = away;
  s.check_sizes(last.size(), proposed.size(), part_motion.size(), moved.size());
  SafeStepReport report;
  if (last.empty()) return report;
  if (meter != nullptr && !meter->spend(last.size())) {
    report.stopped = true;
    return report;
  }
  s.prepare(last, proposed, part_motion, report, context);
  s.wished = s.target;
  s.examined = 0;
  s.blocking.clear();
  for (int round = 0; round < s.options.rounds; ++round) {
    if (!s.round(round == 0, round == 0 ? moved : std::span<const char>{}, report, context)) {
      if (s.stopped()) {
        report.stopped = true;
        report.tests = s.examined;
        report.total_ms = timer.milliseconds();
        return report;
      }
      report.refused = true;
      s.note_blocking();
      s.hold_all();
    }
    report.truncated = 0;
    report.max_lag_edges = 0;
    for (std::size_t v = 0; v < s.to.size(); ++v) {
      if (s.truncated[v] == 0) continue;
      const double edge = s.surface.edge_length()[v];
      const double lag = distance(s.to[v], s.projected.empty() ? s.wished[v] : s.projected[v]);
      if (lag > s.options.done_edges * edge) ++report.truncated;
      if (edge > 0) report.max_lag_edges = std::max(report.max_lag_edges, lag / edge);
    }
    if (!report.refused) s.note_contacts(context);
    if (report.refused || report.truncated == 0 || round + 1 == s.options.rounds) break;
    // On from here: who was held back wants to go where it was to go, all others stay.
    for (std::size_t v = 0; v < s.to.size(); ++v) {
      s.last[v] = static_cast<Vec3f>(s.to[v]);
      s.target[v] = s.truncated[v] != 0 ? s.wished[v] : s.to[v];
    }
    std::fill(s.frame.begin(), s.frame.end(), Affine3d{});
  }
  s.finish(proposed, report, context);
  report.certified = report.touching == 0;  // the last mesh, moved as a whole, is valid too

  std::erase_if(s.released_pairs, [&](Impl::Released& pair) {
    ++pair.steps;
    if (pair.a == pair.b) return false;  // until it is armed by the caller: to look inside a part takes long
    const bool meets = s.intersection.test(proposed, pair.a, pair.b, meter);
    pair.meets = meets;
    pair.met = pair.met || meets;
    if (meets || (!pair.met && pair.steps < kReleasedSteps)) return false;
    const std::size_t p = s.surface.parts().size();
    s.released[pair.a * p + pair.b] = s.released[pair.b * p + pair.a] = 0;
    ++report.rearmed;
    return true;
  });
  report.released = s.released_pairs.size();
  report.tests = s.examined;
  report.total_ms = timer.milliseconds();
  return report;
}

std::span<const ContactRecord> SafeStep::contacts() const { return impl_->contacts; }

std::span<const std::array<std::uint32_t, 2>> SafeStep::blocking() const { return impl_->blocking; }

void SafeStep::release(std::uint32_t part_a, std::uint32_t part_b, bool meets) {
  const std::size_t p = impl_->surface.parts().size();
  if (part_a >= p || part_b >= p || released(part_a, part_b)) return;
  if (impl_->released.empty()) impl_->released.assign(p * p, 0);
  impl_->released[part_a * p + part_b] = impl_->released[part_b * p + part_a] = 1;
  const Impl::Released pair{std::min(part_a, part_b), std::max(part_a, part_b), meets, meets};
  const auto before = [](const Impl::Released& x, const Impl::Released& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  };
  impl_->released_pairs.insert(std::ranges::upper_bound(impl_->released_pairs, pair, before), pair);
}

std::span<const SafeStepState::Released> SafeStep::released_pairs() const { return impl_->released_pairs; }

bool SafeStep::released(std::uint32_t part_a, std::uint32_t part_b) const {
  const std::size_t p = impl_->surface.parts().size();
  return !impl_->released.empty() && part_a < p && part_b < p && impl_->released[part_a * p + part_b] != 0;
}

bool SafeStep::all_apart() const {
  return std::ranges::none_of(impl_->released_pairs, [](const Impl::Released& pair) { return pair.meets; });
}

void SafeStep::set_meeting(std::span<const MeetingParts> meeting) {
  for (Impl::Released& pair : impl_->released_pairs)
    pair.meets = std::ranges::any_of(meeting, [&](const auto& m) {
      return m.parts == std::array<std::uint32_t, 2>{pair.a, pair.b};
    });
}

void SafeStep::rearm_if(const std::function<bool(const SafeStepState::Released&)>& wanted) {
  std::erase_if(impl_->released_pairs, [&](const Impl::Released& pair) {
    if (!wanted(pair)) return false;
    const std::size_t p = impl_->surface.parts().size();
    impl_->released[pair.a * p + pair.b] = impl_->released[pair.b * p + pair.a] = 0;
    return true;
  });
}

void SafeStep::rearm_all() {
  impl_->released_pairs.clear();
  std::fill(impl_->released.begin(), impl_->released.end(), 0);
}

SafeStepState SafeStep::save_state() const { return {impl_->released_pairs, impl_->contacts}; }

void SafeStep::restore_state(const SafeStepState& state) {
  rearm_all();
  for (const SafeStepState::Released& pair : state.released) release(pair.a, pair.b);
  impl_->released_pairs = state.released;
  impl_->contacts = state.contacts;
}

const ContactSurface& SafeStep::surface() const { return impl_->surface; }

}  // namespace cutis
