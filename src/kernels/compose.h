// ONE POINT: composition operators g(f1, f2, d) with their partial derivatives, and the controllers d(alpha).
//
// Fields are in [0,1] and 0.5 on the surface; arguments outside [0,1] are clamped, NaN counts as 0. Closed forms:
// union, clean union, blend (diamond opening of 2013). Others are tables of bicubic Hermite cells, linear in d: value
// and partial derivatives are those of one C1 function of (f1, f2). The term of the composed gradient that comes from
// the controller, dg/dd d'(alpha) grad(alpha), is left out, as in the papers. docs/algorithms/operators.md has the
// mathematics.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/math.h"
#include "cutis/operator_kind.h"

namespace cutis {

CUTIS_HD inline float clamp_unit(float f) { return f > 0 ? (f < 1 ? f : 1) : 0; }

// ---- closed forms ----

CUTIS_HD inline Composed compose_union(float f1, float f2) {
  f1 = clamp_unit(f1);
  f2 = clamp_unit(f2);
  return f1 >= f2 ? Composed{f1, 1, 0} : Composed{f2, 0, 1};
}

/// Where the straight part of the iso-line C of a rounded operator ends: at f1 = C, f2 = k. Between (C, k) and (k, C)
/// the iso-line is the quarter of a circle about (k, k).
struct IsoLineEnd {
  float k = 0, slope = 0;  // k(C), k'(C)
};

/// dC/df on the arc: with n the unit normal (f - k)/(C - k), moving the point by df moves C by
/// n.df / (1 + k'(n1 + n2 - 1)); the denominator is at least 1, so the gradient never exceeds 1.
CUTIS_HD inline Composed compose_on_arc(float f1, float f2, float c, const IsoLineEnd& end) {
  const float x = f1 - end.k, y = f2 - end.k;
  const float radius = std::sqrt(x * x + y * y);
  if (!(radius > 1e-7F)) return {c, 0.5F, 0.5F};
  const float n1 = x / radius, n2 = y / radius;
  const float scale = 1 / (1 + end.slope * (n1 + n2 - 1));
  return {c, n1 * scale, n2 * scale};
}

CUTIS_HD inline IsoLineEnd clean_union_end(float c) {
  if (c <= 0.5F) return {4 * c * c * c, 12 * c * c};
  const float u = c - 0.5F;
  return {0.5F + 4 * u * u * u, 12 * u * u};
}

/// Rounded everywhere but on the iso-line 0.5, which is that of the union: k(C) = 4C^3 outside, the same again inside.
CUTIS_HD inline Composed compose_clean_union(float f1, float f2) {
  f1 = clamp_unit(f1);
  f2 = clamp_unit(f2);
  const float top = f1 > f2 ? f1 : f2, low = f1 > f2 ? f2 : f1;
  if (low <= clean_union_end(top).k) return compose_union(f1, f2);
  // |f - k| + k - C falls from above 0 at C = max to below 0 where k = min; Newton inside that bracket.
  float lo = top, hi = top <= 0.5F ? std::cbrt(0.25F * low) : 0.5F + std::cbrt(0.25F * (low - 0.5F));
  float c = top + 0.3F * (hi - top);
  for (int i = 0; i < 24; ++i) {
    const IsoLineEnd end = clean_union_end(c);
    const float x = f1 - end.k, y = f2 - end.k, radius = std::sqrt(x * x + y * y);
    const float miss = radius + end.k - c;
    (miss > 0 ? lo : hi) = c;
    const float n = radius > 1e-7F ? (x + y) / radius : 1.41421356F;
    float next = c + miss / (1 + end.slope * (n - 1));
    if (!(next > lo && next < hi)) next = 0.5F * (lo + hi);
    const bool done = std::abs(next - c) < 1e-7F;
    c = next;
    if (done) break;
  }
  return compose_on_arc(f1, f2, c, clean_union_end(c));
}

/// The diamond opening of Vaillant et al. 2013 (Implicit, 3.4.2): k(C) = tC up to C = 0.5, then straight to (0.7, 0.7),
/// the union beyond. `tangent` is that of the opening angle theta: 1 (45 degrees) is the union, 0 fully open.
CUTIS_HD inline Composed compose_blend(float f1, float f2, float tangent) {
  f1 = clamp_unit(f1);
  f2 = clamp_unit(f2);
  const float t = clamp_unit(tangent);
  const float top = f1 > f2 ? f1 : f2, low = f1 > f2 ? f2 : f1;
  const float upper_slope = 0.5F * (7 - 5 * t);
  // Both branches k(C) are straight lines through an apex on the diagonal: (0, 0) below, (0.7, 0.7) above.
  const float k_top = top <= 0.5F ? t * top : 0.7F + upper_slope * (top - 0.7F);
  if (top >= 0.7F || low <= k_top) return compose_union(f1, f2);
  const float cx = f1 - 0.5F * t, cy = f2 - 0.5F * t, r = 0.5F * (1 - t);
  const bool upper = (cx > 0 || cy > 0) && cx * cx + cy * cy > r * r;  // beyond the arc of C = 0.5
  const float slope = upper ? upper_slope : t, apex = upper ? 0.7F : 0.0F;
  // With x, y, C from the apex: (x - sC)^2 + (y - sC)^2 = (C - sC)^2, homogeneous. The root is written without
  // cancellation: above, both terms are negative and u >= 2; below, both are positive and u may vanish.
  const float x = f1 - apex, y = f2 - apex, sum = slope * (x + y), squares = x * x + y * y;
  const float u = slope * slope + 2 * slope - 1;
  const float root = std::sqrt(std::fmax(0.0F, sum * sum - u * squares));
  const float c = upper ? (sum - root) / u : squares / (sum + root);
  return compose_on_arc(f1, f2, apex + c, {apex + slope * c, slope});
}

/// Implicit's blending weight of a vertex: 0 is the union, 1 the full operator.
CUTIS_HD inline Composed mix(const Composed& a, const Composed& b, float weight) {
  return {a.value + weight * (b.value - a.value), a.d1 + weight * (b.d1 - a.d1), a.d2 + weight * (b.d2 - a.d2)};
}

// ---- tables ----

/// One node of a slice: value, and the derivatives times the cell's side.
struct OperatorNode {
  float g = 0, g1 = 0, g2 = 0, g12 = 0;
};

/// Slices over d in [0,1], evenly spaced; in a slice nodes[(i * side) + j] belongs to f1 = i / (side - 1),
/// f2 = j / (side - 1). At least two slices and two nodes a side.
struct OperatorTableView {
  const OperatorNode* nodes = nullptr;
  int side = 0, slices = 0;
};

namespace detail {

/// Cubic Hermite basis at t in [0,1] (left value, left slope, right value, right slope) and its derivative.
struct HermiteBasis {
  float b[4], db[4];
  CUTIS_HD explicit HermiteBasis(float t) {
    const float s = 1 - t;
    b[0] = (1 + 2 * t) * s * s;
    b[1] = t * s * s;
    b[2] = t * t * (3 - 2 * t);
    b[3] = -t * t * s;
    db[0] = -6 * t * s;
    db[1] = s * (1 - 3 * t);
    db[2] = 6 * t * s;
    db[3] = t * (3 * t - 2);
  }
};

CUTIS_HD inline OperatorNode mix(const OperatorNode& a, const OperatorNode& b, float t) {
  return {a.g + t * (b.g - a.g), a.g1 + t * (b.g1 - a.g1), a.g2 + t * (b.g2 - a.g2), a.g12 + t * (b.g12 - a.g12)};
}

}  // namespace detail

CUTIS_HD inline Composed compose_table(const OperatorTableView& table, float f1, float f2, float d) {
  const int cells = table.side - 1;
  const float x = clamp_unit(f1) * static_cast<float>(cells), y = clamp_unit(f2) * static_cast<float>(cells);
  const float z = clamp_unit(d) * static_cast<float>(table.slices - 1);
  const int i = x < static_cast<float>(cells) ? static_cast<int>(x) : cells - 1;
  const int j = y < static_cast<float>(cells) ? static_cast<int>(y) : cells - 1;
  const int k = z < static_cast<float>(table.slices - 1) ? static_cast<int>(z) : table.slices - 2;
  const detail::HermiteBasis p(x - static_cast<float>(i)), q(y - static_cast<float>(j));
  const float t = z - static_cast<float>(k);
  const OperatorNode* below = table.nodes + (static_cast<std::ptrdiff_t>(k) * table.side + i) * table.side + j;
  const OperatorNode* above = below + static_cast<std::ptrdiff_t>(table.side) * table.side;
  float value = 0, d1 = 0, d2 = 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const int at = a * table.side + b;
      const OperatorNode n = detail::mix(below[at], above[at], t);
      const float u = n.g * q.b[2 * b] + n.g2 * q.b[2 * b + 1];    // along f2, of g
      const float v = n.g1 * q.b[2 * b] + n.g12 * q.b[2 * b + 1];  // along f2, of g1
      const float du = n.g * q.db[2 * b] + n.g2 * q.db[2 * b + 1];
      const float dv = n.g1 * q.db[2 * b] + n.g12 * q.db[2 * b + 1];
      value += p.b[2 * a] * u + p.b[2 * a + 1] * v;
      d1 += p.db[2 * a] * u + p.db[2 * a + 1] * v;
      d2 += p.b[2 * a] * du + p.b[2 * a + 1] * dv;
    }
  }
  const auto scale = static_cast<float>(cells);
  return {clamp_unit(value), d1 * scale, d2 * scale};
}

// ---- any operator ----

enum class OperatorForm { unite, clean_union, blend, table };

/// `parameter` is d for tables, the tangent of the opening angle for the blend, unused by the unions.
struct OperatorView {
  OperatorForm form = OperatorForm::unite;
  OperatorTableView table = {};
};

CUTIS_HD inline Composed compose_fields(const OperatorView& op, float f1, float f2, float parameter) {
  switch (op.form) {
    case OperatorForm::clean_union:
      return compose_clean_union(f1, f2);
    case OperatorForm::blend:
      return compose_blend(f1, f2, parameter);
    case OperatorForm::table:
      return compose_table(op.table, f1, f2, parameter);
    case OperatorForm::unite:
      break;
  }
  return compose_union(f1, f2);
}

// ---- controllers ----

struct ControllerKnot {
  float x = 0, y = 0, slope = 0;
};

/// Cubic Hermite between knots of rising x, constant before the first and after the last; `count` >= 1.
CUTIS_HD inline float evaluate_controller(const ControllerKnot* knots, int count, float x) {
  if (!(x > knots[0].x)) return knots[0].y;
  if (x >= knots[count - 1].x) return knots[count - 1].y;
  int k = 1;
  while (k < count - 1 && x >= knots[k].x) ++k;
  const ControllerKnot &a = knots[k - 1], &b = knots[k];
  const float h = b.x - a.x;
  const detail::HermiteBasis basis((x - a.x) / h);
  return a.y * basis.b[0] + h * a.slope * basis.b[1] + b.y * basis.b[2] + h * b.slope * basis.b[3];
}

/// The angle between two field gradients, in [0, pi]. Where one has no direction (outside a support, on a medial axis)
/// the answer is 0: no contact, no bulge. A gradient that is not finite counts as one without direction.
CUTIS_HD inline float gradient_angle(const Vec3f& grad1, const Vec3f& grad2) {
  const float a = dot(grad1, grad1), b = dot(grad2, grad2);
  const float scale = std::sqrt(a) * std::sqrt(b);
  if (!(a > 1e-24F && b > 1e-24F && scale < 1e18F)) return 0;
  const float c = dot(grad1, grad2) / scale;
  return std::acos(c > -1 ? (c < 1 ? c : 1) : -1);
}

}  // namespace cutis
