// Surface as-rigid-as-possible deformation: Sorkine and Alexa, "As-rigid-as-possible surface modeling", SGP 2007.
//
//   E = sum_ij w_ij |(p_i - p_j) - R_i (v_i - v_j)|^2 + w_u sum_m a_m |x_m - u_m|^2
//
// p_i the deformed vertices, v_i those at rest, w_ij cotangents of an intrinsic Delaunay triangulation (never
// negative), x_m the point of the surface that marker m is nearest to at rest, less the way to it, which turns with the
// surface. Differs: markers are soft, as in the volumetric solver.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/alive.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/surface_markers.h"
#include "geometry/closest_point.h"
#include "geometry/cotangent.h"
#include "geometry/normals.h"
#include "numerics/prefactored_solver.h"
#include "volume/driven_skeleton.h"
#include "volume/marker_map.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

using SurfaceClock = std::chrono::steady_clock;

/// A marker against cotangents, which are about 1: it holds its point to a millimetre.
constexpr double kHold = 50;
/// Pieces without markers have to stay somewhere.
constexpr double kAnchor = 1e-8;
/// A frame is done when no vertex moves farther in a step, in sizes of the character.
constexpr double kStillStep = 1e-5;
constexpr int kSurfaceRotationSteps = 3, kFirstTurns = 60;
constexpr std::size_t kGrainOfVertices = 512;

struct AttachedMarker {
  Triangle triangle{};
  std::array<double, 3> at{};
  Vec3d way;  // from the point to the marker, at rest
  double weight = 1;
};

}  // namespace

struct SurfaceMarkers::Impl {
  Impl(const Character& character, const MarkerMap& map, const Context& ctx, int steps)
      : context(ctx), iterations(std::max(1, steps)), solver(0, {}) {
    validate(character);
    if (map.places.empty()) throw Error(ErrorCode::bad_argument, "marker map", "has no places; give it some");
    welded = weld_character(character, &context);
    if (welded.topology.triangles.empty())
      throw Error(ErrorCode::bad_character, character.source, "has no surface that markers could move");
    size = diagonal(character.bounds());
    for (const Vec3f& p : welded.positions) rest.push_back(static_cast<Vec3d>(p));
    attach(character, map);
    make_cells();
    positions = rest;
    rotations.assign(rest.size(), Quatd{});
    turned.resize(rest.size());
    frame.pose = default_pose(character.skeleton);
    frame.joints.assign(character.skeleton.joints.size(), Vec3d{kNaN, kNaN, kNaN});
    rest_volume = volume();
    write({});
  }

  void attach(const Character& character, const MarkerMap& map) {
    const DrivenSkeleton driven = make_driven_skeleton(character);
    std::vector<std::uint32_t> all(welded.topology.triangles.size());
    std::iota(all.begin(), all.end(), 0U);
    const TriangleBvh bvh(welded.positions, welded.topology.triangles, all);
    const ClosestPoint closest(bvh, welded.positions, welded.topology.triangles);
    for (const MarkerPlace& place : map.places) {
      const Vec3d p = place_marker(character, driven, place).p_rest;
      const ClosestPoint::Hit hit = closest.nearest(p);
      AttachedMarker marker{welded.topology.triangles[hit.triangle], hit.barycentric, {}, place.weight};
      marker.way = p - point_of(marker, rest);
      attached.push_back(marker);
    }
  }

  static Vec3d point_of(const AttachedMarker& marker, std::span<const Vec3d> places) {
    Vec3d p;
    for (std::size_t k = 0; k < 3; ++k) p += places[marker.triangle[k]] * marker.at[k];
    return p;
  }
  [[nodiscard]] Vec3d marker_now(const AttachedMarker& marker) const {
    Vec3d way;
    for (std::size_t k = 0; k < 3; ++k) way += rotate(rotations[marker.triangle[k]], marker.way) * marker.at[k];
    return point_of(marker, positions) + way;
  }

  void make_cells() {
    const CotangentLaplacian laplacian = cotangent_laplacian(rest, welded.topology.triangles);
    edges = laplacian.edges;
    std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(rest.size());
    for (const EdgeWeight& e : edges) {
      rows[e.a].emplace_back(e.b, e.weight);
      rows[e.b].emplace_back(e.a, e.weight);
    }
    begin.push_back(0);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      for (const auto& [j, w] : rows[i]) {
        neighbour.push_back(j);
        weight.push_back(w);
        scale += w * dot(rest[i] - rest[j], rest[i] - rest[j]);
      }
      begin.push_back(static_cast<std::uint32_t>(neighbour.size()));
    }
  }

  // The matrix depends on which markers are there, and how surely.
  void factor(std::span<const double> confidence) {
    if (solver.size() > 0 && std::ranges::equal(confidence, factored)) return;
    factored.assign(confidence.begin(), confidence.end());
    std::vector<MatrixEntry> entries;
    for (const EdgeWeight& e : edges) {
      entries.push_back({e.b, e.a, -e.weight});
      entries.push_back({e.a, e.a, e.weight});
      entries.push_back({e.b, e.b, e.weight});
    }
    for (std::uint32_t v = 0; v < rest.size(); ++v) entries.push_back({v, v, kAnchor});
    for (std::size_t m = 0; m < attached.size(); ++m)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          const AttachedMarker& marker = attached[m];
          if (marker.triangle[a] >= marker.triangle[b])
            entries.push_back({marker.triangle[a], marker.triangle[b], hold(m) * marker.at[a] * marker.at[b]});
        }
    solver = PrefactoredSolver(rest.size(), entries, &context);
    if (!solver.ok())
      throw Error(ErrorCode::bad_character, "surface", "its system cannot be factored; its triangles are degenerate");
  }
  [[nodiscard]] double hold(std::size_t m) const {
    return kHold * attached[m].weight * std::clamp(factored[m], 0.0, 1.0);
  }

  // All at once to where the markers are, for the first frame: cells cannot turn far by themselves.
  void place_rigidly(std::span<const Vec3d> targets) {
    Vec3d from, to;
    double sum = 0;
    for (std::size_t m = 0; m < attached.size(); ++m) {
      from += marker_now(attached[m]) * hold(m);
      to += seen_target(m, targets) * hold(m);
      sum += hold(m);
    }
    if (!(sum > 0)) return;
    from = from / sum;
    to = to / sum;
    Mat3d spread{{Vec3d{}, Vec3d{}, Vec3d{}}};
    for (std::size_t m = 0; m < attached.size(); ++m) {
      const Vec3d a = (marker_now(attached[m]) - from) * hold(m), b = seen_target(m, targets) - to;
      for (int c = 0; c < 3; ++c) spread.col[c] += b * a[c];
    }
    // Markers often lie in a plane, where a polar decomposition may be a reflection: rotations only, from four starts.
    const auto agreement = [&](const Quatd& q) {
      const Mat3d m = to_matrix(q);
      return dot(m.col[0], spread.col[0]) + dot(m.col[1], spread.col[1]) + dot(m.col[2], spread.col[2]);
    };
    Quatd turn = fit_rotation(spread, {}, kFirstTurns);
    for (const Quatd& start : {Quatd{1, 0, 0, 0}, Quatd{0, 1, 0, 0}, Quatd{0, 0, 1, 0}})
      if (const Quatd other = fit_rotation(spread, start, kFirstTurns); agreement(other) > agreement(turn))
        turn = other;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      positions[v] = rotate(turn, positions[v] - from) + to;
      rotations[v] = turn * rotations[v];
    }
  }
  [[nodiscard]] Vec3d seen_target(std::size_t m, std::span<const Vec3d> targets) const {
    return factored[m] > 0 && is_finite(targets[m]) ? targets[m] : Vec3d{};
  }

  void local_step() {
    parallel_for(context, rest.size(), kGrainOfVertices, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Mat3d spread{{Vec3d{}, Vec3d{}, Vec3d{}}};
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
          const Vec3d a = (rest[i] - rest[neighbour[k]]) * weight[k], b = positions[i] - positions[neighbour[k]];
          for (int c = 0; c < 3; ++c) spread.col[c] += b * a[c];
        }
        rotations[i] = fit_rotation(spread, rotations[i], kSurfaceRotationSteps);
        turned[i] = to_matrix(rotations[i]);
      }
    });
  }

  // Returns the farthest way of any vertex.
  double global_step(std::span<const Vec3d> targets) {
    std::vector<double> block(3 * rest.size());
    parallel_for(context, rest.size(), kGrainOfVertices, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Vec3d sum = rest[i] * kAnchor;
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
          const Vec3d e = rest[i] - rest[neighbour[k]];
          sum += (turned[i] * e + turned[neighbour[k]] * e) * (weight[k] / 2);
        }
        for (int c = 0; c < 3; ++c) block[3 * i + static_cast<std::size_t>(c)] = sum[c];
      }
    });
    for (std::size_t m = 0; m < attached.size(); ++m) {
      const AttachedMarker& marker = attached[m];
      const Vec3d goal = seen_target(m, targets) - (marker_now(marker) - point_of(marker, positions));
      for (std::size_t k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c)
          block[3 * marker.triangle[k] + static_cast<std::size_t>(c)] += hold(m) * marker.at[k] * goal[c];
    }
    solver.solve(block, 3, context);
    double farthest = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const Vec3d p{block[3 * i], block[3 * i + 1], block[3 * i + 2]};
      if (!is_finite(p)) continue;  // keeps the last good place
      farthest = std::max(farthest, distance(p, positions[i]));
      positions[i] = p;
    }
    return farthest;
  }

  void solve(std::span<const Vec3d> targets, std::span<const double> confidence) {
    if (targets.size() != attached.size() || confidence.size() != attached.size())
      throw Error(ErrorCode::bad_argument, "markers",
                  "give one target and one confidence for each place of the map, in its order");
    const auto start = SurfaceClock::now();
    context.check_cancelled();
    MarkerFrameReport report;
    const bool any = std::ranges::any_of(confidence, [](double c) { return c > 0; });
    if (any) {
      factor(confidence);
      if (!started) place_rigidly(targets);
      started = true;
      for (int step = 0; step < iterations && !report.converged; ++step) {
        context.check_cancelled();
        local_step();
        report.moved.push_back(global_step(targets));
        report.converged = report.moved.back() < kStillStep * size;
        report.iterations = step + 1;
      }
      local_step();
    }
    report.solve_ms = std::chrono::duration<double, std::milli>(SurfaceClock::now() - start).count();
    report.rrms = relative_error();
    report.mesh_volume_error = rest_volume > 0 ? volume() / rest_volume - 1 : 0;
    double sum = 0;
    for (std::size_t m = 0; m < attached.size(); ++m) {
      if (!(confidence[m] > 0)) continue;
      const double off = distance(marker_now(attached[m]), targets[m]);
      sum += off * off;
      report.marker_worst = std::max(report.marker_worst, off);
      ++report.markers;
    }
    report.marker_rms = report.markers > 0 ? std::sqrt(sum / static_cast<double>(report.markers)) : 0;
    write(std::move(report));
  }

  [[nodiscard]] double relative_error() const {
    double sum = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
      for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
        const Vec3d off = positions[i] - positions[neighbour[k]] - rotate(rotations[i], rest[i] - rest[neighbour[k]]);
        sum += weight[k] * dot(off, off);
      }
    return scale > 0 ? std::sqrt(sum / scale) : 0;
  }
  [[nodiscard]] double volume() const {
    double six = 0;
    for (const Triangle& t : welded.topology.triangles)
      six += dot(positions[t[0]], cross(positions[t[1]], positions[t[2]]));
    return six / 6;
  }

  void write(MarkerFrameReport report) {
    const auto& index = welded.weld.welded_of;
    frame.positions.resize(index.size());
    for (std::size_t v = 0; v < index.size(); ++v) frame.positions[v] = static_cast<Vec3f>(positions[index[v]]);
    frame.normals = vertex_normals(frame.positions, welded.input_triangles, index);
    frame.markers.clear();
    for (const AttachedMarker& marker : attached) frame.markers.push_back(marker_now(marker));
    frame.report = std::move(report);
  }

  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Context context;
  int iterations;
  WeldedCharacter welded;
  double size = 0, scale = 0, rest_volume = 0;
  std::vector<Vec3d> rest, positions;
  std::vector<Quatd> rotations;
  std::vector<Mat3d> turned;
  std::vector<EdgeWeight> edges;
  std::vector<std::uint32_t> begin, neighbour;
  std::vector<double> weight;
  std::vector<AttachedMarker> attached;
  std::vector<double> factored;  // confidences that the matrix was made with
  PrefactoredSolver solver;
  bool started = false;
  MarkerFrame frame;
};

SurfaceMarkers::SurfaceMarkers(const Character& character, const MarkerMap& map, const Context& context, int iterations)
    : impl_(std::make_unique<Impl>(character, map, context, iterations)) {}
SurfaceMarkers::~SurfaceMarkers() = default;
SurfaceMarkers::SurfaceMarkers(SurfaceMarkers&&) noexcept = default;
SurfaceMarkers& SurfaceMarkers::operator=(SurfaceMarkers&&) noexcept = default;

const MarkerFrame& SurfaceMarkers::solve(std::span<const Vec3d> targets, std::span<const double> confidence) {
  Impl& s = alive(impl_, "surface markers");
  s.solve(targets, confidence);
  return s.frame;
}

}  // namespace cutis
