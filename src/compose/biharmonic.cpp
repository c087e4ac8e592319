// The conforming element for fourth-order problems on squares (Bogner, Fox, Schmit 1965): bicubic Hermite cells with
// value, two slopes and the cross derivative at each node. What is solved is what is evaluated: no interpolation error
// between solve and table, and conditions on values and on slopes are conditions on unknowns.
//
// Tracking uses finite differences and sets nodes near the profile to a signed distance. Here the profile is a set of
// conditions g = 0.5: exact where it lies on cell borders or cell diagonals, by collocation with a stiff weight
// elsewhere, which leaves the slope across the profile to the bi-harmonic equation.
#include "compose/biharmonic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "numerics/refactored_solver.h"

namespace cutis {
namespace {

constexpr double kCollocationWeight = 1e5;  // against entries of the element matrix, which are of order 1 to 100
constexpr double kBoundWeight = 1e7;
constexpr double kLeastSlope = 0.02;  // bound on slopes across iso-lines: away from 0, where Newton steps have no bound
// A contact line that reaches depth s (0 to 1) lets g fall towards it, by this times s at the most. The plain solution
// falls by 0.16 without any contact line and by 0.22 to 0.33 at the first three depths; later bounds are not met.
constexpr double kSteepestFall = 1.5;
constexpr int kMaxRounds = 40;

enum Kind : std::uint8_t { kValue, kSlope1, kSlope2, kTwist };

// 1D basis at t and second derivative: left value, left slope, right value, right slope.
struct Basis {
  std::array<double, 4> b, second;
  explicit Basis(double t) {
    const double s = 1 - t;
    b = {(1 + 2 * t) * s * s, t * s * s, t * t * (3 - 2 * t), -t * t * s};
    second = {12 * t - 6, 6 * t - 4, 6 - 12 * t, 6 * t - 2};
  }
};

using Element = std::array<std::array<double, 16>, 16>;

// Local unknown of corner (a, b): ((a * 2 + b) * 4 + kind).
struct Local {
  std::size_t along1, along2;  // which 1D basis functions
};
constexpr Local local_basis(std::size_t unknown) {
  const std::size_t a = unknown / 8, b = unknown / 4 % 2, kind = unknown % 4;
  return {2 * a + (kind == kSlope1 || kind == kTwist ? 1U : 0U), 2 * b + (kind == kSlope2 || kind == kTwist ? 1U : 0U)};
}

Element element_matrix() {
  // Four Gauss points integrate polynomials of degree 7 exactly; ours have degree 6.
  constexpr std::array<double, 4> kAt = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                         0.8611363115940526};
  constexpr std::array<double, 4> kWeight = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                             0.3478548451374538};
  Element k{};
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t q = 0; q < 4; ++q) {
      const Basis x(0.5 + 0.5 * kAt[p]), y(0.5 + 0.5 * kAt[q]);
      std::array<double, 16> laplacian{};
      for (std::size_t u = 0; u < 16; ++u) {
        const Local l = local_basis(u);
        laplacian[u] = x.second[l.along1] * y.b[l.along2] + x.b[l.along1] * y.second[l.along2];
      }
      for (std::size_t u = 0; u < 16; ++u)
        for (std::size_t v = 0; v < 16; ++v) k[u][v] += 0.25 * kWeight[p] * kWeight[q] * laplacian[u] * laplacian[v];
    }
  }
  return k;
}

// A degree of freedom as constant + sum of unknowns: fixed, free, or bound to others.
struct Expression {
  double constant = 0;
  int terms = 0;
  std::array<int, 3> unknown{};
  std::array<double, 3> factor{};
};

class SliceSystem {
 public:
  SliceSystem(const ProfileCurve& curve, const SliceOptions& options)
      : curve_(curve), cells_(options.cells), side_(options.cells + 1), h_(1.0 / options.cells) {
    state_.assign(static_cast<std::size_t>(side_ * side_ * 4), 0);
    fixed_.assign(state_.size(), 0.0);
    set_boundary();
    set_profile();
    number_unknowns();
    bind_contact_cells();
    assemble();
    if (options.monotone) set_bounds();
  }

  Slice solve();

 private:
  struct Bound {
    int unknown;
    double limit;  // x >= limit
  };

  // By symmetry the node (i, j) with i < j shares the unknowns of (j, i), with the slopes swapped.
  [[nodiscard]] std::size_t dof(int i, int j, int kind) const {
    if (i < j) {
      std::swap(i, j);
      kind = kind == kSlope1 ? kSlope2 : kind == kSlope2 ? kSlope1 : kind;
    }
    if (i == j && kind == kSlope2) kind = kSlope1;
    return static_cast<std::size_t>((i * side_ + j) * 4 + kind);
  }
  void fix(int i, int j, int kind, double value) {
    state_[dof(i, j, kind)] = 1;
    fixed_[dof(i, j, kind)] = value;
  }
  [[nodiscard]] bool is_free(int i, int j, int kind) const { return state_[dof(i, j, kind)] == 0; }

  void set_boundary();
  void set_profile();
  void number_unknowns();
  void bind_contact_cells();
  void assemble();
  void set_bounds();
  void collocate(double f1, double f2);
  [[nodiscard]] std::array<std::size_t, 16> cell_dofs(int i, int j) const;

  const ProfileCurve& curve_;
  int cells_, side_;
  double h_;
  int contact_first_ = 0, contact_last_ = -1;  // nodes of the diagonal on the contact line
  std::vector<char> state_;                    // per dof: 0 free, 1 fixed
  std::vector<double> fixed_;
  std::vector<Expression> expression_;
  int unknowns_ = 0;
  std::vector<MatrixEntry> entries_;
  std::vector<double> rhs_;
  std::vector<Bound> bounds_;
};

// g(f, 0) = f with no slope across; g(f, 1) = 1 with the natural condition (laplacian g = 0) on the slope. In the
// corner (0, 0) the two edges want different slopes; there the values win.
void SliceSystem::set_boundary() {
  for (int i = 0; i < side_; ++i) {
    fix(i, 0, kValue, i * h_);
    fix(i, 0, kSlope1, h_);
    fix(i, 0, kTwist, 0);
    if (i > 0) fix(i, 0, kSlope2, 0);
    fix(cells_, i, kValue, 1);
    fix(cells_, i, kSlope2, 0);
  }
}

void SliceSystem::set_profile() {
  const int half = cells_ / 2;
  if (curve_.aligned) {
    for (int j = 0; j <= half; ++j) {
      fix(half, j, kValue, 0.5);
      fix(half, j, kSlope2, 0);
    }
  }
  contact_first_ = static_cast<int>(std::ceil(curve_.crossing / h_ - 1e-9));
  contact_last_ = static_cast<int>(std::floor(curve_.contact_end / h_ + 1e-9));
  if (curve_.contact_end <= curve_.crossing + 1e-9) contact_last_ = contact_first_ - 1;
  for (int i = contact_first_; i <= contact_last_; ++i) {
    fix(i, i, kValue, 0.5);
    fix(i, i, kSlope1, 0);
  }
}

void SliceSystem::number_unknowns() {
  expression_.assign(state_.size(), {});
  for (int i = 0; i < side_; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int kind = 0; kind < 4; ++kind) {
        const std::size_t d = static_cast<std::size_t>((i * side_ + j) * 4 + kind);
        if (d != dof(i, j, kind)) continue;
        if (state_[d] == 1) {
          expression_[d].constant = fixed_[d];
          continue;
        }
        // Slopes beside the contact line are bound to the rest: see bind_contact_cells().
        if (i == j + 1 && j >= contact_first_ && i <= contact_last_ && kind != kValue) continue;
        expression_[d] = {0, 1, {unknowns_++}, {1.0}};
      }
    }
  }
}

// On the diagonal of a cell whose ends lie on the contact line, g - 0.5 is t^2 (1-t)^2 times a quadratic in t. It is
// zero for all t when, with w = g - 0.5 at the corner beside the line and p, q the twists at the ends,
//   slope1 = 3w + p/2,  slope2 = -3w - q/2,  twist = -8w - 3(p + q)/2.
void SliceSystem::bind_contact_cells() {
  for (int j = contact_first_; j < contact_last_; ++j) {
    const int v = expression_[dof(j + 1, j, kValue)].unknown[0];
    const int p = expression_[dof(j, j, kTwist)].unknown[0], q = expression_[dof(j + 1, j + 1, kTwist)].unknown[0];
    expression_[dof(j + 1, j, kSlope1)] = {-1.5, 2, {v, p}, {3, 0.5}};
    expression_[dof(j + 1, j, kSlope2)] = {1.5, 2, {v, q}, {-3, -0.5}};
    expression_[dof(j + 1, j, kTwist)] = {4, 3, {v, p, q}, {-8, -1.5, -1.5}};
  }
}

std::array<std::size_t, 16> SliceSystem::cell_dofs(int i, int j) const {
  std::array<std::size_t, 16> dofs{};
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int kind = 0; kind < 4; ++kind)
        dofs[static_cast<std::size_t>((a * 2 + b) * 4 + kind)] = dof(i + a, j + b, kind);
  return dofs;
}

// Adds kCollocationWeight (g(f1, f2) - 0.5)^2 to the energy.
void SliceSystem::collocate(double f1, double f2) {
  const int i = std::min(static_cast<int>(f1 * cells_), cells_ - 1);
  const int j = std::min(static_cast<int>(f2 * cells_), cells_ - 1);
  const Basis x(f1 * cells_ - i), y(f2 * cells_ - j);
  const std::array<std::size_t, 16> dofs = cell_dofs(i, j);
  std::array<std::pair<int, double>, 48> terms{};
  std::size_t count = 0;
  double target = 0.5;
  for (std::size_t u = 0; u < 16; ++u) {
    const double b = x.b[local_basis(u).along1] * y.b[local_basis(u).along2];
    const Expression& e = expression_[dofs[u]];
    target -= b * e.constant;
    for (int t = 0; t < e.terms; ++t)
      terms[count++] = {e.unknown[static_cast<std::size_t>(t)], b * e.factor[static_cast<std::size_t>(t)]};
  }
  for (std::size_t a = 0; a < count; ++a) {
    rhs_[static_cast<std::size_t>(terms[a].first)] += kCollocationWeight * terms[a].second * target;
    for (std::size_t b = 0; b < count; ++b)
      if (terms[a].first >= terms[b].first)
        entries_.push_back({static_cast<std::uint32_t>(terms[a].first), static_cast<std::uint32_t>(terms[b].first),
                            kCollocationWeight * terms[a].second * terms[b].second});
  }
}

void SliceSystem::assemble() {
  rhs_.assign(static_cast<std::size_t>(unknowns_), 0);
  static const Element kElement = element_matrix();
  for (int u = 0; u < unknowns_; ++u) {  // every diagonal entry is there
    entries_.push_back({static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(u), 0.0});
  }
  for (int i = 0; i < cells_; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double weight = i == j ? 0.5 : 1;  // of the half square
      const std::array<std::size_t, 16> dofs = cell_dofs(i, j);
      for (std::size_t a = 0; a < 16; ++a) {
        const Expression& ea = expression_[dofs[a]];
        for (int s = 0; s < ea.terms; ++s) {
          const auto row = static_cast<std::uint32_t>(ea.unknown[static_cast<std::size_t>(s)]);
          const double fa = weight * ea.factor[static_cast<std::size_t>(s)];
          for (std::size_t b = 0; b < 16; ++b) {
            const Expression& eb = expression_[dofs[b]];
            const double k = fa * kElement[a][b];
            rhs_[row] -= k * eb.constant;
            for (int t = 0; t < eb.terms; ++t) {
              const auto col = static_cast<std::uint32_t>(eb.unknown[static_cast<std::size_t>(t)]);
              if (row >= col) entries_.push_back({row, col, k * eb.factor[static_cast<std::size_t>(t)]});
            }
          }
        }
      }
    }
  }
  if (!curve_.aligned) {
    // About two conditions a cell along the curve.
    double since = 1e300;
    for (std::size_t s = 1; s < curve_.side.size(); ++s) {
      const ProfilePoint &p = curve_.side[s], &before = curve_.side[s - 1];
      since += std::hypot(p.f1 - before.f1, p.f2 - before.f2);
      const bool last = s + 1 == curve_.side.size();
      if (since < 0.5 * h_ && !last) continue;
      since = 0;
      collocate(p.f1, p.f2);
    }
  }
  // The contact line from the crossing to the first node.
  if (contact_first_ <= contact_last_ && contact_first_ * h_ - curve_.crossing > 1e-9) {
    for (const double at : {0.25, 0.5, 0.75}) {
      const double x = curve_.crossing + at * (contact_first_ * h_ - curve_.crossing);
      collocate(x, x);
    }
  }
}

// In the half f1 > f2: g never falls with f1 (this alone excludes critical points off the diagonal, keeps g in [0,1]
// and the iso-line 0.5 on the profile). On the diagonal it never falls towards (1,1). It never falls with f2 outside a
// profile that does not dent, and inside only as much as the contact line asks for.
void SliceSystem::set_bounds() {
  const auto at_least = [&](int i, int j, int kind, double limit) {
    if (!is_free(i, j, kind)) return;
    const Expression& e = expression_[dof(i, j, kind)];
    if (e.terms == 1 && e.constant == 0) bounds_.push_back({e.unknown[0], limit});
  };
  const double share = std::max(0.0, curve_.contact_end - 0.5) / (kDeepestContact - 0.5);
  for (int i = 0; i < side_; ++i) {
    for (int j = 0; j <= i; ++j) {
      at_least(i, j, kSlope1, i == j ? 0.5 * kLeastSlope * h_ : kLeastSlope * h_);
      if (i == j || !curve_.widening) continue;
      const bool outside = side_distance(curve_, i * h_, j * h_) < -h_;
      at_least(i, j, kSlope2, outside ? 0 : (kLeastSlope - kSteepestFall * share) * h_);
    }
  }
}

Slice SliceSystem::solve() {
  const auto n = static_cast<std::size_t>(unknowns_);
  RefactoredSolver solver(n, entries_);
  std::vector<char> active(bounds_.size(), 0);
  std::vector<double> extra(n), x(n);
  Slice slice;
  // Primal-dual active set: hold what violates its bound, let go what pulls away from it.
  for (slice.rounds = 1; slice.rounds <= kMaxRounds; ++slice.rounds) {
    std::fill(extra.begin(), extra.end(), 0.0);
    x = rhs_;
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
      if (active[b] == 0) continue;
      const auto u = static_cast<std::size_t>(bounds_[b].unknown);
      extra[u] = kBoundWeight;
      x[u] += kBoundWeight * bounds_[b].limit;
    }
    if (!solver.factor(extra)) throw std::logic_error("the bi-harmonic system is not positive definite");
    solver.solve(x);
    bool changed = false;
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
      const double above = x[static_cast<std::size_t>(bounds_[b].unknown)] - bounds_[b].limit;
      const char want = above < 0 ? 1 : 0;  // active: below by the multiplier / weight; inactive: violated
      if (active[b] == 0 && above > -1e-9) continue;
      changed = changed || want != active[b];
      active[b] = want;
    }
    if (!changed) break;
  }
  for (std::size_t b = 0; b < bounds_.size(); ++b) {
    if (active[b] == 0) continue;
    x[static_cast<std::size_t>(bounds_[b].unknown)] = bounds_[b].limit;
    ++slice.bounded;
  }

  const auto value = [&](int i, int j, int kind) {
    const Expression& e = expression_[dof(i, j, kind)];
    double v = e.constant;
    for (int t = 0; t < e.terms; ++t)
      v += e.factor[static_cast<std::size_t>(t)] * x[static_cast<std::size_t>(e.unknown[static_cast<std::size_t>(t)])];
    return v;
  };
  slice.nodes.resize(static_cast<std::size_t>(side_ * side_));
  for (int i = 0; i < side_; ++i)
    for (int j = 0; j < side_; ++j)
      slice.nodes[static_cast<std::size_t>(i * side_ + j)] = {value(i, j, kValue), value(i, j, kSlope1),
                                                              value(i, j, kSlope2), value(i, j, kTwist)};
  return slice;
}

}  // namespace

Slice solve_slice(const ProfileCurve& curve, const SliceOptions& options) {
  return SliceSystem(curve, options).solve();
}

}  // namespace cutis
