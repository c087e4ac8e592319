#include <array>
#include <cmath>

#include "cutis/metrics.h"

namespace cutis {
namespace {

using Value = std::optional<double>;

constexpr std::array kTable{
    MetricInfo{"intersecting_pairs", "", "pairs of triangles that share no vertex and intersect", Worse::higher,
               [](const FrameMetrics& m) -> Value {
                 return m.intersecting_pairs ? Value(static_cast<double>(*m.intersecting_pairs)) : Value();
               }},
    MetricInfo{"new_pairs", "", "of these, pairs that were apart at rest", Worse::higher,
               [](const FrameMetrics& m) -> Value {
                 return m.new_pairs ? Value(static_cast<double>(*m.new_pairs)) : Value();
               }},
    MetricInfo{"overlap", "", "share of vertices inside the body", Worse::higher,
               [](const FrameMetrics& m) { return m.overlap; }},
    MetricInfo{"volume_change", "", "signed volume over the rest pose's, minus 1", Worse::away_from_zero,
               [](const FrameMetrics& m) { return m.volume_change; }},
    MetricInfo{"folds", "", "edges folded by more than 120 degrees that were not at rest", Worse::higher,
               [](const FrameMetrics& m) -> Value { return static_cast<double>(m.folds); }},
    MetricInfo{"roughness", "deg", "change of the angle between neighbouring triangles, away from contact",
               Worse::higher, [](const FrameMetrics& m) { return m.roughness; }},
    MetricInfo{"scars", "", "edges bent by more than 40 degrees, away from contact, twice as far as DQS bends them",
               Worse::higher,
               [](const FrameMetrics& m) -> Value { return m.scars ? Value(static_cast<double>(*m.scars)) : Value(); }},
    MetricInfo{"untouched", "% of height",
               "how far the contact pass moves skin more than four edges from what it holds", Worse::higher,
               [](const FrameMetrics& m) { return m.untouched; }},
    MetricInfo{"memory", "% of height", "playback against canonical, in frames without contact", Worse::higher,
               [](const FrameMetrics& m) { return m.memory; }},
    MetricInfo{"stretch_p1", "", "edge length over rest length, 1st percentile", Worse::lower,
               [](const FrameMetrics& m) { return m.stretch_p1; }},
    MetricInfo{"stretch_p95", "", "edge length over rest length, 95th percentile", Worse::higher,
               [](const FrameMetrics& m) { return m.stretch_p95; }},
    MetricInfo{"stretch_max", "", "edge length over rest length, largest", Worse::higher,
               [](const FrameMetrics& m) { return m.stretch_max; }},
    MetricInfo{"poke_through", "", "share of garments that skin stands out of and did not at rest", Worse::higher,
               [](const FrameMetrics& m) { return m.poke_through; }},
    MetricInfo{"tears", "", "edges more than 3 times as long as in smooth skinning", Worse::higher,
               [](const FrameMetrics& m) -> Value { return m.tears ? Value(static_cast<double>(*m.tears)) : Value(); }},
    MetricInfo{"iso_residual_mean", "", "distance from the reference iso-value, mean", Worse::higher,
               [](const FrameMetrics& m) { return m.iso_residual_mean; }},
    MetricInfo{"iso_residual_p95", "", "distance from the reference iso-value, 95th percentile", Worse::higher,
               [](const FrameMetrics& m) { return m.iso_residual_p95; }},
    MetricInfo{"iso_residual_max", "", "distance from the reference iso-value, largest", Worse::higher,
               [](const FrameMetrics& m) { return m.iso_residual_max; }},
    MetricInfo{"nonfinite", "", "vertices with a coordinate that is not finite", Worse::higher,
               [](const FrameMetrics& m) -> Value { return static_cast<double>(m.nonfinite); }},
    MetricInfo{"seam_gap", "m", "largest distance between copies of one vertex at a seam", Worse::higher,
               [](const FrameMetrics& m) -> Value { return m.seam_gap; }},
};

bool is_worse(Worse worse, double a, double b) {
  switch (worse) {
    case Worse::higher:
      return a > b;
    case Worse::lower:
      return a < b;
    case Worse::away_from_zero:
      return std::abs(a) > std::abs(b);
  }
  return false;
}

template <class ValueOf>
void add_summary(std::vector<MetricSummary>& result, std::string name, Worse worse,
                 std::span<const FrameMetrics> frames, const ValueOf& value_of) {
  MetricSummary s;
  s.name = std::move(name);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const Value value = value_of(frames[f]);
    if (!value) continue;
    if (s.frames == 0 || is_worse(worse, *value, s.worst)) {
      s.worst = *value;
      s.worst_frame = f;
    }
    s.mean += *value;
    ++s.frames;
  }
  if (s.frames == 0) return;
  s.mean /= static_cast<double>(s.frames);
  result.push_back(std::move(s));
}

}  // namespace

std::span<const MetricInfo> metric_table() { return kTable; }

std::vector<MetricSummary> summarise(std::span<const FrameMetrics> frames, std::span<const JointRegion> regions) {
  std::vector<MetricSummary> result;
  for (const MetricInfo& info : kTable) add_summary(result, std::string(info.name), info.worse, frames, info.value);
  for (std::size_t r = 0; r < regions.size(); ++r)
    add_summary(result, "volume_change." + regions[r].name, Worse::away_from_zero, frames, [r](const FrameMetrics& m) {
      return r < m.region_volume_change.size() ? m.region_volume_change[r] : Value();
    });
  return result;
}

}  // namespace cutis
