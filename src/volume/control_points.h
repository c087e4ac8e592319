// The points of a control mesh before they are joined to tetrahedra.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cutis/context.h"
#include "volume/driven_skeleton.h"
#include "volume/point_grid.h"
#include "volume/solid.h"
#include "volume/surface_samples.h"

namespace cutis {

/// A point of the skeleton that is a vertex of the control mesh.
struct SkeletonSample {
  std::uint32_t vertex = 0;
  int bone = -1;      ///< whose rigid motion it follows
  int joint_of = -1;  ///< the bone whose joint it is; -1: between joints
};

struct SampleEdge {
  std::uint32_t a = 0, b = 0;  ///< vertices
  int bone = -1;
};

class ControlPoints {
 public:
  enum class Role : char {
    cage,    ///< may be pushed outwards
    marker,  ///< stays where it is
    bone,
    free,  ///< inside; may be shaken
  };

  std::vector<Vec3d> at;  ///< single precision, on the grid of delaunay.h: decisions are exact
  std::vector<Role> role;
  std::vector<std::uint32_t> marker_vertex;  ///< per marker given
  std::vector<Vec3d> marker_offset;          ///< from that vertex to the marker, at rest; 0 unless it lies far outside
  std::vector<SkeletonSample> samples;
  std::vector<SampleEdge> sample_edges;
  std::size_t lost_samples = 0;  ///< skeleton samples outside the body

  /// Wanted length of edges at p.
  [[nodiscard]] double edge_length(const Vec3d& p) const {
    return spacing_[static_cast<std::size_t>(near_cage_.nearest(p))];
  }
  [[nodiscard]] bool near_cage(const Vec3d& p, double distance) const { return near_cage_.any_within(p, distance); }
  std::uint32_t add(const Vec3d& p, Role r);
  void move(std::uint32_t point, const Vec3d& p);

  /// The cage's points. `grow`: they are moved outwards first, so that chords of a round section do not cut it.
  ControlPoints(const Solid& solid, SurfaceSamples cage, bool grow, std::span<const Vec3d> markers);
  /// Joints, and regular samples of the bones between them.
  void add_skeleton(const Solid& solid, const DrivenSkeleton& skeleton);
  /// Inner points: darts on a jittered lattice.
  void fill(const Solid& solid, const Context& context);

 private:
  struct Cage;
  void place_markers(const Solid& solid, Cage& cage, bool grow, std::span<const Vec3d> markers);
  int joint_vertex(const Solid& solid, const DrivenSkeleton& skeleton, std::size_t bone);

  double grid_ = 0;              // cells of delaunay.h, coarse enough for all that is added
  std::vector<double> spacing_;  // of the cage's points, as in near_cage_
  PointGrid near_cage_{1.0};
  double shortest_ = 0, longest_ = 0, mean_ = 0;
  std::size_t first_inner_ = 0;
  std::vector<int> joint_vertices_;  // per bone; -2: not asked yet
};

/// How far a point of the cage may go out from p: `most`, but 0.4 of the way to the surface opposite.
[[nodiscard]] double room_to_grow(const Solid& solid, const Vec3d& p, const Vec3d& normal, double most);

/// Repeatable noise in [-1, 1]^3.
[[nodiscard]] Vec3d noise(std::uint64_t seed);

/// First growth of the cage, in edge lengths: the height of the arc over a chord where five go round a limb.
inline constexpr double kGrowth = 0.18;

}  // namespace cutis
