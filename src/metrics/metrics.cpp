// One frame: weld, take out what is not a surface, then each metric on its own.
#include "cutis/metrics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/alive.h"
#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "geometry/predicates.h"
#include "geometry/tri_tri.h"
#include "geometry/triangle_bvh.h"
#include "geometry/weld.h"
#include "metrics/folds.h"
#include "metrics/joint_regions.h"
#include "metrics/overlap.h"
#include "metrics/percentile.h"
#include "metrics/poke_through.h"
#include "metrics/posed_surface.h"
#include "metrics/roughness.h"
#include "metrics/self_intersection.h"
#include "metrics/stretch.h"
#include "metrics/tears.h"
#include "metrics/touching.h"

namespace cutis {
namespace {

// Of the size: shorter edges have no length, floats of positions say no more.
constexpr double kNoEdge = 1e-7;
// Of the mean edge length: vertices are moved out that far along their normal to see whether they are inside.
constexpr double kMoveOut = 0.25;
// Of the mean edge length: other skin that near in front of a vertex touches it. Solvers keep a gap, and between the
// corners of two meshes that touch there is up to half an edge.
constexpr double kTouchReach = 0.5;
// Of the size: triangles that come so near at rest touch there.
constexpr double kTouchAtRest = 1e-5;
// Around skin that touches, left out of the roughness: there the crease belongs to the contact.
constexpr int kRingsAroundContact = 2;
// An edge that is bent this far, while dual quaternions bend it by less than half as much, is a scar.
constexpr float kScarAngle = 40;  // degrees
// Pairs of triangles whose boxes overlap, of a mesh that can be told: a hundred times what skin has. A mesh that is
// collapsed to a point has all of them.
constexpr std::uint64_t kMostPairs = 1'000'000, kPairsPerTriangle = 500;

void require_count(std::size_t given, std::size_t expected, std::string_view what) {
  if (given == expected) return;
  throw Error(ErrorCode::bad_argument, "metrics",
              fmt::format("got {} {} for a character of {} vertices; give one per vertex of all meshes.", given, what,
                          expected));
}

// Why the surface encloses no volume; empty when it does. Edges must be run along as often one way as the other.
std::string why_no_volume(const Topology& topology) {
  if (topology.edges.empty()) return "the mesh has no triangles";
  if (topology.boundary_edges > 0) return fmt::format("the mesh is open: {} boundary edges", topology.boundary_edges);
  const auto unbalanced = std::count_if(topology.edges.begin(), topology.edges.end(),
                                        [](const Edge& e) { return 2 * e.forward != e.faces; });
  if (unbalanced > 0) return fmt::format("the triangles are not oriented alike: {} edges", unbalanced);
  return {};
}

template <class T>
std::vector<T> scatter(const Weld& weld, const std::vector<T>& welded) {
  std::vector<T> result(weld.welded_of.size());
  for (std::size_t v = 0; v < result.size(); ++v) result[v] = welded[weld.welded_of[v]];
  return result;
}

// A welded vertex has the mark when any of its copies has.
std::vector<std::uint8_t> gather(const Weld& weld, std::span<const std::uint8_t> marks) {
  std::vector<std::uint8_t> result(weld.first_of.size(), 0);
  for (std::size_t v = 0; v < marks.size(); ++v)
    if (marks[v]) result[weld.welded_of[v]] = 1;
  return result;
}

void measure_residuals(FrameMetrics& m, const Weld& weld, std::span<const float> residuals) {
  std::vector<float> known;
  known.reserve(weld.first_of.size());
  double sum = 0;
  for (const std::uint32_t v : weld.first_of) {
    if (!std::isfinite(residuals[v])) continue;
    known.push_back(std::abs(residuals[v]));
    sum += known.back();
  }
  if (known.empty()) return;
  m.iso_residual_mean = sum / static_cast<double>(known.size());
  m.iso_residual_p95 = percentile(known, 0.95);
  m.iso_residual_max = *std::max_element(known.begin(), known.end());
}

}  // namespace

struct Metrics::Impl {
  Context context;
  MetricsOptions options;
  WeldedCharacter welded;
  // Per welded vertex: a number for its rest position. Copies with other weights move apart, but the triangles at them
  // are neighbours all the same.
  std::vector<std::uint32_t> place_of;
  double size = 0, height = 0, mean_edge = 0;
  std::size_t zero_edges = 0;
  std::vector<double> rest_lengths, rest_angles;
  std::vector<std::uint8_t> rest_sharp;
  CappedPatch whole;
  double rest_volume = 0;
  std::string volume_skipped;
  JointRegions joints;
  std::optional<PokeThrough> poke;
  FrameMetrics rest;

  Impl(const Character& character, const Context& given_context, const MetricsOptions& given_options,
       std::span<const RoleChoice> roles)
      : context(given_context), options(given_options), welded(weld_character(character, &given_context)) {
    place_of = weld(welded.positions).welded_of;
    const Topology& topology = welded.topology;
    const PosedSurface surface = pose_surface(welded, welded.input_positions);
    Box box;
    for (std::size_t w = 0; w < surface.positions.size(); ++w)
      if (surface.finite[w]) box.add(static_cast<Vec3d>(surface.positions[w]));
    size = diagonal(box);
    if (!box.empty()) height = std::max({box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z});
    measure_rest_edges(surface);
    volume_skipped = why_no_volume(topology);
    if (volume_skipped.empty()) {
      for (std::uint32_t t = 0; t < topology.triangles.size(); ++t) {
        const auto& [a, b, c] = topology.triangles[t];
        if (a != b && b != c && c != a) whole.triangles.push_back(t);
      }
      rest_volume = volume(whole, surface, topology).value_or(0);
      constexpr double kLeastEnclosed = 1e-9;  // of the cube over the diagonal
      if (!(std::abs(rest_volume) > kLeastEnclosed * size * size * size))
        volume_skipped = "the mesh encloses no volume at rest";
    }
    joints = find_joint_regions(character, welded, surface);
    if (topology.component_count > 1 && surface.nonfinite_inputs == 0)
      poke.emplace(welded, find_roles(character, roles), size, context);
    rest = measure(welded.input_positions, {}, {}, welded.input_positions);
  }

  void measure_rest_edges(const PosedSurface& surface) {
    rest_lengths = edge_lengths(surface, welded.topology);
    std::size_t known = 0;
    for (double& length : rest_lengths) {
      if (std::isnan(length)) continue;
      if (length < kNoEdge * size) length = 0;
      ++known;
      mean_edge += length;
      zero_edges += length == 0;
    }
    if (known > 0) mean_edge /= static_cast<double>(known);
    rest_sharp = sharp_edges(surface, welded.topology);
    rest_angles = dihedral_angles(surface, welded.topology);
  }

  FrameMetrics measure(std::span<const Vec3f> positions, std::span<const float> residuals,
                       std::span<const std::uint8_t> touching, std::span<const Vec3f> dqs) const {
    const Topology& topology = welded.topology;
    const PosedSurface surface = pose_surface(welded, positions);
    FrameMetrics m;
    m.nonfinite = surface.nonfinite_inputs;
    m.seam_gap = surface.seam_gap;

    std::vector<std::uint8_t> contact;  // per welded vertex: left out of the roughness; empty: not known
    if (!touching.empty()) {
      contact = gather(welded.weld, touching);
      grow_by_rings(contact, topology, kRingsAroundContact);
    }
    if (options.intersections || options.overlap) {
      const TriangleBvh bvh(surface.positions, topology.triangles, surface.usable);
      if (options.intersections) measure_intersections(m, surface, bvh, contact);
      if (options.overlap) {
        const Overlap overlap = find_overlap(surface, topology.triangles, bvh, kMoveOut * mean_edge, context);
        m.overlap = overlap.tested == 0 ? 0 : static_cast<double>(overlap.count) / static_cast<double>(overlap.tested);
        if (options.per_vertex) m.vertex_overlaps = scatter(welded.weld, overlap.inside);
      }
    }
    measure_volume(m, surface);
    measure_angles(m, surface, contact, dqs);

    const std::vector<std::uint8_t> sharp = sharp_edges(surface, topology);
    for (std::size_t e = 0; e < sharp.size(); ++e) m.folds += sharp[e] && !rest_sharp[e];

    const Stretch stretch = measure_stretch(edge_lengths(surface, topology), rest_lengths);
    m.stretch_p1 = stretch.p1;
    m.stretch_p95 = stretch.p95;
    m.stretch_max = stretch.max;
    if (options.per_vertex) m.vertex_stretch = scatter(welded.weld, vertex_stretch(stretch.ratio, topology));

    if (poke) measure_poke_through(m, surface);
    if (!dqs.empty()) measure_tears(m, surface, pose_surface(welded, dqs));
    if (!residuals.empty()) measure_residuals(m, welded.weld, residuals);
    return m;
  }

  // Pairs of triangles that were apart at rest.
  std::size_t count_new(std::span<const std::array<std::uint32_t, 2>> pairs) const {
    const auto corners = [&](std::uint32_t triangle) {
      const Triangle& t = welded.topology.triangles[triangle];
      return TriangleCorners{welded.positions[t[0]], welded.positions[t[1]], welded.positions[t[2]]};
    };
    const auto has_place = [](const TriangleCorners& t) {
      return is_finite(t[0]) && is_finite(t[1]) && is_finite(t[2]) && !has_zero_area(t[0], t[1], t[2]);
    };
    return static_cast<std::size_t>(std::ranges::count_if(pairs, [&](const auto& pair) {
      const TriangleCorners a = corners(pair[0]), b = corners(pair[1]);
      return has_place(a) && has_place(b) && !triangles_within(a, b, kTouchAtRest * size);
    }));
  }

  void measure_intersections(FrameMetrics& m, const PosedSurface& surface, const TriangleBvh& bvh,
                             std::vector<std::uint8_t>& contact) const {
    WorkMeter meter;
    meter.start(kMostPairs + kPairsPerTriangle * welded.topology.triangles.size(), 0);
    auto pairs = self_intersecting_pairs(bvh, surface.positions, welded.topology.triangles, place_of, context, &meter);
    if (!meter.stopped()) {
      m.intersecting_pairs = pairs.size();
      m.new_pairs = count_new(pairs);
    }
    std::vector<std::uint8_t> crossing(surface.positions.size(), 0);
    for (const auto& pair : pairs)
      for (const std::uint32_t t : pair)
        for (const std::uint32_t v : welded.topology.triangles[t]) crossing[v] = 1;
    if (contact.empty()) {
      contact = find_touching(surface, welded.topology, bvh, place_of, kTouchReach * mean_edge, context);
      grow_by_rings(contact, welded.topology, kRingsAroundContact);
      // Skin that passes through skin is a fault, whatever else is near.
      for (std::size_t v = 0; v < contact.size(); ++v) contact[v] = contact[v] && !crossing[v];
    }
    if (!options.per_vertex) return;
    m.vertex_intersects = scatter(welded.weld, crossing);
    m.pairs = std::move(pairs);
  }

  void measure_poke_through(FrameMetrics& m, const PosedSurface& surface) const {
    const auto found = poke->measure(surface, context);
    if (!found) return;
    m.poke_through = found->share;
    if (options.per_vertex) m.vertex_pokes = scatter(welded.weld, found->vertex);
  }

  void measure_tears(FrameMetrics& m, const PosedSurface& surface, const PosedSurface& smooth) const {
    const Topology& topology = welded.topology;
    const std::vector<std::uint8_t> torn =
        torn_edges(edge_lengths(surface, topology), edge_lengths(smooth, topology), rest_lengths, topology);
    m.tears = static_cast<std::size_t>(std::ranges::count(torn, 1));
    if (!options.per_vertex) return;
    std::vector<std::uint8_t> vertex(surface.positions.size(), 0);
    for (std::size_t e = 0; e < torn.size(); ++e)
      if (torn[e]) vertex[topology.edges[e].a] = vertex[topology.edges[e].b] = 1;
    m.vertex_tears = scatter(welded.weld, vertex);
  }

  void measure_angles(FrameMetrics& m, const PosedSurface& surface, std::span<const std::uint8_t> contact,
                      std::span<const Vec3f> dqs) const {
    if (contact.empty() && !options.per_vertex) return;
    const Topology& topology = welded.topology;
    const std::vector<float> changes = dihedral_changes(dihedral_angles(surface, topology), rest_angles);
    if (options.per_vertex) m.vertex_roughness = scatter(welded.weld, vertex_roughness(changes, topology));
    if (contact.empty()) return;
    m.roughness = roughness(changes, rest_lengths, contact, topology);
    if (dqs.empty()) return;
    const PosedSurface smooth = pose_surface(welded, dqs);
    const std::vector<float> smooth_changes = dihedral_changes(dihedral_angles(smooth, topology), rest_angles);
    const std::vector<std::uint32_t> scars = scarred_edges(changes, smooth_changes, kScarAngle, contact, topology);
    m.scars = scars.size();
    if (!options.per_vertex) return;
    std::vector<std::uint8_t> at(topology.vertex_count, 0);
    for (const std::uint32_t e : scars) at[topology.edges[e].a] = at[topology.edges[e].b] = 1;
    m.vertex_scars = scatter(welded.weld, at);
  }

  void measure_volume(FrameMetrics& m, const PosedSurface& surface) const {
    m.volume_skipped = volume_skipped;
    if (volume_skipped.empty()) {
      const std::optional<double> now = volume(whole, surface, welded.topology);
      if (now)
        m.volume_change = *now / rest_volume - 1;
      else
        m.volume_skipped = fmt::format("{} vertices are not finite", m.nonfinite);
    }
    m.region_volume_change.resize(joints.patches.size());
    for (std::size_t r = 0; r < joints.patches.size(); ++r)
      if (const std::optional<double> now = volume(joints.patches[r], surface, welded.topology))
        m.region_volume_change[r] = *now / joints.regions[r].rest_volume - 1;
  }
};

Metrics::Metrics(const Character& character, const Context& context, const MetricsOptions& options,
                 std::span<const RoleChoice> roles)
    : impl_(std::make_unique<Impl>(character, context, options, roles)) {}
Metrics::~Metrics() = default;
Metrics::Metrics(Metrics&&) noexcept = default;
Metrics& Metrics::operator=(Metrics&&) noexcept = default;

FrameMetrics Metrics::measure(std::span<const Vec3f> positions, std::span<const float> iso_residuals,
                              std::span<const std::uint8_t> touching, std::span<const Vec3f> dqs) const {
  require_count(positions.size(), vertex_count(), "positions");
  if (!dqs.empty()) require_count(dqs.size(), vertex_count(), "positions of dual quaternions");
  if (!iso_residuals.empty()) require_count(iso_residuals.size(), vertex_count(), "residuals");
  if (!touching.empty()) require_count(touching.size(), vertex_count(), "marks of contact");
  return alive(impl_, "metrics").measure(positions, iso_residuals, touching, dqs);
}

const FrameMetrics& Metrics::rest() const { return alive(impl_, "metrics").rest; }
std::span<const JointRegion> Metrics::regions() const { return alive(impl_, "metrics").joints.regions; }
std::size_t Metrics::vertex_count() const { return alive(impl_, "metrics").welded.input_positions.size(); }
std::size_t Metrics::welded_vertex_count() const { return alive(impl_, "metrics").welded.positions.size(); }
std::span<const std::uint32_t> Metrics::first_of_welded() const { return alive(impl_, "metrics").welded.weld.first_of; }
double Metrics::mean_edge_length() const { return alive(impl_, "metrics").mean_edge; }
double Metrics::size() const { return alive(impl_, "metrics").size; }
double Metrics::height() const { return alive(impl_, "metrics").height; }
std::size_t Metrics::zero_length_edges() const { return alive(impl_, "metrics").zero_edges; }

FrameDistance Metrics::distance(std::span<const Vec3f> a, std::span<const Vec3f> b) const {
  require_count(a.size(), vertex_count(), "positions");
  require_count(b.size(), vertex_count(), "positions");
  FrameDistance result;
  std::size_t known = 0;
  for (const std::uint32_t v : first_of_welded()) {
    if (!is_finite(a[v]) || !is_finite(b[v])) {
      ++result.nonfinite;
      continue;
    }
    const double d = cutis::distance(static_cast<Vec3d>(a[v]), static_cast<Vec3d>(b[v]));
    ++known;
    result.mean += d;
    result.max = std::max(result.max, d);
  }
  if (known > 0) result.mean /= static_cast<double>(known);
  return result;
}

ShapeDifference Metrics::difference(std::span<const Vec3f> a, std::span<const Vec3f> b,
                                    std::span<const std::uint8_t> leave_out) const {
  const Impl& impl = alive(impl_, "metrics");
  require_count(a.size(), vertex_count(), "positions");
  require_count(b.size(), vertex_count(), "positions");
  if (!leave_out.empty()) require_count(leave_out.size(), vertex_count(), "marks");
  ShapeDifference result;
  result.vertex.assign(a.size(), 0);
  const double percent = impl.height > 0 ? 100 / impl.height : 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if ((!leave_out.empty() && leave_out[v]) || !is_finite(a[v]) || !is_finite(b[v])) continue;
    const double d = percent * cutis::distance(static_cast<Vec3d>(a[v]), static_cast<Vec3d>(b[v]));
    result.vertex[v] = static_cast<float>(d);
    result.worst = std::max(result.worst, d);
  }
  return result;
}

std::vector<std::uint8_t> Metrics::within_edges(std::span<const std::uint8_t> marks, int edges) const {
  const WeldedCharacter& welded = alive(impl_, "metrics").welded;
  require_count(marks.size(), vertex_count(), "marks");
  std::vector<std::uint8_t> grown = gather(welded.weld, marks);
  grow_by_rings(grown, welded.topology, edges);
  return scatter(welded.weld, grown);
}

FrameDistance Metrics::distance_to_rest(std::span<const Vec3f> positions) const {
  return distance(alive(impl_, "metrics").welded.input_positions, positions);
}

PathMetrics Metrics::path(std::span<const std::vector<Vec3f>> first, std::span<const std::vector<Vec3f>> second) const {
  if (first.size() != second.size())
    throw Error(ErrorCode::bad_argument, "metrics",
                fmt::format("the two passes have {} and {} frames; give the same frames of both.", first.size(),
                            second.size()));
  PathMetrics result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const FrameDistance d = distance(first[i], second[i]);
    result.mean += d.mean / static_cast<double>(first.size());
    result.nonfinite += d.nonfinite;
    if (d.max > result.max) {
      result.max = d.max;
      result.worst_frame = i;
    }
    result.frames.push_back(d);
  }
  return result;
}

}  // namespace cutis
