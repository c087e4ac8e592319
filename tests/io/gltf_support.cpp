#include "io/gltf_support.h"

#include "base/math.h"
#include "io/readers.h"
#include "support/support.h"

namespace cutis::test {

ReadResult read_bytes(std::span<const std::byte> bytes, const ReadOptions& options) {
  ReadResult result;
  Context context(1);
  context.on_warning = [&](std::string_view text) { result.warnings.emplace_back(text); };
  result.character = read_gltf_memory(bytes, "file", context, options);
  validate(result.character);
  return result;
}

ReadResult read(const GltfBuilder& builder, const ReadOptions& options) { return read_bytes(builder.glb(), options); }

std::string refusal(std::span<const std::byte> bytes) {
  return error_of([&] { (void)read_gltf_memory(bytes, "file", Context(1), {}); });
}

std::string refusal(const GltfBuilder& builder) { return refusal(builder.glb()); }

std::vector<Vec3d> blend(const Character& character, const Pose& pose) {
  const auto world = world_from_joint(character.skeleton, pose);
  std::vector<Vec3d> out;
  for (const Mesh& mesh : character.meshes) {
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      Vec3d p{};
      for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
        const std::uint32_t j = mesh.weights.joint[i];
        p += static_cast<double>(mesh.weights.weight[i]) *
             transform_point(world[j] * inverse(character.skeleton.joints[j].world_from_rest),
                             static_cast<Vec3d>(mesh.positions[v]));
      }
      out.push_back(p);
    }
  }
  return out;
}

}  // namespace cutis::test
