// Vertices in the order in which they are skinned: those that one bone moves, bone by bone, then by the number of
// bones.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/engine.h"
#include "cutis/types.h"
#include "rig/rig.h"

namespace cutis::simd {

struct SkinGroups {
  static constexpr std::string_view kRestName = "skin_groups";
  static constexpr std::uint32_t kManyBones = 0;

  /// Places [begin, end): all with so many bones, or kManyBones, more than a block holds.
  struct Run {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t bones = kManyBones;
    std::int32_t alone = -1;  ///< the one that moves all of them; -1: they have bones of their own
  };
  std::vector<Run> runs;
  // Per place.
  std::vector<std::uint32_t> vertex;        ///< rises within a run
  std::vector<InfluenceBlock> blocks;       ///< its first
  std::vector<Vec3f> positions;             ///< at rest; with room behind the last for a pack, as the following
  std::vector<Vec3f> normals;               ///< none: the rig has none
  std::vector<Vec3f> bound, bound_normals;  ///< after the stretches of the bind matrices: bound_stretches()
};

/// What is skinned, and where it goes.
struct Skinned {
  const Rig& rig;
  const SkinGroups& groups;
  const BonePalette& palette;
  Vec3f *positions, *normals;  ///< none: not wanted
};

[[nodiscard]] SkinGroups make_skin_groups(const Rig& rig);
/// Made once for a rig.
[[nodiscard]] std::shared_ptr<const SkinGroups> skin_groups(const Rig& rig);

}  // namespace cutis::simd
