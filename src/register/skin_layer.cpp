// Unknown: a displacement d of every (welded) vertex at rest. With B the linear blend of the bones at a vertex, the
// posed skin moves by B d. Every round looks for closest points both ways, and solves
//   (D + l^2 L) d = D (d + B^-1 e)
// with D the areas that matches stand for, e how far they are off, L the cotangent Laplacian and l the length over
// which displacements are smoothed: long at first, short in the end. Where nothing matches, L alone continues what is
// around.
#include "register/skin_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/math.h"
#include "base/parallel_for.h"
#include "character/welded_character.h"
#include "geometry/closest_point.h"
#include "geometry/cotangent.h"
#include "geometry/normals.h"
#include "numerics/prefactored_solver.h"
#include "volume/tetrahedra.h"

namespace cutis {
namespace {

constexpr int kRounds = 14;
constexpr double kFirstSmoothing = 0.06;                  // in extents: over the length of a limb
constexpr double kFirstReach = 0.05, kLastReach = 0.025;  // of matches, in extents
constexpr double kLeastBlend = 0.25;  // determinant of blended turns: beyond, a vertex is wrung, and says nothing
constexpr double kHole = 3;           // in spacings of the scan: farther along its surface there is a hole
constexpr double kHold = 1e-4;        // of displacements to 0: what nothing holds stays
constexpr double kTied = 4;           // of pieces inside or beside to their neighbours, in areas
constexpr double kMostTied = 256;     // of pieces that would pass through each other
constexpr double kTouching = 1e-4;    // in extents: triangles as near as this met before
constexpr double kFolded = 0.2;       // cosine of a triangle's normal to what it was
constexpr int kUnfolding = 8;         // times that skin around folds and crossings is tied or let go
constexpr double kRing = 0.015;       // how far a neighbour is that is let go along, in extents: coarse meshes
constexpr int kMostHeld = 7;          // times that count for a vertex,
constexpr int kHeldBack = 3;          // after how many it goes back to the usual thickness, step by step
constexpr double kHoldMore = 10;      // how much harder each holds skin that is let go
// Where skin meets skin it is held back beside what the scan says, so much of its area the first time, and so much
// harder every time: it keeps 0.8, 0.5, 0.2, … of its way.
constexpr double kHeldFirst = 0.25, kHeldMore = 4;
// Of the height of a layer over another one, the first time that they are tied; so much more every time, up to all.
constexpr double kLeastGap = 0.2, kGapMore = 1.5;

using Pairs = std::vector<std::array<std::uint32_t, 2>>;

/// Positions and matrices of the welded skin.
struct Posing {
  std::vector<Mat3d> linear;
  std::vector<Vec3d> shift;
};
Posing posing_of(const Character& character, const Pose& pose) {
  const std::vector<Affine3d> world = world_from_joint(character.skeleton, pose);
  std::vector<Affine3d> motion(world.size());
  for (std::size_t j = 0; j < world.size(); ++j)
    motion[j] = world[j] * inverse(character.skeleton.joints[j].world_from_rest);
  Posing posing;
  for (const Mesh& mesh : character.meshes)
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      Mat3d m;
      Vec3d t;
      if (!mesh.weights.empty()) {
        m = Mat3d{{Vec3d{}, Vec3d{}, Vec3d{}}};
        for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
          const Affine3d& a = motion[mesh.weights.joint[i]];
          const auto w = static_cast<double>(mesh.weights.weight[i]);
          m = m + a.linear * w;
          t += a.translation * w;
        }
      }
      posing.linear.push_back(m);
      posing.shift.push_back(t);
    }
  return posing;
}

/// Where the scan is at a point of the skin.
struct Foot {
  bool found = false;
  Vec3d off;  // to the scan's surface
  double weight = 0;
};
Foot foot_on_scan(const FitTarget& target, const Vec3d& p, const Vec3d& n, double reach,
                  std::vector<PointTree::Near>& found) {
  target.tree.nearest(p, kTried, reach, found);
  for (const auto& near : found) {
    const Vec3d& m = target.normals[near.point];
    if (!(dot(m, n) > kAlike)) continue;
    const Vec3d off = target.points[near.point] - p;
    const double height = dot(off, m), along = length(off - m * height);
    if (along > kHole * target.spacing + 0.5 * std::abs(height)) return {};
    const double x = near.squared / (reach * reach), w = (1 - x) * (1 - x);
    return {true, m * height, w};
  }
  return {};
}

class SkinLayer {
 public:
  SkinLayer(Character& character, const Character& original, std::span<const Vec3f> usual, std::span<const char> outer,
            const Pose& pose, const FitTarget& target, const RegisterOptions& options, const Context& context)
      : character_(character),
        target_(target),
        options_(options),
        context_(context),
        welded_(weld_character(character, &context)),
        extent_(diagonal(character.bounds())) {
    const Posing posing = posing_of(character, pose);
    const JoinedMeshes joined = join_meshes(original);
    const std::size_t n = welded_.positions.size();
    for (std::size_t v = 0; v < n; ++v) {
      const std::uint32_t first = welded_.weld.first_of[v];
      rest_.push_back(static_cast<Vec3d>(welded_.positions[v]));
      linear_.push_back(posing.linear[first]);
      shift_.push_back(posing.shift[first]);
      outer_.push_back(outer[first]);
      usual_.push_back(static_cast<Vec3d>(usual[first]));
      original_.push_back(static_cast<Vec3d>(joined.input_positions[first]));
      const bool sound = determinant(linear_[v]) > kLeastBlend;
      back_.push_back(sound ? inverse(linear_[v]) : Mat3d{});
      if (!sound) outer_[v] = 0;
    }
    for (const Triangle& t : welded_.topology.triangles)
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) triangles_.push_back(t);
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) use_.push_back(t);
    laplacian_ = cotangent_laplacian(rest_, triangles_);
    displacement_.assign(n, Vec3d{});
    held_.assign(n, 0);
    loose_.assign(n, 0);
    rest_normal_ = vertex_normals(welded_.positions, triangles_);
    tie_pieces();
  }

  SkinLayerReport run() {
    SkinLayerReport report;
    for (int round = 0; round < kRounds; ++round) {
      const double t = static_cast<double>(round) / (kRounds - 1);
      solve(kFirstSmoothing * std::pow(options_.smoothing / kFirstSmoothing, t) * extent_,
            kFirstReach * std::pow(kLastReach / kFirstReach, t) * extent_);
      context_.progress("skin", t);
    }
    // Skin around folds, and where it passes through itself as it did not before, is let go until there are none.
    const Pairs before = find_intersecting_pairs(original_, triangles_);
    layered_.assign(rest_.size(), 0);
    for (const auto& pair : before)
      for (const std::uint32_t t : pair)
        for (const std::uint32_t v : triangles_[t]) layered_[v] = 1;
    layered_ = widened(std::move(layered_), extent_);
    std::vector<Vec3d> best = displacement_;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (int round = 0;; ++round) {
      const std::size_t folds = hold_folds(), crossings = part_crossings(before);
      if (folds + crossings < least) least = folds + crossings, best = displacement_;
      if (folds + crossings == 0 || round == kUnfolding) break;
      report.folded = std::max(report.folded, folds);
      report.crossed = std::max(report.crossed, crossings);
      solve(options_.smoothing * extent_, kLastReach * extent_);
    }
    displacement_ = std::move(best);
    write_back();
    return report;
  }

 private:
  // Pieces apart from the largest move with what is next to them: eyes, buttons, hair.
  void tie_pieces() {
    const std::vector<std::uint32_t>& component = welded_.topology.component;
    std::vector<double> area(welded_.topology.component_count, 0.0);
    for (std::size_t v = 0; v < component.size(); ++v)
      if (component[v] < area.size()) area[component[v]] += laplacian_.mass[v];
    if (area.size() < 2) return;
    std::vector<std::uint32_t> order(area.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return area[a] > area[b]; });
    std::vector<std::uint32_t> rank(area.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    const PointTree tree(rest_);
    std::vector<PointTree::Near> found;
    for (std::uint32_t v = 0; v < rest_.size(); ++v) {
      if (component[v] >= area.size() || rank[component[v]] == 0) continue;
      for (std::size_t k = 16; k <= 1024; k *= 4) {
        tree.nearest(rest_[v], k, 1e300, found);
        const auto near = std::ranges::find_if(found, [&](const PointTree::Near& f) {
          return component[f.point] < area.size() && rank[component[f.point]] < rank[component[v]];
        });
        if (near == found.end()) continue;
        ties_.push_back({v, near->point, kTied, {}});
        break;
      }
    }
  }

  void pose_now() {
    const std::size_t n = rest_.size();
    posed_.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      posed_[v] = static_cast<Vec3f>(linear_[v] * (rest_[v] + displacement_[v]) + shift_[v]);
  }

  void solve(double smoothing, double reach) {
    context_.check_cancelled();
    pose_now();
    const std::vector<Vec3f> normals = vertex_normals(posed_, triangles_);
    const std::size_t n = rest_.size();
    std::vector<MatrixEntry> matrix;
    std::vector<double> rhs(3 * n, 0.0);
    const auto add_rhs = [&](std::size_t v, const Vec3d& x) {
      for (std::size_t k = 0; k < 3; ++k) rhs[3 * v + k] += x[static_cast<int>(k)];
    };

    // From the skin to the scan.
    std::vector<Foot> feet(n);
    parallel_for(context_, n, 512, [&](std::size_t begin, std::size_t end) {
      std::vector<PointTree::Near> found;
      for (std::size_t v = begin; v < end; ++v)
        if (outer_[v] && !loose_[v])
          feet[v] = foot_on_scan(target_, static_cast<Vec3d>(posed_[v]), static_cast<Vec3d>(normals[v]), reach, found);
    });
    for (std::uint32_t v = 0; v < n; ++v) {
      const double held = held_[v] > 0 ? kHeldFirst * std::pow(kHeldMore, held_[v] - 1) : 0;
      const double hold = std::max(held, kHold * std::pow(kHoldMore, loose_[v])) * laplacian_.mass[v];
      double diagonal = hold + 1e-12 * extent_ * extent_;
      // Where the proportions alone make skin meet skin, it goes back to the usual ones.
      const double back = std::clamp((held_[v] - kHeldBack) / 3.0, 0.0, 1.0);
      if (back > 0) add_rhs(v, (usual_[v] - rest_[v]) * (back * hold));
      if (feet[v].found) {
        // Between coarse vertices the scan bulges: there it is its points that count, from which triangles keep the
        // same distance to both sides, and not where vertices are.
        const double w = std::min(laplacian_.mass[v], target_.spacing * target_.spacing) * feet[v].weight;
        diagonal += w;
        add_rhs(v, (displacement_[v] + back_[v] * feet[v].off) * w);
      }
      matrix.push_back({v, v, diagonal});
    }

    // From the scan to the skin.
    const TriangleBvh bvh(posed_, triangles_, use_);
    const ClosestPoint closest(bvh, posed_, triangles_);
    struct Hit {
      bool found = false;
      Triangle corners{};
      std::array<double, 3> share{};
      Vec3d off;
      double weight = 0;
    };
    std::vector<Hit> hits(target_.points.size());
    parallel_for(context_, hits.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto near = closest.nearest(target_.points[i]);
        if (!(near.distance < reach)) continue;
        const Triangle& t = triangles_[near.triangle];
        const Vec3d normal = normalized(face_normal<double>(posed_, t));
        if (!(dot(normal, target_.normals[i]) > kAlike)) continue;
        Hit hit{true, t, near.barycentric, {}, 0};
        Vec3d at;
        for (std::size_t c = 0; c < 3; ++c) {
          at += static_cast<Vec3d>(posed_[t[c]]) * near.barycentric[c];
          hit.found = hit.found && outer_[t[c]] && !loose_[t[c]];
        }
        hit.off = target_.points[i] - at;
        const double x = near.distance * near.distance / (reach * reach);
        hit.weight = target_.spacing * target_.spacing * (1 - x) * (1 - x);
        // Beyond an open edge: nothing of the skin belongs there.
        if (std::abs(dot(hit.off, normal)) < 0.5 * near.distance) hit.found = false;
        hits[i] = hit;
      }
    });
    for (const Hit& hit : hits) {
      if (!hit.found) continue;
      Vec3d want;
      for (std::size_t c = 0; c < 3; ++c)
        want += (displacement_[hit.corners[c]] + back_[hit.corners[c]] * hit.off) * hit.share[c];
      for (std::size_t a = 0; a < 3; ++a) {
        add_rhs(hit.corners[a], want * (hit.weight * hit.share[a]));
        for (std::size_t b = 0; b < 3; ++b)
          if (hit.corners[a] >= hit.corners[b])
            matrix.push_back({hit.corners[a], hit.corners[b], hit.weight * hit.share[a] * hit.share[b]});
      }
    }

    const auto couple = [&](std::uint32_t a, std::uint32_t b, double w) {
      matrix.push_back({a, a, w});
      matrix.push_back({b, b, w});
      matrix.push_back({std::max(a, b), std::min(a, b), -w});
    };
    for (const EdgeWeight& e : laplacian_.edges) couple(e.a, e.b, smoothing * smoothing * e.weight);
    for (const Tie& t : ties_) {
      const double w = t.strength * laplacian_.mass[t.v];
      couple(t.v, t.to, w);
      add_rhs(t.v, t.closer * w);
      add_rhs(t.to, t.closer * -w);
    }
    const PrefactoredSolver solver(n, matrix, &context_);
    if (!solver.ok()) return;
    solver.solve(rhs, 3, context_);
    for (std::size_t v = 0; v < n; ++v) {
      const Vec3d d{rhs[3 * v], rhs[3 * v + 1], rhs[3 * v + 2]};
      if (is_finite(d)) displacement_[v] = d;
    }
  }

  [[nodiscard]] std::vector<Vec3d> skin_at_rest() const {
    std::vector<Vec3d> now(rest_.size());
    for (std::size_t v = 0; v < now.size(); ++v) now[v] = rest_[v] + displacement_[v];
    return now;
  }

  /// Marks the skin around triangles that have turned over; how many there are.
  std::size_t hold_folds() {
    std::size_t folds = 0;
    std::vector<char> near(rest_.size(), 0);
    const std::vector<Vec3d> now = skin_at_rest();
    for (const Triangle& t : triangles_) {
      const Vec3d before = face_normal<double>(rest_, t), after = face_normal<double>(now, t);
      if (dot(before, after) >= kFolded * length(before) * length(after)) continue;
      ++folds;
      for (const std::uint32_t v : t) near[v] = 1;
    }
    hold_around(std::move(near), loose_);
    return folds;
  }

  /// Likewise for pairs of triangles that meet, and are none of `before`. Pieces that lie on each other, and skin that
  /// passed through skin near there before (clothes over a body, hair), are tied together instead: what moves alike
  /// does not pass through each other.
  std::size_t part_crossings(const Pairs& before) {
    std::size_t crossings = 0;
    std::vector<char> near(rest_.size(), 0);
    const std::vector<Vec3d> now = skin_at_rest();
    const std::vector<std::uint32_t>& component = welded_.topology.component;
    for (const auto& pair : find_intersecting_pairs(now, triangles_)) {
      if (std::ranges::binary_search(before, pair)) continue;
      const Triangle &a = triangles_[pair[0]], &b = triangles_[pair[1]];
      if (touch_at_rest(a, b)) continue;
      ++crossings;
      const auto layered = [&](const Triangle& t) {
        return std::ranges::any_of(t, [&](std::uint32_t v) { return layered_[v] != 0; });
      };
      const bool tied = component[a[0]] != component[b[0]] || (layered(a) && layered(b));
      for (std::size_t c = 0; c < 3; ++c) {
        if (tied) {
          tie_together(a[c], nearest_corner(now, b, a[c]));
          tie_together(b[c], nearest_corner(now, a, b[c]));
        } else {
          near[a[c]] = near[b[c]] = 1;
        }
      }
    }
    hold_around(std::move(near), held_);
    return crossings;
  }

  /// Whether they met, to rounding, before the body had its proportions: cards of hair in one plane.
  [[nodiscard]] bool touch_at_rest(const Triangle& a, const Triangle& b) const {
    const auto near = [&](const Triangle& s, const Triangle& t) {
      return std::ranges::any_of(s, [&](std::uint32_t v) {
        const auto w = closest_in_triangle(original_[t[0]], original_[t[1]], original_[t[2]], original_[v]);
        return distance(original_[t[0]] * w[0] + original_[t[1]] * w[1] + original_[t[2]] * w[2], original_[v]) <
               kTouching * extent_;
      });
    };
    return near(a, b) || near(b, a);
  }

  [[nodiscard]] static std::uint32_t nearest_corner(std::span<const Vec3d> now, const Triangle& t, std::uint32_t v) {
    return *std::ranges::min_element(t, {}, [&](std::uint32_t w) { return distance(now[v], now[w]); });
  }

  /// Stronger every time.
  void tie_together(std::uint32_t v, std::uint32_t to) {
    const auto [at, fresh] = tie_of_.try_emplace(std::pair{v, to}, ties_.size());
    if (fresh) ties_.push_back({v, to, kTied, {}, kLeastGap});
    Tie& tie = ties_[at->second];
    if (!fresh) {
      tie.strength = std::min(2 * tie.strength, kMostTied);
      tie.gap = std::min(1.0, kGapMore * tie.gap);
    }
    const auto n = static_cast<Vec3d>(rest_normal_[to]);
    tie.closer = n * ((tie.gap - 1) * dot(rest_[v] - rest_[to], n));
  }

  /// With two rings of neighbours that are nearer than `reach`.
  [[nodiscard]] std::vector<char> widened(std::vector<char> near, double reach) const {
    for (int ring = 0; ring < 2; ++ring) {
      std::vector<char> wider = near;
      for (std::size_t v = 0; v < near.size(); ++v)
        if (near[v])
          for (const std::uint32_t w : welded_.topology.vertex_neighbours.row(v))
            if (distance(rest_[v], rest_[w]) < reach) wider[w] = 1;
      near = std::move(wider);
    }
    return near;
  }

  /// Every time harder: in the end skin is where it was.
  void hold_around(std::vector<char> near, std::vector<char>& held) {
    near = widened(std::move(near), kRing * extent_);
    for (std::size_t v = 0; v < near.size(); ++v)
      if (near[v]) held[v] = static_cast<char>(std::min(held[v] + 1, kMostHeld));
  }

  void write_back() {
    std::size_t at = 0;
    for (Mesh& mesh : character_.meshes)
      for (Vec3f& p : mesh.positions) {
        const std::uint32_t v = welded_.weld.welded_of[at++];
        p = static_cast<Vec3f>(rest_[v] + displacement_[v]);
      }
  }

  Character& character_;
  const FitTarget& target_;
  const RegisterOptions& options_;
  const Context& context_;
  WeldedCharacter welded_;
  double extent_;
  std::vector<Vec3d> rest_, shift_, displacement_;
  std::vector<Vec3d> usual_, original_;  // places at rest with the usual thickness, and before all
  std::vector<Mat3d> linear_, back_;
  std::vector<char> outer_, layered_;  // layered: skin passes through skin there before all
  std::vector<char> held_, loose_;     // how often, for skin that it meets and for folds
  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> use_;
  CotangentLaplacian laplacian_;
  struct Tie {
    std::uint32_t v, to;
    double strength;  // in areas
    Vec3d closer;     // how much nearer the first comes to the second
    double gap = 1;   // of its height over it, what is left
  };
  std::vector<Tie> ties_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> tie_of_;  // of those that crossings made
  std::vector<Vec3f> posed_, rest_normal_;
};

}  // namespace

std::vector<Vec3f> blend_skin(const Character& character, const Pose& pose) {
  const Posing posing = posing_of(character, pose);
  std::vector<Vec3f> skin;
  for (const Mesh& mesh : character.meshes)
    for (const Vec3f& p : mesh.positions) {
      const std::size_t v = skin.size();
      skin.push_back(static_cast<Vec3f>(posing.linear[v] * static_cast<Vec3d>(p) + posing.shift[v]));
    }
  return skin;
}

SkinLayerReport add_skin_layer(Character& character, const Character& original, std::span<const Vec3f> usual,
                               std::span<const char> outer, const Pose& pose, const FitTarget& target,
                               const RegisterOptions& options, const Context& context) {
  return SkinLayer(character, original, usual, outer, pose, target, options, context).run();
}

SkinDistances skin_distances(const Character& character, std::span<const char> outer, std::span<const Vec3f> skin,
                             const FitTarget& target, const Context& context) {
  const JoinedMeshes joined = join_meshes(character);
  std::vector<std::uint32_t> use;
  for (std::uint32_t t = 0; t < joined.input_triangles.size(); ++t)
    if (outer[joined.input_triangles[t][0]]) use.push_back(t);
  SkinDistances result;
  result.of_points.resize(target.points.size());
  result.of_vertices.assign(skin.size(), std::numeric_limits<float>::quiet_NaN());
  const TriangleBvh bvh(skin, joined.input_triangles, use);
  const ClosestPoint closest(bvh, skin, joined.input_triangles);
  parallel_for(context, target.points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.of_points[i] = static_cast<float>(closest.nearest(target.points[i]).distance);
  });
  // Vertices at seams share a place, and a normal.
  const Weld weld = cutis::weld(skin);
  const std::vector<Vec3f> normals = vertex_normals(skin, joined.input_triangles, weld.welded_of);
  const double reach = kLastReach * diagonal(character.bounds());
  parallel_for(context, skin.size(), 512, [&](std::size_t begin, std::size_t end) {
    std::vector<PointTree::Near> found;
    for (std::size_t v = begin; v < end; ++v) {
      if (!outer[v]) continue;
      const Foot foot = foot_on_scan(target, static_cast<Vec3d>(skin[v]), static_cast<Vec3d>(normals[v]), reach, found);
      if (foot.found) result.of_vertices[v] = static_cast<float>(length(foot.off));
    }
  });
  double seen = 0, total = 0;
  for (const std::uint32_t t : use) {
    const Triangle& triangle = joined.input_triangles[t];
    const double area = length(area_vector(skin[triangle[0]], skin[triangle[1]], skin[triangle[2]]));
    total += area;
    for (const std::uint32_t v : triangle) seen += std::isnan(result.of_vertices[v]) ? 0 : area / 3;
  }
  result.covered = total > 0 ? seen / total : 0;
  return result;
}

}  // namespace cutis
