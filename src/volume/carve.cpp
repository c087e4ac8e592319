#include "volume/carve.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/tree.h"
#include "cutis/error.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

constexpr int kShakeRounds = 4, kCoverRounds = 12;
/// How far an edge may pass outside, in its lengths: over a hollow along one limb; where limbs fork; between limbs.
constexpr double kHollow = 0.3, kFork = 0.15, kGap = 0.05;
/// The same for tetrahedra that are added to cover something: they are small, and near the skin.
constexpr double kCoverFactor = 1.3, kWidest = 2.5;
/// The middle of a tetrahedron at the skin may be outside by this share of the edges there: the cage stands off.
constexpr double kLens = 0.25;
/// Tetrahedra that are looked at for a way from a lost one to the body.
constexpr std::size_t kLongestWay = 60;

constexpr std::size_t kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32U | std::max(a, b);
}

Tetrahedron sorted(Tetrahedron t) {
  std::sort(t.begin(), t.end());
  return t;
}

int nearest_bone(const DrivenSkeleton& skeleton, const Vec3d& p) {
  int bone = 0;
  double least = 1e300;
  for (const DrivenSegment& s : skeleton.segments)
    if (const double d = distance_to_segments({&s, 1}, p); d < least) least = d, bone = s.bone;
  return bone;
}

}  // namespace

std::size_t Carver::KeyHash::operator()(const Tetrahedron& t) const {
  return static_cast<std::size_t>(hash_span(std::span<const std::uint32_t>(t), kHashSeed));
}

Carver::Carver(const Solid& solid, const DrivenSkeleton& skeleton, ControlPoints& points, const Context& context)
    : solid_(solid), skeleton_(skeleton), points_(points), context_(context) {
  const std::vector<Vec3d> normals = area_weighted_normals(solid.positions(), solid.triangles());
  for (std::size_t v = 0; v < normals.size(); ++v) {
    if (normals[v] == Vec3d{}) continue;
    skin_.push_back(static_cast<Vec3d>(solid.positions()[v]));
    skin_normal_.push_back(normals[v]);
  }
}

/// How far outside an edge between parts of two bones may pass, in its lengths.
double Carver::hollow_between(int a, int b) const {
  if (hangs_on(skeleton_.bones, a, b) || hangs_on(skeleton_.bones, b, a)) return kHollow;
  const bool siblings =
      skeleton_.bones[static_cast<std::size_t>(a)].parent == skeleton_.bones[static_cast<std::size_t>(b)].parent;
  return siblings ? kFork : kGap;
}

double Carver::height_of(const Vec3d& p) const {
  return solid_.contains(p) ? 0.0 : solid_.closest().nearest(p).distance;
}

/// How far the edge passes outside, in what it may; 0: no farther than it may.
float Carver::openness(std::uint32_t a, std::uint32_t b) const {
  const double may = hollow_between(bone_[a], bone_[b]) * distance(points_.at[a], points_.at[b]);
  double widest = 0;
  for (const double share : {0.5, 0.25, 0.75}) {
    const Vec3d p = lerp(points_.at[a], points_.at[b], share);
    // Points of the cage stand off the skin: that much of it is theirs.
    const double out = solid_.closest().nearest(p).distance - std::lerp(height_[a], height_[b], share);
    if (out > widest * may && out > may && !solid_.contains(p)) widest = out / may;
    if (widest > kWidest) break;
  }
  return static_cast<float>(widest);
}

void Carver::judge_edges(std::span<const std::uint32_t> fresh) {
  std::vector<std::uint64_t> edges;
  for (const std::uint32_t i : fresh)
    for (const auto& e : kEdges)
      if (const std::uint64_t key = edge_key(all_[i][e[0]], all_[i][e[1]]); !open_edge_.contains(key))
        edges.push_back(key);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<float> open(edges.size());
  parallel_for(context_, edges.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      open[i] = openness(static_cast<std::uint32_t>(edges[i] >> 32U), static_cast<std::uint32_t>(edges[i]));
  });
  for (std::size_t i = 0; i < edges.size(); ++i) open_edge_.emplace(edges[i], open[i]);
}

/// Inside by its middle, and no edge that leads through the open: that would weld neighbouring fingers.
/// Within one part an edge may pass over a hollow of the skin.
Carver::Verdict Carver::judge(const Tetrahedron& t) const {
  Verdict verdict;
  double shortest = 1e300;
  float widest = 0;
  for (const auto& e : kEdges) {
    const double may = hollow_between(bone_[t[e[0]]], bone_[t[e[1]]]);
    verdict.between_parts = verdict.between_parts || may < kHollow;
    shortest = std::min(shortest, distance(points_.at[t[e[0]]], points_.at[t[e[1]]]));
    widest = std::max(widest, open_edge_.at(edge_key(t[e[0]], t[e[1]])));
  }
  verdict.open = widest;
  verdict.inside = widest <= 1;
  if (!verdict.inside) return verdict;
  Vec3d middle;
  for (const std::uint32_t v : t) middle += points_.at[v] * 0.25;
  // A hollow that is shallow beside its tetrahedron, or the layer between skin and cage.
  if (!solid_.contains(middle))
    verdict.inside = !verdict.between_parts && solid_.closest().nearest(middle).distance <= kLens * shortest;
  return verdict;
}

/// Sharp corners of coarse meshes need tetrahedra that are mostly outside; these are taken when nothing else helped.
bool Carver::may_cover(const Verdict& verdict, int round) const {
  const double patience = verdict.between_parts ? 0 : std::max(0, round - kCoverRounds / 2);
  return verdict.open <= std::min(kCoverFactor + 0.3 * patience, kWidest);
}

void Carver::mesh() {
  while (bone_.size() < points_.at.size()) {
    const Vec3d& p = points_.at[bone_.size()];
    bone_.push_back(nearest_bone(skeleton_, p));
    height_.push_back(height_of(p));
  }
  all_ = delaunay_tetrahedra(points_.at);
  verdict_.assign(all_.size(), {});
  std::vector<std::uint32_t> fresh;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    const auto found = known_.find(sorted(all_[i]));
    if (found == known_.end()) {
      fresh.push_back(i);
    } else {
      verdict_[i] = found->second;
    }
  }
  judge_edges(fresh);
  parallel_for(context_, fresh.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) verdict_[fresh[i]] = judge(all_[fresh[i]]);
  });
  for (const std::uint32_t i : fresh) known_.emplace(sorted(all_[i]), verdict_[i]);
  keep_.assign(all_.size(), 0);
  needed_.assign(all_.size(), 0);
  for (std::size_t i = 0; i < all_.size(); ++i) keep_[i] = verdict_[i].inside;
}

void Carver::forget(std::uint32_t point) {
  std::erase_if(known_, [&](const auto& entry) {
    return std::find(entry.first.begin(), entry.first.end(), point) != entry.first.end();
  });
  std::erase_if(open_edge_, [&](const auto& entry) {
    return static_cast<std::uint32_t>(entry.first) == point || static_cast<std::uint32_t>(entry.first >> 32U) == point;
  });
  bone_[point] = nearest_bone(skeleton_, points_.at[point]);
  height_[point] = height_of(points_.at[point]);
}

/// Free points of slivers are shaken; the next Delaunay meshing has other neighbours.
bool Carver::shake(int round) {
  std::vector<std::uint32_t> bad;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (keep_[i] && tetrahedron_quality(points_.at, all_[i]) < 2.5 * kSliver)
      for (const std::uint32_t v : all_[i])
        if (points_.role[v] == ControlPoints::Role::free) bad.push_back(v);
  std::sort(bad.begin(), bad.end());
  bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
  for (const std::uint32_t v : bad) {
    points_.move(v, points_.at[v] + noise(v * 7919ULL + static_cast<std::uint64_t>(round)) *
                                        (0.12 * points_.edge_length(points_.at[v])));
    forget(v);
  }
  return !bad.empty();
}

/// Slivers at the surface are peeled off, unless they hold a vertex of the mesh: the face behind is as good a skin.
void Carver::peel() {
  const std::vector<std::int64_t> neighbours = face_neighbours(all_);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!keep_[i] || needed_[i] || tetrahedron_quality(points_.at, all_[i]) >= 2 * kSliver) continue;
      for (std::size_t f = 0; f < 4; ++f) {
        const std::int64_t other = neighbours[4 * i + f];
        if (other >= 0 && keep_[static_cast<std::size_t>(other)]) continue;
        keep_[i] = 0;
        changed = true;
        break;
      }
    }
  }
}

/// What hangs on the body by less than a face falls off.
void Carver::keep_one_piece() {
  std::vector<Tetrahedron> kept;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (keep_[i]) kept.push_back(all_[i]);
  const std::vector<Tetrahedron> body = largest_piece(kept, pieces_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (keep_[i]) {
      keep_[i] = next < body.size() && body[next] == all_[i];
      next += keep_[i] ? 1U : 0U;
    }
}

/// Adds a tetrahedron to the body, with those on the way to it; false when there is no short way without welding.
bool Carver::join(std::size_t tetrahedron, std::span<const std::int64_t> neighbours, int round) {
  std::vector<std::size_t> queue{tetrahedron}, from{0};
  for (std::size_t at = 0; at < queue.size() && queue.size() < kLongestWay; ++at) {
    const std::size_t i = queue[at];
    if (keep_[i]) {
      for (std::size_t k = at; k != 0; k = from[k]) keep_[queue[k]] = needed_[queue[k]] = 1;
      keep_[tetrahedron] = needed_[tetrahedron] = 1;
      return true;
    }
    if (!may_cover(verdict_[i], round)) continue;
    for (std::size_t f = 0; f < 4; ++f) {
      const std::int64_t other = neighbours[4 * i + f];
      if (other < 0 || std::find(queue.begin(), queue.end(), static_cast<std::size_t>(other)) != queue.end()) continue;
      queue.push_back(static_cast<std::size_t>(other));
      from.push_back(at);
    }
  }
  return false;
}

/// Adds tetrahedra around vertices of the mesh that are outside, and points where these would weld. Returns how many
/// points were added or moved.
std::size_t Carver::cover_round(int round) {
  std::vector<Tetrahedron> kept;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (keep_[i]) kept.push_back(all_[i]);
  const std::vector<Outside> out = find_outside(points_.at, boundary_of(kept), skin_, context_);
  std::vector<std::size_t> open;
  for (std::size_t v = 0; v < out.size(); ++v)
    if (out[v].by > 0) open.push_back(v);
  // The tetrahedron around each of them: a look at all, by their boxes.
  std::vector<std::int64_t> around(open.size(), -1);
  std::vector<Box> boxes(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i)
    for (const std::uint32_t v : all_[i]) boxes[i].add(points_.at[v]);
  parallel_for(context_, open.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Vec3d& p = skin_[open[k]];
      double best = -1e-9;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const Box& b = boxes[i];
        if (keep_[i] || p.x < b.lo.x || p.y < b.lo.y || p.z < b.lo.z || p.x > b.hi.x || p.y > b.hi.y || p.z > b.hi.z)
          continue;
        const Vec3d &a0 = points_.at[all_[i][0]], &a1 = points_.at[all_[i][1]], &a2 = points_.at[all_[i][2]],
                    &a3 = points_.at[all_[i][3]];
        const double whole = six_volumes(a0, a1, a2, a3);
        const double least = std::min({six_volumes(p, a1, a2, a3), six_volumes(a0, p, a2, a3),
                                       six_volumes(a0, a1, p, a3), six_volumes(a0, a1, a2, p)}) /
                             whole;
        if (least > best) best = least, around[k] = static_cast<std::int64_t>(i);
      }
    }
  });
  const std::vector<std::int64_t> neighbours = face_neighbours(all_);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < open.size(); ++k)
    if (around[k] < 0 || !join(static_cast<std::size_t>(around[k]), neighbours, round)) order.push_back(k);
  if (round + 1 >= kCoverRounds || order.empty()) return 0;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return out[open[a]].by != out[open[b]].by ? out[open[a]].by > out[open[b]].by : a < b;
  });
  // The farthest out first; what is near one that was dealt with waits for the next round.
  std::size_t count = 0;
  PointGrid dealt_with(points_.edge_length(skin_.front()));
  moved_.resize(points_.at.size(), 0);
  for (const std::size_t k : order) {
    const Vec3d& p = skin_[open[k]];
    // Along the mesh's normal as a rule; at sharp corners that may lead past: then the way it sticks out.
    const Vec3d n = round % 2 == 0 || out[open[k]].away == Vec3d{} ? skin_normal_[open[k]] : out[open[k]].away;
    const double local = points_.edge_length(p);
    if (dealt_with.any_within(p, 0.5 * local)) continue;
    dealt_with.add(p);
    // Where folds of the mesh touch there is no room at all: a little is taken.
    const auto growth = [&](const Vec3d& from, double most) {
      return std::max(room_to_grow(solid_, from, n, most), 0.2 * most);
    };
    const Vec3d wanted = p + n * growth(p, kGrowth * local);
    std::int64_t near = -1;
    for (std::uint32_t v = 0; v < points_.at.size(); ++v)
      if (near < 0 || distance(points_.at[v], wanted) < distance(points_.at[static_cast<std::size_t>(near)], wanted))
        near = v;
    const auto v = static_cast<std::uint32_t>(near);
    const double apart = distance(points_.at[v], wanted);
    if (apart < 0.3 * local && points_.role[v] == ControlPoints::Role::cage && !moved_[v]) {
      points_.move(v, wanted);
      moved_[v] = 1;
      forget(v);
      ++count;
    } else if (apart > 0.03 * local) {
      (void)points_.add(wanted, ControlPoints::Role::cage);
      moved_.push_back(1);
      ++count;
    }
  }
  return count;
}

std::vector<Tetrahedron> Carver::run(bool cover) {
  for (int round = 0;; ++round) {
    mesh();
    if (round == kShakeRounds || !shake(round)) break;
  }
  for (int round = 0;; ++round) {
    peel();
    keep_one_piece();
    if (!cover) break;
    if (cover_round(round) == 0) break;
    mesh();
  }
  keep_one_piece();
  std::vector<Tetrahedron> body;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (keep_[i]) body.push_back(all_[i]);
  if (body.empty()) throw Error(ErrorCode::bad_character, "control mesh", "no volume is inside the mesh");
  return body;
}

}  // namespace cutis
