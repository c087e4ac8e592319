// Volumetric as-rigid-as-possible deformation of the control mesh, with soft markers and rods for bones.
//
// Le Naour 2018, sections IV-B and IV-C:   E = w_l E_a + w_u E_p + w_d E_d
//   E_a = sum_ij w_ij |(v'_i - v'_j) - R_i (v_i - v_j)|^2     cells, volumetric cotangents (equation 8)
//   E_p = l sum_m a_m |v'_m - u_m|^2                           markers, a_m in [0,1] their confidence
//   E_d = l^2 sum_e |v'_a - v'_b - gamma_e|^2 / |e|            edges of the sampled skeleton
// l is a fixed share of the character's size, so that all three are volumes and the weights mean the same at every
// resolution. The global step minimises E itself: (w_l L + w_u I_u + w_d D^T D) V' = b, with L the cells' Laplacian
// (the paper prints L^T L). Negative cotangents are raised to a small positive weight: every cell then wants to be
// rigid.
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "numerics/prefactored_solver.h"
#include "volume/control_mesh.h"

namespace cutis {

struct ArapWeights {
  double cells = 1;     ///< w_l
  double markers = 1;   ///< w_u
  double skeleton = 1;  ///< w_d
};

class VolumeArap {
 public:
  /// `size`: of the character, metres. Throws Error when the system has no solution.
  VolumeArap(const ControlMesh& mesh, double size, const ArapWeights& weights, const Context& context);

  std::vector<Vec3d> positions;  ///< V', the state; starts at rest
  std::vector<Quatd> rotations;  ///< R_i

  /// Where markers want their vertices, and how much (0 to 1). As ControlMesh::marker_vertex.
  void set_targets(std::span<const Vec3d> targets, std::span<const double> confidence);
  /// Another place for one of them; its confidence stays.
  void move_target(std::size_t marker, const Vec3d& target) { targets_[marker] = target; }
  /// R_i from V'.
  void local_step(const Context& context);
  /// V' from R_i, the targets, and `gamma`, one vector an edge of the skeleton (a - b).
  void global_step(std::span<const Vec3d> gamma, const Context& context);

  /// Cells' energy over its scale: root mean square of relative edge errors, weighted by cotangents.
  [[nodiscard]] double relative_error() const;
  /// Share of the markers' confidence that is there: 0 means that nothing holds the mesh in space.
  [[nodiscard]] double total_confidence() const;
  [[nodiscard]] std::size_t raised_weights() const { return raised_weights_; }
  /// Move the whole state.
  void reset(std::span<const Vec3d> p, std::span<const Quatd> r);

 private:
  void relax_missing(std::span<double> x) const;

  const ControlMesh& mesh_;
  std::vector<std::uint32_t> begin_, neighbour_;
  std::vector<double> weight_;
  std::vector<Vec3d> edge_;           // rest, v_i - v_j
  std::vector<Vec3d> weighted_edge_;  // times its weight
  std::vector<Vec3d> edge_sum_;       // of those, per vertex
  std::vector<Mat3d> matrix_;         // of rotations
  std::vector<double> rhs_;
  double marker_weight_ = 0, cell_weight_ = 0;
  std::vector<double> rod_weight_;
  std::size_t raised_weights_ = 0;
  PrefactoredSolver solver_;
  // Markers that are missing: the prefactored matrix is corrected by their columns of its inverse (Woodbury).
  std::vector<double> columns_;  // n x markers
  std::vector<Vec3d> targets_;
  std::vector<double> confidence_;
  std::vector<std::size_t> reduced_;  // markers with confidence below 1
  std::vector<double> small_;         // dense inverse of their little system
  double rest_energy_scale_ = 0;
};

}  // namespace cutis
