// Measurements of several methods over one clip, and their forms: JSON (DESIGN: the contract of `measure`), CSV, plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common.h"
#include "cutis/explain.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/second_runs.h"
#include "cutis/solve.h"
#include "pipeline.h"

namespace cutis::cli {

struct MethodMeasurement {
  std::string name;
  std::vector<FrameMetrics> frames;
  std::vector<double> ms;            ///< per frame; empty for frames of a file
  std::vector<FrameReport> reports;  ///< per frame, of methods that work on fields
  std::optional<double> median_ms;
  std::vector<MetricSummary> summary;
  std::optional<double> pop;
  std::vector<double> settling;  ///< with also.settled: % of height off, from the frame first back at rest on
  std::vector<std::vector<PairGroup>> explained;  ///< per frame; with explain
  std::vector<ContactReport> contact;             ///< per frame; with contact
  // With reverse.
  std::optional<PathMetrics> path;
  std::optional<FrameDistance> return_to_rest;

  [[nodiscard]] const MetricSummary* find(const std::string& metric) const;
};

/// How far tracking's frames differ between two histories; % of the character's height.
struct HistoryDifference {
  std::string a, b;  ///< names of histories
  std::vector<FrameDistance> frames;
  double mean = 0, max = 0;  ///< over all frames
  std::size_t worst_frame = 0;
};

struct Measurement {
  std::string file, clip;
  std::size_t vertices = 0, welded_vertices = 0;
  double size = 0;
  std::vector<double> times;
  FrameMetrics rest;
  std::vector<JointRegion> regions;
  std::vector<MethodMeasurement> methods;
  std::vector<HistoryDifference> histories;  ///< of every two, when several were asked for
  Skeleton skeleton;                         ///< whose joints the explanations name

  [[nodiscard]] std::vector<std::string> metric_names() const;  ///< that some method has, in the table's order
};

/// Frames that another program made of the same motion.
struct ExternalFrames {
  std::string name, file;
  PointCache frames;
};
/// Reads "NAME=FILE.pc2" of each; throws Error where a name is taken or missing.
[[nodiscard]] std::vector<ExternalFrames> load_external(const std::vector<std::string>& choices,
                                                        const std::vector<Method>& methods);

/// LBS is played too when it is not asked for: popping is a multiple of its. With several histories in
/// `contact.histories`, tracking is measured with each, as "tracking/HISTORY".
[[nodiscard]] Measurement measure_methods(const Character& character, const Motion& motion,
                                          const std::vector<Method>& methods, bool reverse, const Context& context,
                                          const ContactChoice& contact = {}, bool explain = false,
                                          const AlsoMeasure& also = {},
                                          const std::vector<ExternalFrames>& external = {});

[[nodiscard]] Json to_json(const Measurement& measurement, const std::vector<std::string>& warnings);
[[nodiscard]] std::string to_csv(const Measurement& measurement);
/// A panel a metric, a line a method, over the frames.
[[nodiscard]] Image plot_measurement(const Measurement& measurement);

}  // namespace cutis::cli
