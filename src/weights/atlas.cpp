// Shares are products of ratios along chains of cuts: a patch behind the cuts c1, c2, ... takes part with
// rho(c1) rho(c2) ... relative to the patch that the vertex lies in, rho = beta(1/2 - g/D) / beta(1/2 + g/D). For two
// regions that is the paper's weight; it is continuous for any number, on any graph of patches. Several branches of one
// region (fingers) blend only around the place where they part: a quarter of the overlap behind its cut, a branch feels
// none of the others.
#include "weights/atlas.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/geodesic.h"

namespace cutis {
namespace {

/// So deep behind its cut, in widths of the overlap, a branch still feels its siblings. Half would be the whole
/// overlap; a quarter keeps fingers apart beyond the first phalanx and webs smooth.
constexpr double kSiblingDepth = 0.25;

/// How much less the far side of a cut takes part than the near side, `g` away from the curve.
double ratio(double g, double width) {
  const double far = transition(0.5 - g / width);
  return far / (1 - far);
}

}  // namespace

Atlas make_atlas(const WeightProblem& problem, const std::vector<double>& overlap, const Context& context) {
  Atlas atlas;
  const PlaneSections sections(problem.positions, problem.topology);
  atlas.skeleton = atlas_skeleton(problem);
  atlas.cuts = find_cuts(problem, atlas.skeleton, sections, context);
  atlas.regions = find_regions(problem, atlas.skeleton, atlas.cuts);

  // A cut away from its joint is wider by as much, so that the skin blends around the joint it turns about as well.
  for (const AtlasCut& cut : atlas.cuts) {
    const double away =
        cut.found() ? std::abs(dot(cut.plane.point - problem.bones[cut.bone].from, atlas.skeleton[cut.bone].lower))
                    : 0.0;
    atlas.widths.push_back(overlap[cut.bone] * (cut.diameter() + 2 * away));
  }
  const Geodesics geodesics(problem.positions, problem.topology);
  std::vector<std::vector<VertexDistance>> near(atlas.cuts.size());
  parallel_for(context, atlas.cuts.size(), 1, [&](std::size_t begin, std::size_t end) {
    Geodesics::Scratch scratch;
    for (std::size_t c = begin; c < end; ++c) {
      const SectionCurve& curve = atlas.cuts[c].curve;
      std::vector<CurveSegment> segments;
      for (std::size_t i = 0; i < curve.faces.size(); ++i)
        segments.push_back(
            {curve.faces[i], curve.points[i].position, curve.points[(i + 1) % curve.points.size()].position});
      near[c] = geodesics.distances(segments, atlas.widths[c] / 2, scratch);
    }
  });
  atlas.overlap.resize(problem.positions.size());
  for (std::uint32_t c = 0; c < near.size(); ++c)
    for (const VertexDistance& d : near[c])
      if (d.distance < atlas.widths[c] / 2) atlas.overlap[d.vertex].push_back({c, d.distance});
  return atlas;
}

std::vector<std::pair<std::uint32_t, double>> Atlas::shares(std::uint32_t vertex) const {
  std::vector<std::pair<std::uint32_t, double>> reached;
  const std::uint32_t home = regions.patch_of[vertex];
  if (home == AtlasRegions::kNoPatch) return reached;
  reached.emplace_back(home, 1.0);
  const std::vector<OverlapVertex>& here = overlap[vertex];
  const auto across = [&](const AtlasLink& link) {
    double product = 1;
    for (const std::uint32_t cut : link.cuts) {
      const auto at = std::find_if(here.begin(), here.end(), [&](const OverlapVertex& o) { return o.cut == cut; });
      product *= at == here.end() ? 0.0 : ratio(at->distance, widths[cut]);
    }
    return product;
  };
  std::vector<std::pair<const AtlasLink*, double>> open;
  if (!here.empty()) {
    for (const AtlasLink& link : regions.links)
      if (const double r = across(link); r > 0) open.emplace_back(&link, r);
  }
  // The best chain of cuts to every patch: the few links near a vertex, over and over until nothing improves.
  const auto value = [&](std::uint32_t patch) -> double {
    for (const auto& [p, v] : reached)
      if (p == patch) return v;
    return 0;
  };
  const auto raise = [&](std::uint32_t patch, double v) {
    for (auto& [p, old] : reached) {
      if (p != patch) continue;
      if (!(v > old)) return false;
      old = v;
      return true;
    }
    reached.emplace_back(patch, v);
    return true;
  };
  for (bool again = !open.empty(); again;) {
    again = false;
    for (const auto& [link, r] : open) {
      if (const double a = value(link->a); a > 0) again |= raise(link->b, a * r);
      if (const double b = value(link->b); b > 0) again |= raise(link->a, b * r);
    }
  }
  // Branches of one region do not reach far into each other: behind its own cut a branch soon hides its siblings.
  const auto fade = [&](std::uint32_t sibling) {
    if (!regions.is_below(home, sibling)) return 1.0;
    const auto at = std::find_if(here.begin(), here.end(), [&](const OverlapVertex& o) { return o.cut == sibling; });
    return at == here.end() ? 0.0 : transition(1 - at->distance / (kSiblingDepth * widths[sibling]));
  };
  double sum = 0;
  for (auto& [patch, v] : reached) {
    for (const std::uint32_t cut : regions.cuts_above[patch])
      for (const std::uint32_t sibling : regions.siblings[cut]) v *= fade(sibling);
    sum += v;
  }
  if (!(sum > 0)) return {{home, 1.0}};  // curves around each other, each hiding the other
  std::erase_if(reached, [](const auto& r) { return !(r.second > 0); });
  std::sort(reached.begin(), reached.end());
  for (auto& [patch, v] : reached) v /= sum;
  return reached;
}

}  // namespace cutis
