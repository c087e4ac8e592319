// What markers do to a character's surface alone: no inside, no skeleton. For comparison with MarkerSolver, as figure 3
// of Le Naour et al. 2018 has it; nobody wants a character to move like this.
#pragma once

#include <memory>
#include <span>

#include "cutis/marker_solver.h"

namespace cutis {

/// Surface as-rigid-as-possible deformation (Sorkine and Alexa 2007) of the welded mesh: cells are the rings of
/// vertices, with cotangent weights; each marker holds the point of the surface that it is nearest to at rest.
class SurfaceMarkers {
 public:
  /// `iterations`: of a frame, each a local and a global step. Throws Error like MarkerSolver.
  SurfaceMarkers(const Character& character, const MarkerMap& map, const Context& context, int iterations = 100);
  ~SurfaceMarkers();
  SurfaceMarkers(SurfaceMarkers&&) noexcept;
  SurfaceMarkers& operator=(SurfaceMarkers&&) noexcept;

  /// As MarkerSolver::solve(). Pieces of the mesh that no marker is on stay at rest. Of the report there are
  /// iterations, times, rrms, mesh_volume_error and what is said of the markers; the pose is the default one.
  const MarkerFrame& solve(std::span<const Vec3d> targets, std::span<const double> confidence);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
