// ONE VERTEX: projection onto the surface where a residual is 0, along the residual's gradient.
//
// Implicit §3.5.1 steps by 0.35 (iso - f) along the unit gradient, a length that changes with the model's units. Here
// the step is Newton's, -r g / |g|^2, scale-free, damped where the gradient fades and no longer than a bound. Skin that
// was on its surface a moment ago needs no more (tracking). A guess may be anywhere: its steps are guarded. A step over
// the surface is closed in by bisection, a step that gains nothing is halved. Where the gradient turns by more than an
// angle within a step, the vertex has come to another part's skin and stops there (the paper's contact test, 55
// degrees).
#pragma once

#include <cmath>
#include <cstdint>

#include "base/math.h"
#include "kernels/field_rules.h"

namespace cutis {

/// r at a point: 0 where the vertex belongs, > 0 inside, < 0 outside.
struct ResidualSample {
  float value = 0;
  Vec3f gradient;
  bool reached = true;   ///< some field reaches the point
  bool contact = false;  ///< another part's skin decides
  float free = 0;        ///< r without contact
};

struct ProjectLimits {
  float tolerance = 1e-4F;  ///< on |r|
  int steps = 12;           ///< Newton steps
  float step = 1;           ///< longest step, metres
  float slope = 0;          ///< 1/m: |g| on the surface of a field, for newton_step()
  bool guarded = true;      ///< what follows counts
  float turn_cosine = -2;   ///< of the largest turn of the gradient in a step; below -1: no limit
  float move = 1;           ///< farthest from the start, metres
  float flat = 0;           ///< 1/m: a gradient below is none
};

/// Of a guarded step: how often it is halved, and how often the surface between two points is looked for.
inline constexpr int kProjectHalvings = 4, kProjectBisections = 16;

enum class ProjectEnd : std::uint8_t { converged, contact, flat, outside, limit };

struct Projected {
  Vec3f position;
  ResidualSample at;  ///< at `position`
  ProjectEnd end = ProjectEnd::limit;
  std::uint16_t evaluations = 0;
};

namespace detail {

/// The gradients' cosine; 1 where one has no direction.
CUTIS_HD inline float turn_between(const Vec3f& a, const Vec3f& b) {
  const float scale = std::sqrt(dot(a, a) * dot(b, b));
  return scale > 0 ? dot(a, b) / scale : 1;
}

}  // namespace detail

/// `residual(p)` gives a ResidualSample; `first` is that of `start`. Guarded, it ends at the best point it has seen;
/// otherwise where the last step led.
template <class Residual>
CUTIS_HD Projected project_vertex(const Residual& residual, const Vec3f& start, const ResidualSample& first,
                                  const ProjectLimits& limits) {
  Vec3f p = start;
  ResidualSample at = first;
  std::uint16_t evaluations = 1;
  const auto end = [&](ProjectEnd how) {
    if (how == ProjectEnd::converged && at.contact) how = ProjectEnd::contact;
    return Projected{p, at, how, evaluations};
  };
  for (int step = 0; step < limits.steps; ++step) {
    if (limits.guarded && !at.reached) return end(ProjectEnd::outside);
    if (std::abs(at.value) <= limits.tolerance) return end(ProjectEnd::converged);
    if (limits.guarded && !(dot(at.gradient, at.gradient) > limits.flat * limits.flat)) return end(ProjectEnd::flat);
    Vec3f move = field_rules::newton_step(at.value, at.gradient, limits.slope, limits.step);
    Vec3f next = p + move;
    if (limits.guarded ? distance(next, start) > limits.move : !is_finite(next)) return end(ProjectEnd::limit);
    ResidualSample there = residual(next);
    ++evaluations;
    if (!limits.guarded) {
      p = next;
      at = there;
      continue;
    }

    if (limits.turn_cosine >= -1 && there.reached &&
        detail::turn_between(at.gradient, there.gradient) < limits.turn_cosine) {
      // Between the two points the gradient jumps: close in on the near side of the jump.
      Vec3f lo = p, hi = next;
      for (int i = 0; i < kProjectBisections; ++i) {
        const Vec3f middle = (lo + hi) * 0.5F;
        const ResidualSample m = residual(middle);
        ++evaluations;
        const bool turned = detail::turn_between(at.gradient, m.gradient) < limits.turn_cosine;
        (turned ? hi : lo) = middle;
        if (turned) continue;
        p = middle;
        at = m;
        if (std::abs(m.value) <= limits.tolerance) return end(ProjectEnd::converged);
      }
      at.contact = true;
      return end(ProjectEnd::contact);
    }

    if ((there.value > 0) != (at.value > 0) && std::abs(there.value) > 0.5F * std::abs(at.value) && there.reached) {
      // Over the surface and not much nearer: the surface is on the way.
      Vec3f lo = p, hi = next;
      for (int i = 0; i < kProjectBisections && std::abs(there.value) > limits.tolerance; ++i) {
        next = (lo + hi) * 0.5F;
        there = residual(next);
        ++evaluations;
        ((there.value > 0) == (at.value > 0) ? lo : hi) = next;
      }
    } else {
      for (int i = 0; i < kProjectHalvings && !(std::abs(there.value) < std::abs(at.value) && there.reached); ++i) {
        move *= 0.5F;
        next = p + move;
        there = residual(next);
        ++evaluations;
      }
    }
    // Nothing gained: pressed by contact more than its own field can answer, or without a root.
    if (!(std::abs(there.value) < std::abs(at.value)) || !there.reached)
      return end(at.contact ? ProjectEnd::contact : ProjectEnd::limit);
    p = next;
    at = there;
  }
  if (std::abs(at.value) <= limits.tolerance) return end(ProjectEnd::converged);
  return end(ProjectEnd::limit);
}

template <class Residual>
CUTIS_HD Projected project_vertex(const Residual& residual, const Vec3f& start, const ProjectLimits& limits) {
  return project_vertex(residual, start, residual(start), limits);
}

}  // namespace cutis
