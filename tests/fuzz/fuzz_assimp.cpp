// The FBX and COLLADA reader on damaged files: a Character that passes validation, or cutis::Error; and a motion. The
// first byte chooses the format. assimp itself is not instrumented, and what breaks inside it shows here too.
#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/dae_sample.h"
#include "io/motion_samples.h"
#include "io/readers.h"

// assimp 5.2 loses memory when it gives up on a file; that is not ours to find here.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace cutis::fuzz {

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() {
  return {test::kDae,
          "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
          "Objects:  {\n}\nConnections:  {\n}\n",
          test::skeleton_dae(test::make_moving_person()), test::skeleton_fbx(test::make_moving_person())};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  if (bytes.empty()) return;
  const std::string name = bytes[0] == '<' ? "fuzz.dae" : "fuzz.fbx";
  const auto attempt = [](auto&& read) {
    try {
      read();
    } catch (const Error&) {  // what bad files are answered with
    }
  };
  attempt([&] { validate(read_assimp_memory(bytes, name, context, ReadOptions{.attached = true})); });
  attempt([&] {
    const ClipSource source = read_assimp_motion_memory(bytes, name, context);
    if (!source.body.clips.empty()) (void)motion_of_clip(source, source.body.clips.front(), context);
  });
}

}  // namespace cutis::fuzz
