// Automatic weights of whole bodies: make_weights() from start to end.
#include <filesystem>

#include "base/hash.h"
#include "cutis/io.h"
#include "cutis/weights.h"
#include "harness.h"

namespace cutis::bench {
namespace {

namespace fs = std::filesystem;

void body(const std::string& name, const std::string& file, double budget,
          const std::function<void(const Row&)>& emit) {
  const Context context;
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
    emit(row);
  }
}

}  // namespace

// For comparison, as published: Lu 2008, 4 minutes for 14k faces and 24 cuts (Pentium IV, 1.66 GHz); libigl's bounded
// biharmonic weights, 10.3 s for a hand of 7.2k vertices.
void weights(const std::function<void(const Row&)>& emit) {
  body("human", "builtin:human", 1, emit);
  const fs::path folder = fs::path(CUTIS_SOURCE_DIR) / ".." / "shared" / "data" / "makehuman_male";
  if (!fs::exists(folder)) return;
  body("body 27k faces", (folder / "makehuman_male.glb").string(), 1, emit);
  body("body 107k faces", (folder / "makehuman_male_hires.glb").string(), 6, emit);
}

}  // namespace cutis::bench
