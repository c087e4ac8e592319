// A scan made ready: thinned out evenly, without planes that the body stands on or before, without strays and what no
// scanner sees, with normals that point outwards.
#pragma once

#include <optional>
#include <vector>

#include "cutis/context.h"
#include "cutis/register.h"
#include "cutis/scan.h"
#include "register/point_tree.h"

namespace cutis {

/// In the unit and the axes of the scan.
struct ScanCloud {
  std::vector<Vec3d> points, normals;  ///< unit normals, outwards
  double spacing = 0;                  ///< usual distance of a point to its nearest
  double noise = 0;                    ///< off the plane through their neighbours, standard deviation
  bool oriented = false;               ///< by the file; else by going from neighbour to neighbour
  bool one_sided = false;              ///< lies in one layer along some direction
  std::vector<Vec3d> plane_normals;    ///< of planes that were left out, to the side of most of the rest: one may be up
  std::vector<int> piece;              ///< of each point: what hangs together, the largest first
  std::size_t pieces = 0;
  std::size_t planes = 0, plane_points = 0, stray_points = 0;
  std::size_t hidden_points = 0;  ///< behind others from everywhere: inside of mouths and clothes
};

/// Throws Error(bad_argument) when fewer points are left than a body can be seen in.
[[nodiscard]] ScanCloud make_cloud(const Scan& scan, const RegisterOptions& options, const Context& context);

/// One point a cell of a grid, the one nearest to the mean of its cell; cells as small as `most` points allow. Indices,
/// rising.
[[nodiscard]] std::vector<std::uint32_t> thinned(const std::vector<Vec3d>& points, std::size_t most);

}  // namespace cutis
