// Small bodies with skeletons and no weights, and the problem that the methods of automatic weights see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/character.h"
#include "geometry/isosurface.h"
#include "weights/method.h"

namespace cutis::test {

struct JointAt {
  std::string name;
  int parent = -1;
  Vec3d position;
};
[[nodiscard]] Character make_body(const SurfaceMesh& surface, const std::vector<JointAt>& joints);

/// A tube of radius 0.3 around +Y from 0 to `height`, rings of 32 vertices `height / rows` apart.
[[nodiscard]] SurfaceMesh make_tube(int rows, double height, bool capped);
/// The surface f = 0 around `inside` in the box [lo, hi], on a grid of that spacing.
[[nodiscard]] SurfaceMesh trace(const ScalarField& field, const Vec3d& lo, const Vec3d& hi, double spacing,
                                const Vec3d& inside);
[[nodiscard]] double capsule(const Vec3d& p, const Vec3d& a, const Vec3d& b, double radius);

/// What make_weights() would hand to a method. The character is copied.
struct BoundProblem {
  Character character;
  Fallbacks fallbacks;
  WeightProblem problem;

  [[nodiscard]] std::uint32_t bone(const std::string& joint) const;  ///< fails the test when there is none
};
[[nodiscard]] std::unique_ptr<BoundProblem> make_problem(Character character);

[[nodiscard]] double weight_of(const WeightMatrix::Row& row, std::uint32_t bone);
/// Of an input vertex of a mesh.
[[nodiscard]] double weight_of(const Weights& weights, std::size_t vertex, int joint);
/// Rows in [0,1] with sum 1.
void expect_weights(const WeightMatrix& matrix);
void expect_weights(const Character& character, int max_influences);

}  // namespace cutis::test
