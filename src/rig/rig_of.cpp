#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/rig_file.h"
#include "rig/rig.h"

namespace cutis {

void check_rig_of(const Rig& rig, const Character& character) {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, "rig", sentence + "; bind the character anew");
  };
  if (rig.vertex_count() != character.vertex_count())
    refuse(
        fmt::format("has {} vertices, but {} has {}", rig.vertex_count(), character.source, character.vertex_count()));
  const std::vector<Joint>&own = rig.skeleton.joints, &other = character.skeleton.joints;
  if (own.size() != other.size())
    refuse(fmt::format("has {} joints, but {} has {}", own.size(), character.source, other.size()));
  for (std::size_t j = 0; j < own.size(); ++j)
    if (own[j].name != other[j].name || own[j].parent != other[j].parent ||
        own[j].world_from_rest != other[j].world_from_rest)
      refuse(fmt::format("has joint '{}' where {} has '{}', or at another place", own[j].name, character.source,
                         other[j].name));
  std::size_t v = 0;
  for (const Mesh& mesh : character.meshes)
    for (const Vec3f& p : mesh.positions)
      if (p != rig.rest_positions[v++])
        refuse(fmt::format("has vertex {} at another place than {}", v - 1, character.source));
}

}  // namespace cutis
