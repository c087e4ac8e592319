// Many starts compete: usual poses in all facings, and poses that bring the ends of the character's limbs to the ends
// of the scan's. After every few rounds of fitting the better ones go on.
#include "register/coarse_pose.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "register/limb_ends.h"
#include "register/limb_restarts.h"
#include "register/scan_cloud.h"
#include "register/usual_poses.h"

namespace cutis {
namespace {

constexpr int kFacings = 8;
constexpr int kTurnsAnywhere = 96;  // of the whole when nothing is known of where up is: 35 degrees apart

// ---- placing ----

struct Spread {
  Vec3d mean;
  Mat3d axes;  // columns, by falling spread, right-handed
  double rms = 0;
};
Spread spread_of(std::span<const Vec3d> points) {
  Spread s;
  for (const Vec3d& p : points) s.mean += p;
  s.mean = s.mean / static_cast<double>(points.size());
  Mat3d c{{Vec3d{}, Vec3d{}, Vec3d{}}};
  for (const Vec3d& p : points) {
    const Vec3d d = p - s.mean;
    for (int k = 0; k < 3; ++k) c.col[static_cast<std::size_t>(k)] += d * d[k];
    s.rms += dot(d, d);
  }
  s.rms = std::sqrt(s.rms / static_cast<double>(points.size()));
  const SymmetricEigen e = eigen_decompose(c);
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, [&](int a, int b) { return e.values[a] > e.values[b]; });
  s.axes.col[0] = e.vectors.col[slot(order[0])];
  s.axes.col[1] = e.vectors.col[slot(order[1])];
  s.axes.col[2] = cross(s.axes.col[0], s.axes.col[1]);
  return s;
}

std::vector<Vec3d> posed_points(const BodyModel& model, const ModelState& state, std::size_t count) {
  const PlacedBones bones = place_bones(model, state);
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < std::min(count, model.samples.size()); ++i)
    points.push_back(place_of(model.samples[i], bones));
  return points;
}

/// The pose, turned as one piece, with its middle and its spread where the scan's are.
ModelState placed(const BodyModel& model, const std::vector<Quatd>& turn, const Quatd& whole, const Spread& scan) {
  ModelState state = rest_state(model);
  for (std::size_t b = 0; b < model.bones(); ++b) state.turn[b] = normalized(whole * turn[b]);
  const Spread own = spread_of(posed_points(model, state, 500));
  state.size = std::log(std::max(scan.rms, 1e-12) / std::max(own.rms, 1e-12));
  state.root = scan.mean + (state.root - own.mean) * std::exp(state.size);
  return state;
}

/// The 24 turns of a cube.
std::vector<Mat3d> cube_turns() {
  std::vector<Mat3d> turns;
  std::array<int, 3> p{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3d m{{Vec3d{}, Vec3d{}, Vec3d{}}};
      for (std::size_t k = 0; k < 3; ++k) m.col[k][p[k]] = (signs >> k & 1) != 0 ? -1 : 1;
      if (determinant(m) > 0) turns.push_back(m);
    }
  } while (std::ranges::next_permutation(p).found);
  return turns;
}

/// Turns spread evenly over all there are (Alexa 2022, super-Fibonacci spirals).
std::vector<Quatd> even_turns(int count) {
  constexpr double kPhi = 1.4142135623730951, kPsi = 1.533751168755204288118041;
  std::vector<Quatd> turns;
  for (int i = 0; i < count; ++i) {
    const double s = i + 0.5, r = std::sqrt(s / count), q = std::sqrt(1 - s / count), a = 2 * kPi * s / kPhi,
                 b = 2 * kPi * s / kPsi;
    turns.push_back({r * std::sin(a), r * std::cos(a), q * std::sin(b), q * std::cos(b)});
  }
  return turns;
}

// ---- the competition ----

struct Runner {
  ModelState state;
  double badness = 0;
};

/// States whose skins are no farther apart than `apart` extents are one.
void keep_best(const BodyModel& model, std::vector<Runner>& runners, std::size_t count, double apart) {
  std::ranges::stable_sort(runners, {}, &Runner::badness);
  std::vector<Runner> kept;
  std::vector<std::vector<Vec3d>> skins;
  for (Runner& r : runners) {
    if (kept.size() >= count) break;
    std::vector<Vec3d> skin = posed_points(model, r.state, 200);
    const double extent = model.extent * std::exp(r.state.size);
    const bool twin = std::ranges::any_of(skins, [&](const std::vector<Vec3d>& other) {
      double sum = 0;
      for (std::size_t i = 0; i < skin.size(); ++i) sum += distance(skin[i], other[i]);
      return sum < apart * extent * static_cast<double>(skin.size());
    });
    if (twin) continue;
    skins.push_back(std::move(skin));
    kept.push_back(std::move(r));
  }
  runners = std::move(kept);
}

}  // namespace

std::vector<ModelState> coarse_poses(const BodyModel& model, const FitTarget& target, std::span<const Vec3d> ups,
                                     std::size_t count, const Context& context) {
  const std::vector<std::uint32_t> few = thinned(target.points, 500);
  std::vector<Vec3d> points, normals;
  for (const std::uint32_t i : few) {
    points.push_back(target.points[i]);
    normals.push_back(target.normals[i]);
  }
  const FitTarget coarse = make_target(std::move(points), std::move(normals), target.one_sided);
  const Spread scan = spread_of(coarse.points);
  std::vector<Runner> runners;
  for (const std::vector<Quatd>& turn : usual_turns(model)) {
    for (const Vec3d& up : ups)
      for (int k = 0; k < kFacings; ++k)
        runners.push_back(
            {placed(model, turn, axis_angle(up, 2 * kPi * k / kFacings) * rotation_between(model.roles.up, up), scan)});
    if (!ups.empty()) continue;
    // Nothing is known of where up is: anywhere, and along the axes of both.
    for (const Quatd& whole : even_turns(kTurnsAnywhere)) runners.push_back({placed(model, turn, whole, scan)});
    ModelState state = rest_state(model);
    state.turn = turn;
    const Mat3d own = spread_of(posed_points(model, state, 500)).axes;
    for (const Mat3d& cube : cube_turns())
      runners.push_back({placed(model, turn, to_quaternion(scan.axes * cube * transpose(own)), scan)});
  }
  for (ModelState& state : starts_from_ends(model, target)) runners.push_back({std::move(state)});

  struct Heat {
    FitStage stage;
    std::size_t keep;
    double far, apart;
  };
  const Heat heats[] = {
      {{{}, 0, 0, 0, 200, 0}, 150, 0.15, 0.02},
      {{{.turns = false}, 4, 0.12, 0.06, 250, 0.5}, 48, 0.15, 0.04},
      {{{.shape = true, .least_share = 0.02}, 6, 0.10, 0.05, 250, 0.3}, 16, 0.12, 0.03},
      {{{.shape = true, .least_share = 0.008}, 8, 0.07, 0.03, 500, 0.2}, std::max<std::size_t>(6, count), 0.08, 0.025},
      {{{.shape = true, .least_share = 0.004}, 8, 0.05, 0.02, 800, 0.1}, count, 0.05, 0.02},
  };
  for (std::size_t h = 0; h < std::size(heats); ++h) {
    const Heat& heat = heats[h];
    const FitTarget& by = h < 3 ? coarse : target;
    parallel_for(context, runners.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        fit_model(model, by, {}, heat.stage, runners[i].state, context);
        runners[i].badness = badness(model, by, runners[i].state, heat.far, heat.stage.samples);
      }
    });
    keep_best(model, runners, heat.keep, heat.apart);
    if (h == 3)
      parallel_for(context, runners.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) restart_limbs(model, coarse, runners[i].state, context);
      });
    context.progress("coarse pose", static_cast<double>(h + 1) / static_cast<double>(std::size(heats)));
  }
  std::vector<ModelState> result;
  for (Runner& r : runners) result.push_back(std::move(r.state));
  return result;
}

}  // namespace cutis
