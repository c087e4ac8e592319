// Relief: small offsets of bones for poses that drive bones deeper into each other than skin can give way.
//
// Skin can yield about its own thickness; when the animation puts the axis of one part inside another, no skin is right
// and contact can only squash it. Relief moves such parts apart before the skin is solved, thin ones more than thick
// ones, spread along the skeleton and smooth in time, never farther than its cap, and says by how much.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "cutis/types.h"

namespace cutis {

struct ReliefParts {
  std::span<const Vec3f> rest;          ///< vertices at rest
  std::span<const std::uint32_t> part;  ///< per vertex; at or beyond the number of parts: none
  std::span<const float> radius;        ///< per part, metres; 0: the part takes no part
  std::span<const int> parent;          ///< per part: the part it hangs on, or -1
};

struct ReliefOptions {
  double allow = 0.2;        ///< depth left to the skin, in thicknesses (2 radii) of the thinner part, > 0
  double cap = 0.03;         ///< largest offset, in sizes of the character, >= 0
  double fade = 0.9;         ///< what is left of last frame's offsets when nothing needs them, in [0,1)
  int sweeps = 20;           ///< over all pairs of parts, >= 1
  std::size_t samples = 60;  ///< vertices of a part that are tried, >= 1
};

/// What one pose needed.
struct ReliefReport {
  struct Bone {
    std::uint32_t part = 0;
    Vec3d offset;  ///< metres
  };
  struct Overlap {
    std::uint32_t thin = 0, thick = 0;
    double depth = 0;  ///< of the pose itself, metres
    double left = 0;   ///< after relief
    bool capped = false;
  };
  std::vector<Bone> bones;        ///< that were moved
  std::vector<Overlap> overlaps;  ///< pairs deeper than allowed in the pose itself
  double max_offset = 0;          ///< metres
};

/// What relief remembers from one pose to the next.
struct ReliefState {
  std::vector<Vec3d> offset;                 ///< per part
  std::map<std::uint64_t, Vec3d> direction;  ///< of the last pose's pairs
};

class Relief {
 public:
  /// Signed distance (negative inside) of a rest-space point from a part's surface, and its gradient; false where it is
  /// not known (far outside).
  using Distance = std::function<bool(std::size_t part, const Vec3d& p_rest, double& distance, Vec3d& gradient)>;

  Relief(const ReliefParts& parts, const ReliefOptions& options, Distance distance);

  /// Offsets of all parts for these motions (posed from rest), following the last call's.
  std::span<const Vec3d> update(std::span<const Affine3d> motion);
  [[nodiscard]] const ReliefReport& report() const { return report_; }
  void restart();
  [[nodiscard]] ReliefState save_state() const { return {offset_, direction_}; }
  void restore_state(const ReliefState& state);

 private:
  struct Pair {
    std::uint32_t thin = 0, thick = 0;
    double allow = 0;
  };
  struct Depth {
    double deepest = 0;
    Vec3d direction;  // outward, world
  };
  [[nodiscard]] Depth depth(const Pair& pair, std::span<const Affine3d> motion,
                            std::span<const Affine3d> inverse_motion, const Vec3d& between) const;
  void smooth();

  ReliefOptions options_;
  Distance distance_;
  std::vector<float> radius_;
  std::vector<int> parent_;
  std::vector<std::vector<Vec3d>> samples_;  // per part
  std::vector<Vec3d> center_;                // per part: of a sphere around its vertices
  std::vector<double> reach_;                // per part: of that sphere
  std::vector<Pair> pairs_;
  double cap_ = 0;
  std::vector<Vec3d> offset_, given_, scratch_;  // given_: without the smallest
  std::map<std::uint64_t, Vec3d> direction_;     // of last frame's pairs
  ReliefReport report_;
};

}  // namespace cutis
