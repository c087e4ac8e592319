// VRM animations on damaged files: a motion of finite numbers, or cutis::Error. Inputs as fuzz_gltf.cpp has them: JSON,
// a zero byte, the binary chunk; or a file as it is.
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "cutis/error.h"
#include "fuzz/glb_input.h"
#include "fuzz/target.h"
#include "fuzz/tiny_character.h"
#include "io/motion_samples.h"
#include "io/vrma_read.h"

namespace cutis::fuzz {

Shape shape() { return Shape::json_bytes; }

std::vector<std::string> seeds() {
  // A hip, a spine, a head.
  Character person = test::make_figure({{"a", -1, {0, 1, 0}}, {"b", 0, {0, 1.3, 0}}, {"c", 1, {0, 1.6, 0}}});
  const Character moving = few_keys(test::make_moving_person());
  person.clips = {moving.clips.back()};
  std::erase_if(person.clips[0].channels, [](const Channel& channel) { return channel.joint > 2; });
  test::GltfBuilder builder = test::skeleton_gltf(person);
  auto& humanoid = builder.json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"];
  int node = 0;
  for (const char* bone : {"hips", "spine", "head"}) humanoid[bone]["node"] = node++;
  builder.json["extensionsUsed"] = {"VRMC_vrm_animation"};
  return {glb_input(builder), builder.gltf()};
}

void read_input(std::string_view input) {
  static const Context context(1);
  std::vector<std::byte> glb;
  const std::span<const std::byte> bytes = gltf_bytes(input, glb);
  try {
    const BvhMotion motion = read_vrma_memory(bytes, "fuzz.vrma", context);
    if (motion.joints.empty()) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
