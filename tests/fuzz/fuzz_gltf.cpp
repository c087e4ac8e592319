// The glTF reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error; and a
// motion for another body.
//
// Input that starts with '{' and holds a zero byte is JSON, then the binary chunk: mutations then do not have to keep
// the lengths of a GLB right. Anything else is a file as it is.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/error.h"
#include "fuzz/glb_input.h"
#include "fuzz/target.h"
#include "fuzz/tiny_character.h"
#include "io/gltf_samples.h"
#include "io/joint_map.h"
#include "io/motion_samples.h"
#include "io/readers.h"
#include "io/retarget.h"

namespace cutis::fuzz {

Shape shape() { return Shape::json_bytes; }

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  auto samples = test::all_samples();
  samples.emplace_back("skeleton", test::skeleton_gltf(few_keys(test::make_moving_person())));
  samples.emplace_back("skin",
                       test::skeleton_gltf(few_keys(test::make_moving_person()), {.has_skin = true, .posed_at = 0}));
  for (const auto& sample : samples) {
    seeds.push_back(glb_input(sample.second));
    seeds.push_back(sample.second.gltf());
  }
  return seeds;
}

void read_input(std::string_view input) {
  static const Context context(1);
  std::vector<std::byte> glb;
  const std::span<const std::byte> bytes = gltf_bytes(input, glb);
  const auto attempt = [](auto&& read) {
    try {
      read();
    } catch (const Error& error) {
      if (std::strlen(error.what()) == 0) std::abort();
    }
  };
  attempt([&] { validate(read_gltf_memory(bytes, "input", context, {.attached = true})); });
  // The motion of the same bytes: most of the reading is the same text.
  if (hash_bytes(bytes.data(), bytes.size()) % 4 != 0) return;
  attempt([&] {
    const ClipSource source = read_gltf_motion_memory(bytes, "input", context);
    if (source.body.clips.empty()) return;
    static const Character person = test::make_person();
    const BvhMotion motion = motion_of_clip(source, source.body.clips.front(), context);
    (void)retarget(person, motion, map_joints(person, motion), "motion", context);
  });
}

}  // namespace cutis::fuzz
