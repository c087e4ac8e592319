// How long work goes on without asking whether it is cancelled.
#pragma once

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "cutis/cutis.h"

namespace cutis::test {

/// Of a cancelled stage, milliseconds of one core. Sanitizers make everything five to twenty times as long.
#ifdef CUTIS_SANITIZED
inline constexpr double kMostGap = 2000;
#else
inline constexpr double kMostGap = 100;
#endif

/// A factorisation is one call of Eigen's, in which nobody asks. The large body
/// has four times the vertices that this is promised for.
inline constexpr double kMostFactor = 2.5 * kMostGap;

inline double cpu_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// The longest time between two questions, the beginning and the end included. On one thread and in its own time, so
/// that other work on the machine does not count; with more threads it is shorter.
inline double largest_gap(const char* stage, const std::function<void(const Context&)>& work) {
  Context context(1);
  const double start = cpu_milliseconds();
  double last = start, gap = 0, at = 0;
  const auto ask = [&] {
    const double now = cpu_milliseconds();
    if (now - last > gap) gap = now - last, at = last - start;
    last = now;
    return false;
  };
  context.is_cancelled = ask;
  work(context);
  ask();
  std::printf("%-32s %8.1f ms of %9.1f ms, from %.1f ms on\n", stage, gap, last - start, at);
  return gap;
}

/// Some vertex follows it: the body that markers drive has such bones only.
inline bool owns_skin(const Character& character, const Joint& joint) {
  const auto index = static_cast<std::uint32_t>(&joint - character.skeleton.joints.data());
  return std::ranges::any_of(character.meshes, [&](const Mesh& mesh) {
    return std::ranges::find(mesh.weights.joint, index) != mesh.weights.joint.end();
  });
}

/// Every stage of the pipeline on one character: expects each to ask often enough.
inline void expect_small_gaps(const std::string& file, const char* clip_name, const std::string& folder,
                              double most_factor = kMostGap, bool markers = true) {
  const auto expect_most = [](double most, const char* stage, const std::function<void(const Context&)>& work) {
    // What shares the core's caches makes gaps longer, never shorter: the shortest of a few counts.
    double gap = largest_gap(stage, work);
    for (int again = 0; again < 2 && gap >= most; ++again) gap = std::min(gap, largest_gap(stage, work));
    EXPECT_LT(gap, most) << stage;
  };
  const auto expect = [&](const char* stage, const std::function<void(const Context&)>& work) {
    expect_most(kMostGap, stage, work);
  };
  const Context idle(1);
  Character c;
  expect("read", [&](const Context& context) { c = load_character(file, context); });
  std::shared_ptr<const Rig> rig;
  expect("bind", [&](const Context& context) { rig = bind(c, context); });
  const Clip& clip = c.clip(clip_name);
  const std::vector<double> all = sample_times(clip, 0, 30);
  const std::size_t frames = std::min<std::size_t>(all.size(), 6);
  const Motion motion{clip, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(frames)}};
  Frame last;
  const auto take = [&](std::size_t, const Frame& frame) { last = frame; };
  expect("solve: tracking with contact", [&](const Context& context) { play(c, rig, motion, {}, context, take); });
  expect("solve: tracking, from rest", [&](const Context& context) {
    play(c, rig, {clip, {all[all.size() / 2]}}, {.tracking = {.history = History::canonical}}, context, take);
  });
  expect("solve: implicit",
         [&](const Context& context) { play(c, rig, motion, {.method = Method::implicit}, context, take); });
  expect("measure", [&](const Context& context) {
    const Metrics metrics(c, context, {.per_vertex = true});
    (void)metrics.measure(last.positions);
  });
  expect("render", [&](const Context& context) {
    const Camera camera = frame_bounds(c.bounds(), {}, 1);
    (void)render_still({&c, last.positions, last.normals, {}}, camera, {.width = 800, .height = 800}, context);
  });
  for (const char* extension : {".glb", ".usda", ".pc2", ".mdd", ".obj", ".ply"})
    expect((std::string("write ") + extension).c_str(), [&](const Context& context) {
      const auto writer = make_animation_writer(folder + "/out" + extension, {&c, "clip", motion.times}, context);
      for (std::size_t i = 0; i < motion.times.size(); ++i) writer->add_frame(last.positions, last.normals);
      writer->finish();
    });
  for (const WeightMethod method : {WeightMethod::heat, WeightMethod::atlas})
    expect_most(most_factor, method == WeightMethod::heat ? "weights: heat" : "weights: atlas",
                [&](const Context& context) {
                  Character copy = c;
                  (void)make_weights(copy, {.method = method, .symmetric = true}, context);
                });
  if (!markers) return;
  expect("markers", [&](const Context& context) {
    MarkerMap map;
    std::vector<Vec3d> targets;
    for (const Joint& joint : c.skeleton.joints) {
      if (!joint.is_bone || map.places.size() == 24 || !owns_skin(c, joint)) continue;
      MarkerPlace place;
      place.marker = place.bone = joint.name;
      map.places.push_back(place);
      targets.push_back(joint.world_from_rest.translation);
    }
    MarkerSolver solver(c, map, {}, context);
    const std::vector<double> sure(targets.size(), 1.0);
    targets.front().y += 0.02;
    (void)solver.solve(targets, sure);
  });
}

}  // namespace cutis::test
