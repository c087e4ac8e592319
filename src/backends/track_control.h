// What the back ends share of control: what is done bone by bone.
#pragma once

#include <cstdint>

#include "backends/track.h"

namespace cutis {
/// Motions of the bones, bent joints, memory.
void begin_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step);
/// step.turn and step.blended of one vertex.
void blend_vertex(const Rig& rig, const TrackRest& rest, std::uint32_t v, TrackStep& step);
/// Puts the others of chunks together: `other_begin` of the chunk's vertices counts from its own first one.
void gather_others(std::size_t chunks, TrackStep& step, const Context& context);
/// The parts that hold each vertex, for the next sub-step.
void remember_contact(const Rig& rig, TrackStep& step);

}  // namespace cutis
