// Implicit skinning vertex by vertex: backends/implicit_engine.h.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/implicit_pass.h"

namespace cutis::scalar {

/// Adds vertices that are too deep in another part.
void implicit_deep(const ImplicitPass& pass, const BlockRun& run, std::vector<DeepVertex>& deep);
/// Of vertices.flags: rows of near parts, and bits of `active`.
void implicit_near(const ImplicitPass& pass, const BlockRun& run);
/// Of vertices.around.
void implicit_turns(const ImplicitPass& pass, const BlockRun& run);
/// Of active vertices: pull, level, hold, and where projection starts.
void implicit_targets(const ImplicitPass& pass, const BlockRun& run);
/// Returns field evaluations.
std::uint32_t implicit_project(const ImplicitPass& pass, int steps, float tolerance, const BlockRun& run);
/// Residuals of vertices.flags where they are now.
void implicit_assess(const ImplicitPass& pass, const BlockRun& run);
/// Of the surface, at active vertices.
void implicit_normals(const ImplicitPass& pass, const BlockRun& run);
/// Vertices [begin, end) of vertices.sliding go where `blocks[].x` leads them; vertices.around: bits of those that go
/// far.
void implicit_take(const ImplicitRest& rest, ImplicitVertices& vertices, std::size_t begin, std::size_t end);
/// Solves for the slides of vertices.sliding: `blocks[].x`.
void implicit_slide(const ImplicitRest& rest, int steps, ImplicitVertices& vertices, const Context& context);

}  // namespace cutis::scalar
