// The fields of a whole body: sampled, fitted, checked and gridded; and looked up at its vertices.
#include <filesystem>

#include "base/hash.h"
#include "cutis/io.h"
#include "field/character_patches.h"
#include "field/part_field.h"
#include "harness.h"

namespace cutis::bench {

void fields(const std::function<void(const Row&)>& emit) {
  namespace fs = std::filesystem;
  const fs::path body = fs::path(CUTIS_SOURCE_DIR) / ".." / "shared" / "data" / "makehuman_male" / "makehuman_male.glb";
  const Context context;
  const Character character = load_character(fs::exists(body) ? body.string() : "builtin:human", context);
  const WeldedCharacter welded = weld_character(character);
  const std::vector<BoneSegment> bones = bone_segments(character);
  const std::vector<std::uint32_t> parts = parts_by_weight(character, welded, bones);

  std::vector<PartField> result;
  Row fit = measure("field_fit_body", "s", 1, 5, [&] {
    result = make_fields(cut_patches(character, welded, bones, parts), {}, context);
    std::uint64_t hash = kHashSeed;
    for (const PartField& f : result) hash = hash_span(std::span<const GridNode>(f.grid().nodes()), hash);
    return hash;
  });
  fit.budget = 1.5;
  emit(fit);

  // Every part at its own vertices: what one vertex asks of one field.
  std::vector<std::vector<Vec3f>> points(bones.size());
  for (std::size_t v = 0; v < parts.size(); ++v)
    if (parts[v] != kNoPart) points[parts[v]].push_back(welded.positions[v]);
  std::vector<FieldSample<float>> samples(welded.positions.size());
  emit(measure("field_eval", "ns/point", 1e9 / static_cast<double>(welded.positions.size()), 41, [&] {
    std::uint64_t hash = kHashSeed;
    for (std::size_t b = 0; b < result.size(); ++b) {
      const std::span<FieldSample<float>> out(samples.data(), points[b].size());
      result[b].eval(points[b], out);
      hash = hash_span(std::span<const FieldSample<float>>(out.data(), std::min<std::size_t>(out.size(), 4)), hash);
    }
    return hash;
  }));
}

}  // namespace cutis::bench
