// Whole bodies, all cores: every joint moves, one joint moves, a fist closes, a walk. Tracking alone, as the budgets of
// the design count it, and with contact, as `cutis animate` does it; the other methods beside it.
#include <algorithm>

#include <fmt/format.h>

#include "bench/motion.h"
#include "bench/play.h"

namespace cutis::bench {
namespace {

constexpr int kFrames = 28, kWarmUp = 4;  // a swing takes 20
constexpr double kAllJoints = 50, kOneJoint = 5;

struct Motion {
  std::string name;
  std::vector<Pose> poses;
  int warm_up;
  double budget;
};

SolveOptions tracking(bool contact) { return {.method = Method::tracking, .contact_pass = contact}; }

void measure_body(const Bench& bench, const std::string& name, const Character& character, const std::string& fist,
                  const std::string& walk, bool budgets) {
  const std::string all = fmt::format("body/{}", name);
  if (!bench.wants(all)) return;
  const Player player(bench, character, bench.context());
  const std::vector<int> joints = moving_joints(character);
  const Motion motions[] = {
      {"all_joints", swing(character, joints, kFrames), kWarmUp, kAllJoints},
      {"one_joint", swing(character, {elbow(character)}, kFrames), kWarmUp, kOneJoint},
      {"fist", poses_of(character, fist), 1, 0},
      {"walk", poses_of(character, walk, 30), 1, 0},
  };
  for (const Motion& motion : motions) {
    const auto row = [&](const std::string& what, const SolveOptions& options, double budget) {
      const std::string full = fmt::format("{}/{}/{}", all, motion.name, what);
      if (bench.wants(full)) bench.emit(player.play({full, options, motion.poses, motion.warm_up, budget}));
    };
    row("dqs", {.method = Method::dqs}, 0);
    row("implicit", {.method = Method::implicit}, 0);
    row("tracking", tracking(false), budgets ? motion.budget : 0);
    row("tracking+contact", tracking(true), budgets ? motion.budget : 0);
  }
}

}  // namespace

void body(const Bench& bench) {
  if (bench.wants("body/human"))
    measure_body(bench, "human", load_character("builtin:human", bench.context()), "fist", "walk", true);
  if (!bench.wants("body/makehuman")) return;
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "body/makehuman is left out");
  if (!file.empty())
    measure_body(bench, "makehuman", load_character(file, bench.context()), "fist_l", "cmu_02_01_walk", true);
}

}  // namespace cutis::bench
