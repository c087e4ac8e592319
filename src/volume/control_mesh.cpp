#include "volume/control_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/hash.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"
#include "geometry/closest_point.h"
#include "geometry/disjoint_sets.h"
#include "geometry/predicates.h"
#include "geometry/tri_tri.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"
#include "volume/point_grid.h"
#include "volume/solid.h"
#include "volume/surface_samples.h"

namespace cutis {
namespace {

// Distances in edge lengths. Points nearer than this would make flat tetrahedra.
constexpr double kInnerSpacing = 0.85, kInnerFromSurface = 0.45, kSampleFromSurface = 0.2;
/// Inner edges grow by this much a length of depth: nobody sees the middle of a trunk.
constexpr double kGrowthInside = 0.35;
/// Below this quality a tetrahedron is a sliver: four points almost in a plane.
constexpr double kSliver = 0.02;
constexpr int kSliverRounds = 4;
/// The cage's first growth, in edge lengths, and rounds of covering what still sticks out.
constexpr double kGrowth = 0.1, kMostGrowth = 0.3;
constexpr int kCoverRounds = 10;
/// How far an edge may pass outside, in its lengths: over a hollow along one limb; where limbs fork; between limbs.
constexpr double kHollow = 0.3, kFork = 0.15, kGap = 0.05;

/// Repeatable noise in [-1, 1]^3.
Vec3d noise(std::uint64_t seed) {
  Vec3d result;
  for (int k = 0; k < 3; ++k) {
    seed += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    z ^= z >> 31U;
    result[k] = static_cast<double>(z >> 11U) / 4503599627370496.0 - 1.0;
  }
  return result;
}

class Builder {
 public:
  Builder(const Solid& solid, const DrivenSkeleton& skeleton, SurfaceSamples cage, bool grow, const Context& context)
      : solid_(solid), skeleton_(skeleton), cage_(std::move(cage)), grow_(grow), context_(context) {}

  ControlMesh build(std::span<const Vec3d> markers) {
    double shortest = 1e300, mean = 0;
    for (const double l : cage_.spacing) {
      shortest = std::min(shortest, l);
      longest_ = std::max(longest_, l);
      mean += l / static_cast<double>(cage_.spacing.size());
    }
    // A first, even growth: chords of a round section lie inside it. Halfway at most to what is opposite.
    if (grow_)
      for (std::size_t v = 0; v < cage_.positions.size(); ++v)
        cage_.positions[v] += cage_.normals[v] * std::min(kGrowth * cage_.spacing[v], room(v, cage_.positions[v]));
    place_markers(markers, mean);
    mesh_.rest = cage_.positions;
    mesh_.cage_vertices = mesh_.rest.size();
    near_cage_ = PointGrid(0.7 * longest_);
    for (const Vec3d& p : cage_.positions) near_cage_.add(p);
    add_inner_markers();
    sample_skeleton();
    first_free_ = mesh_.rest.size();
    fill(shortest, mean);
    tetrahedralise();
    finish();
    if (grow_) cover();
    measure();
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] double edge_length_at(const Vec3d& p) const {
    return cage_.spacing[static_cast<std::size_t>(near_cage_.nearest(p))];
  }
  /// How far a vertex of the cage may grow from p: 0.4 of the way to the surface opposite.
  [[nodiscard]] double room(std::size_t v, const Vec3d& p) const {
    const double most = 0.5 * cage_.spacing[v];
    return 0.4 * solid_.room(p, cage_.normals[v], 1e-3 * cage_.spacing[v], most / 0.4);
  }

  // ---- markers ----

  /// Those at the surface become vertices of the cage: the nearest one moves there, or one is added.
  void place_markers(std::span<const Vec3d> markers, double mean) {
    mesh_.marker_vertex.assign(markers.size(), 0);
    mesh_.marker_offset.assign(markers.size(), {});
    std::vector<char> taken(cage_.positions.size(), 0);
    PointGrid near(0.7 * longest_);
    for (const Vec3d& p : cage_.positions) near.add(p);
    for (std::size_t m = 0; m < markers.size(); ++m) {
      const ClosestPoint::Hit hit = solid_.closest().nearest(markers[m]);
      const Triangle& t = solid_.triangles()[hit.triangle];
      Vec3d foot;
      for (std::size_t k = 0; k < 3; ++k) foot += static_cast<Vec3d>(solid_.positions()[t[k]]) * hit.barycentric[k];
      const Vec3d normal = normalized(cross(static_cast<Vec3d>(solid_.positions()[t[1]] - solid_.positions()[t[0]]),
                                            static_cast<Vec3d>(solid_.positions()[t[2]] - solid_.positions()[t[0]])));
      std::size_t nearest = 0;
      double least = 1e300;
      near.visit_near(foot, 2 * mean, [&](std::uint32_t i) {
        const double d = distance(cage_.positions[i], foot) * (dot(cage_.normals[i], normal) > 0 ? 1 : 3);
        if (d < least) least = d, nearest = i;
      });
      if (least == 1e300) nearest = static_cast<std::size_t>(near.nearest(foot));
      const double local = cage_.spacing[nearest];
      const bool outside = dot(markers[m] - foot, normal) > 0;
      if (!outside && hit.distance > kInnerFromSurface * local && solid_.contains(markers[m])) {
        inner_markers_.emplace_back(m, markers[m]);
        continue;
      }
      // A little outside: the cage reaches out to it. Farther: it hangs on the cage, like a marker on a stick.
      const Vec3d at = hit.distance <= 0.3 * local ? markers[m] : foot + normal * (kGrowth * local);
      mesh_.marker_offset[m] = markers[m] - at;
      if (!taken[nearest] && distance(cage_.positions[nearest], at) < 0.6 * local) {
        cage_.positions[nearest] = at;
        mesh_.marker_vertex[m] = static_cast<std::uint32_t>(nearest);
        taken[nearest] = 1;
      } else if (taken[nearest] && distance(cage_.positions[nearest], at) < 0.1 * local) {
        mesh_.marker_vertex[m] = static_cast<std::uint32_t>(nearest);
        mesh_.marker_offset[m] = markers[m] - cage_.positions[nearest];
      } else {
        mesh_.marker_vertex[m] = static_cast<std::uint32_t>(cage_.positions.size());
        cage_.positions.push_back(at);
        cage_.normals.push_back(normal);
        cage_.spacing.push_back(local);
        near.add(at);
        taken.push_back(1);
      }
    }
  }
  void add_inner_markers() {
    for (const auto& [m, p] : inner_markers_) {
      // Two markers at one place share the vertex.
      auto vertex = static_cast<std::uint32_t>(mesh_.rest.size());
      for (std::size_t v = mesh_.cage_vertices; v < mesh_.rest.size(); ++v)
        if (distance(mesh_.rest[v], p) < 0.05 * edge_length_at(p)) vertex = static_cast<std::uint32_t>(v);
      if (vertex == mesh_.rest.size()) mesh_.rest.push_back(p);
      mesh_.marker_vertex[m] = vertex;
      mesh_.marker_offset[m] = p - mesh_.rest[vertex];
    }
  }

  // ---- skeleton ----

  /// The vertex of a joint; -1 when it lies outside.
  int joint_vertex(std::size_t bone) {
    if (joint_vertices_.empty()) joint_vertices_.assign(skeleton_.bones.size(), -2);
    int& vertex = joint_vertices_[bone];
    if (vertex != -2) return vertex;
    const Vec3d& p = skeleton_.bones[bone].rest;
    vertex = -1;
    if (!solid_.contains(p)) {
      ++mesh_.lost_samples;
      return vertex;
    }
    const double reach = 0.05 * edge_length_at(p);
    for (std::size_t v = mesh_.cage_vertices; v < mesh_.rest.size(); ++v)
      if (distance(mesh_.rest[v], p) < reach) vertex = static_cast<int>(v);
    if (vertex < 0) {
      vertex = static_cast<int>(mesh_.rest.size());
      mesh_.rest.push_back(p);
    }
    mesh_.samples.push_back({static_cast<std::uint32_t>(vertex), static_cast<int>(bone), static_cast<int>(bone)});
    return vertex;
  }
  void sample_skeleton() {
    for (std::size_t b = 0; b < skeleton_.bones.size(); ++b) (void)joint_vertex(b);
    for (const DrivenSegment& s : skeleton_.segments) {
      const bool is_tip = s.child < 0;
      const double length_of = distance(s.from, s.to);
      if (length_of <= 0) continue;
      const double step = edge_length_at((s.from + s.to) * 0.5);
      const int parts = std::max(1, static_cast<int>(std::lround(length_of / step)));
      int before = joint_vertex(static_cast<std::size_t>(s.bone));
      for (int k = 1; k <= parts; ++k) {
        int vertex = -1;
        if (k == parts && !is_tip) {
          vertex = joint_vertex(static_cast<std::size_t>(s.child));
        } else {
          // Tips stop short of the skin.
          const double t = static_cast<double>(k) / parts;
          const Vec3d p = lerp(s.from, s.to, is_tip ? 0.85 * t : t);
          const double local = edge_length_at(p);
          if (!solid_.contains(p) || near_cage_.any_within(p, kSampleFromSurface * local)) {
            ++mesh_.lost_samples;
            continue;
          }
          bool crowded = false;
          for (std::size_t v = mesh_.cage_vertices; v < mesh_.rest.size(); ++v)
            crowded = crowded || distance(mesh_.rest[v], p) < 0.3 * local;
          if (crowded) continue;
          vertex = static_cast<int>(mesh_.rest.size());
          mesh_.rest.push_back(p);
          mesh_.samples.push_back({static_cast<std::uint32_t>(vertex), s.bone, -1});
        }
        if (vertex >= 0 && before >= 0 && vertex != before)
          mesh_.sample_edges.push_back(
              {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(vertex), s.bone});
        if (vertex >= 0) before = vertex;
      }
    }
  }

  // ---- inside ----

  void fill(double shortest, double mean) {
    Box box;
    for (const Vec3d& p : cage_.positions) box.add(p);
    // Candidates on a fine lattice in a fixed random order; each is taken when nothing is near.
    const double step = std::max(0.6 * mean, shortest);
    std::vector<std::pair<std::uint64_t, Vec3d>> candidates;
    const auto cells = [&](int k) { return static_cast<int>((box.hi[k] - box.lo[k]) / step) + 1; };
    for (int x = 0; x < cells(0); ++x)
      for (int y = 0; y < cells(1); ++y)
        for (int z = 0; z < cells(2); ++z) {
          const std::uint64_t id = (static_cast<std::uint64_t>(x) * 4096 + static_cast<std::uint64_t>(y)) * 4096 +
                                   static_cast<std::uint64_t>(z);
          const Vec3d p = box.lo + (Vec3d{x + 0.5, y + 0.5, z + 0.5} + noise(id) * 0.4) * step;
          candidates.emplace_back(hash_span(std::span<const std::uint64_t>(&id, 1), kHashSeed), p);
        }
    std::vector<char> good(candidates.size(), 0);
    std::vector<double> spacing(candidates.size(), 0);
    parallel_for(context_, candidates.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3d& p = candidates[i].second;
        const ClosestPoint::Hit hit = solid_.closest().nearest(p);
        const double local = edge_length_at(p);
        if (hit.distance < kInnerFromSurface * local || !solid_.contains(p)) continue;
        good[i] = 1;
        spacing[i] = local * kInnerSpacing + kGrowthInside * hit.distance;
      }
    });
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (good[i]) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair{candidates[a].first, a} < std::pair{candidates[b].first, b};
    });
    PointGrid near(longest_);
    for (std::size_t v = mesh_.cage_vertices; v < mesh_.rest.size(); ++v) near.add(mesh_.rest[v]);
    for (const std::size_t i : order) {
      const Vec3d& p = candidates[i].second;
      // Bones are samples closer together than what is around them: their neighbours may come nearer.
      if (near.any_within(p, spacing[i] * 0.7) || near_cage_.any_within(p, 0.55 * edge_length_at(p))) continue;
      near.add(p);
      mesh_.rest.push_back(p);
    }
  }

  // ---- tetrahedra ----

  [[nodiscard]] double quality(const Tetrahedron& t) const {
    return tetrahedron_quality(mesh_.rest[t[0]], mesh_.rest[t[1]], mesh_.rest[t[2]], mesh_.rest[t[3]]);
  }

  /// Inside by its middle, and no edge that leads through the open: that would weld neighbouring fingers.
  /// Within one part an edge may pass over a hollow of the skin.
  [[nodiscard]] bool belongs(const Tetrahedron& t) const {
    Vec3d middle;
    for (const std::uint32_t v : t) middle += mesh_.rest[v] * 0.25;
    if (!solid_.contains(middle)) {
      // A hollow that is shallow beside its tetrahedron.
      for (std::size_t k = 1; k < 4; ++k)
        if (hollow_between(bone_[t[0]], bone_[t[k]]) < kHollow) return false;
      const double depth = solid_.closest().nearest(middle).distance;
      if (depth > 0.08 * distance(mesh_.rest[t[0]], mesh_.rest[t[1]])) return false;
    }
    constexpr std::size_t kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (const auto& e : kEdges) {
      const Vec3d &a = mesh_.rest[t[e[0]]], &b = mesh_.rest[t[e[1]]];
      for (const double at : {0.25, 0.5, 0.75}) {
        const Vec3d p = lerp(a, b, at);
        const double open = hollow_between(bone_[t[e[0]]], bone_[t[e[1]]]);
        if (!solid_.contains(p) && solid_.closest().nearest(p).distance > open * distance(a, b)) return false;
      }
    }
    return true;
  }

  /// How far outside an edge between parts of two bones may pass, in its lengths.
  [[nodiscard]] double hollow_between(int a, int b) const {
    if (skeleton_.is_ancestor(a, b) || skeleton_.is_ancestor(b, a)) return kHollow;
    const bool siblings =
        skeleton_.bones[static_cast<std::size_t>(a)].parent == skeleton_.bones[static_cast<std::size_t>(b)].parent;
    return siblings ? kFork : kGap;
  }
  void find_bones() {
    bone_.clear();
    for (const Vec3d& p : mesh_.rest) {
      int bone = 0;
      double least = 1e300;
      for (const DrivenSegment& s : skeleton_.segments)
        if (const double d = distance_to_segments({&s, 1}, p); d < least) least = d, bone = s.bone;
      bone_.push_back(bone);
    }
  }

  void tetrahedralise() {
    find_bones();
    for (int round = 0;; ++round) {
      const std::vector<Tetrahedron> all = delaunay_tetrahedra(mesh_.rest);
      std::vector<char> keep(all.size(), 0);
      parallel_for(context_, all.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) keep[i] = belongs(all[i]);
      });
      kept_.clear();
      std::vector<std::uint32_t> bad;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!keep[i]) continue;
        kept_.push_back(all[i]);
        if (quality(all[i]) < 2.5 * kSliver)
          for (const std::uint32_t v : all[i])
            if (v >= first_free_) bad.push_back(v);
      }
      if (round == kSliverRounds || bad.empty()) break;
      // Free points of slivers are shaken; the next Delaunay meshing has other neighbours.
      std::sort(bad.begin(), bad.end());
      bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
      for (const std::uint32_t v : bad)
        mesh_.rest[v] +=
            noise(v * 7919ULL + static_cast<std::uint64_t>(round)) * (0.12 * edge_length_at(mesh_.rest[v]));
    }
    // Slivers at the surface are peeled off: the face behind them is as good a skin.
    bool changed = true;
    while (changed) {
      changed = false;
      const auto faces = face_counts(kept_);
      std::vector<Tetrahedron> next;
      for (const Tetrahedron& t : kept_) {
        int open = 0;
        for_each_face(t, [&](const Triangle& f) { open += faces.at(sorted(f)) == 1 ? 1 : 0; });
        if (open > 0 && quality(t) < kSliver * 2) {
          changed = true;
        } else {
          next.push_back(t);
        }
      }
      kept_ = std::move(next);
    }
  }

  static std::array<std::uint32_t, 3> sorted(Triangle f) {
    std::sort(f.begin(), f.end());
    return f;
  }
  template <class Visit>
  static void for_each_face(const Tetrahedron& t, Visit&& visit) {
    visit(Triangle{t[0], t[2], t[1]});
    visit(Triangle{t[0], t[1], t[3]});
    visit(Triangle{t[1], t[2], t[3]});
    visit(Triangle{t[0], t[3], t[2]});
  }
  static std::map<std::array<std::uint32_t, 3>, int> face_counts(const std::vector<Tetrahedron>& tets) {
    std::map<std::array<std::uint32_t, 3>, int> counts;
    for (const Tetrahedron& t : tets) for_each_face(t, [&](const Triangle& f) { ++counts[sorted(f)]; });
    return counts;
  }

  void finish() {
    // One body: what hangs on it by less than a face falls off.
    DisjointSets sets(kept_.size());
    std::map<std::array<std::uint32_t, 3>, std::size_t> first;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      for_each_face(kept_[i], [&](const Triangle& f) {
        const auto [at, fresh] = first.emplace(sorted(f), i);
        if (!fresh) sets.join(static_cast<std::uint32_t>(at->second), static_cast<std::uint32_t>(i));
      });
    std::map<std::uint32_t, std::size_t> count;
    for (std::size_t i = 0; i < kept_.size(); ++i) ++count[sets.find(static_cast<std::uint32_t>(i))];
    mesh_.components = count.size();
    std::uint32_t largest = 0;
    std::size_t most = 0;
    for (const auto& [root, n] : count)
      if (n > most) most = n, largest = root;
    if (most == 0) throw Error(ErrorCode::bad_character, "control mesh", "no volume is inside the mesh");
    std::vector<Tetrahedron> body;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (sets.find(static_cast<std::uint32_t>(i)) == largest) body.push_back(kept_[i]);

    // Vertices in no tetrahedron go.
    std::vector<std::int64_t> place(mesh_.rest.size(), -1);
    std::vector<Vec3d> rest;
    for (const Tetrahedron& t : body)
      for (const std::uint32_t v : t) place[v] = 0;
    for (std::size_t v = 0; v < place.size(); ++v)
      if (place[v] == 0) {
        place[v] = static_cast<std::int64_t>(rest.size());
        rest.push_back(mesh_.rest[v]);
      }
    for (Tetrahedron& t : body)
      for (std::uint32_t& v : t) v = static_cast<std::uint32_t>(place[v]);
    for (std::size_t m = 0; m < mesh_.marker_vertex.size(); ++m) {
      const Vec3d at = mesh_.rest[mesh_.marker_vertex[m]];
      std::int64_t vertex = place[mesh_.marker_vertex[m]];
      if (vertex < 0)
        for (std::size_t v = 0; v < rest.size(); ++v)
          if (vertex < 0 || distance(rest[v], at) < distance(rest[static_cast<std::size_t>(vertex)], at))
            vertex = static_cast<std::int64_t>(v);
      mesh_.marker_offset[m] += at - rest[static_cast<std::size_t>(vertex)];
      mesh_.marker_vertex[m] = static_cast<std::uint32_t>(vertex);
    }
    std::vector<SkeletonSample> samples;
    for (SkeletonSample s : mesh_.samples) {
      if (place[s.vertex] < 0) {
        ++mesh_.lost_samples;
        continue;
      }
      s.vertex = static_cast<std::uint32_t>(place[s.vertex]);
      samples.push_back(s);
    }
    mesh_.samples = std::move(samples);
    std::vector<SampleEdge> edges;
    for (SampleEdge e : mesh_.sample_edges) {
      if (place[e.a] < 0 || place[e.b] < 0) continue;
      e.a = static_cast<std::uint32_t>(place[e.a]);
      e.b = static_cast<std::uint32_t>(place[e.b]);
      edges.push_back(e);
    }
    mesh_.sample_edges = std::move(edges);
    mesh_.rest = std::move(rest);

    const auto faces = face_counts(body);
    for (const Tetrahedron& t : body)
      for_each_face(t, [&](const Triangle& f) {
        if (faces.at(sorted(f)) == 1) mesh_.boundary.push_back(f);
      });
    for (const Tetrahedron& t : body) {
      if (quality(t) < kSliver) {
        ++mesh_.slivers;
      } else {
        mesh_.tetrahedra.push_back(t);
      }
    }
  }

  /// Where vertices of the mesh stick out of the boundary, its vertices move out along their normals, as far as their
  /// tetrahedra stay sound.
  void cover() {
    std::vector<Vec3d> normals(mesh_.rest.size());
    std::vector<char> on_boundary(mesh_.rest.size(), 0), pinned(mesh_.rest.size(), 0);
    for (const std::uint32_t v : mesh_.marker_vertex) pinned[v] = 1;
    std::vector<std::vector<std::uint32_t>> tets_of(mesh_.rest.size());
    for (std::uint32_t i = 0; i < mesh_.tetrahedra.size(); ++i)
      for (const std::uint32_t v : mesh_.tetrahedra[i]) tets_of[v].push_back(i);
    for (const Triangle& f : mesh_.boundary)
      for (const std::uint32_t v : f) on_boundary[v] = 1;
    std::vector<double> grown(mesh_.rest.size(), 0);
    for (int round = 0; round < kCoverRounds; ++round) {
      std::fill(normals.begin(), normals.end(), Vec3d{});
      for (const Triangle& f : mesh_.boundary) {
        const Vec3d n = cross(mesh_.rest[f[1]] - mesh_.rest[f[0]], mesh_.rest[f[2]] - mesh_.rest[f[0]]);
        for (const std::uint32_t v : f) normals[v] += n;
      }
      std::vector<double> lack = lacking();
      // Spread to the neighbours by half: no spikes.
      const std::vector<double> alone = lack;
      for (const Triangle& f : mesh_.boundary)
        for (std::size_t k = 0; k < 3; ++k)
          lack[f[k]] = std::max({lack[f[k]], 0.5 * alone[f[(k + 1) % 3]], 0.5 * alone[f[(k + 2) % 3]]});
      if (mesh_.uncovered == 0 || round + 1 == kCoverRounds) break;
      for (std::uint32_t v = 0; v < mesh_.rest.size(); ++v) {
        if (lack[v] <= 0 || pinned[v] || !on_boundary[v]) continue;
        const Vec3d n = normalized(normals[v]);
        const double local = edge_length_at(mesh_.rest[v]);
        const double free = 0.4 * solid_.room(mesh_.rest[v], n, 1e-3 * local, local);
        const Vec3d before = mesh_.rest[v];
        const double step = std::min({1.2 * lack[v], free, kMostGrowth * local - grown[v]});
        if (step <= 0) continue;
        mesh_.rest[v] += n * step;
        grown[v] += step;
        for (const std::uint32_t t : tets_of[v]) {
          const Tetrahedron& tet = mesh_.tetrahedra[t];
          if (six_volumes(mesh_.rest[tet[0]], mesh_.rest[tet[1]], mesh_.rest[tet[2]], mesh_.rest[tet[3]]) > 0 &&
              quality(tet) >= kSliver)
            continue;
          mesh_.rest[v] = before;
          break;
        }
      }
    }
  }
  /// Per vertex: how far vertices of the mesh stick out near it.
  std::vector<double> lacking() {
    std::vector<Vec3f> points;
    for (const Vec3d& p : mesh_.rest) points.push_back(static_cast<Vec3f>(p));
    std::vector<std::uint32_t> use(mesh_.boundary.size());
    std::iota(use.begin(), use.end(), 0U);
    const TriangleBvh bvh(points, mesh_.boundary, use);
    const WindingNumber inside(bvh, points, mesh_.boundary);
    const ClosestPoint near(bvh, points, mesh_.boundary);
    std::vector<char> used(solid_.positions().size(), 0);
    for (const Triangle& t : solid_.triangles())
      for (const std::uint32_t v : t) used[v] = 1;
    std::vector<std::uint32_t> hit_face(used.size(), 0);
    std::vector<double> depth(used.size(), 0);
    parallel_for(context_, used.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (!used[v]) continue;
        const auto q = static_cast<Vec3d>(solid_.positions()[v]);
        if (inside.exceeds(q, 0.5)) continue;
        const ClosestPoint::Hit hit = near.nearest(q);
        hit_face[v] = hit.triangle;
        depth[v] = hit.distance;
      }
    });
    std::vector<double> lack(mesh_.rest.size(), 0);
    mesh_.uncovered = 0;
    mesh_.uncovered_by = 0;
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (depth[v] <= 0) continue;
      ++mesh_.uncovered;
      mesh_.uncovered_by = std::max(mesh_.uncovered_by, depth[v]);
      for (const std::uint32_t c : mesh_.boundary[hit_face[v]]) lack[c] = std::max(lack[c], depth[v]);
    }
    return lack;
  }

  void measure() {
    mesh_.least_quality = 1;
    double sum = 0;
    for (const Tetrahedron& t : mesh_.tetrahedra) {
      mesh_.least_quality = std::min(mesh_.least_quality, quality(t));
      sum += distance(mesh_.rest[t[0]], mesh_.rest[t[1]]);
    }
    mesh_.mean_edge = sum / static_cast<double>(std::max<std::size_t>(mesh_.tetrahedra.size(), 1));
    mesh_.cage_intersections = intersecting_pairs();
    find_bones();
    mesh_.nearest_bone = bone_;
  }

  [[nodiscard]] std::size_t intersecting_pairs() const {
    std::vector<Vec3f> points;
    for (const Vec3d& p : mesh_.rest) points.push_back(static_cast<Vec3f>(p));
    std::vector<std::uint32_t> use;
    for (std::uint32_t t = 0; t < mesh_.boundary.size(); ++t) {
      const Triangle& f = mesh_.boundary[t];
      if (!has_zero_area(points[f[0]], points[f[1]], points[f[2]])) use.push_back(t);
    }
    const TriangleBvh bvh(points, mesh_.boundary, use);
    std::size_t pairs = 0;
    for (const std::uint32_t leaf : bvh.leaves())
      bvh.visit_overlaps(leaf, [&](std::uint32_t a, std::uint32_t b) {
        const Triangle &p = mesh_.boundary[bvh.triangle(a)], &q = mesh_.boundary[bvh.triangle(b)];
        for (const std::uint32_t v : p)
          if (v == q[0] || v == q[1] || v == q[2]) return;
        if (triangles_intersect({points[p[0]], points[p[1]], points[p[2]]}, {points[q[0]], points[q[1]], points[q[2]]}))
          ++pairs;
      });
    return pairs;
  }

  const Solid& solid_;
  const DrivenSkeleton& skeleton_;
  SurfaceSamples cage_;
  bool grow_;
  double longest_ = 0;
  const Context& context_;
  ControlMesh mesh_;
  PointGrid near_cage_{1.0};
  std::vector<std::pair<std::size_t, Vec3d>> inner_markers_;
  std::vector<int> joint_vertices_;
  std::vector<int> bone_;  // nearest, per vertex
  std::size_t first_free_ = 0;
  std::vector<Tetrahedron> kept_;
};

}  // namespace

double tetrahedron_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const double volume = std::abs(six_volumes(a, b, c, d)) / 6;
  const auto area = [](const Vec3d& p, const Vec3d& q, const Vec3d& r) { return 0.5 * length(cross(q - p, r - p)); };
  const double surface = area(a, b, c) + area(a, b, d) + area(a, c, d) + area(b, c, d);
  if (!(surface > 0) || !(volume > 0)) return 0;
  const double inner = 3 * volume / surface;
  // Circumscribed radius from the products of opposite edges (Crelle).
  const double p = distance(a, b) * distance(c, d), q = distance(a, c) * distance(b, d),
               r = distance(a, d) * distance(b, c);
  const double product = (p + q + r) * (p + q - r) * (p - q + r) * (-p + q + r);
  if (!(product > 0)) return 0;
  return 3 * inner * 24 * volume / std::sqrt(product);
}

ControlMesh make_control_mesh(std::span<const Vec3f> positions, std::span<const Triangle> triangles,
                              const DrivenSkeleton& skeleton, std::span<const Vec3d> markers,
                              const ControlMeshOptions& options, const Context& context) {
  const Solid solid(positions, triangles);
  // About three quarters of the vertices are on the surface.
  SurfaceSamples cage = options.cage ? sample_surface(solid, skeleton.segments, options.vertices * 3 / 4, context)
                                     : surface_vertices(solid);
  return Builder(solid, skeleton, std::move(cage), options.cage, context).build(markers);
}

}  // namespace cutis
