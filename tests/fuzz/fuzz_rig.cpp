// The rig reader on damaged files: a rig that every kernel can use, or cutis::Error. The checksum is made right first,
// so that damage reaches the arrays.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "backends/posed_field.h"
#include "base/hash.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "fuzz/target.h"
#include "fuzz/tiny_character.h"
#include "rig/rig_file.h"

namespace cutis::fuzz {

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() {
  const Context context(1);
  const Character tube = make_tube();
  BindOptions plain;
  plain.preset.all.op = "clean-union";
  const auto used = bind(tube, context, plain);
  prepare(*used, context);
  return {rig_to_bytes(*bind(tube, context, {.implicit_skin = false})), rig_to_bytes(*bind(tube, context, plain)),
          rig_to_bytes(*used)};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  std::string file(bytes);
  if (file.size() >= kRigHeaderBytes) {
    const std::uint64_t payload = file.size() - kRigHeaderBytes;
    const std::uint64_t sum = rig_checksum(std::string_view(file).substr(kRigHeaderBytes));
    std::memcpy(file.data() + kRigChecksumOffset - 8, &payload, sizeof payload);
    std::memcpy(file.data() + kRigChecksumOffset, &sum, sizeof sum);
  }
  try {
    const auto rig = rig_from_bytes(file, "fuzz.rig");
    const PosedField field(*rig);
    for (const Vec3f& p : rig->surface.positions)
      if (!std::isfinite(field.eval(p).value)) std::abort();
    // Dear, and of rigs that were let through: every eighth input.
    if (hash_bytes(bytes.data(), bytes.size()) % 8 != 0) return;
    Solver solver(rig, {.method = Method::lbs}, context);
    (void)solver.solve(default_pose(rig->skeleton));
    prepare(*rig, context);  // reads what the file holds of it
  } catch (const Error&) {   // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
