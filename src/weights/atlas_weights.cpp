// From shares of patches to weights of bones. A patch of one bone gives it its share; bones that share a patch divide
// it by bone heat, solved on that patch and for those bones alone.
#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "base/parallel_for.h"
#include "cutis/error.h"
#include "weights/atlas.h"
#include "weights/bone_visibility.h"
#include "weights/problem.h"
#include "weights/weight_bones.h"

namespace cutis {
namespace {

const std::string& joint_name(const WeightProblem& problem, std::uint32_t bone) {
  return problem.character->skeleton.joints[static_cast<std::size_t>(problem.bones[bone].joint)].name;
}

void report_cuts(const WeightProblem& problem, const Atlas& atlas, WeightReport& report) {
  std::vector<std::string> moved, nearest, missing;
  for (std::size_t c = 0; c < atlas.cuts.size(); ++c) {
    const AtlasCut& cut = atlas.cuts[c];
    const std::string& name = joint_name(problem, cut.bone);
    report.cuts.push_back({name, std::string(to_string(cut.place)), cut.perimeter, atlas.widths[c], cut.tilt});
    if (cut.place == CutPlace::down_the_bone) moved.push_back(name);
    if (cut.place == CutPlace::nearest_curve) nearest.push_back(name);
    if (cut.place == CutPlace::missing) missing.push_back(name);
  }
  report_fallback(report.fallbacks, "joints without a curve around them alone: cut further down the bone", moved);
  report_fallback(report.fallbacks, "joints that no curve encloses: cut along the nearest", nearest);
  report_fallback(report.fallbacks, "joints without a cut: share a region with the parent bone by heat", missing);
}

/// The region of every input vertex: the bone of its group that weighs most there.
void report_regions(const WeightProblem& problem, const Atlas& atlas, const WeightMatrix& matrix,
                    WeightReport& report) {
  std::vector<int> joint(problem.positions.size(), -1);
  for (std::size_t v = 0; v < joint.size(); ++v) {
    const std::uint32_t patch = atlas.regions.patch_of[v];
    if (patch == AtlasRegions::kNoPatch) continue;
    const bool cut = atlas.regions.patches[patch].cut;
    double most = 0;
    for (const auto& [bone, weight] : matrix.rows[v]) {
      if (weight <= most || (cut && atlas.regions.group_of[bone] != atlas.regions.patches[patch].group)) continue;
      most = weight;
      joint[v] = problem.bones[bone].joint;
    }
  }
  report.regions.reserve(problem.welded_of.size());
  for (const std::uint32_t v : problem.welded_of) report.regions.push_back(joint[v]);
}

std::vector<double> overlap_of(const WeightProblem& problem, const WeightOptions& options) {
  std::vector<double> overlap(problem.bones.size(), options.overlap);
  for (const auto& [name, factor] : options.joint_overlap) {
    if (problem.character->skeleton.find(name) < 0)
      throw Error(ErrorCode::bad_argument, fmt::format("weights › overlap of joint '{}'", name),
                  "the skeleton has no such joint");
    for (std::uint32_t b = 0; b < problem.bones.size(); ++b)
      if (joint_name(problem, b) == name) overlap[b] = factor;
  }
  return overlap;
}

/// The problem on some of the vertices and bones only: triangles with all corners among them.
struct SubProblem {
  WeightProblem problem;
  std::vector<std::uint32_t> vertices;    ///< of the whole problem
  std::vector<std::uint32_t> components;  ///< of the whole problem, per component of this
};

SubProblem restrict(const WeightProblem& whole, const std::vector<char>& use, const std::vector<std::uint32_t>& bones) {
  SubProblem sub;
  std::vector<std::uint32_t> number(whole.positions.size(), 0);
  for (std::uint32_t v = 0; v < whole.positions.size(); ++v) {
    if (!use[v]) continue;
    number[v] = static_cast<std::uint32_t>(sub.vertices.size());
    sub.vertices.push_back(v);
    sub.problem.positions.push_back(whole.positions[v]);
    sub.problem.normals.push_back(whole.normals[v]);
    sub.problem.two_sided.push_back(whole.two_sided[v]);
    sub.problem.first_of.push_back(whole.first_of[v]);
  }
  std::vector<Triangle> triangles;
  for (const Triangle& t : whole.topology.triangles)
    if (use[t[0]] && use[t[1]] && use[t[2]]) triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  sub.problem.topology = build_topology(sub.vertices.size(), triangles);
  sub.problem.character = whole.character;
  sub.problem.size = whole.size;
  sub.problem.input_begin = whole.input_begin;
  sub.problem.welded_of.assign(whole.welded_of.size(), 0);
  for (std::size_t i = 0; i < whole.welded_of.size(); ++i) sub.problem.welded_of[i] = number[whole.welded_of[i]];
  for (const std::uint32_t b : bones) {
    WeightBone bone = whole.bones[b];
    int parent = bone.parent;
    for (bone.parent = -1; parent >= 0 && bone.parent < 0;
         parent = whole.bones[static_cast<std::size_t>(parent)].parent)
      if (const auto at = std::find(bones.begin(), bones.end(), static_cast<std::uint32_t>(parent)); at != bones.end())
        bone.parent = static_cast<int>(at - bones.begin());
    sub.problem.bones.push_back(std::move(bone));
  }
  sub.components.assign(sub.problem.topology.component_count, 0);
  sub.problem.component_names.resize(sub.problem.topology.component_count);
  for (std::size_t v = sub.vertices.size(); v-- > 0;) {
    const std::uint32_t c = sub.problem.topology.component[v];
    if (c == Topology::kNoComponent) continue;
    sub.components[c] = whole.topology.component[sub.vertices[v]];
    sub.problem.component_names[c] = whole.component_names[sub.components[c]];
  }
  return sub;
}

/// Heat weights of some bones on some vertices, bones in the whole problem's numbers. Rows that heat leaves empty go to
/// the nearest of the bones.
void add_heat(const WeightProblem& whole, const std::vector<char>& use, const std::vector<std::uint32_t>& bones,
              const std::vector<double>& factor, WeightMatrix& matrix, Fallbacks& fallbacks, const Context& context) {
  SubProblem sub = restrict(whole, use, bones);
  WeightMatrix heat;
  if (bones.size() == 1) {
    heat.rows.assign(sub.vertices.size(), {{0U, 1.0}});
  } else {
    sub.problem.visibility = std::make_shared<BoneVisibility>(sub.problem);
    heat = heat_weights(sub.problem, fallbacks, context);
  }
  for (std::size_t i = 0; i < sub.vertices.size(); ++i) {
    const std::uint32_t v = sub.vertices[i];
    WeightMatrix::Row row = heat.rows[i];
    double sum = 0;
    for (const auto& [bone, weight] : row) sum += weight;
    if (!(sum > 0)) {
      std::uint32_t nearest = 0;
      double best = std::numeric_limits<double>::infinity();
      for (std::uint32_t b = 0; b < bones.size(); ++b) {
        const double d = nearest_on_bone(sub.problem.bones[b], whole.positions[v]).distance;
        if (d < best) {
          best = d;
          nearest = b;
        }
      }
      row = {{nearest, 1.0}};
      sum = 1;
    }
    for (const auto& [bone, weight] : row)
      if (weight > 0) matrix.rows[v].emplace_back(bones[bone], factor[v] * weight / sum);
  }
  for (const std::uint32_t c : heat.rigid_components) matrix.rigid_components.push_back(sub.components[c]);
}

}  // namespace

WeightMatrix atlas_weights(const WeightProblem& problem, const WeightOptions& options, WeightReport& report,
                           const Context& context) {
  const Atlas atlas = make_atlas(problem, overlap_of(problem, options), context);
  const AtlasRegions& regions = atlas.regions;
  report_cuts(problem, atlas, report);

  // Shares of the groups of bones; vertices of pieces that no cut touches are left to heat.
  const std::size_t n = problem.positions.size();
  std::vector<std::vector<std::pair<std::uint32_t, double>>> shares(n);
  std::vector<char> uncut(n, 0);
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (regions.patch_of[v] == AtlasRegions::kNoPatch) continue;
      if (!regions.patches[regions.patch_of[v]].cut) {
        uncut[v] = 1;
        continue;
      }
      for (const auto& [patch, share] : atlas.shares(static_cast<std::uint32_t>(v)))
        shares[v].emplace_back(regions.patches[patch].group, share);
    }
  });

  WeightMatrix matrix;
  matrix.rows.resize(n);
  std::vector<char> use(n, 0);
  std::vector<double> factor(n, 0);
  for (std::uint32_t g = 0; g < regions.groups.size(); ++g) {
    if (regions.groups[g].size() == 1) continue;
    bool any = false;
    for (std::size_t v = 0; v < n; ++v) {
      factor[v] = 0;
      for (const auto& [group, share] : shares[v])
        if (group == g) factor[v] += share;
      use[v] = factor[v] > 0;
      any |= factor[v] > 0;
    }
    if (any) add_heat(problem, use, regions.groups[g], factor, matrix, report.fallbacks, context);
  }
  for (std::size_t v = 0; v < n; ++v)
    for (const auto& [group, share] : shares[v])
      if (regions.groups[group].size() == 1) matrix.rows[v].emplace_back(regions.groups[group][0], share);

  std::vector<std::string> names;
  for (const AtlasPatch& patch : regions.patches)
    if (!patch.cut) names.push_back(problem.component_names[patch.component]);
  if (!names.empty()) {
    report_fallback(report.fallbacks, "pieces that no cut touches: bound by heat", names);
    std::vector<std::uint32_t> active;
    for (std::uint32_t b = 0; b < atlas.skeleton.size(); ++b)
      if (atlas.skeleton[b].active) active.push_back(b);
    std::fill(factor.begin(), factor.end(), 1.0);
    add_heat(problem, uncut, active, factor, matrix, report.fallbacks, context);
  }

  for (WeightMatrix::Row& row : matrix.rows) {
    std::sort(row.begin(), row.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (kept > 0 && row[kept - 1].first == row[i].first)
        row[kept - 1].second += row[i].second;
      else
        row[kept++] = row[i];
    }
    row.resize(kept);
  }
  report_regions(problem, atlas, matrix, report);
  return matrix;
}

}  // namespace cutis
