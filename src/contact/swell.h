// Flesh that contact presses in comes out around it.
//
// Contact takes volume: where a thigh meets a belly each gives way, and what both lose would be gone. Here it flows
// along the skin out of the contact and lifts the free skin around it. With A the area of a vertex, c how much it
// touches and h how deep contact presses it in, the lift u solves
//   (1 - c) A u - div(lambda^2 grad u) = c A h
// whose sum over the skin says that the free skin gains what the touching skin lost; lambda, some radii of the part, is
// how far it spreads. See docs/algorithms/contact.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "geometry/topology.h"
#include "rig/rig.h"

namespace cutis {

/// Arrays per welded vertex; empty: nothing has touched yet.
struct SwellState {
  std::vector<double> touch;   ///< c, 0 to 1
  std::vector<double> source;  ///< c h, metres
  std::vector<double> lift;    ///< u, metres
  double scale = 1;            ///< of the lift: what touching skin lost is not all that the skin lost
};

/// Per welded vertex: 1 where it touches, fading over two rings.
class TouchFade {
 public:
  /// Valid until the next call.
  const std::vector<double>& update(const RigSurface& skin, std::span<const char> touching);

 private:
  std::vector<double> fade_, next_;
  std::vector<std::uint32_t> near_;  // touching, and the rings around
  std::vector<char> seen_;
};
/// How deep vertex v is pressed in at `at`, metres, against where its part's motion carries it; >= 0.
[[nodiscard]] double pressed_in(const RigSurface& skin, std::size_t v, const Affine3d& motion, const Vec3f& at);

/// Of the rest pose.
struct SwellRest {
  /// `topology` of the rig's surface; `part` per welded vertex, `radius` per part in metres (0: does not swell);
  /// `known_normals`: smooth_normal, where it is known already.
  SwellRest(const Rig& rig, const Topology& topology, std::span<const std::uint32_t> part,
            std::span<const float> radius, const Context& context, std::span<const Vec3d> known_normals = {});

  std::vector<double> area, conduct;  ///< per vertex; per neighbour: weight times lambda^2
  std::vector<double> lambda;
  double volume = 0;
  bool closed = true;  ///< has a volume
  std::vector<Vec3d> smooth_normal;

 private:
  void smooth_normals(const RigSurface& skin, const Context& context);
};

class Swell {
 public:
  /// All must outlive this.
  Swell(const Rig& rig, std::shared_ptr<const SwellRest> rest, std::span<const std::uint32_t> part,
        std::span<const float> radius);

  /// Takes in a mesh, the lift that is in it, and what touches there. `motion` per part, posed from rest; `rate` in
  /// (0,1]: the part of the way that the lift goes now to what this mesh asks for.
  void update(std::span<const Vec3f> mesh, std::span<const Vec3d> lift, std::span<const Affine3d> motion,
              std::span<const char> touching, double rate, const Context& context);
  /// Lift of each vertex when the parts are posed by `motion`.
  void lift(std::span<const Affine3d> motion, std::vector<Vec3d>& out) const;

  [[nodiscard]] const SwellState& state() const { return state_; }
  void set_state(const SwellState& state) { state_ = state; }
  void restart();

 private:
  void gather(std::span<const Vec3f> mesh, std::span<const Affine3d> motion, std::span<const char> touching,
              double rate);
  void find_region();
  void solve(const Context& context);

  const Rig* rig_;
  std::span<const std::uint32_t> part_;
  std::span<const float> radius_;
  std::shared_ptr<const SwellRest> rest_;
  SwellState state_;
  // Scratch.
  TouchFade fade_;
  std::vector<char> waits_;
  std::vector<double> reach_, x_, r_, d_, q_, diagonal_;
  std::vector<std::int32_t> slot_;
  std::vector<Vec3f> unswollen_;
  std::vector<std::uint32_t> region_;
};

}  // namespace cutis
