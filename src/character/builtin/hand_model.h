// The hand that the built-in arm, hand and human share: anatomy, bones, skin, gestures.
#pragma once

#include <array>
#include <string>

#include "character/builtin/shape.h"
#include "character/builtin/skeleton_builder.h"

namespace cutis::builtin {

/// Where a left hand is and how it lies. `along` points to the fingers, `palmar` out of the palm.
struct HandPlacement {
  Vec3d wrist;
  Vec3d along, palmar;
  std::string parent;     ///< bone that carries the hand
  std::string suffix;     ///< of the bone names, e.g. "_l"
  double edge_scale = 1;  ///< 1: about 2,200 vertices
};

inline constexpr std::array<const char*, 5> kDigits = {"thumb", "index", "middle", "ring", "pinky"};

/// "index", 2, "_l" -> "index_2_l"
[[nodiscard]] std::string digit_bone(std::string_view digit, int number, std::string_view suffix);

/// hand, and thumb_1..3, index_1..3, ... below it. With `mirrored`, the right hand's bones of a placement on the left.
void add_hand_bones(Skeleton& skeleton, const HandPlacement& placement, bool mirrored = false);

/// Palm and digits, to be blended with a forearm that ends at the wrist. `mirrored`: see Tube.
void add_hand_tubes(Shape& shape, const HandPlacement& placement, bool mirrored = false);

/// Box around the digits, where the mesh must be traced finely.
[[nodiscard]] Box hand_bounds(const HandPlacement& placement);

/// How far each joint of a digit is bent, radians.
struct DigitBend {
  double first = 0, second = 0, third = 0;
};
/// Where the thumb's first bone points and its pad faces, as (along, radial, palmar) of the hand.
struct ThumbAim {
  Vec3d direction, pad;
};
struct HandGesture {
  std::array<DigitBend, 5> digits;  ///< as kDigits; the thumb's first joint is `thumb`'s
  ThumbAim thumb;
  double thumb_amount = 0;  ///< 0: the thumb's first bone rests, 1: it is aimed
};
[[nodiscard]] HandGesture fist_gesture(double amount);   ///< 0 open, 1 closed
[[nodiscard]] HandGesture pinch_gesture(double amount);  ///< thumb to index
[[nodiscard]] HandGesture relaxed_gesture(double amount);

/// Bends the digits; `mirrored` for the right hand of a placement on the left.
void apply_gesture(PoseWriter& pose, const HandPlacement& placement, const HandGesture& gesture, bool mirrored = false);

}  // namespace cutis::builtin
