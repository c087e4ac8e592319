// Which tetrahedra of a Delaunay meshing are the body: a cage that covers the mesh, never cuts itself, and does not
// weld neighbours together.
//
// The boundary of any set of Delaunay tetrahedra is free of self-intersections. So the cage is never moved; where it
// does not cover the mesh, tetrahedra are added, and where those would weld, points are added and all is meshed again.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cutis/context.h"
#include "volume/control_points.h"
#include "volume/tetrahedra.h"

namespace cutis {

class Carver {
 public:
  Carver(const Solid& solid, const DrivenSkeleton& skeleton, ControlPoints& points, const Context& context);

  /// Meshes the points and carves. Free points of flat tetrahedra are shaken. `cover`: points are moved and added until
  /// the mesh is covered, in a few rounds. The result hangs together; slivers may be among it.
  std::vector<Tetrahedron> run(bool cover);
  [[nodiscard]] std::size_t pieces() const { return pieces_; }
  /// Nearest bone of every point.
  [[nodiscard]] const std::vector<int>& bones() const { return bone_; }

 private:
  struct KeyHash {
    std::size_t operator()(const Tetrahedron& t) const;
  };
  struct Verdict {
    bool inside = false;         // belongs to the body
    bool between_parts = false;  // has corners at parts that do not follow each other: could weld them
    float open = 0;              // how far its edges pass outside, in what they may
  };
  void mesh();
  [[nodiscard]] Verdict judge(const Tetrahedron& t) const;
  [[nodiscard]] float openness(std::uint32_t a, std::uint32_t b) const;
  void judge_edges(std::span<const std::uint32_t> fresh);
  [[nodiscard]] double hollow_between(int a, int b) const;
  [[nodiscard]] double height_of(const Vec3d& p) const;
  [[nodiscard]] bool shake(int round);
  void peel();
  void keep_one_piece();
  [[nodiscard]] bool may_cover(const Verdict& verdict, int round) const;
  bool join(std::size_t tetrahedron, std::span<const std::int64_t> neighbours, int round);
  [[nodiscard]] std::size_t cover_round(int round);
  void forget(std::uint32_t point);

  const Solid& solid_;
  const DrivenSkeleton& skeleton_;
  ControlPoints& points_;
  const Context& context_;
  std::vector<int> bone_;       // nearest, per point
  std::vector<double> height_;  // over the skin, per point; 0 inside
  std::vector<Tetrahedron> all_;
  std::vector<Verdict> verdict_;
  std::vector<char> keep_, needed_;  // as all_; needed_: holds vertices of the mesh that nothing else covers
  std::unordered_map<Tetrahedron, Verdict, KeyHash> known_;
  /// How far edges pass outside, in what they may; by both ends, the lower first. A handful of tetrahedra share each.
  std::unordered_map<std::uint64_t, float> open_edge_;
  std::vector<Vec3d> skin_, skin_normal_;  // vertices of the mesh
  std::vector<char> moved_;                // points of the cage that were moved once
  std::size_t pieces_ = 1;
};

/// Below this quality a tetrahedron is a sliver: four points almost in a plane.
inline constexpr double kSliver = 0.02;

}  // namespace cutis
