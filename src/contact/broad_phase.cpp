// One tree per part, built at rest; each node carries three boxes: of the last mesh, of the end of the step (with
// pads), and of the path in the part's own frame. Seen from another part, a node's path lies in the union of its end
// box and its last box carried along: no refit per pair of parts. Pairs of triangles stand for the pairs of the
// elements that they own; those are tested by their own boxes, then by distance against motion.
#include "contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/predicates.h"
#include "geometry/tri_tri.h"

namespace cutis {
namespace {

constexpr std::size_t kTasksPerChunk = 4;
// Node pairs with more triangles than this are split into tasks: enough tasks for all cores, little overhead.
constexpr std::uint32_t kTaskTriangles = 512;
constexpr std::size_t kSlotsPerChunk = 2048, kVerticesPerChunk = 4096;
// Of a float coordinate, with the error of a transform.
constexpr double kUlps = 8.0 / (1 << 24);
// Elements farther apart than this at rest, in local edges, are not neighbours on one sheet.
constexpr double kSheetEdges = 1.5;

// Of a leaf (the tree's leaf size is 4).
constexpr std::size_t kMaxLeaf = 8;
constexpr std::array<unsigned, 3> kNextCorner = {1, 2, 0};

std::array<std::uint32_t, 2> edge_of(const Triangle& t, unsigned k) { return {t[k], t[kNextCorner[k]]}; }

}  // namespace

// A triangle on its way, in one frame.
struct BroadPhase::Corners {
  std::array<PathBox, 3> vertex, edge;
  PathBox box;

  void join() {
    for (unsigned k = 0; k < 3; ++k) {
      edge[k] = vertex[k];
      edge[k].add(vertex[kNextCorner[k]]);
    }
    box = edge[0];
    box.add(vertex[2]);
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
        for (unsigned k = 0; k < 3; ++k) c.vertex[k] = box_of_corner(k);
        c.join();
        made |= 1U << i;
      }
      return c;
    }
  };
  Leaf a, b;
};

BroadPhase::BroadPhase(const ContactSurface& surface) : surface_(surface) {
  std::uint32_t nodes = 0, slots = 0;
  for (const ContactSurface::Part& part : surface.parts()) {
    node_begin_.push_back(nodes);
    slot_begin_.push_back(slots);
    nodes += static_cast<std::uint32_t>(part.tree.nodes().size());
    const std::uint32_t own = part.tree.empty() ? 0 : part.tree.nodes()[0].end;
    for (std::uint32_t slot = 0; slot < own; ++slot) slot_triangle_.push_back(part.tree.triangle(slot));
    slots += own;
  }
  node_begin_.push_back(nodes);
  slot_begin_.push_back(slots);
  own_.resize(nodes);
  last_.resize(nodes);
  to_.resize(nodes);
  node_flag_.resize(nodes);
  slot_own_.resize(slots);
  slot_flag_.resize(slots);
  part_flag_.resize(surface.parts().size());
  const std::size_t n = surface.vertex_count();
  corner_.resize(slots);
  for (std::size_t s = 0; s < slots; ++s) {
    const std::uint32_t p = surface.triangle_part()[slot_triangle_[s]];
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint32_t v = surface.triangles()[slot_triangle_[s]][k];
      corner_[s][k] = v;
      if (surface.part()[v] == p) continue;
      corner_[s][k] = static_cast<std::uint32_t>(n + guests_.size());
      guests_.push_back({v, p});
    }
  }
  path_.resize(n + guests_.size());
  vertex_to_.resize(n);
  carried_.resize(n);
}

void BroadPhase::refit_vertex(const StepPaths& paths, std::size_t v) {
  vertex_to_[v] = {};
  vertex_to_[v].add(paths.to[v], paths.pad[v] + rounding_);
  path_[v] = vertex_to_[v];
  path_[v].add(carried_[v], rounding_);
}

void BroadPhase::refit_guest(const StepPaths& paths, std::size_t i) {
  const Guest& guest = guests_[i];
  PathBox& path = path_[carried_.size() + i];
  path = vertex_to_[guest.vertex];
  path.add(transform_point(paths.frame[guest.part], static_cast<Vec3d>(paths.last[guest.vertex])), rounding_);
}

// All boxes for a new step; afterwards only those of parts with vertices that were searched for again.
void BroadPhase::refit(const StepPaths& paths, std::span<const char> flagged, bool fresh, const Context& context) {
  const auto triangles = surface_.triangles();
  const auto triangle_part = surface_.triangle_part();
  const auto part = surface_.part();
  const std::size_t parts = surface_.parts().size();
  if (fresh) {
    const std::size_t n = paths.to.size();
    rounding_ =
        kUlps * largest_of(context, n, kVerticesPerChunk, 0.0, [&](std::size_t begin, std::size_t end) {
          double largest = 0;
          for (std::size_t v = begin; v < end; ++v)
            for (int k = 0; k < 3; ++k)
              largest = std::max({largest, std::abs(paths.to[v][k]), std::abs(static_cast<double>(paths.last[v][k]))});
          return largest;
        });
    parallel_for(context, n, kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        carried_[v] = transform_point(paths.frame[part[v]], static_cast<Vec3d>(paths.last[v]));
        refit_vertex(paths, v);
      }
    });
  }
  stale_.assign(parts, fresh ? 1 : 0);
  if (!fresh)
    for (std::uint32_t v = 0; v < flagged.size(); ++v) {
      if (flagged[v] == 0) continue;
      refit_vertex(paths, v);
      for (const std::uint32_t t : surface_.topology().vertex_faces.row(v)) stale_[triangle_part[t]] = 1;
    }
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (fresh || flagged[guests_[i].vertex] != 0) refit_guest(paths, i);

  parallel_for(context, slot_triangle_.size(), kSlotsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::uint32_t t = slot_triangle_[s];
      if (stale_[triangle_part[t]] == 0) continue;
      slot_own_[s] = path_[corner_[s][0]];
      slot_own_[s].add(path_[corner_[s][1]]);
      slot_own_[s].add(path_[corner_[s][2]]);
      slot_flag_[s] = static_cast<char>(flagged[triangles[t][0]] | flagged[triangles[t][1]] | flagged[triangles[t][2]]);
    }
  });
  parallel_for(context, parts, 1, [&](std::size_t first, std::size_t end) {
    for (std::size_t p = first; p < end; ++p) {
      if (stale_[p] != 0) refit_nodes(paths, p);
      part_flag_[p] = stale_[p] != 0 && node_begin_[p] < node_begin_[p + 1] ? node_flag_[node_begin_[p]] : 0;
    }
  });
}

void BroadPhase::refit_nodes(const StepPaths& paths, std::size_t p) {
  const auto nodes = surface_.parts()[p].tree.nodes();
  const auto triangles = surface_.triangles();
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const TriangleBvh::Node& node = nodes[n];
    const std::size_t at = node_begin_[p] + n;
    if (node.is_leaf()) {
      own_[at] = last_[at] = to_[at] = {};
      node_flag_[at] = 0;
      for (std::uint32_t slot = node.begin; slot < node.end; ++slot) {
        const std::size_t s = slot_begin_[p] + slot;
        own_[at].add(slot_own_[s]);
        node_flag_[at] = static_cast<char>(node_flag_[at] | slot_flag_[s]);
        for (const std::uint32_t v : triangles[slot_triangle_[s]]) {
          last_[at].add(static_cast<Vec3d>(paths.last[v]), 0);
          to_[at].add(vertex_to_[v]);
        }
      }
      continue;
    }
    const std::size_t left = at + 1, right = node_begin_[p] + node.right;
    own_[at] = own_[left];
    last_[at] = last_[left];
    to_[at] = to_[left];
    own_[at].add(own_[right]);
    last_[at].add(last_[right]);
    to_[at].add(to_[right]);
    node_flag_[at] = static_cast<char>(node_flag_[left] | node_flag_[right]);
  }
}

PathBox BroadPhase::box_in_frame(const Affine3d& frame, std::size_t node) const {
  const PathBox& b = last_[node];
  const Vec3d lo{b.lo[0], b.lo[1], b.lo[2]}, hi{b.hi[0], b.hi[1], b.hi[2]};
  const Vec3d c = transform_point(frame, (lo + hi) * 0.5), h = (hi - lo) * 0.5;
  Vec3d r;
  for (int k = 0; k < 3; ++k)
    r[k] = std::abs(frame.linear.col[0][k]) * h.x + std::abs(frame.linear.col[1][k]) * h.y +
           std::abs(frame.linear.col[2][k]) * h.z + rounding_;
  PathBox box = to_[node];
  box.add(c - r, 0);
  box.add(c + r, 0);
  return box;
}

// Whether the two motions differ anywhere on either part by more than rounding.
bool BroadPhase::moves_relative(const StepPaths& paths, std::uint32_t a, std::uint32_t b) const {
  const Affine3d &fa = paths.frame[a], &fb = paths.frame[b];
  if (fa == fb) return false;
  for (const std::uint32_t p : {a, b}) {
    const PathBox& box = last_[node_begin_[p]];
    for (unsigned corner = 0; corner < 8; ++corner) {
      const Vec3d x{((corner & 1U) != 0 ? box.hi : box.lo)[0], ((corner & 2U) != 0 ? box.hi : box.lo)[1],
                    ((corner & 4U) != 0 ? box.hi : box.lo)[2]};
      if (distance(transform_point(fa, x), transform_point(fb, x)) > rounding_) return true;
    }
  }
  return false;
}

void BroadPhase::plan(const StepPaths& paths, bool all_relative, std::span<const char> released) {
  tasks_.clear();
  const auto parts = surface_.parts();
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[p].tree.empty()) continue;
    if (part_flag_[p] != 0) expand(paths, {p, 0, p, 0, false});
    for (std::uint32_t q = p + 1; q < parts.size(); ++q) {
      if (parts[q].tree.empty() || (!released.empty() && released[p * parts.size() + q] != 0)) continue;
      const bool all = all_relative && moves_relative(paths, p, q);
      if (!all && part_flag_[p] == 0 && part_flag_[q] == 0) continue;
      const bool q_thicker = parts[q].inverse_mass > parts[p].inverse_mass;
      expand(paths, {q_thicker ? p : q, 0, q_thicker ? q : p, 0, all});
    }
  }
}

// Splits a pair of nodes into tasks of bounded size.
void BroadPhase::expand(const StepPaths& paths, Task task) {
  const std::size_t a = node_begin_[task.part_a] + task.node_a, b = node_begin_[task.part_b] + task.node_b;
  if (!task.all && !flagged_node(task.part_a, a) && !flagged_node(task.part_b, b)) return;
  const bool self = task.part_a == task.part_b;
  if (!overlap(self ? own_[a] : box_in_frame(paths.frame[task.part_b], a), own_[b])) return;
  const TriangleBvh::Node& na = surface_.parts()[task.part_a].tree.nodes()[task.node_a];
  const TriangleBvh::Node& nb = surface_.parts()[task.part_b].tree.nodes()[task.node_b];
  const std::uint32_t size_a = na.end - na.begin, size_b = nb.end - nb.begin;
  if (size_a + size_b <= kTaskTriangles || (na.is_leaf() && nb.is_leaf())) {
    tasks_.push_back(task);
    return;
  }
  if (self && task.node_a == task.node_b) {
    const std::uint32_t left = task.node_a + 1, right = na.right;
    expand(paths, {task.part_a, left, task.part_b, left, task.all});
    expand(paths, {task.part_a, left, task.part_b, right, task.all});
    expand(paths, {task.part_a, right, task.part_b, right, task.all});
  } else if (nb.is_leaf() || (!na.is_leaf() && size_a >= size_b)) {
    expand(paths, {task.part_a, task.node_a + 1, task.part_b, task.node_b, task.all});
    expand(paths, {task.part_a, na.right, task.part_b, task.node_b, task.all});
  } else {
    expand(paths, {task.part_a, task.node_a, task.part_b, task.node_b + 1, task.all});
    expand(paths, {task.part_a, task.node_a, task.part_b, nb.right, task.all});
  }
}

void BroadPhase::run(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                     const Task& task, std::vector<CandidatePair>& out) const {
  const bool self = task.part_a == task.part_b;
  const auto nodes_a = surface_.parts()[task.part_a].tree.nodes(), nodes_b = surface_.parts()[task.part_b].tree.nodes();
  const Affine3d& frame = paths.frame[task.part_b];
  LeafScratch scratch;
  std::array<std::array<std::uint32_t, 2>, 4 * TriangleBvh::kMaxDepth> stack;
  std::size_t size = 0;
  stack[size++] = {task.node_a, task.node_b};
  while (size > 0) {
    const auto [i, j] = stack[--size];
    const std::size_t a = node_begin_[task.part_a] + i, b = node_begin_[task.part_b] + j;
    if (!task.all && !flagged_node(task.part_a, a) && !flagged_node(task.part_b, b)) continue;
    if (!overlap(self ? own_[a] : box_in_frame(frame, a), own_[b])) continue;
    const TriangleBvh::Node &na = nodes_a[i], &nb = nodes_b[j];
    if (na.is_leaf() && nb.is_leaf()) {
      test_leaves(paths, flagged, options, {task.part_a, i, task.part_b, j, task.all}, scratch, out);
    } else if (self && i == j) {
      stack[size++] = {na.right, na.right};
      stack[size++] = {i + 1, na.right};
      stack[size++] = {i + 1, i + 1};
    } else if (nb.is_leaf() || (!na.is_leaf() && na.end - na.begin >= nb.end - nb.begin)) {
      stack[size++] = {na.right, j};
      stack[size++] = {i + 1, j};
    } else {
      stack[size++] = {i, nb.right};
      stack[size++] = {i, j + 1};
    }
  }
}

void BroadPhase::test_leaves(const StepPaths& paths, std::span<const char> flagged, const BroadPhaseOptions& options,
                             const Task& task, LeafScratch& scratch, std::vector<CandidatePair>& out) const {
  const TriangleBvh &tree_a = surface_.parts()[task.part_a].tree, &tree_b = surface_.parts()[task.part_b].tree;
  const TriangleBvh::Node &na = tree_a.nodes()[task.node_a], &nb = tree_b.nodes()[task.node_b];
  const bool self = task.part_a == task.part_b, same_leaf = self && task.node_a == task.node_b;
  const Affine3d& frame = paths.frame[task.part_b];
  const auto triangles = surface_.triangles();
  const auto rest = surface_.rest();
  const auto edge_length = surface_.edge_length();

  const auto part = surface_.part();

  const auto start = [&](std::uint32_t v) {
    return part[v] == task.part_b ? carried_[v] : transform_point(frame, static_cast<Vec3d>(paths.last[v]));
  };
  const auto emit = [&](ElementPair kind, const std::array<std::uint32_t, 4>& v) {
    if (!task.all && (flagged[v[0]] | flagged[v[1]] | flagged[v[2]] | flagged[v[3]]) == 0) return;
    FourPoints x0, x1;
    std::array<float, 4> pad;
    for (std::size_t k = 0; k < 4; ++k) {
      x0[k] = start(v[k]);
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
      h = std::min<double>(h, edge_length[v[k]]);
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
  const auto vertices_against_face = [&](const Triangle& s, const Corners& cs, std::uint8_t owned, const Triangle& t,
                                         const Corners& ct) {
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint32_t v = s[k];
      if ((owned >> k & 1U) == 0 || v == t[0] || v == t[1] || v == t[2] || !overlap(cs.vertex[k], ct.box)) continue;
      emit(ElementPair::vertex_face, {v, t[0], t[1], t[2]});
    }
  };

  scratch.a.open(task.node_a);
  scratch.b.open(task.node_b);
  const auto slots_a = slot_begin_[task.part_a], slots_b = slot_begin_[task.part_b];
  const PathBox& box_b = own_[node_begin_[task.part_b] + task.node_b];
  for (std::uint32_t i = na.begin; i < na.end; ++i) {
    const Triangle& s = triangles[tree_a.triangle(i)];
    const ContactSurface::Ownership own_s = surface_.ownership()[tree_a.triangle(i)];
    const auto corners_a = [&]() -> const Corners& {
      return scratch.a.get(i - na.begin, [&](unsigned k) {
        if (self) return path_[corner_[slots_a + i][k]];
        PathBox box = vertex_to_[s[k]];
        box.add(transform_point(frame, static_cast<Vec3d>(paths.last[s[k]])), rounding_);
        return box;
      });
    };
    const PathBox& box_a = self ? slot_own_[slots_a + i] : corners_a().box;
    if (!overlap(box_a, box_b)) continue;
    for (std::uint32_t j = same_leaf ? i + 1 : nb.begin; j < nb.end; ++j) {
      if (!task.all && !(part_flag_[task.part_a] && slot_flag_[slots_a + i]) &&
          !(part_flag_[task.part_b] && slot_flag_[slots_b + j]))
        continue;
      if (!overlap(box_a, slot_own_[slots_b + j])) continue;
      const Triangle& t = triangles[tree_b.triangle(j)];
      const ContactSurface::Ownership own_t = surface_.ownership()[tree_b.triangle(j)];
      const Corners& ca = corners_a();
      const Corners& cb = scratch.b.get(j - nb.begin, [&](unsigned k) { return path_[corner_[slots_b + j][k]]; });
      vertices_against_face(s, ca, own_s.vertices, t, cb);
      vertices_against_face(t, cb, own_t.vertices, s, ca);
      for (unsigned k = 0; k < 3; ++k) {
        if ((own_s.edges >> k & 1U) == 0) continue;
        const auto [a0, a1] = edge_of(s, k);
        for (unsigned l = 0; l < 3; ++l) {
          if ((own_t.edges >> l & 1U) == 0) continue;
          const auto [b0, b1] = edge_of(t, l);
          if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1 || !overlap(ca.edge[k], cb.edge[l])) continue;
          emit(ElementPair::edge_edge, {a0, a1, b0, b1});
        }
      }
    }
  }
}

bool BroadPhase::collect(const StepPaths& paths, std::span<const char> flagged, bool all_relative,
                         std::span<const char> released, const BroadPhaseOptions& options,
                         std::vector<CandidatePair>& pairs, const Context& context) {
  refit(paths, flagged, all_relative, context);
  plan(paths, all_relative, released);
  const std::size_t chunks = (tasks_.size() + kTasksPerChunk - 1) / kTasksPerChunk;
  if (found_.size() < chunks) found_.resize(chunks);
  std::atomic<bool> too_many = false;
  parallel_for(context, tasks_.size(), kTasksPerChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<CandidatePair>& out = found_[begin / kTasksPerChunk];
    out.clear();
    for (std::size_t i = begin; i < end && out.size() <= options.max_pairs; ++i)
      run(paths, flagged, options, tasks_[i], out);
    if (out.size() > options.max_pairs) too_many = true;
  });
  if (too_many) return false;
  std::size_t total = pairs.size();
  for (std::size_t c = 0; c < chunks; ++c) total += found_[c].size();
  if (total > options.max_pairs) return false;
  pairs.reserve(total);
  for (std::size_t c = 0; c < chunks; ++c) pairs.insert(pairs.end(), found_[c].begin(), found_[c].end());
  return true;
}

bool BroadPhase::parts_intersect(std::span<const Vec3f> positions, std::uint32_t a, std::uint32_t b) {
  const auto triangles = surface_.triangles();
  const auto gather = [&](std::uint32_t p, std::vector<std::uint32_t>& out, PathBox& box) {
    const TriangleBvh& tree = surface_.parts()[p].tree;
    for (std::uint32_t slot = 0; slot < slot_begin_[p + 1] - slot_begin_[p]; ++slot) {
      out.push_back(tree.triangle(slot));
      for (const std::uint32_t v : triangles[out.back()]) box.add(static_cast<Vec3d>(positions[v]), 0);
    }
  };
  const auto corners = [&](std::uint32_t t) -> TriangleCorners {
    return {positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
  };
  const auto box_of = [&](std::uint32_t t) {
    PathBox box;
    for (const std::uint32_t v : triangles[t]) box.add(static_cast<Vec3d>(positions[v]), 0);
    return box;
  };
  const auto flat = [&](std::uint32_t t) {
    return has_zero_area(positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]);
  };
  list_a_.clear();
  list_b_.clear();
  PathBox box_a, box_b;
  gather(a, list_a_, box_a);
  gather(b, list_b_, box_b);
  if (!overlap(box_a, box_b)) return false;
  std::erase_if(list_a_, [&](std::uint32_t t) { return !overlap(box_of(t), box_b); });
  std::erase_if(list_b_, [&](std::uint32_t t) { return !overlap(box_of(t), box_a); });
  for (const std::uint32_t s : list_a_) {
    const PathBox box = box_of(s);
    for (const std::uint32_t t : list_b_) {
      const Triangle &x = triangles[s], &y = triangles[t];
      bool shared = false;
      for (const std::uint32_t v : x) shared = shared || v == y[0] || v == y[1] || v == y[2];
      if (shared || !overlap(box, box_of(t)) || flat(s) || flat(t)) continue;
      if (triangles_intersect(corners(s), corners(t))) return true;
    }
  }
  return false;
}

}  // namespace cutis
