// What the back ends share of control: what is done bone by bone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/track_step.h"
#include "base/parallel_for.h"

namespace cutis {

/// Motions of the bones, bent joints, memory.
void begin_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step);
/// step.turn and step.blended of one vertex.
void blend_vertex(const Rig& rig, const TrackRest& rest, std::uint32_t v, TrackStep& step);
/// Puts the others of chunks together: `other_begin` of the chunk's vertices counts from its own first one.
template <class Chunk>
void gather_others(std::span<const Chunk> chunks, TrackStep& step, const Context& context) {
  step.offset.resize(chunks.size());
  std::size_t count = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    step.offset[c] = static_cast<std::uint32_t>(count);
    count += chunks[c].others.size();
  }
  if (step.others.size() < count) step.others.resize(count);
  parallel_for(context, chunks.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      std::ranges::copy(chunks[c].others, step.others.begin() + static_cast<std::ptrdiff_t>(step.offset[c]));
  });
}
/// The parts that hold each vertex, for the next sub-step.
void remember_contact(const Rig& rig, TrackStep& step);

}  // namespace cutis
