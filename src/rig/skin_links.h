// Which bones move the same skin, and a forest over them.
#pragma once

#include <cstdint>
#include <vector>

#include "rig/rig.h"

namespace cutis {

/// Two bones that move the same skin.
struct SharedSkin {
  std::uint32_t a = 0, b = 0;  ///< a < b
  double amount = 0;           ///< sum over vertices of the product of their weights, > 0
  Vec3d middle;                ///< of that skin, at rest
};

/// By the skin weights of the rig's blocks; sorted by bones.
[[nodiscard]] std::vector<SharedSkin> shared_skin(const Rig& rig);

/// Rig::links: the maximum spanning forest of the bones over the skin that they share. Bones that only the smooth
/// weights of the surface (RigSurface::turn) bring together are linked by these. Knows nothing of the skeleton.
[[nodiscard]] std::vector<SkinLink> link_bones(const Rig& rig);

/// Per bone: it hangs on a bone (RigBone::parent) that is not above it in the skeleton (bind/nest.h).
[[nodiscard]] std::vector<char> loose_bones(const Rig& rig);

}  // namespace cutis
