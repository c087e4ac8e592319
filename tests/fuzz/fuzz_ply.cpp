// The PLY reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error.
#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/readers.h"

namespace cutis::fuzz {

Shape shape() { return Shape::text; }

std::vector<std::string> seeds() {
  return {
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar "
      "red\n"
      "element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n3 0 1 "
      "2\n4 0 1 2 3\n",
      std::string("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float "
                  "y\nproperty float z\nelement face "
                  "1\nproperty list uchar uint vertex_indices\nend_header\n") +
          std::string(36, '\x3f') + std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13)};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  try {
    validate(read_ply_memory(bytes, "fuzz.ply", context));
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
