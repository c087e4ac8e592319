// The PLY reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cutis/character.h"
#include "cutis/error.h"
#include "io/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cutis::Context context(1);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    cutis::validate(cutis::read_ply_memory(text, "fuzz.ply", context));
  } catch (const cutis::Error&) {
    // what bad files are answered with
  }
  return 0;
}
