// The order of a frame (Le Naour 2018, algorithm 1):
//   pose from the markers alone ► carry the control mesh along ► repeat { cells' rotations ► skeleton ► positions }
//   ► turn back what turned over ► embed.
// Differs: the first two. The alternation moves bones by small steps (the rods hold on to their last direction), so it
// starts from the pose that a few Gauss-Newton steps on the skeleton give; its end is the same.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/alive.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "cutis/option_rows.h"
#include "geometry/normals.h"
#include "volume/body_roles.h"
#include "volume/embedding.h"
#include "volume/joint_limits.h"
#include "volume/marker_map.h"
#include "volume/reach.h"
#include "volume/skeleton_step.h"
#include "volume/surface_samples.h"
#include "volume/untangle.h"
#include "volume/volume_arap.h"
#include "volume/volume_keeper.h"

namespace cutis {
namespace {

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Joints may stand this far beyond their limits when a frame is done, radians (half a degree).
constexpr double kLimitTolerance = 0.0087;
/// A few targets are met as near as this, in sizes of the character (2 mm on a person); no target is pressed farther
/// than this beyond itself.
constexpr double kTargetTolerance = 0.001, kMostPull = 0.05;
/// How far skin slides over bones, in sizes of the character: a centimetre on a person.
constexpr double kSkinSlide = 0.005;

/// The shape of a bone's influence when the mesh is carried along: inverse fourth power of the distance.
struct Carrier {
  std::array<int, 3> bone{-1, -1, -1};
  std::array<double, 3> weight{};
};

std::vector<Carrier> make_carriers(const DrivenSkeleton& skeleton, const ControlMesh& mesh) {
  std::vector<Carrier> carriers(mesh.rest.size());
  for (std::size_t v = 0; v < mesh.rest.size(); ++v) {
    std::vector<std::pair<double, int>> near;
    const int own = mesh.nearest_bone[v];
    for (const DrivenSegment& s : skeleton.segments) {
      const bool related = s.bone == own || skeleton.bones[static_cast<std::size_t>(own)].parent == s.bone ||
                           skeleton.bones[static_cast<std::size_t>(s.bone)].parent == own;
      if (!related) continue;
      const double d = distance_to_segments({&s, 1}, mesh.rest[v]);
      const auto known = std::find_if(near.begin(), near.end(), [&](const auto& n) { return n.second == s.bone; });
      if (known == near.end()) {
        near.emplace_back(d, s.bone);
      } else {
        known->first = std::min(known->first, d);
      }
    }
    std::sort(near.begin(), near.end());
    double sum = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, near.size()); ++k) {
      const double d = near[k].first + 1e-3 * mesh.mean_edge;
      carriers[v].bone[k] = near[k].second;
      carriers[v].weight[k] = std::pow(near[0].first + 1e-3 * mesh.mean_edge, 4) / std::pow(d, 4);
      sum += carriers[v].weight[k];
    }
    for (double& w : carriers[v].weight) w /= sum;
  }
  return carriers;
}

Character checked(Character character) {
  validate(character);
  return character;
}

}  // namespace

struct MarkerSolver::Impl {
  Impl(const Character& c, const MarkerMap& map, const MarkerOptions& o, const Context& ctx)
      : character(checked(c)), options(o), context(ctx), driven(make_driven_skeleton(character)) {
    check_options(o, "markers");
    if (map.places.empty()) throw Error(ErrorCode::bad_argument, "marker map", "has no places; give it some");
    const auto start = Clock::now();
    welded = weld_character(character, &context);
    const Box box = character.bounds();
    size = diagonal(box);
    std::vector<Vec3d> places;
    for (const MarkerPlace& place : map.places) {
      const PlacedMarker placed = place_marker(character, driven, place);
      on_bone.push_back(placed.on_bone);
      places.push_back(placed.p_rest);
      weight.push_back(place.weight);
    }
    limits = JointLimits(driven.bones.size());
    if (o.limits) {
      limits = human_limits(driven, find_body_roles(character, driven));
      if (!o.limits_file.empty()) limits = read_limits(o.limits_file, std::move(limits), character.skeleton, driven);
    }
    mesh = make_control_mesh(welded.positions, welded.topology.triangles, driven, places,
                             {.vertices = o.resolution, .cage = o.cage}, context);
    if (!o.skeleton) mesh.sample_edges.clear();
    info.build_ms = milliseconds_since(start);
    const auto factoring = Clock::now();
    arap = std::make_unique<VolumeArap>(mesh, size, ArapWeights{o.w_l, o.w_u, o.w_d}, context);
    info.factor_ms = milliseconds_since(factoring);
    step = std::make_unique<SkeletonStep>(driven, mesh, limits);
    reach = std::make_unique<ReachFit>(driven, limits, size, on_bone);
    untangler = std::make_unique<Untangler>(mesh);
    keeper = std::make_unique<VolumeKeeper>(mesh);
    carriers = make_carriers(driven, mesh);
    const auto embedding = Clock::now();
    embedded = std::make_unique<Embedded>(mesh, welded.positions, o.embedding, context);
    info.embed_ms = milliseconds_since(embedding);
    info.vertices = mesh.rest.size();
    info.tetrahedra = mesh.tetrahedra.size();
    info.boundary_triangles = mesh.boundary.size();
    info.skeleton_samples = mesh.samples.size();
    info.slivers = mesh.slivers;
    info.uncovered_vertices = mesh.uncovered;
    info.boundary_intersections = mesh.cage_intersections;
    info.raised_weights = arap->raised_weights();
    info.least_quality = mesh.least_quality;
    info.mean_edge = mesh.mean_edge;
    welded_out.resize(welded.positions.size());
    rest_volume = volume_of(welded.positions);
    frame.positions.resize(welded.input_positions.size());
    frame.normals.resize(welded.input_positions.size());
    normals = std::make_unique<DeformedNormals>(welded.input_positions, welded.input_triangles, welded.weld.welded_of);
    reset();
  }

  void reset() {
    pose = marker_pose = rest_bone_pose(driven);
    std::vector<Quatd> none(mesh.rest.size());
    arap->reset(mesh.rest, none);
    step->forget_limits();
    reach->reset();
    shape = mesh.rest;
    started = standing = false;
    write(MarkerFrameReport{});
  }

  /// As if that pose were the last frame's: the control mesh is carried there and settles.
  void stand(const Pose& given) {
    const BonePose home = to_bone_pose(character.skeleton, driven, given);
    reset();
    reach->stand(home);
    standing = true;
    std::vector<Vec3d> places(on_bone.size());
    std::vector<double> sure(on_bone.size(), 1.0);
    for (std::size_t m = 0; m < on_bone.size(); ++m) places[m] = on_bone[m].at(home);
    solve(places, sure, &home);
  }

  /// Moves the control mesh with the bones from one pose to another.
  void carry(const BonePose& from, const BonePose& to) {
    const std::size_t bones = driven.bones.size();
    std::vector<Quatd> turn(bones);
    for (std::size_t b = 0; b < bones; ++b) turn[b] = normalized(to.rotation[b] * conjugate(from.rotation[b]));
    parallel_for(context, mesh.rest.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const Vec3d at = arap->positions[v];
        Vec3d moved;
        Quatd blend{0, 0, 0, 0};
        for (std::size_t k = 0; k < 3; ++k) {
          if (carriers[v].bone[k] < 0) continue;
          const auto b = static_cast<std::size_t>(carriers[v].bone[k]);
          const double w = carriers[v].weight[k];
          moved += (to.position[b] + rotate(turn[b], at - from.position[b])) * w;
          Quatd q = turn[b];
          if (dot(q, turn[static_cast<std::size_t>(carriers[v].bone[0])]) < 0) q = negated(q);
          blend = {blend.x + w * q.x, blend.y + w * q.y, blend.z + w * q.z, blend.w + w * q.w};
        }
        arap->positions[v] = moved;
        arap->rotations[v] = normalized(normalized(blend) * arap->rotations[v]);
      }
    });
    for (std::size_t b = 0; b < bones; ++b) pose.rotation[b] = normalized(turn[b] * pose.rotation[b]);
  }

  /// Markers that ask for what limits forbid would draw spikes of skin to themselves: those that a limit keeps away
  /// pull from no farther than skin slides over bones.
  void bring_into_reach(std::span<const Missed> missed, std::span<Vec3d> wanted) const {
    for (const Missed& miss : missed)
      if (miss.held) {
        const Vec3d there = on_bone[miss.marker].at(marker_pose), lacks = wanted[miss.marker] - there;
        wanted[miss.marker] = there + lacks * std::min(1.0, kSkinSlide * size / length(lacks));
      }
  }

  /// A few targets are met all the way: what they lack is added up and asked for on top, as at limits. Returns the
  /// farthest that is lacking, metres.
  double press_targets(std::span<const double> sure) {
    double worst = 0;
    for (std::size_t m = 0; m < on_bone.size(); ++m) {
      if (sure[m] <= 0) continue;
      const Vec3d lacks = within_reach[m] - marker_at(m, arap->positions);
      worst = std::max(worst, length(lacks));
      target_pressure[m] += lacks;
      if (const double p = length(target_pressure[m]); p > kMostPull * size)
        target_pressure[m] = target_pressure[m] * (kMostPull * size / p);
      arap->move_target(m, within_reach[m] + target_pressure[m]);
    }
    return worst;
  }

  [[nodiscard]] Vec3d marker_at(std::size_t m, std::span<const Vec3d> positions) const {
    const std::uint32_t v = mesh.marker_vertex[m];
    return positions[v] + rotate(arap->rotations[v], mesh.marker_offset[m]);
  }

  [[nodiscard]] UnreachedTarget told(const Missed& miss) const {
    UnreachedTarget unreached{.marker = miss.marker, .distance = miss.distance};
    if (!miss.held) return unreached;
    const auto bone = static_cast<std::size_t>(miss.held->bone);
    const JointLimit& limit = *limits.of(miss.held->bone);
    const auto [name, range] = miss.held->which == HeldAngle::Which::flexion    ? std::pair{"flexion", limit.flexion}
                               : miss.held->which == HeldAngle::Which::sideways ? std::pair{"sideways", limit.sideways}
                                                                                : std::pair{"twist", limit.twist};
    unreached.joint = character.skeleton.joints[static_cast<std::size_t>(driven.bones[bone].joint)].name;
    unreached.limit = name;
    unreached.degrees = (miss.held->at_high ? range.high : range.low) / kDegree;
    return unreached;
  }

  /// `given`: the bones' pose where it is known; else it is fitted to the markers.
  void solve(std::span<const Vec3d> targets, std::span<const double> confidence, const BonePose* given = nullptr) {
    const auto start = Clock::now();
    MarkerFrameReport report;
    std::vector<Vec3d> wanted(on_bone.size());
    std::vector<double> sure(on_bone.size(), 0);
    double total = 0;
    for (std::size_t m = 0; m < on_bone.size(); ++m) {
      const bool good = m < targets.size() && m < confidence.size() && is_finite(targets[m]) && confidence[m] > 0 &&
                        length(targets[m]) < 1e9;
      wanted[m] = good ? targets[m] : Vec3d{};
      sure[m] = good ? std::min(confidence[m], 1.0) * weight[m] : 0;
      total += sure[m];
      if (good) ++report.markers;
    }
    if (total <= 0) {
      // Nothing is known: the last shape stays.
      report.converged = true;
      report.solve_ms = milliseconds_since(start);
      write(report);
      return;
    }
    // How the markers move the skeleton from the last frame to this one; the mesh, which settled elsewhere, goes along.
    const BonePose before = marker_pose;
    if (given != nullptr)
      marker_pose = *given;
    else
      reach->fit(wanted, sure, marker_pose);
    // In an edit, what is held has to be reached; the rest keeps the body near where it was, and gives way.
    const std::vector<double> held = reach->is_edit() ? ReachFit::held_weights(sure) : sure;
    const std::vector<Missed> missed = reach->missed(wanted, held, marker_pose);
    if (options.start_from_pose || !started) carry(before, marker_pose);
    guided.clear();
    if (options.start_from_pose) {
      // Where the body stands in a pose, the rest of it stays there, too: cells alone would spring back to rest.
      guided.assign(driven.bones.size(), standing ? 1 : 0);
      for (std::size_t m = 0; m < on_bone.size(); ++m)
        if (sure[m] > 0)
          on_bone[m].for_each_share(marker_pose, [&](int b, double, const Vec3d&) {
            for (; b >= 0; b = driven.bones[static_cast<std::size_t>(b)].parent)
              guided[static_cast<std::size_t>(b)] = 1;
          });
    }
    started = true;
    within_reach = wanted;
    if (options.limits) bring_into_reach(missed, within_reach);
    arap->set_targets(within_reach, sure);
    target_pressure.assign(on_bone.size(), {});
    std::vector<Vec3d>& gamma = differentials;
    const double tolerance = options.tolerance * size;
    double moved = 0, lacking = 0, off = 0;
    for (report.iterations = 0; report.iterations < options.max_iterations && !report.converged; ++report.iterations) {
      last = arap->positions;
      arap->local_step(context);
      if (options.skeleton) {
        report.limited = step->find_pose(arap->positions, arap->rotations, pose, marker_pose.rotation, guided);
        step->differentials(pose, gamma);
        lacking = options.limits ? step->press_limits(arap->positions, gamma) : 0;
        if (reach->is_edit()) off = press_targets(held);
      }
      arap->global_step(gamma, context);
      moved = 0;
      for (std::size_t v = 0; v < last.size(); ++v) {
        const Vec3d d = arap->positions[v] - last[v];
        moved = std::max(moved, dot(d, d));
      }
      report.moved.push_back(std::sqrt(moved));
      report.converged = std::sqrt(moved) < tolerance && lacking < kLimitTolerance && off < kTargetTolerance * size;
    }
    const bool sound =
        std::all_of(arap->positions.begin(), arap->positions.end(), [](const Vec3d& p) { return is_finite(p); });
    if (!sound) arap->positions = last;
    shape = arap->positions;
    if (options.keep_volume) keeper->run(shape);
    const UntangleReport untangled = untangler->run(shape);
    report.repaired = untangled.found;
    report.flipped = untangled.left;
    report.limited = step->find_pose(shape, arap->rotations, pose, marker_pose.rotation, guided);
    report.solve_ms = milliseconds_since(start);
    for (const Missed& miss : missed) report.unreached.push_back(told(miss));

    double sum = 0;
    for (std::size_t m = 0; m < on_bone.size(); ++m) {
      if (sure[m] <= 0) continue;
      const double d = distance(wanted[m], marker_at(m, shape));
      sum += d * d;
      report.marker_worst = std::max(report.marker_worst, d);
    }
    report.marker_rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(report.markers, 1)));
    write(report);
  }

  [[nodiscard]] std::vector<JointRange> joint_ranges() const {
    std::vector<JointRange> list;
    for (std::size_t b = 0; b < driven.bones.size(); ++b) {
      const auto& limit = limits.of(static_cast<int>(b));
      const DrivenSkeleton::Bone& bone = driven.bones[b];
      if (!limit || bone.parent < 0) continue;
      const Quatd& parent = pose.rotation[static_cast<std::size_t>(bone.parent)];
      const JointLimits::Angles now = JointLimits::angles(*limit, conjugate(parent) * pose.rotation[b]);
      const auto angle = [](const AngleRange& range, double at) {
        const bool held = std::min(std::abs(at - range.low), std::abs(at - range.high)) < kLimitTolerance;
        return JointRange::Angle{range.low, range.high, at, held};
      };
      const int v = step->joint_vertex(static_cast<int>(b));
      list.push_back({.joint = bone.joint,
                      .at = v >= 0 ? shape[static_cast<std::size_t>(v)] : pose.position[b],
                      .along = rotate(parent, limit->along),
                      .hinge = rotate(parent, limit->hinge),
                      .length = distance(bone.end, bone.rest),
                      .flexion = angle(limit->flexion, now.flexion),
                      .sideways = angle(limit->sideways, now.sideways),
                      .twist = angle(limit->twist, now.twist)});
    }
    return list;
  }

  [[nodiscard]] double volume_of(std::span<const Vec3f> positions) const {
    double six = 0;
    for (const Triangle& t : welded.topology.triangles) {
      const auto a = static_cast<Vec3d>(positions[t[0]]), b = static_cast<Vec3d>(positions[t[1]]),
                 c = static_cast<Vec3d>(positions[t[2]]);
      six += dot(a, cross(b, c));
    }
    return six / 6;
  }

  void write(MarkerFrameReport report) {
    const auto start = Clock::now();
    embedded->move(shape, arap->rotations, welded_out, context);
    const auto& index = welded.weld.welded_of;
    parallel_for(context, index.size(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3f& p = welded_out[index[i]];
        if (is_finite(p)) frame.positions[i] = p;
      }
    });
    report.embed_ms = milliseconds_since(start);
    report.rrms = arap->relative_error();
    report.volume_error = untangler->volume_error(shape);
    report.mesh_volume_error = rest_volume > 0 ? volume_of(welded_out) / rest_volume - 1 : 0;
    const SkeletonStep::LengthError lengths = step->length_error(shape);
    report.bone_length_error = lengths.mean;
    report.bone_length_worst = lengths.worst;
    normals->find(frame.positions, frame.normals);
    frame.pose = to_pose(character.skeleton, driven, pose);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    frame.joints.assign(character.skeleton.joints.size(), {nan, nan, nan});
    for (std::size_t b = 0; b < driven.bones.size(); ++b) {
      const int v = step->joint_vertex(static_cast<int>(b));
      frame.joints[static_cast<std::size_t>(driven.bones[b].joint)] =
          v >= 0 ? shape[static_cast<std::size_t>(v)] : pose.position[b];
    }
    frame.markers.resize(on_bone.size());
    for (std::size_t m = 0; m < on_bone.size(); ++m) frame.markers[m] = marker_at(m, shape);
    frame.report = report;
  }

  Character character;
  MarkerOptions options;
  Context context;
  DrivenSkeleton driven;
  WeldedCharacter welded;
  double size = 0;
  std::vector<BoneMarker> on_bone;
  std::vector<double> weight;
  JointLimits limits;
  ControlMesh mesh;
  ControlMeshInfo info;
  std::unique_ptr<VolumeArap> arap;
  std::unique_ptr<SkeletonStep> step;
  std::unique_ptr<ReachFit> reach;
  std::unique_ptr<Untangler> untangler;
  std::unique_ptr<VolumeKeeper> keeper;
  std::unique_ptr<Embedded> embedded;
  std::unique_ptr<DeformedNormals> normals;
  std::vector<Carrier> carriers;
  BonePose pose;         // of the control mesh's skeleton
  BonePose marker_pose;  // of the markers alone
  bool started = false;
  bool standing = false;     // since a pose was given
  bool interrupted = false;  // the last frame was not finished: it is no place to go on from
  std::vector<char> guided;  // bones with markers on them or below
  std::vector<Vec3d> shape;  // the control mesh as it is shown
  std::vector<Vec3d> last, differentials;
  std::vector<Vec3d> within_reach, target_pressure;  // per marker
  std::vector<Vec3f> welded_out;
  double rest_volume = 0;
  MarkerFrame frame;
};

MarkerSolver::MarkerSolver(const Character& character, const MarkerMap& map, const MarkerOptions& options,
                           const Context& context)
    : impl_(std::make_unique<Impl>(character, map, options, context)) {}
MarkerSolver::~MarkerSolver() = default;
MarkerSolver::MarkerSolver(MarkerSolver&&) noexcept = default;
MarkerSolver& MarkerSolver::operator=(MarkerSolver&&) noexcept = default;

const MarkerFrame& MarkerSolver::solve(std::span<const Vec3d> targets, std::span<const double> confidence) {
  Impl& s = alive(impl_, "marker solver");
  if (s.interrupted) s.reset();
  s.interrupted = true;  // until it is done
  s.solve(targets, confidence);
  s.interrupted = false;
  return s.frame;
}
void MarkerSolver::stand(const Pose& pose) {
  Impl& s = alive(impl_, "marker solver");
  if (pose.local.size() != s.character.skeleton.joints.size())
    throw Error(ErrorCode::bad_argument, "marker solver", "the pose is of another skeleton");
  s.interrupted = true;  // until it is done
  s.stand(pose);
  s.interrupted = false;
}
void MarkerSolver::reset() {
  Impl& s = alive(impl_, "marker solver");
  s.reset();
  s.interrupted = false;
}
const ControlMeshInfo& MarkerSolver::info() const { return alive(impl_, "marker solver").info; }

void MarkerSolver::boundary(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles) const {
  positions.clear();
  for (const Vec3d& p : alive(impl_, "marker solver").shape) positions.push_back(static_cast<Vec3f>(p));
  triangles = alive(impl_, "marker solver").mesh.boundary;
}

void MarkerSolver::control_mesh(std::vector<Vec3f>& positions,
                                std::vector<std::array<std::uint32_t, 4>>& tetrahedra) const {
  const Impl& s = alive(impl_, "marker solver");
  positions.clear();
  for (const Vec3d& p : s.shape) positions.push_back(static_cast<Vec3f>(p));
  tetrahedra.assign(s.mesh.tetrahedra.begin(), s.mesh.tetrahedra.end());
}

std::vector<JointRange> MarkerSolver::joint_ranges() const { return alive(impl_, "marker solver").joint_ranges(); }

std::string_view to_string(Embedding embedding) {
  return embedding == Embedding::tetrahedra ? "tets" : embedding == Embedding::smooth ? "smooth" : "green";
}
Embedding embedding_from_string(std::string_view name) {
  for (const Embedding e : {Embedding::tetrahedra, Embedding::smooth, Embedding::green})
    if (name == to_string(e)) return e;
  throw Error(ErrorCode::bad_argument, "embedding", "'" + std::string(name) + "' is not one of tets, smooth, green");
}

std::string default_limits_json(const Character& character) {
  const DrivenSkeleton driven = make_driven_skeleton(character);
  return limits_to_json(human_limits(driven, find_body_roles(character, driven)), character.skeleton, driven);
}

}  // namespace cutis
