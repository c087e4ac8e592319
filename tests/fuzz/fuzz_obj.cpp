// The Wavefront OBJ reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error.
#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/readers.h"

namespace cutis::fuzz {

Shape shape() { return Shape::text; }

std::vector<std::string> seeds() {
  return {
      "# cube corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1 0.5 0.5 0.5\nvt 0 0\nvt 1 1\nvn 0 0 1\no thing\nf 1/1/1 2/2/1 "
      "3/1/1\nf 1 "
      "-2 -1 4\n",
      "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0.5 0.2 0\r\nv 0 1 0\r\ng concave\r\nf 1 2 3 4 \\\r\n5\r\n"};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  try {
    validate(read_obj_memory(bytes, "fuzz.obj", context));
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
