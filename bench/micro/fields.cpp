// The fields of a whole body: sampled, fitted, checked and gridded; looked up at its vertices, alone and composed; the
// rig that holds them, bound, saved and loaded.
#include <filesystem>

#include <fmt/format.h>

#include "backends/posed_field.h"
#include "base/hash.h"
#include "bench/harness.h"
#include "character/partition.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "field/character_patches.h"
#include "field/part_field.h"
#include "rig/rig_file.h"

namespace cutis::bench {
namespace {

namespace fs = std::filesystem;

Character load_body(const Bench& bench, std::string_view rows) {
  const std::string body =
      bench.data_file("makehuman_male/makehuman_male.glb", fmt::format("{} uses builtin:human", rows));
  return load_character(body.empty() ? "builtin:human" : body, bench.context());
}

}  // namespace

void fields(const Bench& bench) {
  const Context& context = bench.context();
  const Character character = load_body(bench, "fields");
  const WeldedCharacter welded = weld_character(character);
  const std::vector<BoneSegment> bones = bone_segments(character);
  const std::vector<std::uint32_t> parts = bones_of(make_partition(character, welded), bones);

  std::vector<PartField> result;
  Row fit = measure("fields/fit_body", "s", 1, 5, [&] {
    result = make_fields(cut_patches(character, welded, bones, parts), {}, context);
    std::uint64_t hash = kHashSeed;
    for (const PartField& f : result) hash = hash_span(std::span<const GridNode>(f.grid().nodes()), hash);
    return hash;
  });
  fit.budget = 1.5;
  bench.emit(fit);

  // Every part at its own vertices: what one vertex asks of one field.
  std::vector<std::vector<Vec3f>> points(bones.size());
  for (std::size_t v = 0; v < parts.size(); ++v) points[parts[v]].push_back(welded.positions[v]);
  std::vector<FieldSample<float>> samples(welded.positions.size());
  bench.emit(measure("fields/eval", "ns/point", 1e9 / static_cast<double>(welded.positions.size()), 41, [&] {
    std::uint64_t hash = kHashSeed;
    for (std::size_t b = 0; b < result.size(); ++b) {
      const std::span<FieldSample<float>> out(samples.data(), points[b].size());
      result[b].eval(points[b], out);
      hash = hash_span(std::span<const FieldSample<float>>(out.data(), std::min<std::size_t>(out.size(), 4)), hash);
    }
    return hash;
  }));

  const auto rig = bind(character, context);
  PosedField field(*rig);
  const std::vector<Affine3d> rest(rig->bones.size());
  Row pose = measure("fields/skin_pose", "us", 1e6, 41, [&] {
    field.set_pose(rest);
    return static_cast<std::uint64_t>(field.view().index.nx);
  });
  bench.emit(pose);
  std::vector<SkinSample> skin(rig->surface.size());
  Row eval = measure("fields/skin_eval", "us/point", 1e6 / static_cast<double>(skin.size()), 41, [&] {
    field.eval(rig->surface.positions, skin, bench.alone());
    std::uint64_t hash = kHashSeed;
    for (std::size_t i = 0; i < skin.size(); i += 500) hash = hash_bytes(&skin[i].value, sizeof(float), hash);
    return hash;
  });
  eval.budget = 0.4;
  bench.emit(eval);
}

void binding(const Bench& bench) {
  const Context& context = bench.context();
  const Character character = load_body(bench, "bind");
  std::shared_ptr<const Rig> rig;
  Row bound = measure("bind/body", "s", 1, 5, [&] {
    rig = bind(character, context);
    return rig_checksum(rig_to_bytes(*rig));
  });
  bound.budget = 2;
  bench.emit(bound);

  const fs::path file = fs::temp_directory_path() / "cutis_bench.rig";
  save_rig(*rig, file.string());
  Row load = measure("bind/load_rig", "s", 1, 9,
                     [&] { return hash_text(std::to_string(load_rig(file.string())->surface.size())); });
  load.budget = 0.1;
  bench.emit(load);
  fs::remove(file);

  // The first solver of a rig makes what all of them share.
  const struct {
    const char* name;
    SolveOptions options;
  } solvers[] = {{"bind/further_solver/tracking+contact", {.method = Method::tracking, .contact_pass = true}},
                 {"bind/further_solver/implicit", {.method = Method::implicit}}};
  for (const auto& [name, options] : solvers) {
    const Solver first(rig, options, context);
    Row further = measure(name, "ms", 1e3, 9, [&] {
      const Solver solver(rig, options, context);
      return kHashSeed;
    });
    further.budget = 5;
    bench.emit(further);
  }

  Row memory =
      single_value("bind/memory", "MB", static_cast<double>(rig_bytes(*rig)) / 1e6, rig_checksum(rig_to_bytes(*rig)));
  memory.budget = 64;
  bench.emit(memory);
}

}  // namespace cutis::bench
