// Contact for skins that other deformers make: any mesh a frame, with the pose of the skeleton below it, becomes one
// whose skins do not pass through each other. `markers` runs its meshes through it.
//
//   ShapeContact contact(bind(character, context), {}, context);
//   for (...) {
//     const MarkerFrame& m = markers.solve(...);
//     const Frame& frame = contact.solve(m.pose, m.positions, m.normals);
//   }
#pragma once

#include <memory>
#include <span>

#include "cutis/rig_file.h"
#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "cutis/method.h"
#include "cutis/types.h"

namespace cutis {

class ShapeContact {
 public:
  /// Of the options relief_cap and swell count. Throws Error(bad_argument) without a rig, or when it was bound without
  /// its implicit skin.
  ShapeContact(std::shared_ptr<const Rig> rig, const SolveOptions& options, const Context& context);
  ~ShapeContact();
  ShapeContact(ShapeContact&&) noexcept;
  ShapeContact& operator=(ShapeContact&&) noexcept;

  /// `positions`, `normals`: all vertices of all meshes, in the input's order, as the deformer has them at `pose`.
  /// Follows the skin from the last frame (at first from rest); in between the shape goes over from the last to this
  /// one, each as it differs from dual quaternion skinning. Where contact cannot follow (ContactReport::limit says why)
  /// the shape is returned as it is. The reference is valid until the next call.
  const Frame& solve(const Pose& pose, std::span<const Vec3f> positions, std::span<const Vec3f> normals);
  /// The next frame starts from rest.
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
