// The FBX and COLLADA reader on damaged files: a Character that passes validation, or cutis::Error. The first byte
// chooses the format. assimp itself is not instrumented, and what breaks inside it shows here too.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cutis/character.h"
#include "cutis/error.h"
#include "io/readers.h"

// assimp 5.2 loses memory when it gives up on a file; that is not ours to find here.
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cutis::Context context(1);
  if (size == 0) return 0;
  const char* name = data[0] == '<' ? "fuzz.dae" : "fuzz.fbx";
  try {
    cutis::validate(
        cutis::read_assimp_memory({reinterpret_cast<const char*>(data), size}, name, context, cutis::ReadOptions{}));
  } catch (const cutis::Error&) {
    // what bad files are answered with
  }
  return 0;
}
