// The OFF reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error.
#include "cutis/character.h"
#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/readers.h"

namespace cutis::fuzz {

Shape shape() { return Shape::text; }

std::vector<std::string> seeds() {
  return {"OFF\n4 2 5\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3 255 0 0\n",
          "COFF\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 "
          "1\n3 0 1 2\n",
          "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n# end\n3 0 1 2\n"};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  try {
    validate(read_off_memory(bytes, "fuzz.off", context));
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
