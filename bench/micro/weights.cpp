// Automatic weights of whole bodies: make_weights() from start to end.
#include "cutis/weights.h"
#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/io.h"

namespace cutis::bench {
namespace {

void measure_body(const std::string& name, const std::string& file, double budget, const Bench& bench) {
  const Context& context = bench.context();
  const Character character = load_character(file, context, {.ignore_weights = true});
  for (const WeightMethod method : {WeightMethod::heat, WeightMethod::atlas}) {
    Row row = measure("weights/" + std::string(to_string(method)) + "/" + name, "s", 1, 5, [&] {
      Character bound = character;
      make_weights(bound, {.method = method}, context);
      std::uint64_t hash = kHashSeed;
      for (const Mesh& m : bound.meshes) hash = hash_span(std::span<const float>(m.weights.weight), hash);
      return hash;
    });
    row.budget = budget;
    bench.emit(row);
  }
}

}  // namespace

// For comparison, as published: Lu 2008, 4 minutes for 14k faces and 24 cuts (Pentium IV, 1.66 GHz); libigl's bounded
// biharmonic weights, 10.3 s for a hand of 7.2k vertices.
void weights(const Bench& bench) {
  measure_body("human", "builtin:human", 1, bench);
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "its weights are left out");
  if (!file.empty()) measure_body("body 27k faces", file, 1, bench);
  const std::string large = bench.data_file("makehuman_male/makehuman_male_hires.glb", "its weights are left out");
  if (!large.empty()) measure_body("body 107k faces", large, 6, bench);
}

}  // namespace cutis::bench
