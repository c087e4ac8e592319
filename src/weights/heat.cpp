// Bone heat. Baran, Popović, "Automatic rigging and animation of 3D characters", SIGGRAPH 2007, section 4:
//   (-Laplace + H) w_b = H p_b,   H = c / d^2 at vertices that see a bone at distance d, 0 elsewhere,
//   p_b = 1 where b is the nearest such bone, shared among bones that are about equally near.
// Multiplied by the areas of the vertices, M, the matrix L + M H is symmetric and positive definite on every component
// on which some vertex sees a bone; one factorisation serves all bones.
//
// Differs from the paper: the nearest *visible* bone counts, not the nearest if visible; a bone that lies aside of the
// inward normal counts as farther than one straight below (the chest follows the spine, not the collarbone); the share
// of a bone fades out smoothly with its distance; components that see nothing are bound by distance or left to the
// transfer.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"
#include "geometry/cotangent.h"
#include "numerics/prefactored_solver.h"
#include "weights/bone_visibility.h"
#include "weights/method.h"
#include "weights/problem.h"
#include "weights/weight_bones.h"

namespace cutis {
namespace {

// c. The paper has 1. Larger values give narrower transitions: less volume is lost, until folds grow. Chosen with the
// two constants below on elbow, knee, squat and fist clips (docs/algorithms/weights-heat.md).
constexpr double kHeat = 1.5;
// A bone up to this much farther than the nearest one has a share, which falls linearly to 0.
constexpr double kAboutEquallyNear = 0.3;
// A bone in a tangential direction counts as farther by this factor, one straight below as it is.
constexpr double kAside = 1;
// Bones farther than so many times the nearest are not looked at: what lies between hides the right one.
constexpr double kFarthestLook = 3;
// Distances below this share of the size count as this: a vertex on a bone.
constexpr double kOnBone = 1e-4;
// A component on which fewer vertices see a bone takes its weights from the larger components.
constexpr double kSeeingShare = 0.05;
// A component that sees nothing follows the bound surface unless it is so many times larger than that.
constexpr double kTransferFactor = 4;
// Components smaller than this share of the size that follow others do so as one rigid piece: eyes, teeth, buttons.
constexpr double kRigidSize = 0.06;
// Cotangent weights are dimensionless; this one keeps a vertex joined to its neighbours and is otherwise nothing.
constexpr double kLeastEdgeWeight = 1e-6;
// Weights that are rounding.
constexpr double kNothing = 1e-9;

/// What a vertex sees: H and the non-zero p_b.
struct Source {
  double heat = 0;
  std::vector<std::pair<std::uint32_t, double>> bones;
};

class HeatProblem {
 public:
  HeatProblem(const WeightProblem& problem, Fallbacks& fallbacks, const Context& context)
      : problem_(problem), fallbacks_(fallbacks), context_(context), visibility_(*problem.visibility) {}

  WeightMatrix solve() {
    find_sources();
    choose_components();
    return diffuse();
  }

 private:
  /// A point of a bone on its way to become a source.
  struct Candidate {
    double distance = 0;  ///< as it counts
    std::uint32_t bone = 0;
    bool nearest = true;  ///< of its bone
    Vec3d point;
    friend bool operator>(const Candidate& a, const Candidate& b) {
      return a.distance != b.distance ? a.distance > b.distance : a.bone > b.bone;
    }
  };
  [[nodiscard]] Candidate candidate(std::uint32_t v, std::uint32_t bone, const Vec3d& point, bool nearest) const {
    const double d = distance(problem_.positions[v], point) * (1 + kAside * (1 - straight_below(v, point)));
    return {std::max(d, kOnBone * problem_.size), bone, nearest, point};
  }

  /// The nearest bones of those that pass `sees`. Where the nearest point of a bone is hidden, its middle and its ends
  /// are tried, at their own distances: the outer toes see the joint of the toes, though not the bone in the middle
  /// one.
  template <class Sees>
  [[nodiscard]] Source source_at(std::uint32_t v, Sees&& sees) const {
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    for (std::uint32_t b = 0; b < problem_.bones.size(); ++b)
      queue.push(candidate(v, b, nearest_on_bone(problem_.bones[b], problem_.positions[v]).point, true));
    const double farthest = kFarthestLook * queue.top().distance;
    Source source;
    double first = 0, sum = 0;
    while (!queue.empty()) {
      const Candidate c = queue.top();
      queue.pop();
      if (c.distance > (source.bones.empty() ? farthest : (1 + kAboutEquallyNear) * first)) break;
      if (std::any_of(source.bones.begin(), source.bones.end(), [&](const auto& s) { return s.first == c.bone; }))
        continue;
      if (!sees(c.point)) {
        if (c.nearest)
          for (const Segment& s : problem_.bones[c.bone].segments)
            for (const double t : {0.0, 0.5, 1.0}) queue.push(candidate(v, c.bone, lerp(s.from, s.to, t), false));
        continue;
      }
      if (source.bones.empty()) {
        first = c.distance;
        const double d = std::max(distance(problem_.positions[v], c.point), kOnBone * problem_.size);
        source.heat = kHeat / (d * d);
      }
      const double share = 1 - (c.distance / first - 1) / kAboutEquallyNear;
      if (!(share > 0)) continue;
      source.bones.emplace_back(c.bone, share);
      sum += share;
    }
    for (auto& [b, share] : source.bones) share /= sum;
    return source;
  }

  /// Cosine between the inward normal and the direction to `q`.
  [[nodiscard]] double straight_below(std::uint32_t v, const Vec3d& q) const {
    const Vec3d to_vertex = problem_.positions[v] - q;
    const double d = length(to_vertex);
    if (!(d > 0) || problem_.topology.component[v] == Topology::kNoComponent) return 1;
    const double cosine = dot(to_vertex, problem_.normals[v]) / d;
    return problem_.two_sided[v] != 0 ? std::abs(cosine) : cosine;
  }

  void find_sources() {
    const std::size_t n = problem_.positions.size();
    sources_.resize(n);
    parallel_for(context_, n, 128, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (problem_.topology.component[v] == Topology::kNoComponent) continue;
        const auto vertex = static_cast<std::uint32_t>(v);
        sources_[v] = source_at(vertex, [&](const Vec3d& q) { return visibility_.sees(vertex, q); });
      }
    });
    give_to_unseen_bones();
  }

  // A bone that lies outside takes the vertices to which it is the nearest and that see no other.
  void give_to_unseen_bones() {
    std::vector<char> seen(problem_.bones.size(), 0);
    for (const Source& s : sources_)
      for (const auto& [b, share] : s.bones) seen[b] = 1;
    std::vector<std::size_t> taken(problem_.bones.size(), 0);
    for (std::uint32_t v = 0; v < sources_.size(); ++v) {
      if (!sources_[v].bones.empty() || problem_.topology.component[v] == Topology::kNoComponent) continue;
      Source nearest = source_at(v, [](const Vec3d&) { return true; });
      if (!std::all_of(nearest.bones.begin(), nearest.bones.end(), [&](const auto& s) { return seen[s.first] == 0; }))
        continue;
      for (const auto& [b, share] : nearest.bones) ++taken[b];
      sources_[v] = std::move(nearest);
    }
    std::vector<std::string> near, nothing;
    for (std::size_t b = 0; b < seen.size(); ++b)
      if (seen[b] == 0) (taken[b] > 0 ? near : nothing).push_back(bone_name(b));
    report_fallback(fallbacks_, "bones that no vertex sees: bound to the vertices nearest to them", near);
    report_fallback(fallbacks_, "bones that no vertex sees and none is nearest to: own no vertices", nothing);
  }

  // Which components diffuse heat of their own.
  void choose_components() {
    const Topology& t = problem_.topology;
    const std::vector<double>& area = visibility_.component_areas();
    std::vector<std::size_t> vertices(t.component_count, 0), seeing(t.component_count, 0);
    for (std::size_t v = 0; v < sources_.size(); ++v) {
      if (t.component[v] == Topology::kNoComponent) continue;
      ++vertices[t.component[v]];
      seeing[t.component[v]] += sources_[v].bones.empty() ? 0U : 1U;
    }
    solved_.assign(t.component_count, 0);
    double bound_area = 0;
    for (std::size_t c = 0; c < t.component_count; ++c) {
      if (seeing[c] == 0 || static_cast<double>(seeing[c]) < kSeeingShare * static_cast<double>(vertices[c])) continue;
      solved_[c] = 1;
      bound_area += area[c];
    }
    std::vector<std::string> by_distance, follow;
    for (std::uint32_t c = 0; c < t.component_count; ++c) {
      if (solved_[c] != 0) continue;
      if (bound_area > 0 && area[c] <= kTransferFactor * bound_area) {
        follow.push_back(problem_.component_names[c]);
        following_.push_back(c);
        continue;
      }
      by_distance.push_back(problem_.component_names[c]);
      solved_[c] = 1;
      for (std::uint32_t v = 0; v < sources_.size(); ++v)
        if (t.component[v] == c) sources_[v] = source_at(v, [](const Vec3d&) { return true; });
    }
    report_fallback(fallbacks_, "components that see no bone: bound to the nearest bones through the surface",
                    by_distance);
    report_fallback(fallbacks_, "components that see no bone: follow the nearest bound surface", follow);
  }

  WeightMatrix diffuse() {
    const std::size_t bones = problem_.bones.size();
    WeightMatrix result;
    result.rows.resize(problem_.positions.size());
    result.rigid_components = rigid_components();
    std::vector<std::uint32_t> unknown(problem_.positions.size(), 0), vertex_of;
    for (std::uint32_t v = 0; v < problem_.positions.size(); ++v) {
      const std::uint32_t c = problem_.topology.component[v];
      if (c == Topology::kNoComponent || solved_[c] == 0) continue;
      unknown[v] = static_cast<std::uint32_t>(vertex_of.size());
      vertex_of.push_back(v);
    }
    const CotangentLaplacian laplacian = cotangent_laplacian(problem_.positions, problem_.topology.triangles);
    std::vector<MatrixEntry> entries;
    for (const EdgeWeight& e : laplacian.edges) {
      const std::uint32_t c = problem_.topology.component[e.a];
      if (c == Topology::kNoComponent || solved_[c] == 0) continue;
      const std::uint32_t a = unknown[e.a], b = unknown[e.b];
      const double w = std::max(e.weight, kLeastEdgeWeight);
      entries.push_back({a, a, w});
      entries.push_back({b, b, w});
      entries.push_back({std::max(a, b), std::min(a, b), -w});
    }
    std::vector<double> block(vertex_of.size() * bones, 0);
    for (std::uint32_t i = 0; i < vertex_of.size(); ++i) {
      const Source& s = sources_[vertex_of[i]];
      const double heat = laplacian.mass[vertex_of[i]] * s.heat;
      entries.push_back({i, i, heat});
      for (const auto& [b, share] : s.bones) block[i * bones + b] = heat * share;
    }
    context_.progress("weights", 0.3);
    const PrefactoredSolver solver(vertex_of.size(), entries, &context_);
    if (!solver.ok()) return by_distance(std::move(result));
    context_.progress("weights", 0.6);
    solver.solve(block, bones, context_);
    for (std::size_t i = 0; i < vertex_of.size(); ++i) {
      WeightMatrix::Row& row = result.rows[vertex_of[i]];
      double sum = 0;
      for (std::uint32_t b = 0; b < bones; ++b) {
        const double w = block[i * bones + b];
        if (!(w > kNothing)) continue;
        row.emplace_back(b, w);
        sum += w;
      }
      for (auto& [b, w] : row) w /= sum;
    }
    return result;
  }

  // The matrix is positive definite; should rounding on extreme scales break the factorisation all the same, every
  // vertex follows its nearest bone.
  WeightMatrix by_distance(WeightMatrix result) {
    fallbacks_.push_back({"the heat equation could not be factored: every vertex follows its nearest bones",
                          problem_.positions.size(), ""});
    for (std::uint32_t v = 0; v < result.rows.size(); ++v) {
      result.rows[v] = source_at(v, [](const Vec3d&) { return true; }).bones;
      std::sort(result.rows[v].begin(), result.rows[v].end());
    }
    return result;
  }

  [[nodiscard]] std::vector<std::uint32_t> rigid_components() const {
    std::vector<Box> box(problem_.topology.component_count);
    for (std::size_t v = 0; v < problem_.positions.size(); ++v)
      if (const std::uint32_t c = problem_.topology.component[v]; c != Topology::kNoComponent)
        box[c].add(problem_.positions[v]);
    std::vector<std::uint32_t> rigid;
    for (const std::uint32_t c : following_)
      if (diagonal(box[c]) <= kRigidSize * problem_.size) rigid.push_back(c);
    return rigid;
  }

  [[nodiscard]] std::string bone_name(std::size_t bone) const {
    const int joint = problem_.bones[bone].joint;
    return "'" + problem_.character->skeleton.joints[static_cast<std::size_t>(joint)].name + "'";
  }

  const WeightProblem& problem_;
  Fallbacks& fallbacks_;
  const Context& context_;
  const BoneVisibility& visibility_;
  std::vector<Source> sources_;
  std::vector<char> solved_;              // per component: has heat of its own
  std::vector<std::uint32_t> following_;  // the other components
};

}  // namespace

WeightMatrix heat_weights(const WeightProblem& problem, Fallbacks& fallbacks, const Context& context) {
  return HeatProblem(problem, fallbacks, context).solve();
}

}  // namespace cutis
