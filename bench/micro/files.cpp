// Loading a GLB of about 1 MB, and writing PC2.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/io.h"
#include "cutis/solve.h"

namespace cutis::bench {
namespace {

namespace fs = std::filesystem;
constexpr int kFileRuns = 15;

std::uint64_t hash_of(const Character& c) {
  std::uint64_t hash = kHashSeed;
  for (const Mesh& m : c.meshes) hash = hash_span(std::span<const Vec3f>(m.positions), hash);
  return hash;
}

}  // namespace

void files(const Bench& bench) {
  const Context& context = bench.context();
  const fs::path folder = fs::temp_directory_path() / "cutis-bench";
  fs::create_directories(folder);

  // Time per megabyte of file, on a real body where there is one; else on the built-in human's own GLB.
  fs::path body = bench.data_file("makehuman_male/makehuman_male.glb", "files/load_glb reads builtin:human");
  if (body.empty()) {
    body = folder / "human.glb";
    const Character human = load_character("builtin:human", context);
    Solver solver(bind(human, context), {Method::lbs}, context);
    const auto writer = make_animation_writer(body.string(), {&human, "rest", {0.0}}, context);
    const Frame& frame = solver.solve(default_pose(human.skeleton));
    writer->add_frame(frame.positions, frame.normals);
    writer->finish();
  }
  const double megabytes = static_cast<double>(fs::file_size(body)) / 1e6;
  Row load = measure("files/load_glb", "ms/MB", 1e3 / megabytes, kFileRuns,
                     [&] { return hash_of(load_character(body.string(), context)); });
  load.budget = 20;
  bench.emit(load);

  // PC2: 13.4k vertices, 300 frames, 48 MB.
  constexpr std::size_t kVertices = 13400, kFrames = 300;
  Character points;
  points.source = "points";
  points.meshes.resize(1);
  points.meshes[0].positions.resize(kVertices);
  points.meshes[0].normals.assign(kVertices, {0, 1, 0});
  for (std::size_t v = 0; v < kVertices; ++v) points.meshes[0].positions[v] = {std::sin(static_cast<float>(v)), 0, 1};
  std::vector<double> times(kFrames);
  for (std::size_t i = 0; i < kFrames; ++i) times[i] = static_cast<double>(i) / 30;
  const std::string output = (folder / "points.pc2").string();
  const double bytes = static_cast<double>(kVertices * kFrames * sizeof(Vec3f));
  Row write = measure("files/write_pc2", "s", 1, kFileRuns, [&] {
    const auto writer = make_animation_writer(output, {&points, "still", times}, context);
    for (std::size_t i = 0; i < kFrames; ++i) writer->add_frame(points.meshes[0].positions, points.meshes[0].normals);
    writer->finish();
    return static_cast<std::uint64_t>(fs::file_size(output));
  });
  // Seconds to megabytes a second.
  write.unit = "MB/s";
  write.median = bytes / 1e6 / write.median;
  const double fastest = bytes / 1e6 / write.best;
  write.worst = bytes / 1e6 / write.worst;
  write.best = fastest;
  write.budget = 500;
  write.more_is_better = true;
  std::ifstream in(output, std::ios::binary);
  const std::string written(std::istreambuf_iterator<char>(in), {});
  write.hash = hash_bytes(written.data(), written.size());
  bench.emit(write);
  fs::remove_all(folder);
}

}  // namespace cutis::bench
