// Sharp folds of single edges, which a crease makes of fine skin where it touches, are smoothed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "geometry/topology.h"
#include "rig/rig.h"

namespace cutis {

/// Per welded vertex, 0 to 1: how much it is smoothed, and what that follows. Empty: nothing was folded yet.
struct UnfoldState {
  std::vector<double> weight, follows;
};

/// Of the rest pose.
struct UnfoldRest {
  UnfoldRest(const Rig& rig, const Topology& topology);

  struct Hinge {
    std::array<std::uint32_t, 2> faces;
    float rest = 0;  ///< cosine between their normals
  };
  std::vector<Hinge> hinges;
  std::vector<std::array<std::int32_t, 3>> face_hinges;  ///< -1: none
};

class Unfold {
 public:
  /// `topology` of the rig's surface. Both must outlive this.
  Unfold(const Rig& rig, const Topology& topology, std::shared_ptr<const UnfoldRest> rest);

  /// Adds to `shift`, per welded vertex, what smooths the folds of skin + shift where skin touches (`touch` > 0;
  /// empty: nowhere); all other skin stays. Over frames smoothing comes and goes gently: `rate` in (0,1] is the part of
  /// the way that it takes now.
  void smooth(std::span<const Vec3d> skin, std::span<Vec3d> shift, std::span<const double> touch, double rate,
              const Context& context);

  [[nodiscard]] const UnfoldState& state() const { return state_; }
  void set_state(const UnfoldState& state) { state_ = state; }
  void restart() {
    state_.weight.clear();
    state_.follows.clear();
  }

 private:
  const Rig* rig_;
  const Topology* topology_;
  std::shared_ptr<const UnfoldRest> rest_;
  UnfoldState state_;
  // Scratch.
  std::vector<Vec3d> at_, next_;
  std::vector<char> seen_;  // hinges
  std::vector<double> folded_;
  std::vector<std::uint32_t> active_;
};

}  // namespace cutis
