// Method `implicit` on hands, one core (Implicit, table 1: 13 ms for 3,045 vertices and 55 ms for 12,125, union only,
// unconverged). Times are of a whole frame, the mean over a clip, scaled to 3,000 or 12,000 vertices.
#include <fmt/format.h>

#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/io.h"
#include "cutis/solve.h"
#include "rig/rig.h"

namespace cutis::bench {
namespace {

constexpr double kHandVertices = 3000, kMany = 12000;  // the budgets are for the first
constexpr int kHandFrames = 12, kImplicitRuns = 11;

void measure_hand(const std::string& name, const Character& hand, const std::string& clip_name, PartForm shape,
                  double vertices, const Bench& bench) {
  const Context& context = bench.alone();
  BindOptions bind_options;
  bind_options.preset.all.shape = shape;
  const auto rig = bind(hand, context, bind_options);
  const Clip& clip = hand.clip(clip_name);
  std::vector<Pose> poses;
  for (const double time : sample_times(clip, kHandFrames, 30)) poses.push_back(sample(hand.skeleton, clip, time));
  const double scale = 1e3 / kHandFrames * vertices / static_cast<double>(rig->surface.size());
  const auto row = [&](const std::string& what, const SolveOptions& options, double budget) {
    Solver solver(rig, options, context);
    Row r = measure(fmt::format("{}/{}", name, what), vertices == kHandVertices ? "ms/3k" : "ms/12k", scale,
                    kImplicitRuns, [&] {
                      std::uint64_t hash = kHashSeed;
                      for (const Pose& pose : poses)
                        hash = hash_span(std::span<const Vec3f>(solver.solve(pose).positions), hash);
                      return hash;
                    });
    r.budget = vertices == kHandVertices ? budget : 0;
    bench.emit(r);
  };
  row("dqs", {.method = Method::dqs}, 0);
  row("union", {.method = Method::implicit}, 2);
  row("blend", {.method = Method::implicit, .implicit = {.blend = true}}, 3);
}

}  // namespace

void implicit(const Bench& bench) {
  const Context& context = bench.alone();
  const Character builtin = load_character("builtin:hand:3000", context);
  const Character fine = load_character("builtin:hand:12000", context);
  measure_hand("implicit/hand/hrbf", builtin, "fist", PartForm::hrbf, kHandVertices, bench);
  measure_hand("implicit/hand/spheres", builtin, "fist", PartForm::spheres, kHandVertices, bench);
  measure_hand("implicit/hand12k/hrbf", fine, "fist", PartForm::hrbf, kMany, bench);
  measure_hand("implicit/hand12k/spheres", fine, "fist", PartForm::spheres, kMany, bench);
  const std::string file = bench.data_file("hand_webxr/hand_left_poses.glb", "implicit/webxr is left out");
  if (!file.empty())
    measure_hand("implicit/webxr/hrbf", load_character(file, context), "hook_grip", PartForm::hrbf, kHandVertices,
                 bench);
}

}  // namespace cutis::bench
