// What the back ends share of control: its constants, and what is done bone by bone.
#pragma once

#include <cstdint>

#include "backends/track.h"

namespace cutis {
namespace control {

inline constexpr float kRiseFrom = 0.02F, kRiseTo = 0.08F;  // of the other's field: contact begins, is complete
// By how much the other's field must lead on the own bone's axis, more than at rest, for contact to have no answer.
inline constexpr float kLeadFrom = 0.2F, kLeadTo = 0.4F;
inline constexpr float kHeld = 0.25F;  // contact that is remembered
inline constexpr float kNear = 3;      // local edges around a field's box; that a vertex goes in a sub-step
// Smooth skinning is trusted at least so far (in units of the field) at joints that are hardly bent, and altogether
// where it is sound and nothing touches; and the skin need not go deeper than kVoid below it where parts leave a void.
inline constexpr float kTrust = 0.15F, kVoid = 0.3F;
// How much more firmly smooth skinning holds at joints that are hardly bent: strain dies away over a fifth of the
// length.
inline constexpr float kFirm = 25;
inline constexpr float kLooseNear = 2, kLooseFar = 4;  // radii around a bent joint
// Strain of smooth skinning around a vertex: sound below, worthless above.
inline constexpr float kStrainFrom = 0.1F, kStrainTo = 0.5F;
// Strain below which smooth skinning all but carries the skin rigidly: there it holds this many times the neighbours'
// pull, so that strain from elsewhere does not creep in.
inline constexpr float kCalmFrom = 0.05F, kCalmTo = 0.4F, kRigid = 20;
// Skin that nothing moves against its bone, so many radii of its part away from skin that something does move, is held
// as firmly whatever the strain: coarse skins have no rigid rest to hang on.
inline constexpr float kAwayFrom = 1, kAwayTo = 2;
inline constexpr float kPaintedTo = 0.25F;  // stiffness from which smooth skinning does not hold the skin
inline constexpr float kOpposite = 1e-3F;   // size of a blend below which rotations cancel

}  // namespace control

/// Motions of the bones, bent joints, memory.
void begin_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step);
/// step.turn and step.blended of one vertex.
void blend_vertex(const Rig& rig, const TrackRest& rest, std::uint32_t v, TrackStep& step);
/// Puts the others of chunks together: `other_begin` of the chunk's vertices counts from its own first one.
void gather_others(std::size_t chunks, TrackStep& step, const Context& context);
/// The parts that hold each vertex, for the next sub-step.
void remember_contact(const Rig& rig, TrackStep& step);

}  // namespace cutis
