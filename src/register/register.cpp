// The order: scan, model, coarse pose, pose with lengths and thickness, skin, report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"
#include "character/joint_roles.h"
#include "cutis/error.h"
#include "cutis/register.h"
#include "geometry/normals.h"
#include "geometry/weld.h"
#include "register/body_model.h"
#include "register/coarse_pose.h"
#include "register/model_fit.h"
#include "register/scan_cloud.h"
#include "register/skin_layer.h"

namespace cutis {
namespace {

constexpr std::size_t kCoarsePoints = 1500, kModelPoints = 5000;  // of the scan, for the pose
constexpr double kLargePiece = 0.02,
                 kBodyPiece = 0.25;  // shares of the points: of what may not be the body, of what may
constexpr double kLeftOut = 64;   // badness of a scan of which all is left out: of one that is 0.8% of the extent off
constexpr double kBeside = 0.05;  // pieces of the scan that are farther from the skin stand beside the body, in extents
constexpr double kBody = 0.025;   // points farther from the skin do not belong to it, in extents: 5 cm on a person
// A fit that is no good: what the skin has not explained, and what bones and thickness alone leave off, in extents.
constexpr double kLeastExplained = 0.7, kWorstMean = 0.012;
constexpr double kWorstLayer = 0.012;  // 95th percentile with the layer, in extents: where a limb lies in another place
// Bones that had to be as odd as this, squared standard deviations each; bodies of others are at 1 to 3, hands up to 9.
constexpr double kOddestBody = 14;
constexpr double kLittleSeen = 0.35;                        // of the skin: a side alone shows nearly half
constexpr double kSmallestBody = 0.45, kLargestBody = 2.2;  // times the character: of the same kind

// ---- unit and axes ----

double find_unit(const ScanCloud& cloud, const BodyModel& model) {
  const auto spread = [](const auto& points, const auto& at) {
    Vec3d mean;
    for (const auto& p : points) mean += at(p);
    mean = mean / static_cast<double>(points.size());
    double sum = 0;
    for (const auto& p : points) sum += dot(at(p) - mean, at(p) - mean);
    return std::sqrt(sum / static_cast<double>(points.size()));
  };
  const double own = spread(model.samples, [](const ModelSample&s) { return s.position; }),
               scan = spread(cloud.points, [](const Vec3d&p) { return p; });
  // Metres, centimetres, millimetres; inches and feet where they suit clearly better.
  constexpr std::pair<double, double> kUnits[] = {{1, 0}, {0.01, 0}, {0.001, 0}, {0.0254, 0.5}, {0.3048, 0.5}};
  double best = 1, least = std::numeric_limits<double>::max();
  for (const auto& [unit, doubt] : kUnits) {
    const double off = std::abs(std::log(unit * scan / own)) + doubt;
    if (off < least) least = off, best = unit;
  }
  return best;
}

char letter_of(ScanAxis axis) { return static_cast<char>('x' + static_cast<int>(axis)); }
Vec3d axis_of(char up) { return up == 'x' ? Vec3d{1, 0, 0} : up == 'z' ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0}; }

Quatd to_y_up(char up) { return up == 'y' ? Quatd{} : rotation_between(axis_of(up), Vec3d{0, 1, 0}); }

/// Directions that may be up.
std::vector<Vec3d> possible_ups(const ScanCloud& cloud, const BodyModel& model, const RegisterOptions& options) {
  if (options.up) return {axis_of(letter_of(*options.up))};
  if (!model.is_body) return {};
  std::vector<Vec3d> ups;
  std::vector<Vec3d> possible = cloud.plane_normals;  // of walls too
  possible.push_back({0, 1, 0});
  possible.push_back({0, 0, 1});
  for (const Vec3d& up : possible)
    if (std::ranges::none_of(ups, [&](const Vec3d& u) { return dot(u, up) > 0.94; })) ups.push_back(up);
  return ups;
}

/// The axis that is up in the scan, when nobody says.
char find_up(const ScanCloud& cloud, const BodyModel& model, const ModelState& state) {
  if (cloud.plane_normals.empty() && !model.is_body) return 'y';
  // Of planes, the one that the body stands on; a floor may be anything, a file without one has Y up or Z.
  const Vec3d own = rotate(state.turn[0], model.roles.up);
  if (!cloud.plane_normals.empty()) {
    Vec3d up = cloud.plane_normals.front();
    if (model.is_body)
      for (const Vec3d& n : cloud.plane_normals)
        if (dot(n, own) > dot(up, own)) up = n;
    if (!model.is_body || dot(up, own) > 0.5) return up.z > up.y && up.z > up.x ? 'z' : up.x > up.y ? 'x' : 'y';
  }
  return std::abs(own.z) > std::abs(own.y) ? 'z' : 'y';
}

// ---- landmarks ----

KnownPoint known_point(const Character& character, const BodyModel& model, const ScanLandmark& landmark, double unit) {
  constexpr std::string_view kEnd = ":end";
  std::string name = landmark.name;
  const bool at_end = name.ends_with(kEnd);
  if (at_end) name.resize(name.size() - kEnd.size());
  int joint = character.skeleton.find(name);
  if (joint < 0) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::ranges::replace(lower, '_', ' ');
    for (std::size_t b = 0; b < model.bones() && joint < 0; ++b)
      if (model.roles.roles[b].part != Part::none && to_string(model.roles.roles[b]) == lower)
        joint = model.skeleton.bones[b].joint;
  }
  if (joint < 0)
    throw Error(ErrorCode::bad_argument, landmark.name,
                "is neither a joint of the character nor what one is ('left hand'); 'cutis info' lists the joints");
  if (!is_finite(landmark.position))
    throw Error(ErrorCode::bad_argument, landmark.name, "its place in the scan is no finite number");
  const int bone = model.bone_of_joint[slot(joint)];
  const DrivenSkeleton::Bone& b = model.skeleton.bones[slot(bone)];
  KnownPoint known;
  known.sample.position = at_end ? b.end : character.skeleton.joints[slot(joint)].world_from_rest.translation;
  known.sample.normal = {0, 1, 0};
  known.sample.shares = {{bone, 1.0, known.sample.position - b.rest}};
  known.target = landmark.position * unit;
  return known;
}

// ---- the fit ----

FitTarget thin_target(const FitTarget& target, std::size_t count) {
  std::vector<Vec3d> points, normals;
  for (const std::uint32_t i : thinned(target.points, count)) {
    points.push_back(target.points[i]);
    normals.push_back(target.normals[i]);
  }
  return make_target(std::move(points), std::move(normals), target.one_sided);
}

/// What may be the body: all of the scan, and, when there are several large pieces, each that is large enough alone.
struct Reading {
  FitTarget coarse, fine;
  double left_out = 0;  // share of the scan
};
std::vector<Reading> possible_readings(const ScanCloud& cloud, const FitTarget& target) {
  std::vector<Reading> result;
  const auto read = [&](const FitTarget& part) {
    const double share = static_cast<double>(part.points.size()) / static_cast<double>(target.points.size());
    result.push_back({thin_target(part, kCoarsePoints), thin_target(part, kModelPoints), 1 - share});
  };
  read(target);
  std::vector<std::size_t> size(cloud.pieces, 0);
  for (const int p : cloud.piece) ++size[slot(p)];
  const auto all = static_cast<double>(target.points.size());
  if (size.size() < 2 || static_cast<double>(size[1]) < kLargePiece * all) return result;
  for (std::size_t p = 0; p < size.size() && static_cast<double>(size[p]) > kBodyPiece * all; ++p) {
    std::vector<Vec3d> points, normals;
    for (std::size_t i = 0; i < target.points.size(); ++i)
      if (cloud.piece[i] == static_cast<int>(p)) {
        points.push_back(target.points[i]);
        normals.push_back(target.normals[i]);
      }
    read(make_target(std::move(points), std::move(normals), target.one_sided));
  }
  return result;
}

/// Takes out pieces that stand beside the body; whether there were any.
bool leave_out_beside(ScanCloud& cloud, const SkinDistances& distances, double far, std::size_t& left_out) {
  std::vector<std::vector<float>> of_piece(cloud.pieces);
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    of_piece[slot(cloud.piece[i])].push_back(distances.of_points[i]);
  std::vector<char> beside(cloud.pieces, 0);
  bool any = false, all = true;
  for (std::size_t p = 0; p < of_piece.size(); ++p) {
    std::vector<float>& d = of_piece[p];
    if (d.empty()) continue;
    const auto middle = d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2);
    std::ranges::nth_element(d, middle);
    beside[p] = static_cast<double>(*middle) > far;
    any = any || beside[p];
    all = all && beside[p];
  }
  if (!any || all) return false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    if (beside[slot(cloud.piece[i])]) continue;
    cloud.points[kept] = cloud.points[i];
    cloud.normals[kept] = cloud.normals[i];
    cloud.piece[kept++] = cloud.piece[i];
  }
  left_out = cloud.points.size() - kept;
  cloud.points.resize(kept);
  cloud.normals.resize(kept);
  cloud.piece.resize(kept);
  return true;
}

ModelState fit_state(const BodyModel& model, const std::vector<Reading>& readings, std::span<const KnownPoint> known,
                     const std::vector<Vec3d>& ups, const RegisterOptions& options, const Context& context) {
  struct Candidate {
    ModelState state;
    const Reading* reading;
    double cost = 0;
  };
  std::vector<Candidate> candidates;
  for (const Reading& reading : readings) {
    if (known.empty()) {
      for (ModelState& state :
           coarse_poses(model, reading.coarse, ups, static_cast<std::size_t>(options.candidates), context))
        candidates.push_back({std::move(state), &reading});
      continue;
    }
    ModelState state = fit_to_points(model, known, rest_state(model), 60);
    const auto fit = [&](double least_share, int rounds, double near, std::size_t samples, double tangential) {
      fit_model(model, reading.coarse, known,
                {{.turns = true, .least_share = least_share}, rounds, 0.05, near, samples, tangential}, state, context);
    };
    fit(0.01, 6, 0.03, 600, 0.3);
    fit(0.004, 8, 0.02, 800, 0.1);
    candidates.push_back({std::move(state), &reading});
  }
  parallel_for(context, candidates.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Candidate& c = candidates[i];
      const FitTarget& target = c.reading->coarse;
      fit_model(model, target, {}, {{.shape = true}, 12, 0.035, 0.012, 2000, 0.05}, c.state, context);
      fit_model(model, c.reading->fine, {}, {{.shape = true}, 10, 0.015, 0.005, 5000, 0.02}, c.state, context);
      c.cost = badness(model, c.reading->fine, c.state, 0.04, 5000) + kLeftOut * c.reading->left_out;
    }
  });
  context.progress("pose", 1);
  return std::ranges::min_element(candidates, {}, &Candidate::cost)->state;
}

// ---- report ----

ScanDistance distance_of(std::span<const float> values, double far) {
  ScanDistance d;
  std::vector<double> kept;
  for (const float v : values)
    if (!std::isnan(v) && static_cast<double>(v) <= far) kept.push_back(static_cast<double>(v));
  if (kept.empty()) return d;
  std::ranges::sort(kept);
  d.count = kept.size();
  for (const double v : kept) d.mean += v / static_cast<double>(kept.size());
  d.p95 = kept[static_cast<std::size_t>(0.95 * static_cast<double>(kept.size() - 1))];
  d.largest = kept.back();
  return d;
}

Clip clip_of(const Skeleton& skeleton, const DrivenSkeleton& driven, const Pose& pose) {
  Clip clip;
  clip.name = "scan";
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (driven.bone_of_joint[j] < 0) continue;
    const Trsd& t = pose.local[j];
    const auto f = [](double v) { return static_cast<float>(v); };
    Channel rotation{static_cast<int>(j), ChannelPath::rotation, Interpolation::linear, {0}, {}};
    rotation.values = {f(t.rotation.x), f(t.rotation.y), f(t.rotation.z), f(t.rotation.w)};
    clip.channels.push_back(std::move(rotation));
    Channel translation{static_cast<int>(j), ChannelPath::translation, Interpolation::linear, {0}, {}};
    translation.values = {f(t.translation.x), f(t.translation.y), f(t.translation.z)};
    clip.channels.push_back(std::move(translation));
  }
  return clip;
}

void refresh_normals(Character& character) {
  for (Mesh& mesh : character.meshes)
    mesh.normals = vertex_normals(mesh.positions, mesh.triangles, weld(mesh.positions).welded_of);
}

/// Why a fit is no good; empty when it is.
std::string fault_of(const ScanFit& fit, double explained_before, double extent, bool layer) {
  std::string why;
  if (explained_before < kLeastExplained) {
    why = fmt::format("only {:.0f}% of its points are near the skin", 100 * explained_before);
  } else if (fit.before_layer.mean > kWorstMean * extent) {
    why = fmt::format("its points are {:.1f}% of the character's size off on average",
                      100 * fit.before_layer.mean / extent);
  } else if (layer && fit.to_skin.p95 > kWorstLayer * extent) {
    why = fmt::format("every twentieth of its points is {:.1f}% of the character's size off",
                      100 * fit.to_skin.p95 / extent);
  } else if (fit.size < kSmallestBody || fit.size > kLargestBody) {
    return fmt::format(
        "the character does not fit this scan: it would have to be {:.2g} times as large; is it a scan of such a body? "
        "The scan's unit can be given (--unit)",
        fit.size);
  } else if (fit.oddness > kOddestBody) {
    why = "joints and bones would have to be as no body's are";
  }
  if (why.empty()) return why;
  return "the character does not fit this scan: with the best pose and proportions " + why +
         "; is it a scan of such a body? Points (--points) help to find the pose";
}

}  // namespace

ScanFit register_scan(const Character& character, const Scan& scan, std::span<const ScanLandmark> landmarks,
                      const RegisterOptions& options, const Context& context) {
  check_options(options, "register");
  const BodyModel model = make_body_model(character, context);
  ScanCloud cloud = make_cloud(scan, options, context);
  ScanFit fit;
  fit.scan_points = scan.positions.size();
  fit.planes = cloud.planes;
  fit.plane_points = cloud.plane_points;
  fit.stray_points = cloud.stray_points;
  fit.hidden_points = cloud.hidden_points;
  fit.oriented = cloud.oriented;
  fit.unit = options.unit.value_or(find_unit(cloud, model));
  for (Vec3d& p : cloud.points) p *= fit.unit;
  std::vector<KnownPoint> known;
  for (const ScanLandmark& landmark : landmarks) known.push_back(known_point(character, model, landmark, fit.unit));
  if (!known.empty() && known.size() < 3)
    throw Error(ErrorCode::bad_argument, "points",
                fmt::format("{} given; a pose needs at least three, better five: head, hands, feet", known.size()));

  FitTarget target = make_target(cloud.points, cloud.normals, cloud.one_sided);
  ModelState state =
      fit_state(model, possible_readings(cloud, target), known, possible_ups(cloud, model, options), options, context);

  // Into the axes of the result.
  fit.up = options.up ? letter_of(*options.up) : find_up(cloud, model, state);
  const Quatd turn = to_y_up(fit.up);
  for (Vec3d& p : cloud.points) p = rotate(turn, p);
  for (Vec3d& n : cloud.normals) n = rotate(turn, n);
  target = make_target(cloud.points, cloud.normals, cloud.one_sided);
  for (Quatd& q : state.turn) q = normalized(turn * q);
  state.root = rotate(turn, state.root);

  fit.size = std::exp(state.size);
  fit.oddness = oddness(model, state) / static_cast<double>(model.bones());
  fit.character = reshaped(character, model, state);
  refresh_normals(fit.character);
  DrivenSkeleton driven = make_driven_skeleton(fit.character);
  const Pose pose = to_pose(fit.character.skeleton, driven, to_bone_pose(model, state));
  const double extent = model.extent * fit.size;
  const auto measure = [&](const SkinDistances& d, ScanDistance& to_skin) {
    to_skin = distance_of(d.of_points, kBody * extent);
    return static_cast<double>(to_skin.count) / static_cast<double>(d.of_points.size());
  };
  SkinDistances distances =
      skin_distances(fit.character, model.outer, blend_skin(fit.character, pose), target, context);
  if (leave_out_beside(cloud, distances, kBeside * extent, fit.beside_points)) {
    target = make_target(cloud.points, cloud.normals, cloud.one_sided);
    distances = skin_distances(fit.character, model.outer, blend_skin(fit.character, pose), target, context);
  }
  const double explained_before = measure(distances, fit.before_layer);
  if (options.layer)
    add_skin_layer(fit.character, character, thinner_skin(character, model, state), model.outer, pose, target, options,
                   context);
  refresh_normals(fit.character);
  fit.skin = blend_skin(fit.character, pose);
  if (options.layer) distances = skin_distances(fit.character, model.outer, fit.skin, target, context);
  fit.explained = measure(distances, fit.to_skin);
  fit.to_scan = distance_of(distances.of_vertices, std::numeric_limits<double>::max());
  fit.covered = distances.covered;
  fit.skin_distance = std::move(distances.of_vertices);
  fit.distance = std::move(distances.of_points);
  for (std::size_t i = 0; i < target.points.size(); ++i) {
    fit.points.push_back(static_cast<Vec3f>(target.points[i]));
    fit.normals.push_back(static_cast<Vec3f>(target.normals[i]));
  }
  fit.character.clips.push_back(clip_of(fit.character.skeleton, driven, pose));
  for (std::size_t b = 0; b < model.bones(); ++b) {
    fit.bones.push_back(character.skeleton.joints[slot(model.skeleton.bones[b].joint)].name);
    fit.lengths.push_back(std::exp(state.shape[b][model.children[b].empty() ? 0 : 3]));
    fit.thickness.push_back(std::exp(0.5 * (state.shape[b][1] + state.shape[b][2])));
  }
  fit.fault = fault_of(fit, explained_before, extent, options.layer);
  fit.good = fit.fault.empty();
  if (fit.good && fit.covered < kLittleSeen)
    context.warn(
        fmt::format("{}: shows only {:.0f}% of the skin; look at the picture, the pose may be wrong (points help, "
                    "--points)",
                    scan.source, 100 * fit.covered));
  if (!fit.good && !options.anyway) throw Error(ErrorCode::bad_argument, scan.source, fit.fault);
  if (!fit.good) context.warn(fmt::format("{}: {}", scan.source, fit.fault));
  return fit;
}

}  // namespace cutis
