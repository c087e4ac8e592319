// One tree per part, built at rest; each node carries three boxes: of the last mesh, of the end of the step (with
// pads), and of the path in the part's own frame. Seen from another part, a node's path lies in the union of its end
// box and its last box carried along: no refit per pair of parts. Pairs of triangles stand for the pairs of the
// elements that they own; those are tested by their own boxes, then by distance against motion. Pairs that share a
// vertex with a quiet star are passed over.
#include "contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

constexpr std::size_t kTasksPerChunk = 4;
// Node pairs with more triangles than this are split into tasks: enough tasks for all cores, little overhead.
constexpr std::uint32_t kTaskTriangles = 512;
constexpr std::size_t kPathsPerChunk = 4096;
// Of a float coordinate, with the error of a transform.
constexpr double kUlps = 8.0 / (1 << 24);
// Pairs of so many parts are all looked at; of more parts those that a sweep finds near each other.
constexpr std::size_t kFewParts = 256;
// Operations: pairs of nodes, of triangles, of elements. In tests of boxes, about.
constexpr std::uint64_t kNodeWork = 1, kTriangleWork = 2, kElementWork = 4;
// Elements farther apart than this at rest, in local edges, are not neighbours on one sheet.
constexpr double kSheetEdges = 1.5;

constexpr std::array<unsigned, 3> kNextCorner = {1, 2, 0};

// Bit l of entry m: edge l, from corner l to the next, ends at a corner whose bit is set in m.
constexpr std::array<unsigned, 8> kEdgesAt = {0b000, 0b101, 0b011, 0b111, 0b110, 0b111, 0b111, 0b111};
constexpr std::uint32_t kMaxLeaf = TriangleBvh::kLeafSize;
static_assert(kMaxLeaf == 4, "leaves are packed into FourBoxes");

std::array<std::uint32_t, 2> edge_of(const Triangle& t, unsigned k) { return {t[k], t[kNextCorner[k]]}; }

}  // namespace

// A triangle on its way, in one frame.
struct BroadPhase::Corners {
  FourBoxes vertex, edge;  // three each
  SpreadBox box;

  void set(const PathBox& a, const PathBox& b, const PathBox& c) {
    PathBox ab = a, bc = b, ca = c;
    ab.add(b);
    bc.add(c);
    ca.add(a);
    PathBox all = ab;
    all.add(c);
    vertex = four_boxes(a, b, c, {});
    edge = four_boxes(ab, bc, ca, {});
    box = spread(all);
  }
};

// The triangles of two leaves on their way, made when they are needed; the next pair mostly has one of them again.
struct BroadPhase::LeafScratch {
  struct Leaf {
    std::array<Corners, kMaxLeaf> triangles;
    std::uint32_t node = ~0U;
    unsigned made = 0;  // bit per triangle

    void open(std::uint32_t n) {
      if (n != node) made = 0;
      node = n;
    }
    template <class Box>
    const Corners& get(std::uint32_t i, Box&& box_of_corner) {
      Corners& c = triangles[i];
      if ((made >> i & 1U) == 0) {
        c.set(box_of_corner(0), box_of_corner(1), box_of_corner(2));
        made |= 1U << i;
      }
      return c;
    }
  };
  Leaf a, b;
};

BroadPhase::BroadPhase(const ContactSurface& surface) : surface_(surface), layout_(surface.layout()), quiet_(surface) {
  const std::size_t parts = surface.parts().size(), nodes = layout_.node_begin.back();
  for (auto* boxes : {&part_path_, &part_last_, &part_to_}) boxes->resize(parts);
  for (auto* boxes : {&node_path_, &node_last_, &node_to_}) boxes->resize(nodes);
  for (auto* boxes : {&corner_path_, &corner_to_}) boxes->resize(layout_.corner_vertex.size());
  corner_start_.resize(layout_.corner_vertex.size());
  leaf_path_.resize(layout_.leaves);
  leaf_flag_.resize(layout_.leaves);
  node_flag_.resize(nodes);
  part_flag_.resize(parts);
  part_fitted_.resize(parts);
}

// Boxes around whole parts: all of them for a new step, afterwards those with vertices that are searched for again.
void BroadPhase::enclose_parts(const StepPaths& paths, std::span<const char> flagged, bool fresh,
                               const Context& context) {
  if (fresh)
    rounding_ =
        kUlps * largest_of(context, paths.to.size(), kPathsPerChunk, 0.0, [&](std::size_t begin, std::size_t end) {
          double most = 0;
          for (std::size_t v = begin; v < end; ++v)
            for (int k = 0; k < 3; ++k)
              most = std::max({most, std::abs(paths.to[v][k]), std::abs(static_cast<double>(paths.last[v][k]))});
          return most;
        });
  parallel_for(context, surface_.parts().size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      char flag = 0;
      for (std::uint32_t c = layout_.corner_begin[p]; c < layout_.corner_begin[p + 1]; ++c)
        flag = static_cast<char>(flag | flagged[layout_.corner_vertex[c]]);
      part_flag_[p] = flag;
      if (!fresh && flag == 0) continue;
      PathBox start, end;
      for (std::uint32_t c = layout_.corner_begin[p]; c < layout_.corner_begin[p + 1]; ++c) {
        const std::uint32_t v = layout_.corner_vertex[c];
        const Vec3f& x = paths.last[v];
        corner_to_[c] = {};
        corner_to_[c].add(paths.to[v], paths.pad[v] + rounding_);
        start.add(x);
        end.add(corner_to_[c]);
      }
      part_last_[p] = start;
      part_to_[p] = end;
      part_path_[p] = in_frame(paths.frame[p], start, end);
      part_fitted_[p] = 0;
    }
  });
}

// The boxes of one part, from its corners up. Children come after their parents.
void BroadPhase::fit(const StepPaths& paths, std::span<const char> flagged, std::size_t p) {
  for (std::uint32_t c = layout_.corner_begin[p]; c < layout_.corner_begin[p + 1]; ++c) {
    corner_start_[c] = transform_point(paths.frame[p], static_cast<Vec3d>(paths.last[layout_.corner_vertex[c]]));
    corner_path_[c] = corner_to_[c];
    corner_path_[c].add(corner_start_[c], rounding_);
  }
  const auto nodes = surface_.parts()[p].tree.nodes();
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const TriangleBvh::Node& node = nodes[n];
    const std::size_t at = layout_.node_begin[p] + n;
    PathBox path, last, to;
    int flag = 0;
    if (node.is_leaf()) {
      std::array<PathBox, kMaxLeaf> own;
      for (std::uint32_t i = 0; i < node.end - node.begin; ++i) {
        int own_flag = 0;
        for (const std::uint32_t c : layout_.slot_corner[layout_.slot_begin[p] + node.begin + i]) {
          const std::uint32_t v = layout_.corner_vertex[c];
          own[i].add(corner_path_[c]);
          last.add(paths.last[v]);
          to.add(corner_to_[c]);
          own_flag |= flagged[v];
        }
        path.add(own[i]);
        flag |= own_flag != 0 ? 1 << i : 0;
      }
      leaf_path_[layout_.node_leaf[at]] = four_boxes(own[0], own[1], own[2], own[3]);
      leaf_flag_[layout_.node_leaf[at]] = static_cast<char>(flag);
    } else {
      for (const std::size_t child : {at + 1, static_cast<std::size_t>(layout_.node_begin[p] + node.right)}) {
        path.add(node_path_[child]);
        last.add(node_last_[child]);
        to.add(node_to_[child]);
        flag |= node_flag_[child];
      }
    }
    node_path_[at] = path;
    node_last_[at] = last;
    node_to_[at] = to;
    node_flag_[at] = static_cast<char>(flag);
  }
  part_fitted_[p] = 1;
}

// Around the way from the last box, carried along by the frame, to the box at the end.
PathBox BroadPhase::in_frame(const Affine3d& frame, const PathBox& last, const PathBox& to) const {
  const Vec3d lo{last.lo[0], last.lo[1], last.lo[2]}, hi{last.hi[0], last.hi[1], last.hi[2]};
  const Vec3d c = transform_point(frame, (lo + hi) * 0.5), h = (hi - lo) * 0.5;
  Vec3d r;
  for (int k = 0; k < 3; ++k)
    r[k] = std::abs(frame.linear.col[0][k]) * h.x + std::abs(frame.linear.col[1][k]) * h.y +
           std::abs(frame.linear.col[2][k]) * h.z + rounding_;
  PathBox box = to;
  box.add(c - r, 0);
  box.add(c + r, 0);
  return box;
}

// Whether the two motions differ anywhere on either part by more than rounding.
bool BroadPhase::moves_relative(const StepPaths& paths, std::uint32_t a, std::uint32_t b) const {
  const Affine3d &fa = paths.frame[a], &fb = paths.frame[b];
  if (fa == fb) return false;
  for (const std::uint32_t p : {a, b}) {
    const PathBox& box = part_last_[p];
    for (unsigned corner = 0; corner < 8; ++corner) {
      const Vec3d x{((corner & 1U) != 0 ? box.hi : box.lo)[0], ((corner & 2U) != 0 ? box.hi : box.lo)[1],
                    ((corner & 4U) != 0 ? box.hi : box.lo)[2]};
      if (distance(transform_point(fa, x), transform_point(fb, x)) > rounding_) return true;
    }
  }
  return false;
}

// Pairs of parts by their boxes; only parts that come near another one, or have flagged vertices, get boxes inside.
bool BroadPhase::plan(const StepPaths& paths, std::span<const char> flagged, bool all_relative,
                      std::span<const char> released, WorkMeter* meter, const Context& context) {
  whole_.clear();
  to_be_fitted_.clear();
  const auto parts = surface_.parts();
  const auto add = [&](const Task& task) {
    whole_.push_back(task);
    for (const std::uint32_t p : {task.part_a, task.part_b}) {
      if (part_fitted_[p] != 0) continue;
      part_fitted_[p] = 1;
      to_be_fitted_.push_back(p);
    }
  };
  const auto consider = [&](std::uint32_t p, std::uint32_t q) {
    if (parts[q].tree.empty() || (!released.empty() && released[p * parts.size() + q] != 0)) return;
    const bool flag = part_flag_[p] != 0 || part_flag_[q] != 0;
    if (!all_relative && !flag) return;
    const bool q_thicker = parts[q].thickness > parts[p].thickness;
    const std::uint32_t a = q_thicker ? p : q, b = q_thicker ? q : p;
    if (!overlap(in_frame(paths.frame[b], part_last_[a], part_to_[a]), part_path_[b])) return;
    const bool all = all_relative && moves_relative(paths, p, q);
    if (all || flag) add({a, 0, b, 0, all});
  };
  const bool few = parts.size() <= kFewParts;
  WorkCount work(meter);
  if (!few && !find_near_parts(paths, work)) return false;
  std::size_t near = 0;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[p].tree.empty()) continue;
    if (part_flag_[p] != 0 && (released.empty() || released[p * parts.size() + p] == 0)) add({p, 0, p, 0, false});
    if (!work.spend(kNodeWork)) return false;
    for (std::uint32_t q = p + 1; few && q < parts.size(); ++q) consider(p, q);
    for (; !few && near < near_parts_.size() && near_parts_[near][0] == p; ++near) {
      if (!work.spend(kNodeWork)) return false;
      consider(p, near_parts_[near][1]);
    }
  }
  parallel_for(context, to_be_fitted_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fit(paths, flagged, to_be_fitted_[i]);
  });
  tasks_.clear();
  for (const Task& task : whole_) {
    expand(paths, task, work);
    if (meter != nullptr && meter->stopped()) return false;
  }
  return true;
}

// Part a's way seen from part b ends where it ends, and begins where b's motion takes a: no farther from where the main
// part's motion takes it than the two motions differ anywhere on the mesh. So a's way seen from the main part overlaps
// b's own, widened by that, wherever the two could overlap; a sweep along x finds those.
bool BroadPhase::find_near_parts(const StepPaths& paths, WorkCount& work) {
  const auto parts = surface_.parts();
  const Affine3d& main = paths.frame[surface_.main_part()];
  PathBox all;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (!parts[p].tree.empty()) all.add(part_last_[p]);
  const Vec3d lo{all.lo[0], all.lo[1], all.lo[2]}, hi{all.hi[0], all.hi[1], all.hi[2]};
  const Vec3d middle = (lo + hi) * 0.5;
  const double radius = distance(lo, hi) * 0.5;
  swept_.resize(parts.size());
  reaching_.resize(parts.size());
  by_x_.clear();
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[p].tree.empty()) continue;
    by_x_.push_back(p);
    swept_[p] = in_frame(main, part_last_[p], part_to_[p]);
    const Affine3d& own = paths.frame[p];
    const double differ = frobenius(own.linear + main.linear * -1.0) * radius +
                          distance(transform_point(own, middle), transform_point(main, middle));
    const auto pad = static_cast<float>(differ + 2 * rounding_);
    reaching_[p] = part_path_[p];
    reaching_[p].lo = reaching_[p].lo - Float4(pad, pad, pad, 0);
    reaching_[p].hi = reaching_[p].hi + Float4(pad, pad, pad, 0);
  }
  // Both boxes of a part: a pair may be seen from either.
  const auto from = [&](std::uint32_t p) { return std::min(swept_[p].lo[0], reaching_[p].lo[0]); };
  const auto to = [&](std::uint32_t p) { return std::max(swept_[p].hi[0], reaching_[p].hi[0]); };
  std::ranges::sort(by_x_,
                    [&](std::uint32_t p, std::uint32_t q) { return from(p) != from(q) ? from(p) < from(q) : p < q; });
  near_parts_.clear();
  for (std::size_t i = 0; i < by_x_.size(); ++i) {
    const std::uint32_t p = by_x_[i];
    for (std::size_t j = i + 1; j < by_x_.size() && from(by_x_[j]) <= to(p); ++j) {
      const std::uint32_t q = by_x_[j];
      if (!work.spend(kNodeWork)) return false;
      if (overlap(swept_[p], reaching_[q]) || overlap(swept_[q], reaching_[p]))
        near_parts_.push_back({std::min(p, q), std::max(p, q)});
    }
  }
  std::ranges::sort(near_parts_);
  return true;
}

// Splits a pair of nodes into tasks of bounded size.
bool BroadPhase::may_meet(const StepPaths& paths, const Task& task) const {
  const std::size_t a = layout_.node_begin[task.part_a] + task.node_a,
                    b = layout_.node_begin[task.part_b] + task.node_b;
  if (!task.all && !flagged_node(task.part_a, a) && !flagged_node(task.part_b, b)) return false;
  if (task.part_a == task.part_b) return overlap(node_path_[a], node_path_[b]);
  // Where the ends of the way meet, the way does: most pairs that are gone into need not be carried along.
  return overlap(node_to_[a], node_path_[b]) ||
         overlap(in_frame(paths.frame[task.part_b], node_last_[a], node_to_[a]), node_path_[b]);
}

void BroadPhase::expand(const StepPaths& paths, Task task, WorkCount& work) {
  if (!work.spend(kNodeWork) || !may_meet(paths, task)) return;
  const auto nodes_a = surface_.parts()[task.part_a].tree.nodes(), nodes_b = surface_.parts()[task.part_b].tree.nodes();
  const TriangleBvh::Node &na = nodes_a[task.node_a], &nb = nodes_b[task.node_b];
  const std::uint32_t size_a = na.end - na.begin, size_b = nb.end - nb.begin;
  if (size_a + size_b <= kTaskTriangles || (na.is_leaf() && nb.is_leaf())) {
    tasks_.push_back(task);
    return;
  }
  const NodePairs below = pairs_below(nodes_a, nodes_b, task.node_a, task.node_b, task.part_a == task.part_b);
  for (std::size_t k = 0; k < below.count; ++k)
    expand(paths, {task.part_a, below.of[k][0], task.part_b, below.of[k][1], task.all}, work);
}

void BroadPhase::run(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                     const Task& task, std::vector<CandidatePair>& out) const {
  LeafScratch scratch;
  WorkCount work(options.meter);
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return Task{task.part_a, i, task.part_b, j, task.all}; };
  visit_pairs(
      surface_.parts()[task.part_a].tree.nodes(), surface_.parts()[task.part_b].tree.nodes(),
      {task.node_a, task.node_b}, task.part_a == task.part_b, [&] { return work.spend(kNodeWork); },
      [&](std::uint32_t i, std::uint32_t j) { return may_meet(paths, at(i, j)); },
      [&](std::uint32_t i, std::uint32_t j) { test_leaves(paths, flagged, options, at(i, j), scratch, work, out); });
}

// Of the triangles of a leaf, those that share a vertex with `t` whose star is quiet. Bit i: the one in lane i.
unsigned BroadPhase::in_quiet_stars(const Triangle& t, std::size_t leaf) const {
  Mask4 shared{};
  for (const std::uint32_t v : t) {
    if (!quiet_.is_quiet(v)) continue;
    const auto w = static_cast<std::int32_t>(v);
    const Int4::Lanes same{w, w, w, w};
    for (const Int4& corner : layout_.leaf_vertex[leaf]) shared.v |= corner.v == same;
  }
  return bits(shared);
}

void BroadPhase::test_leaves(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                             const Task& task, LeafScratch& scratch, WorkCount& work,
                             std::vector<CandidatePair>& out) const {
  const TriangleBvh &tree_a = surface_.parts()[task.part_a].tree, &tree_b = surface_.parts()[task.part_b].tree;
  const TriangleBvh::Node &na = tree_a.nodes()[task.node_a], &nb = tree_b.nodes()[task.node_b];
  const bool self = task.part_a == task.part_b, same_leaf = self && task.node_a == task.node_b;
  const Affine3d& frame = paths.frame[task.part_b];
  const auto triangles = surface_.triangles();
  const auto rest = surface_.rest();
  const auto edge_length = surface_.edge_length(), grain = surface_.grain();

  // on_a: bit k is set where point k is a's; c: corners.
  const auto emit = [&](ElementPair kind, const std::array<std::uint32_t, 4>& v, const std::array<std::uint32_t, 4>& c,
                        unsigned on_a) {
    if (!task.all && (flagged[v[0]] | flagged[v[1]] | flagged[v[2]] | flagged[v[3]]) == 0) return;
    (void)work.spend(kElementWork);
    FourPoints x0, x1;
    std::array<float, 4> pad;
    for (std::size_t k = 0; k < 4; ++k) {
      x0[k] = !self && (on_a >> k & 1U) != 0 ? transform_point(frame, static_cast<Vec3d>(paths.last[v[k]]))
                                             : corner_start_[c[k]];
      x1[k] = paths.to[v[k]];
      pad[k] = paths.pad[v[k]];
    }
    const double reach = motion_bound(kind, x0, x1) + (kind == ElementPair::vertex_face
                                                           ? pad[0] + std::max({pad[1], pad[2], pad[3]})
                                                           : std::max(pad[0], pad[1]) + std::max(pad[2], pad[3]));
    const double distance = separation(kind, x0).distance;
    if (distance >= reach || surface_.excluded(kind, v)) return;
    FourPoints r;
    double h = std::numeric_limits<double>::infinity(), longest = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      r[k] = static_cast<Vec3d>(rest[v[k]]);
      h = std::min<double>(h, grain[v[k]]);
      longest = std::max<double>(longest, edge_length[v[k]]);
    }
    const double at_rest = separation(kind, r).distance;
    CandidatePair pair;
    pair.vertex = v;
    pair.frame = task.part_b;
    pair.other_part = task.part_a;
    pair.kind = kind;
    pair.sheet = at_rest < kSheetEdges * longest && surface_.neighbours(kind, v);
    pair.distance = static_cast<float>(distance);
    pair.gap = static_cast<float>(std::min(options.gap_edges * h, 0.5 * at_rest));
    out.push_back(pair);
  };
  struct Side {
    const Triangle& vertex;
    const std::array<std::uint32_t, 3>& corner;
    const Corners& boxes;
    ContactSurface::Ownership owns;
  };
  // Bit k of `which`: vertex k of s.
  const auto vertices_against_face = [&](const Side& s, const Side& t, unsigned which, unsigned on_a) {
    for (; which != 0; which &= which - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(which));
      emit(ElementPair::vertex_face, {s.vertex[k], t.vertex[0], t.vertex[1], t.vertex[2]},
           {s.corner[k], t.corner[0], t.corner[1], t.corner[2]}, on_a);
    }
  };
  const auto edge_against_edges = [&](const Side& s, unsigned k, const Side& t, unsigned which) {
    for (; which != 0; which &= which - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(which));
      const auto [a0, a1] = edge_of(s.vertex, k);
      const auto [b0, b1] = edge_of(t.vertex, l);
      emit(ElementPair::edge_edge, {a0, a1, b0, b1},
           {s.corner[k], s.corner[kNextCorner[k]], t.corner[l], t.corner[kNextCorner[l]]}, 0b0011U);
    }
  };
  const auto test = [&](const Side& s, const Side& t) {
    // Row k: which vertices of t are vertex k of s. Elements with a common vertex are no pair.
    std::array<unsigned, 3> same{};
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned l = 0; l < 3; ++l) same[k] |= (s.vertex[k] == t.vertex[l] ? 1U : 0U) << l;
    const unsigned shared_t = same[0] | same[1] | same[2];
    const unsigned shared_s = (same[0] != 0 ? 1U : 0U) | (same[1] != 0 ? 2U : 0U) | (same[2] != 0 ? 4U : 0U);
    vertices_against_face(s, t, overlapping(s.boxes.vertex, t.boxes.box) & s.owns.vertices & ~shared_s, 0b0001U);
    vertices_against_face(t, s, overlapping(t.boxes.vertex, s.boxes.box) & t.owns.vertices & ~shared_t, 0b1110U);
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned apart = ~kEdgesAt[same[k] | same[kNextCorner[k]]] & t.owns.edges;
      if ((s.owns.edges >> k & 1U) == 0 || apart == 0) continue;
      edge_against_edges(s, k, t, overlapping(t.boxes.edge, spread(s.boxes.edge, static_cast<int>(k))) & apart);
    }
  };

  scratch.a.open(task.node_a);
  scratch.b.open(task.node_b);
  const auto slots_a = layout_.slot_begin[task.part_a] + na.begin, slots_b = layout_.slot_begin[task.part_b] + nb.begin;
  const std::size_t leaf_a = layout_.node_leaf[layout_.node_begin[task.part_a] + task.node_a],
                    leaf_b = layout_.node_leaf[layout_.node_begin[task.part_b] + task.node_b];
  const unsigned flags_a = part_flag_[task.part_a] != 0 ? static_cast<unsigned>(leaf_flag_[leaf_a]) : 0,
                 flags_b = part_flag_[task.part_b] != 0 ? static_cast<unsigned>(leaf_flag_[leaf_b]) : 0;
  for (std::uint32_t i = 0; i < na.end - na.begin; ++i) {
    const std::size_t slot_a = slots_a + i;
    const Triangle& s = triangles[layout_.slot_triangle[slot_a]];
    const auto corners_a = [&]() -> const Corners& {
      return scratch.a.get(i, [&](unsigned k) {
        const std::uint32_t c = layout_.slot_corner[slot_a][k];
        if (self) return corner_path_[c];
        PathBox box = corner_to_[c];
        box.add(transform_point(frame, static_cast<Vec3d>(paths.last[s[k]])), rounding_);
        return box;
      });
    };
    unsigned near =
        overlapping(leaf_path_[leaf_b], self ? spread(leaf_path_[leaf_a], static_cast<int>(i)) : corners_a().box);
    if (same_leaf) near &= ~0U << (i + 1);
    if (!task.all && (flags_a >> i & 1U) == 0) near &= flags_b;
    if (self && near != 0) near &= ~in_quiet_stars(s, leaf_b);
    for (; near != 0; near &= near - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(near));
      (void)work.spend(kTriangleWork);
      const std::size_t slot_b = slots_b + j;
      const auto corner_b = [&](unsigned k) { return corner_path_[layout_.slot_corner[slot_b][k]]; };
      test({s, layout_.slot_corner[slot_a], corners_a(), surface_.ownership()[layout_.slot_triangle[slot_a]]},
           {triangles[layout_.slot_triangle[slot_b]], layout_.slot_corner[slot_b], scratch.b.get(j, corner_b),
            surface_.ownership()[layout_.slot_triangle[slot_b]]});
    }
  }
}

bool BroadPhase::collect(const StepPaths& paths, std::span<const char> flagged, bool all_relative,
                         std::span<const char> released, const BroadPhaseOptions& options,
                         std::vector<CandidatePair>& pairs, const Context& context) {
  enclose_parts(paths, flagged, all_relative, context);
  if (all_relative)
    quiet_.update(paths.last, paths.to, paths.pad, paths.frame, part_flag_, rounding_, context);
  else
    quiet_.clear();  // vertices have moved on
  if (!plan(paths, flagged, all_relative, released, options.meter, context)) return false;
  const std::size_t chunks = (tasks_.size() + kTasksPerChunk - 1) / kTasksPerChunk;
  if (found_.size() < chunks) found_.resize(chunks);
  std::atomic<bool> too_many = false;
  parallel_for(context, tasks_.size(), kTasksPerChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<CandidatePair>& out = found_[begin / kTasksPerChunk];
    out.clear();
    for (std::size_t i = begin; i < end && out.size() <= options.max_pairs; ++i) {
      if (options.meter != nullptr && options.meter->stopped()) return;
      run(paths, flagged, options, tasks_[i], out);
    }
    if (out.size() > options.max_pairs) too_many = true;
  });
  if (too_many || (options.meter != nullptr && options.meter->stopped())) return false;
  std::size_t total = pairs.size();
  for (std::size_t c = 0; c < chunks; ++c) total += found_[c].size();
  if (total > options.max_pairs) return false;
  pairs.reserve(total);
  for (std::size_t c = 0; c < chunks; ++c) pairs.insert(pairs.end(), found_[c].begin(), found_[c].end());
  return true;
}

}  // namespace cutis
