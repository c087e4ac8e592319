// The numbers of the field engine, each once, with its reason. Tracking and implicit skinning share them.
//
// Values of fields have no unit: 1 deep inside a part, about 0.5 on its skin, 0 where it is not felt. Lengths are in
// local edges or in radii of a part's field, so that the size of a character does not matter.
#pragma once

namespace cutis::field_constants {

// ---- who is near, and who moves ----

/// A bone that carries a vertex by less than this, local edges, away from where its own one does is still.
inline constexpr float kStillEdges = 1e-4F;
/// Change of a field that wakes a vertex up: a thousandth of a part's thickness.
inline constexpr float kStillField = 0.002F;
/// |grad f| on the surface of a field of radius r, times r: the slope of the map with compact support at distance 0.
inline constexpr float kSurfaceSlope = 0.9375F;

// ---- contact ----

/// Of the other part's field at the carried vertex, over its value at rest: contact begins, is complete. Below is noise
/// of the fit; the span is narrow, so that skin is on its own side before it has been crossed.
inline constexpr float kRiseFrom = 0.02F, kRiseTo = 0.08F;
/// By how much the other's field must lead on the own bone's axis, more than at rest, for contact to have no answer:
/// there the vertex has no own side.
inline constexpr float kLeadFrom = 0.2F, kLeadTo = 0.4F;
/// Swing between joined parts, degrees: below, bending is no contact (a spine); above, it is (an elbow).
inline constexpr float kSwingFrom = 20, kSwingTo = 50;
/// Sides of a bend, 1 in the middle of its inner side and -1 on its back: contact of its two parts is none up to the
/// first, where skin turns into the other part without meeting any, and whole from the second on.
inline constexpr float kBack = -0.6F, kInside = 0.0F;
/// Contact that is remembered from sub-step to sub-step.
inline constexpr float kHeld = 0.25F;
/// Local edges around a field's box; that a vertex goes in a sub-step.
inline constexpr float kNear = 3;

// ---- levels ----

/// Smooth skinning is trusted at least so far (in units of the field) at joints that are hardly bent, and altogether
/// where it is sound and nothing touches: fields are fitted to a tolerance, and unions have edges where bodies have
/// none.
inline constexpr float kTrust = 0.15F;
/// The skin need not go deeper than this below smooth skinning where parts leave a void.
inline constexpr float kVoid = 0.3F;
/// Strain of smooth skinning around a vertex: sound below, worthless above.
inline constexpr float kStrainFrom = 0.1F, kStrainTo = 0.5F;

// ---- what holds the skin along the surface ----

/// How much more firmly smooth skinning holds at joints that are hardly bent: strain dies away over a fifth of the
/// length.
inline constexpr float kFirm = 25;
/// Radii around a bent joint within which it does not, and beyond which it does.
inline constexpr float kLooseNear = 2, kLooseFar = 4;
/// Strain below which smooth skinning all but carries the skin rigidly: there it holds this many times the neighbours'
/// pull, so that strain from elsewhere does not creep in.
inline constexpr float kCalmFrom = 0.05F, kCalmTo = 0.4F, kRigid = 20;
/// Skin that nothing moves against its bone, so many radii of its part away from skin that something does move, is held
/// as firmly whatever the strain: coarse skins have no rigid rest to hang on.
inline constexpr float kAwayFrom = 1, kAwayTo = 2;
/// Stiffness from which smooth skinning does not hold the skin.
inline constexpr float kPaintedTo = 0.25F;
/// Size of a blend below which rotations cancel.
inline constexpr float kOpposite = 1e-3F;

// ---- where the projection starts, without history ----

/// Smooth skin so far on the way from the level to the bone's axis (of fields) is no longer taken for the start, and
/// not at all; nor where the field's gradient has turned so far (cosine): there the field does not say on which side
/// the vertex belongs.
inline constexpr float kDeepFrom = 0.4F, kDeepTo = 0.8F, kTurned = 0.5F;

// ---- projection ----

/// Residuals below are taken for 0.
inline constexpr float kProjected = 1e-5F;
/// Of the slope: where gradients are nearly parallel their difference says little.
inline constexpr float kDamping = 0.1F;

// ---- relaxation ----

/// Of the squared residual of conjugate gradients: converged.
inline constexpr double kReduction = 1e-6;
inline double reduced_enough(double at_first) { return kReduction * at_first; }
/// The same where skin comes from a guess and rounds follow: more steps a round buy nothing there.
inline constexpr double kRoundReduction = 1e-4;
inline double reduced_for_a_round(double at_first) { return kRoundReduction * at_first; }
/// Taken for altogether bound to the tangent plane.
inline constexpr float kBound = 0.99F;
/// Local edges, at once: a plane is no surface.
inline constexpr float kLongestSlide = 1;
/// Edges stretched by so much more than those around them grow stiffer with the square of what exceeds it: a quadratic
/// energy alone leaves single rows at the side of a fold with most of the strain.
inline constexpr float kUneven = 1.5F, kStiffening = 8;

/// Local edges: a vertex that a relaxation and the projection after it move by less rests.
inline constexpr float kRested = 3e-3F;

// ---- what a sub-step came to ----

/// Residuals of a vertex that is on its surface, and of one that is off it.
inline constexpr float kConverged = 1e-3F, kMissed = 0.05F;
/// Of the slope on the surface: gradients below say nothing.
inline constexpr float kFlatSlope = 0.05F;

// ---- smoothing ----

/// Passes that spread contact over the skin around it.
inline constexpr int kSpread = 3;
/// Of the way to the neighbours' mean, in contact.
inline constexpr float kSmoothing = 0.5F;

// ---- what is shown ----

/// Speed against smooth skinning that a vertex gains in a frame: local edges, and radii of its part, at most.
inline constexpr float kStartEdges = 0.05F, kStartRadii = 0.01F;
/// How far fairing reaches: local edges, and radii of the part where edges are long. Fields are fitted to a tolerance
/// and their unions have edges, which are some local edges wide; what is a radius wide is shape.
inline constexpr float kFairEdges = 3, kFairRadii = 0.75F;
/// Of Chebyshev's iteration: at that reach each takes off a third or more of what is left.
inline constexpr int kFairPasses = 8;
/// Fairing draws together what is twisted, by the square of the twist: an eighth of the radius at 180 degrees. Skin
/// that bones share is faired less from the first angle of a joint on, degrees, and least from the second: so many
/// times the pull of its neighbours holds it then; and around it, so much less from ring to ring.
inline constexpr float kTwistFrom = 10, kTwistTo = 60, kTwistHold = 3;
inline constexpr int kTwistRings = 6;
inline constexpr float kTwistFade = 0.85F;

}  // namespace cutis::field_constants
