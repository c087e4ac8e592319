// The composed field of a rig in one pose.
//
//   PosedField field(rig);                 // at rest
//   field.set_pose(posed_from_rest);       // one map per bone; cheap: about 50 us for a body
//   SkinSample s = field.eval(point);      // value, gradient, owner, contact; any number of threads
//
// A bone moves its field: f(p) = F(T^-1 p), grad f = T^-T grad F. The part of a bone whose map is singular or not
// finite is left out of the pose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "kernels/eval_tree.h"
#include "rig/rig.h"

namespace cutis {

class PosedField {
 public:
  /// `rig` must outlive this and stay where it is. Without an implicit skin the field is 0 everywhere.
  explicit PosedField(const Rig& rig);
  PosedField(const Rig& rig, std::span<const Affine3d> posed_from_rest);

  /// One map per bone of the rig. Keeps its memory.
  void set_pose(std::span<const Affine3d> posed_from_rest);

  [[nodiscard]] SkinSample eval(const Vec3f& p) const { return eval_tree(tree_, p); }
  /// As many samples as points.
  void eval(std::span<const Vec3f> points, std::span<SkinSample> samples, const Context& context) const;

  /// The field of one bone alone.
  [[nodiscard]] FieldSample<float> eval_part(std::uint32_t bone, const Vec3f& p) const {
    const std::int32_t leaf = leaf_of_[bone];
    return leaf < 0 || leaves_[static_cast<std::size_t>(leaf)].nodes == nullptr
               ? FieldSample<float>{}
               : eval_field(leaves_[static_cast<std::size_t>(leaf)], p);
  }

  /// One bone's grid in this pose; without nodes: it has none, or the pose leaves it out.
  [[nodiscard]] GridView part(std::uint32_t bone) const {
    return leaf_of_[bone] < 0 ? GridView{} : leaves_[static_cast<std::size_t>(leaf_of_[bone])];
  }
  /// What kernels take; valid as long as this lives and stays where it is, with its contents until the next pose.
  [[nodiscard]] const TreeView& view() const { return tree_; }
  /// Holds every point at which the field is not 0; empty when there is none.
  [[nodiscard]] const Box& bounds() const { return bounds_; }

  PosedField(const PosedField&) = delete;
  PosedField& operator=(const PosedField&) = delete;

 private:
  void build_index();

  const Rig* rig_;
  std::vector<TreeOperator> operators_;
  std::vector<GridView> leaves_;       // posed; without nodes: left out
  std::vector<MuscleView> muscles_;    // posed
  std::vector<std::int32_t> leaf_of_;  // per bone, or -1
  std::vector<std::uint64_t> masks_;
  std::vector<Box> boxes_;  // per leaf
  Box bounds_;
  TreeView tree_;
};

/// posed_from_rest of every bone, from the frames of all joints.
[[nodiscard]] std::vector<Affine3d> bone_motions(const Rig& rig, std::span<const Affine3d> world_from_joint);

}  // namespace cutis
