// Sphere models on a character: blocks that a file leaves open, sets of bones, and models fitted to the surface.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cutis/sphere_model.h"
#include "field/part_patch.h"
#include "field/spheres.h"

namespace cutis {

/// What is inside of a character's surface at rest.
class Flesh {
 public:
  /// Both must outlive this.
  Flesh(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
  ~Flesh();
  Flesh(const Flesh&) = delete;
  Flesh& operator=(const Flesh&) = delete;

  /// Distance to the surface, metres: positive inside, negative outside.
  [[nodiscard]] double depth(const Vec3d& p) const;
  /// The nearest point of the surface.
  [[nodiscard]] Vec3d nearest(const Vec3d& p) const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

/// Makes the blocks of joints that have balls and no blocks: bispheres to the parent; trispheres between neighbours
/// among the children of a ball, and halfway from a bone to the one beside it, where there is flesh between them.
/// `flesh`: none joins parents only. Returns, for each ball that it appended, the two that it lies halfway between.
std::vector<std::array<std::uint32_t, 2>> connect_balls(SphereModel& model, const Flesh* flesh);

/// The union of the joint's blocks; empty when it has none.
[[nodiscard]] SphereSet sphere_set(const SphereModel& model, const std::string& joint);

/// A part that spheres are wanted for.
struct SpherePart {
  const PartPatch* patch = nullptr;  ///< with vertices; its name is the joint's
  int parent = -1;                   ///< the part that it hangs on, an index that is lower; -1: none
};

struct SphereModelOptions {
  double tolerance = 0.1;  ///< of a part's mean radius: balls are added until the 95th percentile is below it
  int rounds = 5;          ///< of balls added, one a part and round
};

/// A ball at every joint, shared by the bones that meet there, so that it fits both whatever the pose; ends and sides
/// by the surface. Radii and places by least squares over all parts at once.
[[nodiscard]] SphereModel fit_sphere_model(std::span<const SpherePart> parts, const Flesh& flesh,
                                           const SphereModelOptions& options = {});

}  // namespace cutis
