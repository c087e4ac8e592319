// The built-in human: landmarks, skeleton, shape, clips. Standing in an A-pose on y = 0, facing +Z, left side at +X.
#pragma once

#include <vector>

#include "character/builtin/hand_model.h"
#include "character/builtin/shape.h"
#include "cutis/character.h"

namespace cutis::builtin::human {

// Landmarks of the left half, metres; 1.75 m tall, seven and a half heads.
inline constexpr Vec3d kHips{0, 0.955, -0.005};
inline constexpr Vec3d kSpine{0, 1.045, -0.012};
inline constexpr Vec3d kChest{0, 1.155, -0.014};
inline constexpr Vec3d kUpperChest{0, 1.275, -0.022};
inline constexpr Vec3d kNeck{0, 1.455, -0.030};
inline constexpr Vec3d kHead{0, 1.545, -0.010};
inline constexpr Vec3d kClavicle{0.025, 1.415, -0.005};
inline constexpr Vec3d kShoulder{0.172, 1.405, -0.018};
inline constexpr Vec3d kHip{0.090, 0.905, -0.005};
inline constexpr Vec3d kKnee{0.097, 0.485, 0.004};
inline constexpr Vec3d kAnkle{0.103, 0.080, -0.022};
inline constexpr Vec3d kBall{0.114, 0.018, 0.100};  ///< where the toes bend

/// The arms hang this far below the horizontal.
inline constexpr double kArmSlope = 0.75;  // 43 degrees

[[nodiscard]] Vec3d arm_direction();
[[nodiscard]] Vec3d elbow();
[[nodiscard]] Vec3d wrist();
/// The left hand: palm to the thigh, thumb to the front.
[[nodiscard]] HandPlacement left_hand();

[[nodiscard]] Skeleton make_skeleton();
[[nodiscard]] Shape make_shape();
[[nodiscard]] std::vector<Clip> make_clips(const Skeleton& skeleton);

}  // namespace cutis::builtin::human
