// Growing is done on corners (a vertex in one of its triangles), not on vertices: two corners of a triangle are joined
// when no curve crosses the edge between them, and the corners of a vertex on both sides of a shared edge always.
#include "weights/atlas_regions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

#include "base/math.h"
#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

/// (edge, cut) for every crossing, sorted.
std::vector<std::pair<std::uint32_t, std::uint32_t>> crossings_of(const std::vector<AtlasCut>& cuts) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> crossings;
  for (std::uint32_t c = 0; c < cuts.size(); ++c)
    for (const SectionPoint& p : cuts[c].curve.points) crossings.emplace_back(p.edge, c);
  std::sort(crossings.begin(), crossings.end());
  return crossings;
}

void grow_patches(const WeightProblem& problem, const std::vector<std::uint32_t>& crossed, AtlasRegions& regions) {
  const Topology& topology = problem.topology;
  const auto corner = [](std::uint32_t face, std::size_t k) { return face * 3 + static_cast<std::uint32_t>(k); };
  DisjointSets sets(topology.triangles.size() * 3);
  for (std::uint32_t e = 0; e < topology.edges.size(); ++e) {
    const auto faces = topology.edge_faces.row(e);
    const auto corner_at = [&](std::uint32_t face, std::uint32_t vertex) {
      const Triangle& t = topology.triangles[face];
      return corner(face, static_cast<std::size_t>(std::find(t.begin(), t.end(), vertex) - t.begin()));
    };
    const std::uint32_t a = corner_at(faces[0], topology.edges[e].a), b = corner_at(faces[0], topology.edges[e].b);
    for (std::size_t i = 1; i < faces.size(); ++i) {
      sets.join(a, corner_at(faces[i], topology.edges[e].a));
      sets.join(b, corner_at(faces[i], topology.edges[e].b));
    }
    if (crossed[e] == 0) sets.join(a, b);
  }
  // The set with most corners at the vertex; the first of equals.
  std::vector<std::uint32_t> number(topology.triangles.size() * 3, AtlasRegions::kNoPatch);
  regions.patch_of.assign(topology.vertex_count, AtlasRegions::kNoPatch);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t v = 0; v < topology.vertex_count; ++v) {
    const auto faces = topology.vertex_faces.row(v);
    if (faces.empty()) continue;
    roots.clear();
    for (const std::uint32_t f : faces) {
      const Triangle& t = topology.triangles[f];
      roots.push_back(sets.find(corner(f, static_cast<std::size_t>(std::find(t.begin(), t.end(), v) - t.begin()))));
    }
    std::uint32_t best = roots[0];
    std::ptrdiff_t most = 0;
    for (const std::uint32_t root : roots) {
      const auto count = std::count(roots.begin(), roots.end(), root);
      if (count > most) {
        most = count;
        best = root;
      }
    }
    if (number[best] == AtlasRegions::kNoPatch) {
      number[best] = static_cast<std::uint32_t>(regions.patches.size());
      regions.patches.push_back({topology.component[v], 0, false, 0});
    }
    regions.patch_of[v] = number[best];
    ++regions.patches[number[best]].vertices;
  }
}

void link_patches(const WeightProblem& problem, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& crossings,
                  AtlasRegions& regions) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<std::uint32_t>>> links;
  for (std::size_t i = 0; i < crossings.size();) {
    const std::uint32_t edge = crossings[i].first;
    std::vector<std::uint32_t> between;
    for (; i < crossings.size() && crossings[i].first == edge; ++i)
      if (between.empty() || between.back() != crossings[i].second) between.push_back(crossings[i].second);
    const std::uint32_t a = regions.patch_of[problem.topology.edges[edge].a],
                        b = regions.patch_of[problem.topology.edges[edge].b];
    regions.patches[a].cut = regions.patches[b].cut = true;
    if (a != b) links[std::minmax(a, b)].push_back(std::move(between));
  }
  for (auto& [pair, sets] : links) {
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    for (auto& set : sets) regions.links.push_back({pair.first, pair.second, std::move(set)});
  }
}

enum class Side : std::uint8_t { unknown, above, below, both };

/// On which side of a cut every patch lies.
struct Sides {
  bool parts = true;           ///< the curve parts the surface
  std::vector<Side> of_patch;  ///< what can be reached from the curve's two borders without crossing it
  std::vector<Side> beside;    ///< only patches that border on the curve; `unknown` elsewhere
};

Sides sides_of(const WeightProblem& problem, const AtlasRegions& regions, const std::vector<std::uint32_t>& crossed,
               const AtlasCut& cut, std::uint32_t number) {
  // Bit 0: reached from above, bit 1: from below. Beside a curve is what no other curve parts from it.
  std::vector<std::uint8_t> reached(regions.patches.size(), 0), beside(regions.patches.size(), 0);
  std::queue<std::pair<std::uint32_t, std::uint8_t>> queue;
  const auto reach = [&](std::uint32_t patch, std::uint8_t from) {
    if ((reached[patch] & from) != 0) return;
    reached[patch] |= from;
    queue.emplace(patch, from);
  };
  for (const SectionPoint& p : cut.curve.points) {
    const Edge& e = problem.topology.edges[p.edge];
    const double ha = dot(problem.positions[e.a] - cut.plane.point, cut.plane.normal);
    const double hb = dot(problem.positions[e.b] - cut.plane.point, cut.plane.normal);
    const std::uint32_t above = regions.patch_of[ha < hb ? e.a : e.b], below = regions.patch_of[ha < hb ? e.b : e.a];
    reach(above, 1);
    reach(below, 2);
    if (crossed[p.edge] > 1) continue;
    beside[above] |= 1;
    beside[below] |= 2;
  }
  while (!queue.empty()) {
    const auto [patch, from] = queue.front();
    queue.pop();
    for (const AtlasLink& link : regions.links) {
      if (link.a != patch && link.b != patch) continue;
      if (std::find(link.cuts.begin(), link.cuts.end(), number) != link.cuts.end()) continue;
      reach(link.a == patch ? link.b : link.a, from);
    }
  }
  Sides sides;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == 3) sides.parts = false;
    sides.beside.push_back(static_cast<Side>(beside[i]));
    sides.of_patch.push_back(static_cast<Side>(reached[i]));
  }
  return sides;
}

/// Numbers the sets of active bones.
void number_groups(const std::vector<AtlasBone>& skeleton, DisjointSets& sets, AtlasRegions& regions) {
  regions.groups.clear();
  regions.group_of.assign(skeleton.size(), 0);
  std::vector<std::uint32_t> number(skeleton.size(), AtlasRegions::kNoPatch);
  for (std::uint32_t i = 0; i < skeleton.size(); ++i) {
    if (!skeleton[i].active) continue;
    std::uint32_t& group = number[sets.find(i)];
    if (group == AtlasRegions::kNoPatch) {
      group = static_cast<std::uint32_t>(regions.groups.size());
      regions.groups.emplace_back();
    }
    regions.groups[group].push_back(i);
    regions.group_of[i] = group;
  }
}

/// The bones that a patch beside curves that part nothing (around handles) belongs to: one of its own, unless the way
/// around the handle leads to others.
std::vector<std::uint32_t> bones_beside(const std::vector<AtlasBone>& skeleton, const std::vector<AtlasCut>& cuts,
                                        const std::vector<Sides>& sides, std::size_t patch) {
  std::vector<std::uint32_t> bones;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    if (!cuts[c].found() || sides[c].parts) continue;
    const Side side = sides[c].beside[patch];
    if (side == Side::below || side == Side::both) bones.push_back(cuts[c].bone);
    if (side == Side::above || side == Side::both)
      bones.push_back(static_cast<std::uint32_t>(skeleton[cuts[c].bone].parent));
  }
  return bones;
}

/// Down the skeleton from the root: into a child's group when the patch lies below the child's cut. Below several
/// (curves that look into one another), the one with the smallest share of the surface below it.
void label_patches(const std::vector<AtlasBone>& skeleton, const std::vector<AtlasCut>& cuts,
                   const std::vector<Sides>& sides, std::uint32_t root_bone, AtlasRegions& regions) {
  std::vector<std::size_t> below(cuts.size(), 0);
  for (std::size_t c = 0; c < cuts.size(); ++c)
    for (std::size_t p = 0; cuts[c].found() && p < regions.patches.size(); ++p)
      if (sides[c].of_patch[p] == Side::below) below[c] += regions.patches[p].vertices;
  for (std::size_t p = 0; p < regions.patches.size(); ++p) {
    std::uint32_t group = regions.group_of[root_bone];
    std::vector<char> used(cuts.size(), 0);
    for (;;) {
      std::size_t next = cuts.size();
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        if (!cuts[c].found() || used[c] != 0 || sides[c].of_patch[p] != Side::below) continue;
        if (regions.group_of[static_cast<std::size_t>(skeleton[cuts[c].bone].parent)] != group) continue;
        if (next == cuts.size() || below[c] < below[next]) next = c;
      }
      if (next == cuts.size()) break;
      used[next] = 1;
      group = regions.group_of[cuts[next].bone];
    }
    const auto beside = bones_beside(skeleton, cuts, sides, p);
    regions.patches[p].group = beside.empty() ? group : regions.group_of[beside.front()];
  }
}

void relate_cuts(const std::vector<AtlasCut>& cuts, const std::vector<Sides>& sides, AtlasRegions& regions) {
  regions.cuts_above.resize(regions.patches.size());
  regions.siblings.resize(cuts.size());
  for (std::uint32_t c = 0; c < cuts.size(); ++c) {
    if (!cuts[c].found()) continue;
    for (std::size_t p = 0; p < regions.patches.size(); ++p)
      if ((sides[c].parts ? sides[c].of_patch[p] : sides[c].beside[p]) == Side::below)
        regions.cuts_above[p].push_back(c);
    for (std::uint32_t s = 0; s < cuts.size(); ++s) {
      if (s == c || !cuts[s].found()) continue;
      for (std::size_t p = 0; p < regions.patches.size(); ++p) {
        if (sides[c].beside[p] != Side::above || sides[s].beside[p] != Side::above) continue;
        regions.siblings[c].push_back(s);
        break;
      }
    }
  }
}

}  // namespace

AtlasRegions find_regions(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton,
                          const std::vector<AtlasCut>& cuts) {
  AtlasRegions regions;
  const auto crossings = crossings_of(cuts);
  std::vector<std::uint32_t> crossed(problem.topology.edges.size(), 0);
  for (const auto& [edge, cut] : crossings) ++crossed[edge];
  grow_patches(problem, crossed, regions);
  link_patches(problem, crossings, regions);

  // Bones without a cut between them share a group, and so do all roots.
  DisjointSets sets(skeleton.size());
  std::uint32_t root = AtlasRegions::kNoPatch;
  std::vector<char> has_cut(skeleton.size(), 0);
  for (const AtlasCut& cut : cuts) has_cut[cut.bone] = cut.found();
  for (std::uint32_t i = 0; i < skeleton.size(); ++i) {
    if (!skeleton[i].active) continue;
    if (skeleton[i].parent < 0) {
      if (root == AtlasRegions::kNoPatch) root = i;
      sets.join(root, i);
    } else if (!has_cut[i]) {
      sets.join(static_cast<std::uint32_t>(skeleton[i].parent), i);
    }
  }
  std::vector<Sides> sides(cuts.size());
  for (std::uint32_t c = 0; c < cuts.size(); ++c)
    if (cuts[c].found()) sides[c] = sides_of(problem, regions, crossed, cuts[c], c);
  for (std::size_t p = 0; p < regions.patches.size(); ++p) {
    const auto beside = bones_beside(skeleton, cuts, sides, p);
    for (const std::uint32_t bone : beside) sets.join(beside.front(), bone);
  }
  number_groups(skeleton, sets, regions);
  if (root != AtlasRegions::kNoPatch) label_patches(skeleton, cuts, sides, root, regions);
  relate_cuts(cuts, sides, regions);
  return regions;
}

bool AtlasRegions::is_below(std::uint32_t patch, std::uint32_t cut) const {
  return std::binary_search(cuts_above[patch].begin(), cuts_above[patch].end(), cut);
}

}  // namespace cutis
