#include "field/fit_part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/math.h"
#include "geometry/winding_number.h"

namespace cutis {

namespace {

constexpr double kRefitFactor = 1.6;
constexpr double kSmallest = 2e-4;  // radius of the thinnest part, in units of the character
constexpr std::size_t kCheckPoints = 150;
constexpr double kLeastGradient = 0.25;  // distances are d / |grad d|, with |grad d| no smaller than this
constexpr double kInsideWinding = 0.4;   // an open tube still covers more than this of a point inside it
constexpr double kReach = 4;             // the support must end within so many radii of the samples,
constexpr double kReachOfPart = 0.5;     // or this share of the part's extent
constexpr std::size_t kFewSamples = 4;   // fewer vertices or samples say nothing about a closed shape
constexpr double kStickOut = 0.06;       // support radii by which a field may stick out of the rest of the character
constexpr double kHollow = 0.15;         // the least that |d| must be deep inside, in units of the true depth
constexpr double kCoreDepth = 0.5;       // and what a core sample asks for: what an HRBF has on a cylinder's axis
constexpr double kPieceNodes = 24'000;   // of the lattice that is searched for second sheets
constexpr double kInnerDepth = 0.35;     // support radii below the surface where the field must be above 0.5
constexpr std::size_t kInnerPoints = 60;
constexpr int kFillRounds = 2;         // fits repeated with a sample in each hole
constexpr double kShallowHole = 0.05;  // support radii
constexpr double kBulge = 0.4;         // support radii by which the zero set may stand off the surface
constexpr double kBulgeWeight = 0.3;
constexpr std::size_t kBulgePoints = 120;
constexpr double kBulgeSpacing = 0.4;
constexpr int kTuckRounds = 4;
constexpr std::size_t kTucksPerRound = 14;
constexpr double kStrayShare = 2e-3;  // second sheets smaller than this share of the inside are noise of the lattice

double quantile_of_sorted(const std::vector<double>& values, double q) {
  return values.empty() ? 0.0 : values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

PartPatch without_bad_points(const PartPatch& patch) {
  PartPatch clean = patch;
  clean.points.clear();
  clean.normals.clear();
  clean.triangles.clear();
  clean.own_points = 0;
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> place(patch.points.size(), kNone);
  for (std::size_t i = 0; i < patch.points.size(); ++i) {
    if (!is_finite(patch.points[i])) continue;
    place[i] = static_cast<std::uint32_t>(clean.points.size());
    clean.points.push_back(patch.points[i]);
    clean.normals.push_back(is_finite(patch.normals[i]) ? normalized(patch.normals[i]) : Vec3d{});
    if (i < patch.own_points) ++clean.own_points;
  }
  for (const Triangle& t : patch.triangles)
    if (place[t[0]] != kNone && place[t[1]] != kNone && place[t[2]] != kNone)
      clean.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  clean.other_points.clear();
  clean.other_normals.clear();
  for (std::size_t i = 0; i < patch.other_points.size(); ++i) {
    const Vec3d n = normalized(patch.other_normals[i]);
    if (!is_finite(patch.other_points[i]) || !(dot(n, n) > 0.5)) continue;
    clean.other_points.push_back(patch.other_points[i]);
    clean.other_normals.push_back(n);
  }
  std::erase_if(clean.joints, [](const Vec3d& p) { return !is_finite(p); });
  if (!(clean.character_size > 0)) {
    Box box;
    for (const Vec3d& p : clean.points) box.add(p);
    clean.character_size = diagonal(box) > 0 ? diagonal(box) : 1.0;
  }
  if (!is_finite(clean.bone_from)) clean.bone_from = {};
  if (!is_finite(clean.bone_to)) clean.bone_to = clean.bone_from;
  return clean;
}

OrientedBox bounds_along(const Mat3d& axes, std::span<const Vec3d> points) {
  Box box;
  const Mat3d inverse_axes = transpose(axes);
  for (const Vec3d& p : points) box.add(inverse_axes * p);
  return {axes * box.lo, axes, box.hi - box.lo};
}

// A point that is surely inside the character, and its distance to the surface.
struct Core {
  Vec3d position;
  double depth = 0;
};

// What the fits of one part may still cost. A system takes the cube of its size.
class Allowance {
 public:
  explicit Allowance(double work) : work_(work) {}
  /// Whether one more system may be solved; if so, it is counted.
  bool takes(std::size_t samples) {
    const double n = static_cast<double>(samples), cost = n * n * n;
    if (spent_ > 0 && spent_ + cost > work_) {
      stinted_ = true;
      return false;
    }
    spent_ += cost;
    return true;
  }
  [[nodiscard]] double spent() const { return spent_; }
  [[nodiscard]] bool stinted() const { return stinted_; }

 private:
  double work_, spent_ = 0;
  bool stinted_ = false;
};

// What all attempts on one part have in common.
struct Task {
  const PartPatch& patch;
  const FitOptions& options;
  Exposure exposure;
  CompactSupport support;
  Mat3d axes;
  std::vector<SurfaceSample> check;  // unseen points
  std::vector<Core> cores;
  std::vector<SurfaceSample> inner;  // a little below the surface, with what the distance is there
  std::vector<Vec3d> bone_inside;    // points of the bone that the surface goes around
};

// Distance to the nearest vertex of the character, if that faces away from p: p is then inside. Otherwise 0.
double depth_of(const PartPatch& patch, const Vec3d& p) {
  double nearest = std::numeric_limits<double>::max();
  Vec3d way, normal;
  const auto look_at = [&](std::span<const Vec3d> points, std::span<const Vec3d> normals) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3d to = points[i] - p;
      const double d = dot(to, to);
      if (d >= nearest) continue;
      nearest = d;
      way = to;
      normal = normals[i];
    }
  };
  look_at(patch.points, patch.normals);
  look_at(patch.other_points, patch.other_normals);
  nearest = std::sqrt(nearest);
  return dot(way, normal) > 0.5 * nearest ? nearest : 0.0;
}

// The middle of the part and of its ends.
std::vector<Core> find_cores(const Task& task) {
  std::vector<Vec3d> candidates(1);
  for (const SurfaceSample& s : task.check) candidates[0] += s.position / static_cast<double>(task.check.size());
  if (task.check.empty()) candidates.clear();
  for (const PatchEnd& end : find_ends(task.patch)) candidates.push_back(end.center);
  std::vector<Core> cores;
  for (const Vec3d& p : candidates) {
    const double depth = depth_of(task.patch, p);
    const bool apart =
        std::ranges::all_of(cores, [&](const Core& c) { return distance(c.position, p) > 0.2 * task.support.radius; });
    if (apart && depth >= 0.3 * task.support.radius) cores.push_back({p, depth});
  }
  return cores;
}

std::vector<SurfaceSample> find_inner(const Task& task) {
  std::vector<SurfaceSample> inner;
  const double depth = kInnerDepth * task.support.radius;
  const std::size_t step = std::max<std::size_t>(1, task.check.size() / kInnerPoints);
  for (std::size_t i = 0; i < task.check.size(); i += step) {
    const SurfaceSample& s = task.check[i];
    const Vec3d p = s.position - s.normal * depth;
    if (depth_of(task.patch, p) > 0.8 * depth) inner.push_back({p, s.normal, -depth});
  }
  return inner;
}

Task make_task(const PartPatch& patch, const FitOptions& options) {
  Task task{patch, options, Exposure(patch), {}, bone_axes(patch), {}, {}, {}, {}};
  task.check = check_points(patch, task.exposure, options.sampling, kCheckPoints);
  // As thick as what can be seen of it: a mouth or a throat is nearer to the bone than the face.
  std::vector<Vec3d> seen;
  const std::size_t step = std::max<std::size_t>(1, patch.own_points / kCheckPoints);
  for (std::size_t i = 0; i < patch.own_points; i += step)
    if (task.exposure.is_exposed(patch.points[i], patch.normals[i])) seen.push_back(patch.points[i]);
  if (seen.empty())
    seen.assign(patch.points.begin(), patch.points.begin() + static_cast<std::ptrdiff_t>(patch.own_points));
  task.support =
      choose_support(seen, patch.bone_from, patch.bone_to, kSmallest * patch.character_size, options.support);
  for (const double t : {0.25, 0.5, 0.75}) {
    const Vec3d p = lerp(patch.bone_from, patch.bone_to, t);
    double winding = 0;
    for (const Triangle& f : patch.triangles)
      winding += winding_number(static_cast<Vec3f>(patch.points[f[0]]), static_cast<Vec3f>(patch.points[f[1]]),
                                static_cast<Vec3f>(patch.points[f[2]]), p);
    if (winding > kInsideWinding) task.bone_inside.push_back(p);
  }
  task.cores = find_cores(task);
  task.inner = find_inner(task);
  return task;
}

// A part that does not go around its bone (a shoulder blade, the back of a hand) leaves its field free to swell out of
// the body on the other side. Vertices of the other parts that are found inside the field become samples of it. Nothing
// when the allowance does not last for a single fit.
std::optional<Hrbf> fit_tucked(const Task& task, Allowance& allowance, std::vector<SurfaceSample>& samples,
                               std::size_t& tucks) {
  if (!allowance.takes(samples.size())) return std::nullopt;
  const double r = task.support.radius;
  const std::vector<Vec3d>& others = task.patch.other_points;
  std::vector<Vec3f> points;
  for (const Vec3d& p : others) points.push_back(static_cast<Vec3f>(p));
  std::vector<float> values(points.size());
  std::vector<Vec3f> gradients(points.size());
  Hrbf hrbf(samples, task.options.kernel);
  for (int round = 0; round < kTuckRounds && hrbf.report().ok; ++round) {
    hrbf.eval(points, values, gradients);
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (values[i] < static_cast<float>(-kStickOut * r)) out.push_back(i);
    // Deepest first, well apart.
    std::ranges::stable_sort(out, {}, [&](std::size_t i) { return values[i]; });
    std::size_t added = 0;
    for (const std::size_t i : out) {
      const bool free = std::ranges::all_of(
          samples, [&](const SurfaceSample& s) { return distance(s.position, others[i]) > 0.35 * r; });
      if (!free) continue;
      samples.push_back({others[i], task.patch.other_normals[i]});
      if (++added == kTucksPerRound) break;
    }
    // And pockets just below the surface are filled.
    for (const SurfaceSample& s : task.inner) {
      const bool pocket = hrbf.eval(s.position).value > 0.1 * s.value;
      const bool free = std::ranges::all_of(
          samples, [&](const SurfaceSample& t) { return distance(s.position, t.position) > 0.2 * r; });
      if (!pocket || !free || added >= 2 * kTucksPerRound) continue;
      samples.push_back(s);
      ++added;
    }
    if (added == 0) break;
    if (!allowance.takes(samples.size())) {
      samples.resize(samples.size() - added);
      break;
    }
    tucks += added;
    hrbf = Hrbf(samples, task.options.kernel);
  }
  return hrbf;
}

// How far the zero set stands off the character, over the tangent planes of the nearest points of its surface; adds
// samples that push it back.
double find_bulges(const Task& task, const PartShape& shape, const Lattice& l, std::vector<SurfaceSample>& repairs) {
  const double r = task.support.radius;
  std::vector<Vec3d> surface;
  std::size_t at = 0;
  for (int k = 0; k < l.nz; ++k)
    for (int j = 0; j < l.ny; ++j)
      for (int i = 0; i < l.nx; ++i, ++at)
        if (std::abs(static_cast<double>(l.values[at])) < l.cell / 2) surface.push_back(l.node(i, j, k));
  const std::size_t step = std::max<std::size_t>(1, surface.size() / kBulgePoints);
  double worst = 0;
  for (std::size_t i = 0; i < surface.size(); i += step) {
    const DistanceSample d = shape.eval(surface[i]);
    const double slope = std::max(length(d.gradient), kLeastGradient);
    const Vec3d p = surface[i] - d.gradient * (d.value / (slope * slope));
    double nearest = std::numeric_limits<double>::max(), height = 0;
    Vec3d up;
    const auto look_at = [&](const Vec3d& q, const Vec3d& n) {
      const double away = dot(p - q, p - q);
      if (away >= nearest) return;
      nearest = away;
      height = dot(p - q, n);
      up = n;
    };
    for (const SurfaceSample& s : task.check) look_at(s.position, s.normal);
    for (std::size_t v = 0; v < task.patch.points.size(); ++v) look_at(task.patch.points[v], task.patch.normals[v]);
    for (std::size_t v = 0; v < task.patch.other_points.size(); ++v)
      look_at(task.patch.other_points[v], task.patch.other_normals[v]);
    worst = std::max(worst, height);
    const bool free = std::ranges::all_of(
        repairs, [&](const SurfaceSample& s) { return distance(s.position, p) > kBulgeSpacing * r; });
    if (height > kBulge * r && free && repairs.size() < kTucksPerRound) repairs.push_back({p, up, height});
  }
  return worst;
}

// Distances, signs, sheets, holes and bulges of a shape; nothing when it has no end.
std::optional<FittedPart> examine(const Task& task, PartShape shape, std::span<const Vec3d> extent_points,
                                  FitReport report, std::string& fault, std::vector<SurfaceSample>& repairs) {
  const double r = task.support.radius;
  const OrientedBox start = bounds_along(task.axes, extent_points);
  const std::optional<OrientedBox> box =
      find_support_box(shape, start, r, std::max(kReach * r, kReachOfPart * length(start.size)));
  if (!box) {
    fault = "the field does not end around the part";
    return std::nullopt;
  }
  report.radius = r;
  std::vector<double> errors;
  for (const SurfaceSample& s : task.check) {
    const DistanceSample d = shape.eval(s.position);
    errors.push_back(std::abs(d.value) / std::max(length(d.gradient), kLeastGradient));
  }
  std::ranges::sort(errors);
  report.checked = errors.size();
  report.median = quantile_of_sorted(errors, 0.5);
  report.p95 = quantile_of_sorted(errors, 0.95);
  report.worst = errors.empty() ? 0.0 : errors.back();
  report.bone_inside = !task.bone_inside.empty();
  report.sign_ok = std::ranges::all_of(task.bone_inside, [&](const Vec3d& p) { return shape.eval(p).value < 0; });
  const double cell = bounded_cell(*box, r / 3, kPieceNodes);
  const Lattice lattice = sample_lattice(shape, *box, cell);
  const Pieces pieces = find_pieces(lattice, r);
  const auto allowed =
      std::max<std::size_t>(1, static_cast<std::size_t>(kStrayShare * static_cast<double>(pieces.inside_nodes)));
  report.stray_pieces = pieces.stray_nodes > allowed ? pieces.stray_pieces : 0;
  report.voids = pieces.voids;
  for (const Vec3d& hole : pieces.void_centers)
    if (const double depth = depth_of(task.patch, hole); depth >= kShallowHole * r)
      repairs.push_back({hole, {}, -kCoreDepth * depth});
  report.bulge = find_bulges(task, shape, lattice, repairs);
  const bool hollow =
      std::ranges::any_of(task.cores, [&](const Core& c) { return shape.eval(c.position).value > -kHollow * c.depth; });
  if (!report.sign_ok)
    fault = "the bone is outside the field";
  else if (hollow)
    fault = "the field is hollow";
  else if (report.stray_pieces > 0)
    fault = fmt::format("the field has {} second sheets", report.stray_pieces);
  else if (report.voids > 0)
    fault = fmt::format("the field has {} holes inside", report.voids);
  return FittedPart{std::move(shape), task.support, *box, std::move(report)};
}

// What is worse in a fit that has no fault: bulges are few and stand out, misses are everywhere.
double score_of(const FitReport& report) { return report.p95 + kBulgeWeight * report.bulge; }

}  // namespace

Mat3d bone_axes(const PartPatch& patch) {
  const Vec3d x = normalized(patch.bone_to - patch.bone_from, Vec3d{1, 0, 0});
  const Vec3d u = any_perpendicular(x), v = cross(x, u);
  Vec3d mean;
  for (const Vec3d& p : patch.points) mean += p / static_cast<double>(patch.points.size());
  double uu = 0, uv = 0, vv = 0;
  for (const Vec3d& p : patch.points) {
    const double a = dot(p - mean, u), b = dot(p - mean, v);
    uu += a * a;
    uv += a * b;
    vv += b * b;
  }
  const double angle = 0.5 * std::atan2(2 * uv, uu - vv);
  const Vec3d y = u * std::cos(angle) + v * std::sin(angle);
  return {{x, y, cross(x, y)}};
}

FittedPart fit_part(const PartPatch& dirty, const FitOptions& options) {
  const PartPatch patch = without_bad_points(dirty);
  FitReport base;
  base.name = patch.name;
  base.points = patch.own_points;
  if (patch.points.size() < dirty.points.size())
    base.remarks.push_back(
        fmt::format("{} points are not finite: left out", dirty.points.size() - patch.points.size()));
  if (patch.own_points == 0) {
    base.remarks.emplace_back("owns no vertices: no field");
    return {{}, {}, {}, std::move(base)};
  }
  const Task task = make_task(patch, options);
  if (task.bone_inside.empty()) base.remarks.emplace_back("the bone does not run inside the part's surface");

  std::optional<FittedPart> best;
  const auto is_good = [&](const FittedPart& f) {
    return f.report.p95 <= options.residual_limit * task.support.radius &&
           f.report.bulge <= kBulge * task.support.radius;
  };
  SamplingOptions sampling = options.sampling;
  int refits = options.shape == ShapeChoice::automatic ? options.refits : -1;
  if (patch.own_points < kFewSamples) {
    base.remarks.push_back(fmt::format("{} vertices: too few for an HRBF", patch.own_points));
    refits = -1;
  }
  Allowance allowance(options.work);
  std::size_t last_surface = 0;
  for (int attempt = 0; attempt <= refits; ++attempt) {
    PartSamples samples = sample_part(patch, task.exposure, task.support.radius, sampling);
    // The first repetition has samples in the middle besides; a later one without more of the surface is the same.
    if (attempt > 1 && samples.surface <= last_surface) break;
    last_surface = samples.surface;
    if (attempt > 0)
      for (const Core& core : task.cores) samples.samples.push_back({core.position, {}, -kCoreDepth * core.depth});
    if (samples.surface < kFewSamples) {
      base.remarks.push_back(fmt::format("{} places for samples: too few for an HRBF", samples.surface));
      break;
    }
    ++base.attempts;
    FitReport report = base;
    report.kind = FitKind::hrbf;
    report.samples = samples.surface;
    report.caps = samples.caps;
    std::string fault;
    for (int fill = 0; fill <= kFillRounds; ++fill) {
      if (options.checkpoint) options.checkpoint();
      fault.clear();
      std::optional<Hrbf> hrbf = fit_tucked(task, allowance, samples.samples, report.tucks);
      if (!hrbf) {
        fault = "its share of the work for fits is spent";
        attempt = refits;
        break;
      }
      report.hrbf = hrbf->report();
      report.fitted = samples.samples;
      if (!hrbf->report().ok) {
        fault = "the samples make a singular system";
        break;
      }
      std::vector<Vec3d> extent;
      std::vector<SurfaceSample> repairs;
      for (const SurfaceSample& s : samples.samples) extent.push_back(s.position);
      std::optional<FittedPart> fitted = examine(task, std::move(*hrbf), extent, report, fault, repairs);
      if (fitted && fault.empty() && (!best || score_of(fitted->report) < score_of(best->report)))
        best = std::move(fitted);
      if ((fault.empty() && best && is_good(*best)) || repairs.empty()) break;
      report.tucks += repairs.size();
      samples.samples.insert(samples.samples.end(), repairs.begin(), repairs.end());
    }
    if (best && is_good(*best)) break;
    if (fault.empty())
      fault =
          fmt::format("the surface is missed by {:.2g} m, stood off by {:.2g} m", best->report.p95, best->report.bulge);
    base.remarks.push_back(fmt::format("HRBF with {} samples: {}", samples.surface, fault));
    sampling.domes = true;
    sampling.target = static_cast<int>(sampling.target * kRefitFactor);
    sampling.per_point *= kRefitFactor;
    sampling.limit = static_cast<int>(sampling.limit * kRefitFactor);
  }
  if (options.checkpoint) options.checkpoint();
  if (!best || !is_good(*best)) {
    // Points of the surface say more than the vertices of a coarse mesh.
    std::vector<Vec3d> own(patch.points.begin(), patch.points.begin() + static_cast<std::ptrdiff_t>(patch.own_points));
    if (patch.own_points >= kFewSamples && task.check.size() > 2 * kFewSamples) {
      own.clear();
      for (const SurfaceSample& s : task.check) own.push_back(s.position);
    }
    SphereFit spheres =
        fit_spheres(own, patch.bone_from, patch.bone_to, kSmallest * patch.character_size, options.spheres);
    FitReport report = base;
    report.kind = FitKind::spheres;
    std::vector<Vec3d> extent(own.begin(), own.end());
    for (const SphereBlock& block : spheres.set.blocks)
      for (const Sphere& s : block.spheres) extent.push_back(s.center);
    std::string fault;
    std::vector<SurfaceSample> repairs;
    std::optional<FittedPart> fitted = examine(task, std::move(spheres.set), extent, report, fault, repairs);
    if (fitted && (!best || score_of(fitted->report) < score_of(best->report))) {
      if (!fault.empty()) base.remarks.push_back("spheres: " + fault);
      best = std::move(fitted);
    }
  }
  base.work = allowance.spent();
  base.stinted = allowance.stinted();
  if (!best) {
    base.remarks.emplace_back("no shape could be fitted: no field");
    return {{}, task.support, {}, std::move(base)};
  }
  best->report.attempts = base.attempts;
  best->report.work = base.work;
  best->report.stinted = base.stinted;
  best->report.remarks = base.remarks;
  return std::move(*best);
}

FittedPart check_shape(const PartPatch& dirty, PartShape shape, const FitOptions& options) {
  const PartPatch patch = without_bad_points(dirty);
  FitReport report;
  report.name = patch.name;
  report.points = patch.own_points;
  if (shape.empty()) {
    report.remarks.emplace_back("has no spheres: no field");
    return {{}, {}, {}, std::move(report)};
  }
  report.kind = shape.spheres() != nullptr ? FitKind::spheres : FitKind::hrbf;
  Task task = make_task(patch, options);
  std::vector<Vec3d> extent(patch.points.begin(), patch.points.begin() + static_cast<std::ptrdiff_t>(patch.own_points));
  if (const SphereSet* set = shape.spheres()) {
    double radius = 0;
    std::size_t count = 0;
    for (const SphereBlock& block : set->blocks)
      for (const Sphere& s : block.spheres) {
        extent.push_back(s.center);
        radius += s.radius;
        ++count;
      }
    // A part without vertices is as thick as its spheres.
    if (patch.own_points == 0 && options.support.radius <= 0 && count > 0)
      task.support.radius = radius / static_cast<double>(count) * options.support.factor;
  }
  std::string fault;
  std::vector<SurfaceSample> repairs;
  std::optional<FittedPart> fitted = examine(task, std::move(shape), extent, report, fault, repairs);
  if (!fitted) {
    report.kind = FitKind::none;
    report.remarks.push_back(fault + ": no field");
    return {{}, task.support, {}, std::move(report)};
  }
  if (!fault.empty()) fitted->report.remarks.push_back(fault);
  return std::move(*fitted);
}

}  // namespace cutis
