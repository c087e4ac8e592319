// Small helpers to write skeletons and clips by hand. Every joint's rest frame has the world's axes, so that a local
// rotation reads in world axes and mirror images are exact.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/math.h"
#include "cutis/character.h"

namespace cutis::builtin {

/// Appends a bone at `position` (world, rest) under `parent` (empty: a root); returns its index.
int add_bone(Skeleton& skeleton, const std::string& name, std::string_view parent, const Vec3d& position);

/// Rest position of a joint that must exist.
[[nodiscard]] Vec3d rest_position(const Skeleton& skeleton, std::string_view name);

/// "hand_l" -> "hand_r"; names without a side stay.
[[nodiscard]] std::string other_side(std::string_view name);

/// A pose being written: rotations relative to the rest pose, and the root's shift.
class PoseWriter {
 public:
  explicit PoseWriter(const Skeleton& skeleton);

  /// Rotation of the joint relative to its parent, in world axes of the rest pose.
  void turn(std::string_view joint, const Quatd& rotation);
  /// Rotation of the joint's skin in the world, whatever its ancestors do (they must be set before).
  void turn_in_world(std::string_view joint, const Quatd& rotation);
  void move_root(const Vec3d& shift) { root_shift_ = shift; }

  [[nodiscard]] Vec3d world_position(std::string_view joint) const;
  [[nodiscard]] Quatd world_rotation(std::string_view joint) const;
  /// Where a point that sits at `p_rest` goes when it follows `joint`.
  [[nodiscard]] Vec3d follow(std::string_view joint, const Vec3d& p_rest) const;

  [[nodiscard]] const std::vector<Quatd>& local() const { return local_; }
  [[nodiscard]] const Vec3d& root_shift() const { return root_shift_; }

 private:
  [[nodiscard]] int index(std::string_view joint) const;
  [[nodiscard]] Quatd world_rotation(int joint) const;
  [[nodiscard]] Vec3d world_position(int joint) const;

  const Skeleton& skeleton_;
  std::vector<Quatd> local_;
  Vec3d root_shift_;
};

/// Samples `write` at 30 keys per second from 0 to `seconds`, both included. Joints and the root that never leave the
/// rest pose get no channel.
[[nodiscard]] Clip make_clip(const Skeleton& skeleton, std::string name, double seconds,
                             const std::function<void(double time, PoseWriter&)>& write);

/// 0 at 0, 1 at the middle, 0 at `seconds`; smooth, with rests at the three.
[[nodiscard]] double there_and_back(double time, double seconds);
/// 0 below `a`, 1 above `b`, smooth between.
[[nodiscard]] double ease(double x, double a, double b);
[[nodiscard]] constexpr double degrees(double d) { return d * kPi / 180; }

/// The rotation that takes the directions (along0, bend0) to (along1, bend1); each pair is made orthonormal, along
/// first.
[[nodiscard]] Quatd align(const Vec3d& along0, const Vec3d& bend0, const Vec3d& along1, const Vec3d& bend1);

}  // namespace cutis::builtin
