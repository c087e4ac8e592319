// The rig reader on damaged files: a rig that every kernel can use, or cutis::Error. The checksum is made right first,
// so that damage reaches the arrays.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "backends/posed_field.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "fuzz/target.h"
#include "rig/rig_file.h"

namespace {

// A small character with an implicit skin: a tube of two bones.
cutis::Character make_tube() {
  cutis::Character c;
  c.source = "tube";
  for (int j = 0; j < 2; ++j) {
    cutis::Joint joint;
    joint.name = j == 0 ? "lower" : "upper";
    joint.parent = j - 1;
    joint.is_bone = true;
    joint.world_from_rest.translation = {0, static_cast<double>(j), 0};
    joint.local.translation = {0, static_cast<double>(j), 0};
    c.skeleton.joints.push_back(joint);
  }
  cutis::Mesh mesh;
  mesh.name = "tube";
  constexpr int kRings = 9, kSides = 6;
  mesh.weights.row_begin.push_back(0);
  for (int r = 0; r < kRings; ++r)
    for (int s = 0; s < kSides; ++s) {
      const float angle = 6.2831853F * static_cast<float>(s) / kSides;
      const cutis::Vec3f out{std::cos(angle), 0, std::sin(angle)};
      mesh.positions.push_back({0.3F * out.x, 0.25F * static_cast<float>(r), 0.3F * out.z});
      mesh.normals.push_back(out);
      mesh.weights.joint.push_back(r < 4 ? 0 : 1);
      mesh.weights.weight.push_back(1);
      mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
      if (r + 1 == kRings) continue;
      const auto v = [&](int i, int j) { return static_cast<std::uint32_t>(i * kSides + j % kSides); };
      mesh.triangles.push_back({v(r, s), v(r + 1, s), v(r, s + 1)});
      mesh.triangles.push_back({v(r, s + 1), v(r + 1, s), v(r + 1, s + 1)});
    }
  c.meshes.push_back(mesh);
  return c;
}

}  // namespace

namespace cutis::fuzz {

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
    Solver solver(rig, {.method = Method::lbs}, context);
    (void)solver.solve(default_pose(rig->skeleton));
    prepare(*rig, context);  // reads what the file holds of it
  } catch (const Error&) {   // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
