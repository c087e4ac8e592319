// Isotropic remeshing: triangles as equilateral as possible, with edge lengths that the caller prescribes over space.
#pragma once

#include <functional>

#include "cutis/context.h"
#include "geometry/isosurface.h"

namespace cutis {

struct RemeshOptions {
  int iterations = 10;
  /// Wanted edge length at a point; should change slowly (by less than about half a length per length).
  std::function<double(const Vec3d&)> edge_length;
  /// Puts a moved or new vertex back onto the surface; `on_border` vertices must stay on the border's curve. Called
  /// from several threads.
  std::function<Vec3d(const Vec3d&, bool on_border)> project;
};

/// `mesh` is manifold, possibly with borders. So is the result; its borders are the same curves, and no inner edge
/// joins two border vertices, so that two copies can be sewn together along a border. The same bits for any thread
/// count.
[[nodiscard]] SurfaceMesh remesh(SurfaceMesh mesh, const RemeshOptions& options, const Context& context);

}  // namespace cutis
