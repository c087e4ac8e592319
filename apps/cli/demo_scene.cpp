#include "demo_scene.h"

#include <algorithm>

#include <fmt/format.h>

namespace cutis::cli {
namespace {

std::vector<Method> all_methods() {
  std::vector<Method> methods;
  for (const std::string& name : method_names()) methods.push_back(method_from_string(name));
  return methods;
}

DemoTake play_method(const Character& character, const std::shared_ptr<const Rig>& rig, const Metrics& metrics,
                     const Motion& motion, Method method, const Context& context) {
  DemoTake take;
  take.method = method;
  Solver dqs(rig, {.method = Method::dqs}, context);
  const PlayReport report =
      play(character, rig, motion, {.method = method}, context, [&](std::size_t i, const Frame& frame) {
        const Pose pose = sample(character.skeleton, motion.clip, motion.times[i]);
        take.metrics.push_back(metrics.measure(frame.positions, {}, {}, dqs.solve(pose).positions));
        take.positions.push_back(frame.positions);
        take.normals.push_back(frame.normals);
      });
  take.nonfinite = report.nonfinite;
  take.summary = summarise(take.metrics);
  take.median_ms = report.median_ms;
  return take;
}

}  // namespace

double DemoTake::worst(std::string_view metric) const {
  const auto found = std::ranges::find(summary, metric, &MetricSummary::name);
  return found == summary.end() ? 0 : found->worst;
}

const DemoTake& DemoResult::take(Method method) const { return *std::ranges::find(takes, method, &DemoTake::method); }

const DemoStage::Actor& DemoStage::actor(const std::string& name) {
  const auto known = std::ranges::find(actors_, name, &Actor::name);
  if (known != actors_.end()) return *known;
  auto character = std::make_shared<const Character>(load_character("builtin:" + name, context_));
  auto rig = bind(*character, context_, bind_options(all_methods(), {}));
  auto metrics =
      std::make_shared<const Metrics>(*character, context_, MetricsOptions{.overlap = false, .per_vertex = true});
  return actors_.emplace_back(Actor{name, std::move(character), std::move(rig), std::move(metrics)});
}

DemoResult DemoStage::play(const DemoScene& scene) {
  const Actor& a = actor(scene.character);
  DemoResult result;
  result.scene = scene;
  result.character = a.character;
  result.motion = choose_motion(*a.character, {.clip = scene.clip, .frames = scene.frames}, context_);
  result.size = a.metrics->size();
  for (const Method method : all_methods())
    result.takes.push_back(play_method(*a.character, a.rig, *a.metrics, result.motion, method, context_));
  const DemoTake& dqs = result.take(Method::dqs);
  for (std::size_t i = 0; i < dqs.metrics.size(); ++i)
    if (dqs.pairs(i) > dqs.pairs(result.moment)) result.moment = i;
  return result;
}

}  // namespace cutis::cli
