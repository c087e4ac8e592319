// Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling", SGP 2004, section 4: split long edges,
// collapse short ones, flip, move vertices to the middle of their neighbours, project. Differences: the edge length
// varies over space, and the last rounds flip by the Delaunay criterion, which serves the smallest angles, not the
// valences.
#include "geometry/remesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

using Index = std::uint32_t;
constexpr Index kNoIndex = 0xffffffffU;
constexpr double kLong = 4.0 / 3, kShort = 4.0 / 5;  // Botsch and Kobbelt's bounds: no split makes a short edge
constexpr int kMaxValence = 9;
constexpr int kDelaunayRounds = 3;
/// A collapse or flip may not turn a face by more than acos of this.
constexpr double kMinFaceTurn = 0.5;

class Remesher {
 public:
  Remesher(SurfaceMesh mesh, const RemeshOptions& options, const Context& context)
      : options_(options), context_(context), p_(std::move(mesh.positions)), face_(std::move(mesh.triangles)) {
    faces_of_.resize(p_.size());
    for (Index f = 0; f < face_.size(); ++f)
      for (const Index v : face_[f]) faces_of_[v].push_back(f);
    border_.assign(p_.size(), false);
    for (Index v = 0; v < p_.size(); ++v) {
      for (const Index n : neighbours(v)) {
        if (shared_faces(v, n).second == kNoIndex) border_[v] = true;
      }
    }
    length_.resize(p_.size());
    update_lengths();
  }

  SurfaceMesh run() {
    for (int i = 0; i < options_.iterations; ++i) {
      split_long_edges();
      collapse_short_edges();
      flip(i + kDelaunayRounds >= options_.iterations);
      smooth();
    }
    separate_borders();
    return compact();
  }

 private:
  // ---- queries ----

  /// The (at most two) faces at an edge; kNoIndex where there is none.
  [[nodiscard]] std::pair<Index, Index> shared_faces(Index a, Index b) const {
    std::pair<Index, Index> result{kNoIndex, kNoIndex};
    for (const Index f : faces_of_[a]) {
      const Triangle& t = face_[f];
      if (t[0] != b && t[1] != b && t[2] != b) continue;
      (result.first == kNoIndex ? result.first : result.second) = f;
    }
    return result;
  }
  [[nodiscard]] static Index opposite(const Triangle& t, Index a, Index b) {
    for (const Index v : t)
      if (v != a && v != b) return v;
    return kNoIndex;
  }
  [[nodiscard]] std::vector<Index> neighbours(Index v) const {
    std::vector<Index> result;
    for (const Index f : faces_of_[v])
      for (const Index n : face_[f])
        if (n != v) result.push_back(n);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  [[nodiscard]] bool connected(Index a, Index b) const { return shared_faces(a, b).first != kNoIndex; }
  [[nodiscard]] double relative_length(Index a, Index b) const {
    return distance(p_[a], p_[b]) / (0.5 * (length_[a] + length_[b]));
  }
  [[nodiscard]] Vec3d face_normal(const Triangle& t) const { return normal(p_[t[0]], p_[t[1]], p_[t[2]]); }
  static Vec3d normal(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return cross(b - a, c - a); }
  static bool turned(const Vec3d& before, const Vec3d& after) {
    return dot(before, after) <= kMinFaceTurn * length(before) * length(after);
  }
  /// All edges (a < b), in the order of the faces.
  /// Whether the work is cancelled, now and then: an edge takes microseconds.
  void ask() {
    if (++asked_ % 1024 == 0) context_.check_cancelled();
  }

  [[nodiscard]] std::vector<std::pair<Index, Index>> edges() const {
    std::vector<std::pair<Index, Index>> result;
    result.reserve(face_.size() * 3 / 2);
    for (const Triangle& t : face_) {
      if (t[0] == t[1]) continue;  // removed
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = t[k], b = t[(k + 1) % 3];
        // An inner edge is run along once each way.
        if (a < b) {
          result.emplace_back(a, b);
        } else if (border_[a] && border_[b] && shared_faces(a, b).second == kNoIndex) {
          result.emplace_back(b, a);
        }
      }
    }
    return result;
  }

  // ---- changes ----

  void update_lengths() {
    parallel_for(context_, p_.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        if (!faces_of_[v].empty()) length_[v] = options_.edge_length(p_[v]);
    });
  }

  void remove_face(Index f) {
    for (const Index v : face_[f]) std::erase(faces_of_[v], f);
    face_[f] = {0, 0, 0};
  }

  void split(Index a, Index b) {
    const auto [f0, f1] = shared_faces(a, b);
    const auto m = static_cast<Index>(p_.size());
    p_.push_back((p_[a] + p_[b]) * 0.5);
    length_.push_back(0.5 * (length_[a] + length_[b]));
    border_.push_back(f1 == kNoIndex);
    faces_of_.emplace_back();
    for (const Index f : {f0, f1}) {
      if (f == kNoIndex) continue;
      Triangle other = face_[f];  // (a, b, c) becomes (a, m, c) and (m, b, c)
      std::replace(other.begin(), other.end(), a, m);
      std::erase(faces_of_[b], f);
      std::replace(face_[f].begin(), face_[f].end(), b, m);
      faces_of_[m].push_back(f);
      const auto g = static_cast<Index>(face_.size());
      face_.push_back(other);
      for (const Index v : other) faces_of_[v].push_back(g);
    }
  }

  void split_long_edges() {
    for (int pass = 0; pass < 4; ++pass) {
      bool any = false;
      for (const auto& [a, b] : edges()) {
        ask();
        const bool bridges = border_[a] && border_[b] && shared_faces(a, b).second != kNoIndex;
        if (relative_length(a, b) > kLong || bridges) {
          split(a, b);
          any = true;
        }
      }
      if (!any) break;
    }
  }

  void collapse_short_edges() {
    for (int pass = 0; pass < 8; ++pass) {
      std::size_t count = 0;
      for (const auto& [a, b] : edges()) {
        ask();
        if (relative_length(a, b) < kShort && connected(a, b)) count += try_collapse(a, b) ? 1 : 0;
      }
      if (count == 0) break;
    }
  }

  bool try_collapse(Index keep, Index gone) {
    if (border_[gone] && !border_[keep]) std::swap(keep, gone);
    const auto [f0, f1] = shared_faces(keep, gone);
    if (border_[gone] && f1 != kNoIndex) return false;  // an inner edge between two border vertices
    const Vec3d target = border_[keep] == border_[gone] ? (p_[keep] + p_[gone]) * 0.5 : p_[keep];
    const std::vector<Index> of_keep = neighbours(keep), of_gone = neighbours(gone);
    // Link condition: the ends share exactly the vertices opposite the edge.
    std::size_t common = 0;
    for (const Index n : of_gone) {
      if (std::binary_search(of_keep.begin(), of_keep.end(), n)) {
        ++common;
      } else if (n != keep) {
        if (border_[keep] && border_[n] && !border_[gone]) return false;  // would bridge the border
        if (distance(target, p_[n]) > kLong * 0.5 * (length_[keep] + length_[n])) return false;
      }
    }
    if (common != (f1 == kNoIndex ? 1U : 2U)) return false;
    if (of_keep.size() + of_gone.size() - 4 > static_cast<std::size_t>(kMaxValence)) return false;
    for (const Index n : of_keep)
      if (n != gone && distance(target, p_[n]) > kLong * 0.5 * (length_[keep] + length_[n])) return false;
    for (const Index v : {keep, gone}) {
      for (const Index f : faces_of_[v]) {
        if (f == f0 || f == f1) continue;
        std::array<Vec3d, 3> q{};
        for (std::size_t k = 0; k < 3; ++k) q[k] = face_[f][k] == v ? target : p_[face_[f][k]];
        if (turned(face_normal(face_[f]), normal(q[0], q[1], q[2]))) return false;
      }
    }
    remove_face(f0);
    if (f1 != kNoIndex) remove_face(f1);
    for (const Index f : faces_of_[gone]) {
      std::replace(face_[f].begin(), face_[f].end(), gone, keep);
      faces_of_[keep].push_back(f);
    }
    faces_of_[gone].clear();
    p_[keep] = target;
    return true;
  }

  [[nodiscard]] int valence_error(Index v, int change) const {
    const int valence = static_cast<int>(faces_of_[v].size()) + change;
    return std::abs(valence - (border_[v] ? 3 : 6));
  }
  [[nodiscard]] static double angle(const Vec3d& at, const Vec3d& a, const Vec3d& b) {
    const Vec3d u = a - at, v = b - at;
    return std::atan2(length(cross(u, v)), dot(u, v));
  }

  void flip(bool delaunay) {
    for (const auto& [a, b] : edges()) {
      ask();
      const auto [f0, f1] = shared_faces(a, b);
      if (f1 == kNoIndex) continue;
      const Index c = opposite(face_[f0], a, b), d = opposite(face_[f1], a, b);
      if (c == d || (border_[c] && border_[d]) || connected(c, d)) continue;
      if (faces_of_[a].size() <= 4 - (border_[a] ? 2U : 0U) || faces_of_[b].size() <= 4 - (border_[b] ? 2U : 0U))
        continue;
      if (delaunay) {
        if (angle(p_[c], p_[a], p_[b]) + angle(p_[d], p_[a], p_[b]) < kPi + 1e-3) continue;
      } else {
        const int before = valence_error(a, 0) + valence_error(b, 0) + valence_error(c, 0) + valence_error(d, 0);
        const int after = valence_error(a, -1) + valence_error(b, -1) + valence_error(c, 1) + valence_error(d, 1);
        if (after >= before) continue;
      }
      // In f0 the edge runs either way; keep that orientation: (a, b, c) + (b, a, d) -> (a, d, c) + (d, b, c).
      const Triangle& t0 = face_[f0];
      bool forward = false;
      for (std::size_t k = 0; k < 3; ++k) forward = forward || (t0[k] == a && t0[(k + 1) % 3] == b);
      const Index s = forward ? a : b, e = forward ? b : a;
      const Triangle new0{s, d, c}, new1{d, e, c};
      const Vec3d n = face_normal(face_[f0]) + face_normal(face_[f1]);
      if (turned(n, face_normal(new0)) || turned(n, face_normal(new1))) continue;
      std::erase(faces_of_[e], f0);
      std::erase(faces_of_[s], f1);
      faces_of_[d].push_back(f0);
      faces_of_[c].push_back(f1);
      face_[f0] = new0;
      face_[f1] = new1;
    }
  }

  /// To the centre of the triangles around, weighted by their size relative to the wanted one; then onto the surface.
  void smooth() {
    std::vector<Vec3d> next = p_;
    parallel_for(context_, p_.size(), 128, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<Index>(i);
        if (faces_of_[v].empty()) continue;
        Vec3d sum{};
        double total = 0;
        for (const Index f : faces_of_[v]) {
          const Triangle& t = face_[f];
          if (border_[v]) {
            for (const Index n : t) {
              if (n == v || !border_[n] || shared_faces(v, n).second != kNoIndex) continue;
              sum += p_[n];
              total += 1;
            }
          } else {
            const double wanted = (length_[t[0]] + length_[t[1]] + length_[t[2]]) / 3;
            const double w = length(face_normal(t)) / (wanted * wanted);
            sum += (p_[t[0]] + p_[t[1]] + p_[t[2]]) * (w / 3);
            total += w;
          }
        }
        next[v] = options_.project(total > 0 ? sum / total : p_[v], border_[v]);
      }
    });
    p_ = std::move(next);
    update_lengths();
  }

  /// Flips never make an inner edge between border vertices, but a last collapse may have left one.
  void separate_borders() {
    const auto before = static_cast<Index>(p_.size());
    for (const auto& [a, b] : edges())
      if (border_[a] && border_[b] && shared_faces(a, b).second != kNoIndex) split(a, b);
    for (Index v = before; v < p_.size(); ++v) p_[v] = options_.project(p_[v], border_[v]);
  }

  SurfaceMesh compact() {
    SurfaceMesh mesh;
    std::vector<Index> number(p_.size(), kNoIndex);
    for (const Triangle& t : face_) {
      if (t[0] == t[1]) continue;
      Triangle out{};
      for (std::size_t k = 0; k < 3; ++k) {
        Index& n = number[t[k]];
        if (n == kNoIndex) {
          n = static_cast<Index>(mesh.positions.size());
          mesh.positions.push_back(p_[t[k]]);
        }
        out[k] = n;
      }
      mesh.triangles.push_back(out);
    }
    return mesh;
  }

  const RemeshOptions& options_;
  const Context& context_;
  std::size_t asked_ = 0;
  std::vector<Vec3d> p_;
  std::vector<Triangle> face_;
  std::vector<std::vector<Index>> faces_of_;
  std::vector<char> border_;
  std::vector<double> length_;
};

}  // namespace

SurfaceMesh remesh(SurfaceMesh mesh, const RemeshOptions& options, const Context& context) {
  return Remesher(std::move(mesh), options, context).run();
}

}  // namespace cutis
