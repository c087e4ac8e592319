#include "measuring.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "explaining.h"

namespace cutis::cli {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Json number(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(nullptr); }

// Vertices that no field reaches have no residual.
std::vector<float> known_residuals(const Frame& frame) {
  std::vector<float> residuals = frame.residuals;
  for (std::size_t v = 0; v < residuals.size(); ++v)
    if (frame.states[v] == VertexState::outside) residuals[v] = std::numeric_limits<float>::quiet_NaN();
  return residuals;
}

Json states_json(const FrameReport& report) {
  Json states;
  for (std::size_t s = 0; s < kVertexStates; ++s)
    states[std::string(to_string(static_cast<VertexState>(s)))] = report.states[s];
  return states;
}

Json frame_json(const FrameMetrics& frame, const FrameMetrics& rest, const std::vector<JointRegion>& regions) {
  Json json;
  for (const MetricInfo& info : metric_table()) {
    const auto value = info.value(frame);
    if (value) json[std::string(info.name)] = rounded(*value);
    if (info.name == "overlap" && value) json["rest_overlap"] = number(rest.overlap);
  }
  if (!frame.volume_skipped.empty()) json["volume_skipped"] = frame.volume_skipped;
  Json joints = Json::object();
  for (std::size_t r = 0; r < regions.size() && r < frame.region_volume_change.size(); ++r)
    joints[regions[r].name] = number(frame.region_volume_change[r]);
  if (!joints.empty()) json["volume_change_joints"] = joints;
  return json;
}

}  // namespace

const MetricSummary* MethodMeasurement::find(const std::string& metric) const {
  const auto it =
      std::find_if(summary.begin(), summary.end(), [&](const MetricSummary& s) { return s.name == metric; });
  return it == summary.end() ? nullptr : &*it;
}

std::vector<std::string> Measurement::metric_names() const {
  std::vector<std::string> names;
  for (const MethodMeasurement& m : methods)
    for (const MetricSummary& s : m.summary)
      if (std::find(names.begin(), names.end(), s.name) == names.end()) names.push_back(s.name);
  return names;
}

namespace {

// One column of the report.
struct Run {
  Method method = Method::lbs;
  ContactChoice contact;
  std::string name;
};

std::vector<Run> list_runs(const std::vector<Method>& methods, const ContactChoice& contact) {
  std::vector<History> histories = contact.histories;
  if (histories.empty()) histories.push_back(contact.solve.tracking.history);
  std::vector<Run> runs;
  for (const Method method : methods) {
    for (const History history : histories) {
      Run run{method, contact, label(method, contact)};
      run.contact.histories = {history};
      if (histories.size() > 1 && method == Method::tracking)
        run.name = fmt::format("{}/{}", to_string(method), to_string(history));
      runs.push_back(std::move(run));
      if (method != Method::tracking) break;
    }
  }
  return runs;
}

using Frames = std::vector<std::vector<Vec3f>>;

HistoryDifference difference(const Metrics& metrics, const std::pair<std::string, Frames>& a,
                             const std::pair<std::string, Frames>& b) {
  HistoryDifference result{a.first, b.first, {}, 0, 0, 0};
  const PathMetrics path = metrics.path(a.second, b.second);
  const double percent = metrics.height() > 0 ? 100 / metrics.height() : 0;
  for (const FrameDistance& d : path.frames) result.frames.push_back({d.mean * percent, d.max * percent, d.nonfinite});
  result.mean = path.mean * percent;
  result.max = path.max * percent;
  result.worst_frame = path.worst_frame;
  return result;
}

// What the frames say by themselves: there is no solver to ask.
MethodMeasurement measure_external(const ExternalFrames& external, const Character& character, const Motion& motion,
                                   const Metrics& metrics, const PopAccumulator& lbs_pop, Solver& dqs) {
  const PointCache& cache = external.frames;
  if (cache.points != metrics.vertex_count() || cache.samples != motion.times.size())
    throw Error(
        ErrorCode::bad_file, external.file,
        fmt::format("has {} frames of {} points, and the motion {} of {}; write the character's vertices in its "
                    "own order, at the same --frames or --fps",
                    cache.samples, cache.points, motion.times.size(), metrics.vertex_count()));
  MethodMeasurement m;
  m.name = external.name;
  PopAccumulator own_pop(metrics, cache.samples);
  for (std::size_t i = 0; i < cache.samples; ++i) {
    const Pose pose = sample(character.skeleton, motion.clip, motion.times[i]);
    m.frames.push_back(metrics.measure(cache.frame(i), {}, {}, dqs.solve(pose).positions));
    own_pop.add(cache.frame(i));
  }
  m.pop = pop(own_pop, lbs_pop);
  m.summary = summarise(m.frames, metrics.regions());
  return m;
}

}  // namespace

std::vector<ExternalFrames> load_external(const std::vector<std::string>& choices, const std::vector<Method>& methods) {
  std::vector<ExternalFrames> external;
  for (const std::string& choice : choices) {
    const std::size_t at = choice.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == choice.size())
      throw Error(ErrorCode::bad_argument, "--external", "'" + choice + "' is not NAME=FILE.pc2");
    ExternalFrames e{choice.substr(0, at), choice.substr(at + 1), {}};
    const bool taken = std::ranges::any_of(methods, [&](Method m) { return e.name.starts_with(to_string(m)); }) ||
                       std::ranges::any_of(external, [&](const ExternalFrames& other) { return other.name == e.name; });
    if (taken) throw Error(ErrorCode::bad_argument, "--external", "the name '" + e.name + "' is taken; give another");
    e.frames = load_point_cache(e.file);
    external.push_back(std::move(e));
  }
  return external;
}

Measurement measure_methods(const Character& character, const Motion& motion, const std::vector<Method>& methods,
                            bool reverse, const Context& context, const ContactChoice& contact, bool explain,
                            const AlsoMeasure& also, const std::vector<ExternalFrames>& external) {
  MetricsOptions metrics_options;
  metrics_options.per_vertex = explain;
  const Metrics metrics(character, context, metrics_options, bind_options(methods, contact).preset.roles);
  Measurement result;
  result.skeleton = character.skeleton;
  result.file = character.source;
  result.clip = motion.clip.name;
  result.vertices = metrics.vertex_count();
  result.welded_vertices = metrics.welded_vertex_count();
  result.size = metrics.size();
  result.times = motion.times;
  result.rest = metrics.rest();
  result.regions.assign(metrics.regions().begin(), metrics.regions().end());

  PopAccumulator lbs_pop(metrics, motion.times.size());
  play(character, motion, Method::lbs, context, [&](std::size_t, const Frame& f) { lbs_pop.add(f.positions); });

  const std::vector<Run> runs = list_runs(methods, contact);
  std::vector<std::pair<std::string, Frames>> histories;
  BindOptions binding = bind_options(methods, contact);
  binding.implicit_skin = binding.implicit_skin || explain;
  const auto rig = bind(character, context, binding);
  const std::optional<Explainer> explainer =
      explain ? std::optional<Explainer>(std::in_place, character, rig) : std::nullopt;
  Solver dqs(rig, {.method = Method::dqs}, context);
  for (const Run& run : runs) {
    MethodMeasurement m;
    m.name = run.name;
    const bool compared = run.name != label(run.method, contact);  // with other histories
    if (compared) histories.emplace_back(std::string(to_string(run.contact.histories.front())), Frames{});
    PopAccumulator own_pop(metrics, motion.times.size());
    std::vector<std::vector<Vec3f>> forward;
    const SolveOptions options = solve_options(run.method, run.contact);
    Solver solver(rig, options, context);
    if (with_contact(options)) solver.foresee(foreseen_poses(character, motion));
    SecondRuns second(rig, options, also, context);
    const std::vector<Vec3f> rest_before =
        reverse ? solver.solve(default_pose(character.skeleton)).positions : std::vector<Vec3f>{};
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
      for (const Pose& before : poses_before(character, motion, i, options)) {
        (void)solver.solve(before);
        second.pass(before);
      }
      const Pose pose = sample(character.skeleton, motion.clip, motion.times[i]);
      const Frame& frame = solver.solve(pose);
      m.frames.push_back(metrics.measure(frame.positions, known_residuals(frame), {}, dqs.solve(pose).positions));
      second.solve(pose, frame, metrics);
      if (second.untouched()) m.frames.back().untouched = second.untouched()->worst;
      if (second.memory()) m.frames.back().memory = second.memory()->worst;
      if (!frame.states.empty()) m.reports.push_back(frame.report);
      m.frames.back().nonfinite += frame.report.nonfinite;
      m.ms.push_back(frame.report.milliseconds);
      if (with_contact(options)) m.contact.push_back(frame.report.contact);
      if (explainer) m.explained.push_back(explainer->explain(pose, frame.positions, m.frames.back().pairs));
      own_pop.add(frame.positions);
      if (compared) histories.back().second.push_back(frame.positions);
      if (reverse) forward.push_back(frame.positions);
      context.progress(m.name, static_cast<double>(i + 1) / static_cast<double>(motion.times.size()));
    }
    if (also.settled && !motion.times.empty()) {
      const SolverState state = solver.save_state();
      const Pose last = sample(character.skeleton, motion.clip, motion.times.back());
      for (const ShapeDifference& left : settle(solver, rig, options, character.skeleton, last, metrics, context))
        m.settling.push_back(left.worst);
      solver.restore_state(state);
    }
    if (reverse) {
      std::vector<std::vector<Vec3f>> back(forward.size());
      for (std::size_t i = forward.size(); i-- > 0;)
        back[i] = solver.solve(sample(character.skeleton, motion.clip, motion.times[i])).positions;
      m.path = metrics.path(forward, back);
      m.return_to_rest = metrics.distance(rest_before, solver.solve(default_pose(character.skeleton)).positions);
    }
    m.pop = pop(own_pop, lbs_pop);
    m.median_ms = median(m.ms);
    m.summary = summarise(m.frames, metrics.regions());
    result.methods.push_back(std::move(m));
  }
  for (const ExternalFrames& e : external)
    result.methods.push_back(measure_external(e, character, motion, metrics, lbs_pop, dqs));
  for (std::size_t a = 0; a < histories.size(); ++a)
    for (std::size_t b = a + 1; b < histories.size(); ++b)
      result.histories.push_back(difference(metrics, histories[a], histories[b]));
  return result;
}

Json to_json(const Measurement& measurement, const std::vector<std::string>& warnings) {
  Json methods = Json::object();
  for (const MethodMeasurement& m : measurement.methods) {
    Json frames = Json::array(), summary = Json::object();
    for (std::size_t i = 0; i < m.frames.size(); ++i) {
      Json frame{{"frame", i}, {"time", rounded(measurement.times[i])}};
      frame.update(frame_json(m.frames[i], measurement.rest, measurement.regions));
      if (i < m.ms.size()) frame["ms"] = {{"total", rounded(m.ms[i])}};
      if (i < m.reports.size()) {
        frame["states"] = states_json(m.reports[i]);
        frame["active"] = m.reports[i].active;
        frame["iterations"] = m.reports[i].iterations;
        frame["substeps"] = m.reports[i].substeps;
        frame["halvings"] = m.reports[i].halvings;
        frame["out_of_time"] = m.reports[i].out_of_time;
      }
      if (!m.contact.empty()) frame["contact"] = to_json(m.contact[i], measurement.skeleton);
      frames.push_back(std::move(frame));
    }
    for (const MetricSummary& s : m.summary)
      summary[s.name] = {{"mean", rounded(s.mean)}, {"worst", rounded(s.worst)}, {"worst_frame", s.worst_frame}};
    summary["rest_overlap"] = number(measurement.rest.overlap);
    summary["pop"] = number(m.pop);
    if (!m.settling.empty()) summary["settled"] = rounded(m.settling.back());
    if (m.median_ms) summary["ms"] = {{"median", rounded(*m.median_ms)}};
    if (m.path)
      summary["path"] = {
          {"mean", rounded(m.path->mean)}, {"max", rounded(m.path->max)}, {"worst_frame", m.path->worst_frame}};
    if (m.return_to_rest)
      summary["return_to_rest"] = {{"mean", rounded(m.return_to_rest->mean)}, {"max", rounded(m.return_to_rest->max)}};
    methods[m.name] = {{"frames", frames}, {"summary", summary}};
    if (!m.explained.empty()) methods[m.name]["explained"] = to_json(explained_rows(measurement.skeleton, m.explained));
  }
  Json document = {{"file", measurement.file},
                   {"clip", measurement.clip},
                   {"frames", measurement.times.size()},
                   {"vertices", measurement.vertices},
                   {"welded_vertices", measurement.welded_vertices},
                   {"size", rounded(measurement.size)},
                   {"rest", frame_json(measurement.rest, measurement.rest, {})},
                   {"methods", methods},
                   {"warnings", warnings}};
  if (!measurement.histories.empty()) document["history_differences"] = Json::array();
  for (const HistoryDifference& h : measurement.histories) {
    Json frames = Json::array();
    for (std::size_t i = 0; i < h.frames.size(); ++i)
      frames.push_back({{"frame", i}, {"mean", rounded(h.frames[i].mean)}, {"max", rounded(h.frames[i].max)}});
    document["history_differences"].push_back(
        {{"a", h.a},
         {"b", h.b},
         {"unit", "% of height"},
         {"frames", frames},
         {"summary", {{"mean", rounded(h.mean)}, {"max", rounded(h.max)}, {"worst_frame", h.worst_frame}}}});
  }
  return document;
}

std::string to_csv(const Measurement& measurement) {
  std::string csv = "method,frame,time";
  for (const MetricInfo& info : metric_table()) csv += fmt::format(",{}", info.name);
  for (const JointRegion& r : measurement.regions) csv += fmt::format(",\"volume_change.{}\"", r.name);
  csv += ",ms\n";
  const auto put = [&](const std::optional<double>& value) {
    csv += value && std::isfinite(*value) ? fmt::format(",{}", *value) : ",";
  };
  for (const MethodMeasurement& m : measurement.methods) {
    for (std::size_t i = 0; i < m.frames.size(); ++i) {
      csv += fmt::format("{},{},{}", m.name, i, measurement.times[i]);
      for (const MetricInfo& info : metric_table()) put(info.value(m.frames[i]));
      for (std::size_t r = 0; r < measurement.regions.size(); ++r)
        put(r < m.frames[i].region_volume_change.size() ? m.frames[i].region_volume_change[r] : std::nullopt);
      put(i < m.ms.size() ? std::optional(m.ms[i]) : std::nullopt);
      csv += "\n";
    }
  }
  return csv;
}

Image plot_measurement(const Measurement& measurement) {
  std::vector<Image> panels;
  for (const MetricInfo& info : metric_table()) {
    std::vector<PlotSeries> series;
    for (const MethodMeasurement& m : measurement.methods) {
      PlotSeries line;
      line.label = m.name;
      for (std::size_t i = 0; i < m.frames.size(); ++i) {
        const auto value = info.value(m.frames[i]);
        if (!value) continue;
        line.x.push_back(measurement.times[i]);
        line.y.push_back(*value);
      }
      if (!line.x.empty()) series.push_back(std::move(line));
    }
    const bool all_zero = std::all_of(series.begin(), series.end(), [](const PlotSeries& line) {
      return std::all_of(line.y.begin(), line.y.end(), [](double y) { return y == 0; });
    });
    if (series.empty() || (all_zero && !panels.empty())) continue;  // counts of faults that nobody has
    PlotOptions options;
    options.title = std::string(info.name);
    options.x_label = "seconds";
    options.y_label = std::string(info.unit);
    options.width = 560;
    options.height = 320;
    panels.push_back(plot_lines(series, options));
  }
  std::vector<PlotSeries> settling;
  for (const MethodMeasurement& m : measurement.methods) {
    if (m.settling.empty()) continue;
    settling.push_back({.label = m.name, .x = {}, .y = m.settling});
    for (std::size_t i = 0; i < m.settling.size(); ++i)
      settling.back().x.push_back(3.0 - static_cast<double>(m.settling.size()) + static_cast<double>(i));
  }
  if (!settling.empty())
    panels.push_back(plot_lines(settling, {.title = "settled",
                                           .x_label = "frames since the pose is back at rest",
                                           .y_label = "% of height",
                                           .width = 560,
                                           .height = 320}));
  if (panels.empty()) throw Error(ErrorCode::bad_argument, "--plot", "there is nothing to draw: no metric has a value");
  std::vector<Image> rows;
  constexpr std::size_t kColumns = 3;
  for (std::size_t i = 0; i < panels.size(); i += kColumns)
    rows.push_back(compose(std::span(panels).subspan(i, std::min(kColumns, panels.size() - i))));
  return compose(rows, {.vertical = true});
}

}  // namespace cutis::cli
