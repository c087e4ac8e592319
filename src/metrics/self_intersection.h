// Pairs of triangles of one surface that pass through or touch each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/work_meter.h"
#include "cutis/context.h"
#include "cutis/types.h"
#include "geometry/triangle_bvh.h"

namespace cutis {

/// All pairs in `bvh` that have a point in common (decided exactly, touching counts) and no vertex: `place_of` gives
/// each vertex a number, and triangles with an equal number are neighbours. Lower triangle first, sorted. `meter`:
/// counts pairs whose boxes overlap; when it stops the list is worth nothing.
[[nodiscard]] std::vector<std::array<std::uint32_t, 2>> self_intersecting_pairs(
    const TriangleBvh& bvh, std::span<const Vec3f> positions, std::span<const Triangle> triangles,
    std::span<const std::uint32_t> place_of, const Context& context, WorkMeter* meter = nullptr);

}  // namespace cutis
