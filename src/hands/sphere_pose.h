// The pose nearest to a set of centres, with bone lengths kept.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cutis/hands.h"

namespace cutis {

class SphereFitter {
 public:
  /// Throws Error when a sphere's joint is not there.
  SphereFitter(const Skeleton& skeleton, std::span<const TrackedSphere> spheres, const SpherePoseOptions& options);

  struct Result {
    Pose pose;
    double miss = 0;  ///< root mean square, metres, over the centres that were seen
    std::size_t seen = 0;
    std::vector<char> turned;  ///< per joint of joints(): some sphere that was seen turns with it
  };
  [[nodiscard]] Result fit(std::span<const std::optional<Vec3d>> centers) const;

  /// The rotation of a joint that no sphere shows, from that of its parent: in a chain (a finger) it bends two thirds
  /// as far; otherwise the default.
  [[nodiscard]] Quatd follow_parent(const Pose& pose, int joint) const;

  /// Joints that turn, parents first; the first one also moves.
  [[nodiscard]] const std::vector<int>& joints() const { return joints_; }
  /// Joint of each sphere, and its place in that joint's frame.
  [[nodiscard]] const std::vector<int>& sphere_joint() const { return sphere_joint_; }
  [[nodiscard]] const std::vector<Vec3d>& sphere_offset() const { return offset_; }

 private:
  struct Target {
    std::size_t sphere;
    Vec3d center;
  };
  class Problem;  // of one frame
  [[nodiscard]] Pose start(std::span<const Target> targets) const;
  [[nodiscard]] bool carries(int joint, int below) const;  // joint is `below` or above it

  Skeleton skeleton_;
  SpherePoseOptions options_;
  double noise_ = 0;
  Pose default_;
  std::vector<int> joints_;  // that vary
  std::vector<int> slot_;    // per joint: its place in joints_, or -1
  std::vector<int> sphere_joint_;
  std::vector<Vec3d> offset_;
  std::vector<Vec3d> axis_;  // per joint: direction of its bone in its own frame; 0: none
};

}  // namespace cutis
