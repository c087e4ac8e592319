// VRM animations on damaged files: a motion of finite numbers, or cutis::Error. Inputs as fuzz_gltf.cpp has them: JSON,
// a zero byte, the binary chunk; or a file as it is.
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "cutis/error.h"
#include "fuzz/target.h"
#include "fuzz/tiny_character.h"
#include "io/gltf_maker.h"
#include "io/gltf_read_container.h"
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
  const auto glb = builder.glb();
  const auto container = gltf::open_container(glb, "seed");
  std::string seed(container.json);
  seed += '\0';
  seed.append(reinterpret_cast<const char*>(container.binary.data()), container.binary.size());
  return {seed, builder.gltf()};
}

void read_input(std::string_view input) {
  static const Context context(1);
  std::span<const std::byte> bytes = std::as_bytes(std::span(input));
  std::vector<std::byte> glb;
  const std::size_t split = input.find('\0');
  if (input.starts_with('{') && split != std::string_view::npos) {
    glb = test::make_glb(std::string(input.substr(0, split)), bytes.subspan(split + 1));
    bytes = glb;
  }
  try {
    const BvhMotion motion = read_vrma_memory(bytes, "fuzz.vrma", context);
    if (motion.joints.empty()) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
