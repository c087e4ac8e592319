// Automatic weights from a character to a character: surface ► bones ► method ► transfer ► smooth ► symmetrise ► prune
// ► scatter.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "base/timer.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/weights.h"
#include "weights/bone_visibility.h"
#include "weights/cleanup.h"
#include "weights/method.h"
#include "weights/mirror.h"
#include "weights/problem.h"
#include "weights/weight_bones.h"

namespace cutis {
namespace {

constexpr std::array kMethods{WeightMethod::heat, WeightMethod::atlas};

void check(const WeightOptions& options) {
  check_options(options, "weights");
  for (const auto& [joint, overlap] : options.joint_overlap)
    check_options(WeightOptions{.overlap = overlap}, fmt::format("weights › joint '{}'", joint));
}

WeightMatrix run_method(const WeightProblem& problem, const WeightOptions& options, WeightReport& report,
                        const Context& context) {
  switch (options.method) {
    case WeightMethod::heat:
      return heat_weights(problem, report.fallbacks, context);
    case WeightMethod::atlas:
      return atlas_weights(problem, options, report, context);
  }
  throw Error(ErrorCode::bad_argument, "weights", "unknown method");
}

MirrorReport report_mirror(const Mirror& mirror, const WeightMatrix& matrix) {
  MirrorReport report;
  report.plane_point = mirror.point;
  report.plane_normal = mirror.normal;
  for (const std::uint32_t partner : mirror.vertex)
    ++(partner == Mirror::kNone ? report.unpaired_vertices : report.paired_vertices);
  for (std::uint32_t b = 0; b < mirror.bone.size(); ++b) report.paired_joints += mirror.bone[b] != b ? 1U : 0U;
  report.error_before = mirror_error(mirror, matrix);
  return report;
}

/// Joints that stand in for others in the skin of this mesh (Joint::alias_of), from the weights that it had.
std::vector<std::uint32_t> joints_of_mesh(const Skeleton& skeleton, const Mesh& mesh) {
  std::vector<std::uint32_t> joint(skeleton.joints.size());
  for (std::uint32_t j = 0; j < joint.size(); ++j) joint[j] = j;
  for (const std::uint32_t j : mesh.weights.joint)
    if (const int alias = skeleton.joints[j].alias_of; alias >= 0) joint[static_cast<std::size_t>(alias)] = j;
  return joint;
}

/// Every input vertex gets the row of its welded vertex, largest weight first.
void scatter(const WeightProblem& problem, const WeightMatrix& matrix, Character& character) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    Mesh& mesh = character.meshes[m];
    const std::vector<std::uint32_t> joint_of = joints_of_mesh(character.skeleton, mesh);
    Weights weights;
    weights.row_begin.push_back(0);
    for (std::uint32_t v = problem.input_begin[m]; v < problem.input_begin[m + 1]; ++v) {
      WeightMatrix::Row row = matrix.rows[problem.welded_of[v]];
      std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      for (const auto& [bone, weight] : row) {
        weights.joint.push_back(joint_of[static_cast<std::size_t>(problem.bones[bone].joint)]);
        weights.weight.push_back(static_cast<float>(weight));
      }
      weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
    }
    mesh.weights = std::move(weights);
  }
  for (const WeightBone& bone : problem.bones)
    character.skeleton.joints[static_cast<std::size_t>(bone.joint)].is_bone = true;
}

void measure(const WeightProblem& problem, const WeightMatrix& matrix, WeightReport& report) {
  report.influences.assign(1, 0);
  std::vector<char> used(problem.bones.size(), 0);
  for (const WeightMatrix::Row& row : matrix.rows) {
    if (row.size() >= report.influences.size()) report.influences.resize(row.size() + 1, 0);
    ++report.influences[row.size()];
    for (const auto& [b, w] : row) used[b] = 1;
  }
  report.weighted_bones = static_cast<std::size_t>(std::count(used.begin(), used.end(), 1));
  std::vector<double> steps, dense(problem.bones.size(), 0);
  for (const Edge& e : problem.topology.edges) {
    for (const auto& [b, w] : matrix.rows[e.a]) dense[b] += w;
    double difference = 0;
    for (const auto& [b, w] : matrix.rows[e.b]) dense[b] -= w;
    for (const std::uint32_t v : {e.a, e.b})
      for (const auto& [b, w] : matrix.rows[v]) {
        difference += std::abs(dense[b]);
        dense[b] = 0;
      }
    steps.push_back(0.5 * difference);
    report.edge_step_mean += steps.back() / static_cast<double>(problem.topology.edges.size());
  }
  if (steps.empty()) return;
  const auto p99 = steps.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(steps.size() - 1));
  std::nth_element(steps.begin(), p99, steps.end());
  report.edge_step_p99 = *p99;
  report.edge_step_max = *std::max_element(p99, steps.end());
}

}  // namespace

std::string_view to_string(WeightMethod method) { return method == WeightMethod::heat ? "heat" : "atlas"; }

std::vector<std::string> weight_method_names() {
  std::vector<std::string> names;
  for (const WeightMethod method : kMethods) names.emplace_back(to_string(method));
  return names;
}

WeightMethod weight_method_from_string(std::string_view name) {
  for (const WeightMethod method : kMethods)
    if (to_string(method) == name) return method;
  throw Error(ErrorCode::bad_argument, fmt::format("method '{}'", name),
              fmt::format("is not known; there are: {}", fmt::join(weight_method_names(), ", ")));
}

namespace {

WeightReport weigh(Character& character, const WeightOptions& options, const Context& context) {
  const Timer timer;
  check(options);
  validate(character);
  WeightReport report;
  context.progress("weights", 0);
  context.check_cancelled();
  WeightProblem problem = make_surface(character, report.fallbacks);
  context.check_cancelled();
  problem.visibility = std::make_shared<BoneVisibility>(problem);
  context.check_cancelled();
  problem.bones = make_bones(problem, *problem.visibility, options.keep_helpers, report.fallbacks);
  context.check_cancelled();

  WeightMatrix matrix = run_method(problem, options, report, context);
  context.check_cancelled();
  transfer_weights(problem, matrix, context);
  smooth_weights(problem, matrix, options.smooth_steps, context);
  std::optional<Mirror> mirror;
  if (options.symmetric) {
    mirror = find_mirror(problem);
    if (!mirror)
      report.fallbacks.push_back({"no mirror plane: fewer than half of the vertices have a mirror image", 1, ""});
  }
  if (mirror) {
    report.mirror = report_mirror(*mirror, matrix);
    std::vector<std::string> alone;
    for (const std::uint32_t b : mirror->alone)
      alone.push_back(character.skeleton.joints[static_cast<std::size_t>(problem.bones[b].joint)].name);
    report_fallback(report.fallbacks, "bones without a mirror image: mirrored onto themselves", alone);
    symmetrise(*mirror, matrix);
  }
  const PruneReport pruned = prune_weights(matrix, options.max_influences, options.min_weight);
  if (mirror) {
    symmetrise(*mirror, matrix);  // what rounding in the sums made different
    report.mirror->error_after = mirror_error(*mirror, matrix);
  }

  report.vertices = problem.welded_of.size();
  report.welded_vertices = problem.positions.size();
  report.triangles = character.triangle_count();
  report.bones = problem.bones.size();
  report.pruned_mean = pruned.mean;
  report.pruned_max = pruned.max;
  measure(problem, matrix, report);
  scatter(problem, matrix, character);
  report.seconds = timer.milliseconds() / 1000;
  context.progress("weights", 1);
  return report;
}

}  // namespace

WeightReport make_weights(Character& character, const WeightOptions& options, const Context& context) {
  const auto is_attached = [](const Mesh& mesh) { return mesh.attached && !mesh.weights.empty(); };
  if (std::ranges::none_of(character.meshes, is_attached)) return weigh(character, options, context);
  Character skin;
  skin.source = character.source;
  skin.skeleton = character.skeleton;
  for (const Mesh& mesh : character.meshes)
    if (!is_attached(mesh)) skin.meshes.push_back(mesh);
  WeightReport report = weigh(skin, options, context);
  auto weighed = skin.meshes.begin();
  std::vector<int> regions;
  std::size_t done = 0;
  for (Mesh& mesh : character.meshes) {
    const std::size_t n = mesh.positions.size();
    if (is_attached(mesh)) {
      if (!report.regions.empty()) regions.insert(regions.end(), n, static_cast<int>(mesh.weights.joint[0]));
      continue;
    }
    mesh.weights = std::move((weighed++)->weights);
    if (report.regions.empty()) continue;
    const auto from = report.regions.begin() + static_cast<std::ptrdiff_t>(done);
    regions.insert(regions.end(), from, from + static_cast<std::ptrdiff_t>(n));
    done += n;
  }
  report.regions = std::move(regions);
  return report;
}

}  // namespace cutis
