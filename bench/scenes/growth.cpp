// How the time of tracking grows: with vertices (microseconds a vertex, all joints moving), with bones (chains of the
// same number of vertices), with the number of joints that move.
#include <algorithm>

#include <fmt/format.h>

#include "bench/motion.h"
#include "bench/play.h"
#include "bench/subdivide.h"

namespace cutis::bench {
namespace {

constexpr int kGrowthFrames = 14, kGrowthWarmUp = 3;
constexpr double kPerVertex = 1.3;  // of a vertex of the coarse body, that one of a finer body may take

const SolveOptions kTracking{.method = Method::tracking, .contact_pass = false};

Row per_vertex(Row row, std::size_t vertices, double coarse) {
  const double scale = 1e3 / static_cast<double>(vertices);
  for (double* value : {&row.median, &row.best, &row.worst, &row.spread, &row.cpu}) *value *= scale;
  row.unit = "us/vertex";
  row.budget = kPerVertex * coarse;
  return row;
}

void over_vertices(const Bench& bench, const Character& coarse, const std::string& fine_file) {
  if (!bench.wants("growth/vertices")) return;
  std::vector<Character> sizes{coarse};
  sizes.push_back(fine_file.empty() ? subdivided(coarse) : load_character(fine_file, bench.context()));
  sizes.push_back(subdivided(sizes.back()));
  double first = 0;
  for (const Character& character : sizes) {
    const Player player(bench, character, bench.context());
    const std::size_t vertices = player.vertices();
    const Row row = per_vertex(player.play({fmt::format("growth/vertices/{}", vertices), kTracking,
                                            swing(character, moving_joints(character), kGrowthFrames), kGrowthWarmUp}),
                               vertices, first);
    if (first == 0) first = row.median;
    bench.emit(row);
  }
}

void over_bones(const Bench& bench) {
  if (!bench.wants("growth/bones")) return;
  constexpr std::size_t kVertices = 12000;
  for (const std::size_t bones : {4U, 8U, 16U, 32U, 64U}) {
    const Character chain = make_chain(bones, kVertices);
    const Player player(bench, chain, bench.context());
    bench.emit(player.play({fmt::format("growth/bones/{}", bones), kTracking,
                            swing(chain, moving_joints(chain), kGrowthFrames), kGrowthWarmUp}));
  }
}

void over_joints(const Bench& bench, const Character& character) {
  if (!bench.wants("growth/joints")) return;
  const Player player(bench, character, bench.context());
  const std::vector<int> all = moving_joints(character);
  for (std::size_t count = 1;; count = std::min(2 * count, all.size())) {
    std::vector<int> joints;  // spread evenly over the skeleton
    for (std::size_t i = 0; i < count; ++i) joints.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
    bench.emit(player.play(
        {fmt::format("growth/joints/{}", count), kTracking, swing(character, joints, kGrowthFrames), kGrowthWarmUp}));
    if (count == all.size()) break;
  }
}

}  // namespace

void growth(const Bench& bench) {
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "growth uses builtin:human");
  const Character body = load_character(file.empty() ? "builtin:human" : file, bench.context());
  over_vertices(bench, body,
                file.empty() ? std::string()
                             : bench.data_file("makehuman_male/makehuman_male_hires.glb", "the body is subdivided"));
  over_bones(bench);
  over_joints(bench, body);
}

}  // namespace cutis::bench
