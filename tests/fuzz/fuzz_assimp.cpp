// The FBX and COLLADA reader on damaged files: a Character that passes validation, or cutis::Error. The first byte
// chooses the format. assimp itself is not instrumented, and what breaks inside it shows here too.
#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/dae_sample.h"
#include "io/readers.h"

// assimp 5.2 loses memory when it gives up on a file; that is not ours to find here.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace cutis::fuzz {

std::vector<std::string> seeds() {
  return {test::kDae,
          "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
          "Objects:  {\n}\nConnections:  {\n}\n"};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  if (bytes.empty()) return;
  try {
    validate(
        read_assimp_memory(bytes, bytes[0] == '<' ? "fuzz.dae" : "fuzz.fbx", context, ReadOptions{.attached = true}));
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
