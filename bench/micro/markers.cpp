// Marker-driven animation: 39 markers on a body, a control mesh of about 2,000 vertices. For comparison, the paper
// (2018, Core2 Duo, 8.3k vertices, 1,946 control vertices): 1.8 s to factor, 68 ms to update, 14 ms to embed.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/cutis.h"

namespace cutis::bench {
namespace {

std::vector<std::string> names() {
  return {"LFHD", "RFHD", "LBHD", "RBHD", "C7",   "T10",  "CLAV", "STRN", "RBAK", "LSHO", "LUPA", "LELB", "LFRM",
          "LWRA", "LWRB", "LFIN", "RSHO", "RUPA", "RELB", "RFRM", "RWRA", "RWRB", "RFIN", "LASI", "RASI", "LPSI",
          "RPSI", "LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE", "RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"};
}

/// Markers ride on the bones of the clip.
std::vector<std::vector<Vec3d>> ride(const Character& character, const MarkerMap& map, const Clip& clip, int frames) {
  std::vector<std::vector<Vec3d>> targets;
  for (const double time : sample_times(clip, frames, 30)) {
    const auto world = world_from_joint(character.skeleton, sample(character.skeleton, clip, time));
    std::vector<Vec3d> frame;
    for (const MarkerPlace& place : map.places) {
      const auto j = static_cast<std::size_t>(character.skeleton.find(place.bone));
      const Joint& joint = character.skeleton.joints[j];
      // Rest frames here are rotations and translations: the transpose is the inverse.
      Vec3d local, moved = world[j].translation;
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
          local[k] += joint.world_from_rest.linear.col[static_cast<std::size_t>(k)][i] * place.offset[i];
      for (int k = 0; k < 3; ++k) moved += world[j].linear.col[static_cast<std::size_t>(k)] * local[k];
      frame.push_back(moved);
    }
    targets.push_back(std::move(frame));
  }
  return targets;
}

void measure_body(const std::string& name, const std::string& file, const std::string& clip, Embedding embedding,
                  double embed_budget, const Bench& bench) {
  const Context& context = bench.context();
  const Character character = load_character(file, context);
  MarkerTake take;
  take.names = names();
  take.kinds.assign(take.names.size(), PointKind::marker);
  const MarkerMap map = default_marker_map(character, take, context);
  MarkerSolver solver(character, map, {.embedding = embedding}, context);
  const auto targets = ride(character, map, character.clip(clip), 0);
  const std::vector<double> sure(map.places.size(), 1.0);
  std::vector<double> update, embed;
  std::uint64_t hash = kHashSeed;
  double iterations = 0, off = 0, joints = 0, volume = 0;
  const Box box = character.bounds();
  const std::vector<double> times = sample_times(character.clip(clip), 0, 30);
  for (const auto& frame : targets) {
    const MarkerFrame& result = solver.solve(frame, sure);
    // Quality, beside the times: how far the joints are from those of the clip that moved the markers.
    const double time = times[static_cast<std::size_t>(&frame - targets.data())];
    const auto world = world_from_joint(character.skeleton, sample(character.skeleton, character.clip(clip), time));
    for (std::size_t j = 0; j < world.size(); ++j) {
      const Vec3d d = result.joints[j] - world[j].translation;
      const double distance = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
      if (std::isfinite(distance)) off += distance, joints += 1;
    }
    volume = std::max(volume, std::abs(result.report.volume_error));
    if (&frame != &targets.front()) {  // the first frame comes from the rest pose
      update.push_back(result.report.solve_ms);
      embed.push_back(result.report.embed_ms);
      iterations += result.report.iterations;
    }
    hash = hash_span(std::span<const Vec3f>(result.positions), hash);
  }
  const auto row = [&](const std::string& what, const std::string& unit, std::vector<double> values, double budget) {
    Row r;
    r.name = "markers/" + what + "/" + name;
    r.unit = unit;
    set_values(r, std::move(values));
    r.budget = budget;
    r.hash = hash;
    bench.emit(r);
  };
  if (embedding == Embedding::smooth) {
    row("factor", "s", {solver.info().factor_ms / 1000}, 0.5);
    row("build control mesh", "s", {solver.info().build_ms / 1000}, 2);
    row("update", "ms", update, 5);
    row("iterations", "per frame", {iterations / static_cast<double>(update.size())}, 0);
    row("joints off", "% height", {100 * off / joints / (box.hi.y - box.lo.y)}, 1.5);
    row("volume off", "%", {100 * volume}, 1.5);
    row("cage intersections", "pairs", {static_cast<double>(solver.info().boundary_intersections)}, 0);
    row("cage uncovered", "vertices", {static_cast<double>(solver.info().uncovered_vertices)}, 0);
  }
  row(std::string("embed ") + std::string(to_string(embedding)), "ms", embed, embed_budget);
}

/// A person drags the left hand over the head, the right one in front of the hips and lifts a foot, with hips, head and
/// feet pinned: all of MarkerEditor::move(), to positions and normals.
void measure_drag(const std::string& name, const std::string& file, const std::vector<std::string>& joints,
                  const Bench& bench) {
  const Character character = load_character(file, bench.context());
  MarkerMap map;
  for (const std::string& joint : joints) {
    MarkerPlace& place = map.places.emplace_back();
    place.marker = place.bone = joint;
  }
  MarkerEditor editor(character, map, {}, bench.context());
  const std::vector<Vec3d> rest = editor.frame().markers;
  for (const std::size_t m : {0, 1, 2, 3}) editor.pin(m);
  std::vector<double> update;
  double worst = 0;
  std::uint64_t hash = kHashSeed;
  const auto drag = [&](std::size_t marker, const Vec3d& to) {
    const Vec3d from = editor.begin(marker, 0).markers[marker];
    constexpr int kSteps = 40;
    for (int k = 1; k <= kSteps; ++k) {
      const Vec3d at = from + (to - from) * (static_cast<double>(k) / kSteps);
      const auto start = std::chrono::steady_clock::now();
      const MarkerFrame& frame = editor.move(at);
      update.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
      const Vec3d off = frame.markers[marker] - at;
      worst = std::max(worst, std::sqrt(off.x * off.x + off.y * off.y + off.z * off.z));
      hash = hash_span(std::span<const Vec3f>(frame.positions), hash);
    }
    editor.end();
  };
  drag(4, rest[1] + Vec3d{0.25, 0.2, 0.15});
  drag(5, rest[0] + Vec3d{-0.3, 0.1, 0.3});
  drag(2, rest[2] + Vec3d{0, 0.35, 0.2});
  const auto row = [&](const char* what, const char* unit, std::vector<double> values, double budget) {
    Row r;
    r.name = std::string("markers/") + what + "/" + name;
    r.unit = unit;
    set_values(r, std::move(values));
    r.budget = budget;
    r.hash = hash;
    bench.emit(r);
  };
  row("drag", "ms", std::move(update), 5);
  row("drag off", "mm", {1000 * worst}, 10);
}

}  // namespace

void markers(const Bench& bench) {
  measure_body("human", "builtin:human", "walk", Embedding::smooth, 2, bench);
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "markers are those of builtin:human");
  const std::string large =
      bench.data_file("makehuman_male/makehuman_male_hires.glb", "markers are those of builtin:human");
  if (file.empty() || large.empty()) return;
  measure_body("body 13.4k", file, "cmu_02_01_walk", Embedding::smooth, 2, bench);
  measure_drag("body 13.4k", file, {"pelvis", "head", "foot_l", "foot_r", "hand_l", "hand_r"}, bench);
  measure_body("body 13.4k", file, "cmu_02_01_walk", Embedding::tetrahedra, 2, bench);
  measure_body("body 13.4k", file, "cmu_02_01_walk", Embedding::green, 2, bench);
  measure_body("body 54k", large, "deep_squat", Embedding::smooth, 6, bench);
  measure_body("body 54k", large, "deep_squat", Embedding::green, 6, bench);
}

}  // namespace cutis::bench
