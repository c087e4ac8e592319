// ALL VERTICES: direct delta mush (kernels/delta_mush.h), a peer to measure other methods against.
//
// What differs from the paper: smoothing is explicit, many small steps of a lazy walk along the mesh's edges (cotangent
// weights) instead of implicit solves. Both come near to diffusion for the same time; steps keep what is sparse sparse,
// and nothing is factored. Bones that scale: the offset grows by their blended size.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cutis/context.h"
#include "kernels/delta_mush.h"
#include "rig/rig.h"

namespace cutis {

/// Per welded vertex, at rest.
struct MushRest {
  static constexpr std::string_view kRestName = "delta mush";
  std::vector<std::uint32_t> begin;  ///< items of vertex v: [begin[v], begin[v + 1])
  std::vector<MushItem> items;       ///< the heaviest bone first
  std::vector<Vec3d> center;         ///< the smoothed vertex
  std::vector<Vec3f> offset;         ///< of the vertex from it
};
/// Made once, shared by all solvers of the rig.
[[nodiscard]] std::shared_ptr<const MushRest> mush_rest(const Rig& rig, const Context& context);

/// `motions`: per bone, posed from rest. Fills what follows the surface; riders are left as they are.
void skin_delta_mush(const Rig& rig, const MushRest& rest, std::span<const Affine3d> motions,
                     std::span<Vec3f> positions, std::span<Vec3f> normals, const Context& context);

}  // namespace cutis
