#include "bench/play.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "kernels/eval_field.h"
#include "kernels/track.h"

namespace cutis::bench {
namespace {

constexpr std::size_t kMeasured = 8;  // frames whose quality is measured, evenly spread, the last among them

// Worst of several frames, by the names of the metrics.
std::vector<Number> quality_of(const std::vector<FrameMetrics>& frames, const std::vector<FrameMetrics>& dqs,
                               double residual_p95, std::size_t nonfinite) {
  std::vector<Number> quality;
  for (const MetricSummary& s : summarise(frames))
    for (const char* name : {"intersecting_pairs", "folds", "roughness", "scars", "untouched", "memory", "stretch_max",
                             "stretch_p95", "volume_change"})
      if (s.name == name) quality.push_back({name, s.worst});
  for (const MetricSummary& s : summarise(dqs))
    if (s.name == "roughness") quality.push_back({"dqs_roughness", s.worst});
  quality.push_back({"residual_p95", residual_p95});
  quality.push_back({"nonfinite", static_cast<double>(nonfinite)});
  return quality;
}

// Sums over frames become a mean frame.
class ProfileSum {
 public:
  void add(const FrameReport& r) {
    ++frames_;
    const TrackingProfile& p = r.profile;
    const ContactReport& c = r.contact;
    const double method = p.pose + p.transport + p.control + p.project + p.relax + p.check + p.finish;
    count("pose_ms", p.pose);
    count("transport_ms", p.transport);
    count("control_ms", p.control);
    count("project_ms", p.project);
    count("relax_ms", p.relax);
    count("check_ms", p.check);
    count("finish_ms", p.finish);
    count("relief_ms", c.relief_ms);
    count("give_ms", c.give_ms);
    count("broad_phase_ms", c.broad_ms);
    count("ccd_ms", c.safe_ms - c.broad_ms);
    count("normals_ms", c.normals_ms);
    count("other_ms", r.milliseconds - method - c.relief_ms - c.give_ms - c.safe_ms - c.normals_ms);
    count("total_ms", r.milliseconds);
    count("substeps", r.substeps);
    count("halvings", r.halvings);
    count("iterations", r.iterations);
    count("active_vertices", r.active);
    count("vertex_steps", p.vertex_steps);
    count("vertex_iterations", p.vertex_iterations);
    count("gradient_steps", p.gradient_steps);
    count("field_evaluations", p.evaluations);
    if (p.operations > 0) count("operator_lookups", p.operations);
    count("ccd_candidates", c.candidates);
    count("ccd_tests", c.tests);
    // What the stages cannot do without, if nothing stays in the cache: eight nodes a look-up of a field; in a step of
    // conjugate gradients four vectors and a diagonal read, three vectors written, and of six neighbours the number,
    // the weight and the direction.
    count("project_bytes", static_cast<double>(p.evaluations) * 8 * sizeof(GridNode));
    count("relax_bytes", static_cast<double>(p.gradient_steps) * (7 * sizeof(Vec3f) + 4 + 6 * (8 + sizeof(Vec3f))));
  }
  [[nodiscard]] std::vector<Number> mean() const {
    std::vector<Number> result = sums_;
    for (Number& n : result) n.value /= static_cast<double>(std::max<std::size_t>(frames_, 1));
    return result;
  }

 private:
  template <class T>
  void count(const char* name, T value) {
    const auto found = std::ranges::find_if(sums_, [&](const Number& n) { return n.name == name; });
    if (found == sums_.end())
      sums_.push_back({name, static_cast<double>(value)});
    else
      found->value += static_cast<double>(value);
  }
  std::vector<Number> sums_;
  std::size_t frames_ = 0;
};

}  // namespace

Player::Player(const Bench& bench, const Character& character, const Context& context)
    : bench_(bench),
      character_(character),
      context_(context),
      rig_(bind(character, context)),
      metrics_(character, context, {.overlap = false}) {}

Row Player::play(const Play& play) const {
  Row row;
  row.name = play.name;
  row.unit = "ms/frame";
  row.budget = play.budget;
  row.hash = kHashSeed;
  Solver solver(rig_, play.options, context_);
  if (with_contact(play.options)) solver.foresee(play.poses);
  std::vector<double> ms, cpu;
  std::vector<FrameReport> reports;
  // Beside it, untimed: what its quality is compared with.
  Solver dqs(rig_, {.method = Method::dqs}, context_);
  SecondRuns second(rig_, play.options, bench_.also(), context_);
  std::vector<FrameMetrics> measured, dqs_measured;
  double residual_p95 = 0;
  std::size_t nonfinite = 0;
  const auto warm_up = static_cast<std::size_t>(play.warm_up);
  const std::size_t every = std::max<std::size_t>(1, (play.poses.size() - warm_up) / kMeasured);
  for (std::size_t i = 0; i < play.poses.size(); ++i) {
    const double cpu_start = cpu_seconds();
    const Frame& frame = solver.solve(play.poses[i]);
    const double used = (cpu_seconds() - cpu_start) * 1e3;
    const bool is_measured = i >= warm_up && (play.poses.size() - 1 - i) % every == 0;
    if (!is_measured) second.pass(play.poses[i]);
    if (i < warm_up) continue;
    ms.push_back(frame.report.milliseconds);
    cpu.push_back(used);
    if (bench_.profile()) reports.push_back(frame.report);
    row.hash = hash_span(std::span<const Vec3f>(frame.positions), row.hash);
    residual_p95 = std::max(residual_p95, frame.report.residual_p95);
    nonfinite += frame.report.nonfinite;
    if (!is_measured) continue;
    const std::vector<Vec3f>& smooth = dqs.solve(play.poses[i]).positions;
    measured.push_back(metrics_.measure(frame.positions, {}, {}, smooth));
    dqs_measured.push_back(metrics_.measure(smooth));
    second.solve(play.poses[i], frame, metrics_);
    if (second.untouched()) measured.back().untouched = second.untouched()->worst;
    if (second.memory()) measured.back().memory = second.memory()->worst;
  }
  set_values(row, std::move(ms));
  row.cpu = median(std::move(cpu));
  row.quality = quality_of(measured, dqs_measured, residual_p95, nonfinite);
  if (bench_.also().settled && !play.poses.empty())
    row.quality.push_back(
        {"settled",
         settle(solver, rig_, play.options, character_.skeleton, play.poses.back(), metrics_, context_).back().worst});
  if (bench_.profile()) row.profile = profile_of(reports);
  return row;
}

std::vector<Number> profile_of(std::span<const FrameReport> frames) {
  ProfileSum sum;
  for (const FrameReport& frame : frames) sum.add(frame);
  return sum.mean();
}

std::vector<Pose> poses_of(const Character& character, std::string_view clip, std::size_t most) {
  const Clip& found = character.clip(clip);
  std::vector<Pose> poses;
  for (const double time : sample_times(found, 0, 30)) {
    if (poses.size() == most) break;
    poses.push_back(sample(character.skeleton, found, time));
  }
  return poses;
}

}  // namespace cutis::bench
