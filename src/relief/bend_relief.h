// Relief by bending less, for methods without history: where a pose drives a part deeper into another than skin can
// give way, the joints between the two are turned back towards rest until it does not.
//
// At rest parts do not meet, so there is always such a pose on the way back; joints stay together, and a finger that is
// curled through the palm ends on it. The pose alone decides. relief/pose_relief moves bones instead and follows time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/engine.h"
#include "cutis/character.h"
#include "cutis/frame.h"
#include "rig/rig.h"

namespace cutis {

class BendRelief {
 public:
  /// `cap`: the farthest that the end of a bone may be moved, in sizes of the character. The rig must have a skin and
  /// outlive this.
  BendRelief(const Rig& rig, double cap);

  /// How deep skin of part `b` may go in part `k`, metres.
  [[nodiscard]] float allowed(std::size_t b, std::size_t k) const;

  /// `deep`: in any order that the pose alone decides.
  const Pose& apply(const Pose& pose, std::span<const DeepVertex> deep);

  /// Of the last call: bones that were turned, with the way of their ends, and the pairs of parts that made it.
  [[nodiscard]] const std::vector<BoneOffset>& moved() const { return moved_; }
  [[nodiscard]] const std::vector<BoneOverlap>& overlaps() const { return overlaps_; }

 private:
  struct Meeting {
    std::uint32_t thin = 0, thick = 0;  // bones
    std::vector<Vec3f> points;          // of the thin one, at rest
    std::vector<float> allowed;         // per point
    std::vector<int> paths[2];          // joints that move the thin part alone, the thick part alone; from the top
    double excess = 0;                  // of the pose itself
  };
  void find_meetings(std::span<const DeepVertex> deep);
  void find_path(std::uint32_t bone, std::uint32_t other, std::vector<int>& path) const;
  void add_point(Meeting& meeting, std::uint32_t vertex) const;
  [[nodiscard]] Trsd turned(int joint, const std::vector<int>& path, double share) const;
  [[nodiscard]] Affine3d motion(std::uint32_t bone, const std::vector<int>& path, double share) const;
  [[nodiscard]] double excess(const Meeting& meeting, const std::vector<int>& path, double share) const;
  [[nodiscard]] double way(const std::vector<int>& path, double share) const;
  [[nodiscard]] double share_for(const Meeting& meeting, const std::vector<int>& path) const;

  const Rig& rig_;
  double cap_ = 0;  // metres
  std::vector<float> radius_;
  std::vector<char> loose_;                          // per bone: turning its joint would tear it off others
  std::vector<Quatd> rest_local_;                    // per joint
  std::vector<std::vector<std::uint32_t>> samples_;  // per bone: some of its vertices, all over it
  Pose default_, pose_;
  std::vector<Meeting> meetings_;  // the first meeting_count_ are of this pose; the others keep their memory
  std::size_t meeting_count_ = 0;
  std::vector<std::uint32_t> order_;     // of those that are too deep, the deepest first
  std::vector<Affine3d> world_, asked_;  // frames of the joints: at pose_, and at the pose that was asked for
  std::vector<BoneOffset> moved_;
  std::vector<BoneOverlap> overlaps_;
};

}  // namespace cutis
