#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "backends/track_rest.h"
#include "base/math.h"
#include "base/segment.h"
#include "base/tree.h"
#include "geometry/normals.h"
#include "kernels/smooth.h"

namespace cutis {
namespace {

using namespace field_constants;

// Fields below and above have no gradient to follow.
constexpr float kLeastField = 0.02F, kMostField = 0.98F, kLeastSlope = 0.1F;
// The gap between skins in contact: of the local edge, so that chords of curved sheets do not cross, and of the part's
// thickness, so that coarse skins do not stand apart.
constexpr float kGapEdges = 0.2F, kGapRadii = 0.05F;
// Of the area of a part, seen from one side: more is a sheet.
constexpr double kFlat = 0.999;
// Strain dies away over this many radii where smooth skinning is sound.
constexpr float kHoldRadii = 0.5F;
// Longest edge at a vertex, in radii of its field: up to here skin is fine; from there on an edge spans the part.
constexpr float kFineRadii = 1.5F, kCoarseRadii = 3;

// Rings over which coarse parts fade into others.
constexpr int kCoarseRings = 2;

// Parts all of whose triangles face one way.
std::vector<char> flat_parts(const Rig& rig) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  std::vector<Vec3d> sum(bones);
  std::vector<double> size(bones, 0);
  for (const Triangle& t : s.triangles) {
    const auto n = face_normal<double>(s.positions, t);
    for (const std::uint32_t v : t) {
      if (s.owner[v] == RigSurface::kNoBone) continue;
      sum[s.owner[v]] += n;
      size[s.owner[v]] += length(n);
    }
  }
  std::vector<char> flat(bones, 0);
  for (std::size_t b = 0; b < bones; ++b) flat[b] = size[b] > 0 && length(sum[b]) > kFlat * size[b] ? 1 : 0;
  return flat;
}

// The steepest of a field, from the slopes of the distance at the nodes that its support holds. Between nodes slopes
// are blends of theirs and of differences of values, which may exceed them a little.
float steepest_slope(const RigField& field) {
  constexpr float kBetweenNodes = 1.25F;
  float most = 0;
  for (const GridNode& node : field.nodes) {
    if (std::abs(static_cast<float>(node.value) * field.grid.value_step) > field.grid.radius) continue;
    const Vec3f half{static_cast<float>(node.dx), static_cast<float>(node.dy), static_cast<float>(node.dz)};
    const Vec3f slope = field.grid.rest_from_slope * (half * (2 * field.grid.slope_step));
    most = std::max(most, dot(slope, slope));
  }
  return kBetweenNodes * std::max(1.0F, std::sqrt(most)) * kSurfaceSlope / field.grid.radius;
}

// The point of its bone's axis that a vertex belongs to.
Vec3f core_of(const Rig& rig, std::size_t v) {
  const RigBone& bone = rig.bones[rig.surface.owner[v]];
  return static_cast<Vec3f>(
      nearest_on_segment(static_cast<Vec3d>(rig.surface.positions[v]), bone.rest_origin, bone.rest_end));
}

// Vertices between two questions whether all is cancelled.
constexpr std::size_t kVerticesBetween = 4096;

FieldsRest make_fields_rest(const Rig& rig, const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size();
  FieldsRest rest;
  std::vector<GridView> fields;
  for (const RigField& f : rig.fields) fields.push_back(f.view());
  const auto value = [&](std::uint32_t b, const Vec3f& p) {
    return rig.fields[b].empty() ? 0.0F : eval_field(fields[b], p).value;
  };
  rest.steepest.assign(bones, 0);
  for (std::size_t b = 0; b < bones; ++b)
    if (!rig.fields[b].empty()) rest.steepest[b] = steepest_slope(rig.fields[b]);
  rest.others.begin.assign(1, 0);
  for (std::size_t v = 0; v < s.size(); ++v) {
    if (v % kVerticesBetween == 0) context.check_cancelled();
    const std::uint32_t b = s.owner[v];
    for (std::uint32_t k = 0; k < bones; ++k) {
      if (k == b) continue;
      const float f = value(k, s.positions[v]);
      if (f <= 0) continue;
      rest.others.items.push_back(k);
      rest.other_value.push_back(f);
      float lead = 0;
      if (b != RigSurface::kNoBone) {
        const Vec3f core = core_of(rig, v);
        lead = value(k, core) - value(b, core);
      }
      rest.core_lead.push_back(std::max(0.0F, lead));
    }
    rest.others.begin.push_back(static_cast<std::uint32_t>(rest.others.items.size()));
  }
  return rest;
}

// Per vertex, the triangles at it, rising.
RigRows corners_of(std::size_t vertices, std::span<const Triangle> triangles) {
  RigRows rows;
  rows.begin.assign(vertices + 1, 0);
  rows.items.resize(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (const std::uint32_t v : t) ++rows.begin[v + 1];
  for (std::size_t v = 0; v < vertices; ++v) rows.begin[v + 1] += rows.begin[v];
  std::vector<std::uint32_t> next = rows.begin;
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (const std::uint32_t v : triangles[i]) rows.items[next[v]++] = i;
  return rows;
}

// Faces that lie on each other back to back, as doubled cards of hair do, have no normal together but noise.
std::vector<Vec3f> surface_normals(const RigRows& corners, const RigSurface& s) {
  constexpr float kOneSided = 0.05F;
  std::vector<Vec3f> of_triangle, normals(s.size());
  for (const Triangle& t : s.triangles) of_triangle.push_back(face_normal<float>(s.positions, t));
  for (std::size_t v = 0; v < s.size(); ++v) {
    Vec3f sum;
    float area = 0;
    for (const std::uint32_t i : corners.row(v)) {
      sum += of_triangle[i];
      area += length(of_triangle[i]);
    }
    if (length(sum) > kOneSided * area) normals[v] = normalized(sum);
  }
  return normals;
}

std::vector<float> coarse_skin(const Rig& rig) {
  const RigSurface& s = rig.surface;
  const std::vector<float> of_part = coarse_parts(rig);
  std::vector<float> coarse(s.size(), 0.0F), next(s.size());
  bool any = false;
  for (std::size_t v = 0; v < s.size(); ++v) {
    if (s.owner[v] != RigSurface::kNoBone) coarse[v] = of_part[s.owner[v]];
    any = any || coarse[v] > 0;
  }
  if (!any) return {};
  for (int ring = 0; ring < kCoarseRings; ++ring) {
    for (std::size_t v = 0; v < s.size(); ++v) {
      const auto row = s.neighbours.row(v);
      next[v] = mean_with_ring(coarse[v], coarse.data(), row.data(), row.size());
    }
    coarse.swap(next);
  }
  return coarse;
}

// What packs take of the rest pose, by place.
void bring_to_places(const Rig& rig, TrackRest& rest) {
  constexpr std::size_t kBlock = TrackPlaces::kBlock;
  const RigSurface& s = rig.surface;
  const TrackPlaces& places = rest.places;
  rest.tracked_lanes.assign(places.blocks(), 0);
  rest.rigid_lanes.assign(places.blocks(), 0);
  rest.core_at.resize(places.vertex.size());
  rest.kept.resize(places.vertex.size());
  rest.reach_begin.assign(1, 0);
  std::vector<std::uint32_t> bones;
  for (std::size_t block = 0; block < places.blocks(); ++block) {
    bones.clear();
    const auto each = [&](auto&& body) {
      for (std::size_t lane = 0; lane < kBlock; ++lane)
        if (const std::uint32_t v = places.vertex[block * kBlock + lane]; v != TrackPlaces::kNone) body(lane, v);
    };
    each([&](std::size_t lane, std::uint32_t v) {
      const std::size_t place = block * kBlock + lane;
      if (rest.tracked[v] != 0) rest.tracked_lanes[block] |= 1U << lane;
      if (rest.is_rigid(v)) rest.rigid_lanes[block] |= 1U << lane;
      rest.core_at[place] = {rest.core[v].x, rest.core[v].y, rest.core[v].z, 0};
      rest.kept[place] = {rest.own[v], s.edge[v], rest.hold[v], rest.stiffness.empty() ? 0.0F : rest.stiffness[v]};
      const auto row = rest.others.row(v);
      bones.insert(bones.end(), row.begin(), row.end());
    });
    std::ranges::sort(bones);
    bones.erase(std::unique(bones.begin(), bones.end()), bones.end());
    for (const std::uint32_t k : bones) {
      TrackReach& reach = rest.reach.emplace_back();
      reach.bone = k;
      each([&](std::size_t lane, std::uint32_t v) {
        const std::ptrdiff_t at = rest.place(v, k);
        if (at < 0) return;
        reach.value.v[lane] = rest.other_value[static_cast<std::size_t>(at)];
        reach.lead.v[lane] = rest.core_lead[static_cast<std::size_t>(at)];
      });
    }
    rest.reach_begin.push_back(static_cast<std::uint32_t>(rest.reach.size()));
  }
}

// Parts that bend against each other: a part and one above it in the skeleton that grow out of each other.
void find_fold_parts(const Rig& rig, TrackRest& rest) {
  const auto bones = static_cast<std::uint32_t>(rig.bones.size());
  rest.fold.assign(std::size_t{bones} * bones, -1);
  for (std::uint32_t b = 0; b < bones; ++b)
    for (std::uint32_t k = 0; k < bones; ++k) {
      if (k == b || rest.joined[b * bones + k] == 0) continue;
      if (!hangs_on(rig.bones, static_cast<int>(b), static_cast<int>(k))) continue;
      rest.fold[b * bones + k] = rest.fold[k * bones + b] = static_cast<std::int32_t>(rest.folds.size());
      rest.folds.push_back({b, k});
    }
}

}  // namespace

void FieldsRest::write(RestWriter& out) const {
  out.list(others.begin);
  out.list(others.items);
  out.list(other_value);
  out.list(core_lead);
  out.list(steepest);
}

bool FieldsRest::read(RestReader& in, const Rig& rig) {
  in.list(others.begin);
  in.list(others.items);
  in.list(other_value);
  in.list(core_lead);
  in.list(steepest);
  const std::size_t bones = rig.bones.size(), items = others.items.size();
  if (steepest.size() != bones || other_value.size() != items || core_lead.size() != items) return false;
  const auto finite = [](const std::vector<float>& list) {
    return std::ranges::all_of(list, [](float x) { return std::isfinite(x); });
  };
  return rows_fit(others, rig.surface.size(), bones) && finite(other_value) && finite(core_lead) && finite(steepest);
}

TrackRest make_track_rest(const Rig& rig, const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size(), bones = rig.bones.size();
  TrackRest rest;
  rest.places = make_track_places(s);
  rest.own.assign(n, 0);
  rest.tracked.assign(n, 0);
  rest.slope.assign(n, 1);
  rest.gap.assign(n, 0);
  rest.hold.assign(n, 0);
  rest.fine.assign(n, 0);
  rest.core.resize(n);
  rest.joined = parts_rest(rig)->joined;
  find_fold_parts(rig, rest);
  rest.depth.assign(bones, 0);
  rest.stiffness = s.stiffness;
  rest.flat = flat_parts(rig);
  const std::vector<char> rigid = rigid_parts(rig);
  for (const RigBone& bone : rig.bones)
    rest.axis.push_back(normalized(bone.rest_end - bone.rest_origin, Vec3d{0, 1, 0}));
  for (std::size_t b = 0; b < bones; ++b)
    if (rig.bones[b].parent >= 0) rest.depth[b] = rest.depth[static_cast<std::size_t>(rig.bones[b].parent)] + 1;
  const auto shared = rig.rest.get_kept<FieldsRest>(rig, [&] { return make_fields_rest(rig, context); });
  rest.others = shared->others;
  rest.other_value = shared->other_value;
  rest.core_lead = shared->core_lead;
  rest.steepest = shared->steepest;
  rest.edge_squared.resize(s.neighbours.items.size());
  for (std::size_t v = 0; v < n; ++v)
    for (std::uint32_t i = s.neighbours.begin[v]; i < s.neighbours.begin[v + 1]; ++i) {
      const Vec3f edge = s.positions[v] - s.positions[s.neighbours.items[i]];
      rest.edge_squared[i] = dot(edge, edge);
    }
  rest.parts.resize(bones);
  rest.least_edge.assign(bones, 1e30F);
  rest.mates.assign(bones * bones, 0);
  rest.reaches.assign(bones * bones, 0);
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint32_t b = s.owner[v];
    if (b != RigSurface::kNoBone) {
      rest.parts[b].add(static_cast<Vec3d>(s.positions[v]));
      rest.least_edge[b] = std::min(rest.least_edge[b], s.edge[v]);
      for (const std::uint32_t k : s.turn.row(v)) rest.mates[b * bones + k] = 1;
      rest.core[v] = core_of(rig, v);
    }
    if (b != RigSurface::kNoBone)
      for (const std::uint32_t k : rest.others.row(v)) rest.reaches[b * bones + k] = 1;
    if (b == RigSurface::kNoBone || rig.fields[b].empty() || rest.flat[b] != 0) continue;
    const FieldSample<float> own = eval_field(rig.fields[b].view(), s.positions[v]);
    const float r = rig.fields[b].grid.radius;
    rest.own[v] = own.value;
    rest.slope[v] = kSurfaceSlope / r;
    rest.tracked[v] = rigid[b] == 0 && own.value > kLeastField && own.value < kMostField &&
                      length(own.gradient) > kLeastSlope * rest.slope[v];
    rest.gap[v] = std::min(kGapEdges * s.edge[v], kGapRadii * r);
    const float h = s.edge[v] / (kHoldRadii * r);
    rest.hold[v] = h * h;
    float longest = 0;
    for (const std::uint32_t w : s.neighbours.row(v))
      longest = std::max(longest, distance(s.positions[v], s.positions[w]));
    rest.fine[v] = 1 - smooth_step(longest / r, kFineRadii, kCoarseRadii);
  }
  context.check_cancelled();
  rest.coarse = coarse_skin(rig);
  rest.pieces = CoarseSkin(s, coarse_pieces(rig));
  rest.corners = corners_of(n, s.triangles);
  rest.normals = surface_normals(rest.corners, s);
  bring_to_places(rig, rest);
  return rest;
}

std::shared_ptr<const TrackRest> track_rest(const Rig& rig, const Context& context) {
  return rig.rest.get<TrackRest>([&] { return make_track_rest(rig, context); });
}

}  // namespace cutis
