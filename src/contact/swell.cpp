#include "contact/swell.h"

#include <algorithm>
#include <cmath>

#include "base/conjugate_gradients.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/give_way.h"

namespace cutis {
namespace {

constexpr std::size_t kSwellingPerChunk = 1024;
constexpr double kSpread = 2;         // radii of the part that the lift spreads over the skin
constexpr double kReach = 2;          // spreads beyond which there is none
constexpr int kBlur = 2;              // rings over which touching fades
constexpr double kNoSwelling = 1e-3;  // radii pressed in that do not count
// What the whole skin lost, over what its touching vertices did: skin beside the contact gives way too, and folds are
// drawn in where the skin is made fair.
constexpr double kLeastScale = 0.5, kMostScale = 3;
constexpr double kMostTail = 3;  // what is beyond the reach, with what is within, over that
// Radii over which normals are smoothed: details of the skin, a navel or lips, are lifted as one.
constexpr double kSmooth = 0.3;
constexpr int kSmoothings = 100;
constexpr double kTolerance = 1e-2;
constexpr int kIterations = 12;  // it goes on from the last lift

}  // namespace

const std::vector<double>& TouchFade::update(const RigSurface& skin, std::span<const char> touching) {
  fade_.assign(touching.begin(), touching.end());
  seen_.assign(skin.size(), 0);
  near_.clear();
  const auto add = [&](std::uint32_t v) {
    if (seen_[v] == 0) near_.push_back(v);
    seen_[v] = 1;
  };
  for (std::uint32_t v = 0; v < skin.size(); ++v)
    if (touching[v] != 0) add(v);
  for (int pass = 0; pass < kBlur; ++pass) {
    for (std::size_t i = 0, count = near_.size(); i < count; ++i)
      for (const std::uint32_t w : skin.neighbours.row(near_[i])) add(w);
    next_.clear();
    for (const std::uint32_t v : near_) {
      const auto row = skin.neighbours.row(v);
      double sum = fade_[v];
      for (const std::uint32_t w : row) sum += fade_[w];
      next_.push_back(std::max(fade_[v], sum / static_cast<double>(row.size() + 1)));
    }
    for (std::size_t i = 0; i < near_.size(); ++i) fade_[near_[i]] = next_[i];
  }
  return fade_;
}

double pressed_in(const RigSurface& skin, std::size_t v, const Affine3d& motion, const Vec3f& at) {
  return pressed_in(static_cast<Vec3d>(skin.positions[v]), static_cast<Vec3d>(skin.normals[v]), motion,
                    static_cast<Vec3d>(at));
}

SwellRest::SwellRest(const Rig& rig, const Topology& topology, std::span<const std::uint32_t> part,
                     std::span<const float> radius, const Context& context, std::span<const Vec3d> known_normals)
    : volume(signed_volume(rig.surface.positions, rig.surface.triangles)), closed(topology.closed()) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size();
  area.assign(n, 0);
  for (const Triangle& t : s.triangles) {
    const double third = length(face_normal<double>(s.positions, t)) / 6;
    for (const std::uint32_t v : t) area[v] += third;
  }
  lambda.resize(n);
  for (std::size_t v = 0; v < n; ++v) lambda[v] = kSpread * radius[part[v]];
  conduct.resize(s.neighbours.items.size());
  for (std::size_t v = 0; v < n; ++v)
    for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
      const double a = lambda[v], b = lambda[s.neighbours.items[i]];
      conduct[i] = a > 0 && b > 0 ? 0.5 * (a * a + b * b) * static_cast<double>(s.neighbour_weight[i]) : 0;
    }
  if (known_normals.size() == n)
    smooth_normal.assign(known_normals.begin(), known_normals.end());
  else
    smooth_normals(s, context);
}

void SwellRest::smooth_normals(const RigSurface& s, const Context& context) {
  smooth_normal.resize(s.size());
  for (std::size_t v = 0; v < s.size(); ++v) smooth_normal[v] = static_cast<Vec3d>(s.normals[v]);
  std::vector<Vec3d> next(s.size());
  for (int pass = 0; pass < kSmoothings; ++pass) {
    parallel_for(context, s.size(), kSwellingPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        Vec3d sum = static_cast<Vec3d>(s.normals[v]) * area[v];
        double total = area[v];
        for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
          const double w = conduct[i] * (kSmooth * kSmooth / (kSpread * kSpread));
          sum += smooth_normal[s.neighbours.items[i]] * w;
          total += w;
        }
        next[v] = total > 0 ? sum / total : smooth_normal[v];
      }
    });
    smooth_normal.swap(next);
  }
}

Swell::Swell(const Rig& rig, std::shared_ptr<const SwellRest> rest, std::span<const std::uint32_t> part,
             std::span<const float> radius)
    : rig_(&rig), part_(part), radius_(radius), rest_(std::move(rest)) {}

void Swell::restart() {
  for (auto* list : {&state_.touch, &state_.source, &state_.lift}) list->clear();
  state_.scale = 1;
}

// Where skin touches, and how deep it is pressed in: against where its bone alone would carry it.
void Swell::gather(std::span<const Vec3f> mesh, std::span<const Affine3d> motion, std::span<const char> touching,
                   double rate) {
  const RigSurface& s = rig_->surface;
  const std::vector<double>& fade = fade_.update(s, touching);
  const double release = release_of(rate), linger = linger_of(rate);
  for (std::size_t v = 0; v < s.size(); ++v) {
    const double radius = radius_[part_[v]];
    double &touch = state_.touch[v], &source = state_.source[v];
    follow(touch, fade[v], rate, linger);
    const double touched = std::max(fade[v], touch);
    double depth = 0;
    if (touched > 0 && radius > 0)
      depth = std::clamp(pressed_in(s, v, motion[part_[v]], mesh[v]) - kNoSwelling * radius, 0.0, radius);
    follow(source, touched * depth, rate, release);
    if (fade[v] == 0 && touch < kNoSwelling) touch = 0;
    if (source < 0.01 * kNoSwelling * radius) source = 0;
  }
}

// Vertices within reach of what is pressed in, along edges.
void Swell::find_region() {
  const RigSurface& s = rig_->surface;
  reach_.assign(s.size(), kReach);
  slot_.assign(s.size(), -1);
  region_.clear();
  // Corrected until nothing gets nearer: edges are much alike, so that few vertices are looked at twice.
  std::vector<std::uint32_t>& queue = region_;
  waits_.assign(s.size(), 0);
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (state_.source[v] > 0) {
      reach_[v] = 0;
      waits_[v] = 1;
      queue.push_back(v);
    }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t v = queue[head];
    waits_[v] = 0;
    for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
      const std::uint32_t w = s.neighbours.items[i];
      if (!(rest_->conduct[i] > 0)) continue;
      const double way = reach_[v] + 2 * static_cast<double>(distance(s.positions[v], s.positions[w])) /
                                         (rest_->lambda[v] + rest_->lambda[w]);
      if (way >= reach_[w]) continue;
      reach_[w] = way;
      if (waits_[w] == 0) queue.push_back(w);
      waits_[w] = 1;
    }
  }
  region_.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (reach_[v] < kReach) {
      slot_[v] = static_cast<std::int32_t>(region_.size());
      region_.push_back(v);
    }
}

// Conjugate gradients from the last lift on; beyond the region the lift is 0.
void Swell::solve(const Context& context) {
  const RigSurface& s = rig_->surface;
  const std::size_t count = region_.size();
  for (auto* scratch : {&x_, &r_, &d_, &q_, &diagonal_}) scratch->resize(count);
  const auto degree = [&](std::uint32_t v) { return s.neighbours.begin[v + 1] - s.neighbours.begin[v]; };
  const auto row = [&](const std::vector<double>& x, std::size_t a) {
    const std::uint32_t v = region_[a], first = s.neighbours.begin[v];
    return swell_row(diagonal_[a], x[a], x.data(), slot_.data(), s.neighbours.items.data() + first,
                     rest_->conduct.data() + first, degree(v));
  };
  for (std::size_t a = 0; a < count; ++a) {
    const std::uint32_t v = region_[a];
    x_[a] = state_.lift[v];
    diagonal_[a] =
        swell_diagonal(state_.touch[v], rest_->area[v], rest_->conduct.data() + s.neighbours.begin[v], degree(v));
  }
  const auto sum = [&](auto&& term) {
    return ordered_sum(context, count, kSwellingPerChunk, 0.0, [&](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t a = begin; a < end; ++a) part += term(a);
      return part;
    });
  };
  const double size = sum([&](std::size_t a) {
    const double b = state_.source[region_[a]] * rest_->area[region_[a]];
    return b * b / diagonal_[a];
  });
  const auto enough = [&](double) { return kTolerance * kTolerance * size; };
  const auto set_up = [&] {
    return sum([&](std::size_t a) {
      r_[a] = state_.source[region_[a]] * rest_->area[region_[a]] - row(x_, a);
      d_[a] = r_[a] / diagonal_[a];
      return r_[a] * d_[a];
    });
  };
  const auto apply = [&] {
    return sum([&](std::size_t a) {
      q_[a] = row(d_, a);
      return d_[a] * q_[a];
    });
  };
  const auto reduce = [&](double alpha) {
    return sum([&](std::size_t a) {
      x_[a] += alpha * d_[a];
      r_[a] -= alpha * q_[a];
      return r_[a] * r_[a] / diagonal_[a];
    });
  };
  const auto go_on = [&](double, double beta) {
    for (std::size_t a = 0; a < count; ++a) d_[a] = r_[a] / diagonal_[a] + beta * d_[a];
  };
  conjugate_gradients<double>(kIterations, enough, set_up, apply, reduce, go_on);
  std::fill(state_.lift.begin(), state_.lift.end(), 0.0);
  for (std::size_t a = 0; a < count; ++a) {
    const std::uint32_t v = region_[a];
    if (std::isfinite(x_[a])) state_.lift[v] = std::max(0.0, x_[a]) * (1 - smooth_step(reach_[v], kReach / 2, kReach));
  }
  // What would have gone beyond the reach is spread over the rest.
  double lost = 0, gained = 0;
  for (const std::uint32_t v : region_) {
    lost += state_.source[v] * rest_->area[v];
    gained += (1 - state_.touch[v]) * state_.lift[v] * rest_->area[v];
  }
  const double all = gained > 0 ? std::min(lost / gained, kMostTail) : 0;
  for (const std::uint32_t v : region_) state_.lift[v] *= all;
}

void Swell::update(std::span<const Vec3f> mesh, std::span<const Vec3d> lift, std::span<const Affine3d> motion,
                   std::span<const char> touching, double rate, const Context& context) {
  const std::size_t n = rig_->surface.size();
  if (state_.lift.empty()) {
    if (std::ranges::all_of(touching, [](char c) { return c == 0; })) return;
    for (auto* list : {&state_.touch, &state_.source, &state_.lift}) list->assign(n, 0.0);
    state_.scale = 1;
  }
  gather(mesh, motion, touching, rate);
  find_region();
  solve(context);
  double lost = 0;
  for (std::size_t v = 0; v < n; ++v) lost += state_.source[v] * rest_->area[v];
  if (!rest_->closed || !(lost > 0)) return;
  unswollen_.resize(n);
  for (std::size_t v = 0; v < n; ++v) unswollen_[v] = static_cast<Vec3f>(static_cast<Vec3d>(mesh[v]) - lift[v]);
  const double now = signed_volume(unswollen_, rig_->surface.triangles);
  const double scale = std::clamp((rest_->volume - now) / lost, kLeastScale, kMostScale);
  if (std::isfinite(scale)) state_.scale += rate * (scale - state_.scale);
}

void Swell::lift(std::span<const Affine3d> motion, std::vector<Vec3d>& out) const {
  const RigSurface& s = rig_->surface;
  out.assign(s.size(), Vec3d{});
  for (std::size_t v = 0; v < state_.lift.size(); ++v) {
    if (!(state_.lift[v] > 0)) continue;
    const auto bones = s.turn.row(v);
    const Vec3d direction = swell_direction(rest_->smooth_normal[v], motion.data(), bones.data(),
                                            s.turn_weight.data() + s.turn.begin[v], bones.size());
    const double radius = radius_[part_[v]];
    const Vec3d shift = direction * swell_height(state_.scale * state_.lift[v], radius, state_.touch[v]);
    if (is_finite(shift)) out[v] = shift;
  }
}

}  // namespace cutis
