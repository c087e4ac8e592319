#include "weights/weight_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "geometry/normals.h"
#include "weights/bone_visibility.h"
#include "weights/problem.h"
#include "weights/weight_bones.h"

namespace cutis::test {

Character make_body(const SurfaceMesh& surface, const std::vector<JointAt>& joints) {
  Character c;
  c.source = "test body";
  for (const JointAt& j : joints) {
    Joint joint;
    joint.name = j.name;
    joint.parent = j.parent;
    joint.is_bone = true;
    joint.world_from_rest.translation = j.position;
    joint.local.translation =
        j.parent < 0 ? j.position : j.position - joints[static_cast<std::size_t>(j.parent)].position;
    c.skeleton.joints.push_back(joint);
  }
  Mesh mesh;
  mesh.name = "body";
  for (const Vec3d& p : surface.positions) mesh.positions.push_back(static_cast<Vec3f>(p));
  mesh.triangles = surface.triangles;
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  c.meshes.push_back(std::move(mesh));
  return c;
}

SurfaceMesh make_tube(int rows, double height, bool capped) {
  constexpr int kAround = 32;
  SurfaceMesh mesh;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i < kAround; ++i) {
      const double angle = 2 * kPi * i / kAround;
      mesh.positions.push_back({0.3 * std::cos(angle), height * j / rows, 0.3 * std::sin(angle)});
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * kAround + i % kAround); };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < kAround; ++i) {
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      mesh.triangles.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
    }
  }
  if (!capped) return mesh;
  const auto bottom = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.push_back({0, 0, 0});
  mesh.positions.push_back({0, height, 0});
  for (int i = 0; i < kAround; ++i) {
    mesh.triangles.push_back({bottom, at(i, 0), at(i + 1, 0)});
    mesh.triangles.push_back({bottom + 1, at(i + 1, rows), at(i, rows)});
  }
  return mesh;
}

SurfaceMesh trace(const ScalarField& field, const Vec3d& lo, const Vec3d& hi, double spacing, const Vec3d& inside) {
  GridAxes axes;
  const auto lines = [&](double from, double to) {
    std::vector<double> line;
    const int n = static_cast<int>(std::ceil((to - from) / spacing));
    for (int i = 0; i <= n; ++i) line.push_back(from + (to - from) * i / n);
    return line;
  };
  axes.x = lines(lo.x, hi.x);
  axes.y = lines(lo.y, hi.y);
  axes.z = lines(lo.z, hi.z);
  return trace_isosurface(field, axes, inside);
}

double capsule(const Vec3d& p, const Vec3d& a, const Vec3d& b, double radius) {
  const Vec3d e = b - a;
  return distance(p, a + e * std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0)) - radius;
}

std::uint32_t BoundProblem::bone(const std::string& joint) const {
  for (std::uint32_t b = 0; b < problem.bones.size(); ++b)
    if (character.skeleton.joints[static_cast<std::size_t>(problem.bones[b].joint)].name == joint) return b;
  ADD_FAILURE() << "no bone " << joint;
  return 0;
}

std::unique_ptr<BoundProblem> make_problem(Character character) {
  auto result = std::make_unique<BoundProblem>();
  result->character = std::move(character);
  result->problem = make_surface(result->character, result->fallbacks);
  result->problem.visibility = std::make_shared<BoneVisibility>(result->problem);
  result->problem.bones = make_bones(result->problem, *result->problem.visibility, true, result->fallbacks);
  return result;
}

double weight_of(const WeightMatrix::Row& row, std::uint32_t bone) {
  double sum = 0;
  for (const auto& [b, w] : row) sum += b == bone ? w : 0.0;
  return sum;
}

double weight_of(const Weights& weights, std::size_t vertex, int joint) {
  for (std::uint32_t i = weights.row_begin[vertex]; i < weights.row_begin[vertex + 1]; ++i)
    if (static_cast<int>(weights.joint[i]) == joint) return static_cast<double>(weights.weight[i]);
  return 0;
}

void expect_weights(const WeightMatrix& matrix) {
  for (std::size_t v = 0; v < matrix.rows.size(); ++v) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.rows[v].size(); ++i) {
      const auto& [bone, weight] = matrix.rows[v][i];
      ASSERT_TRUE(weight >= 0 && weight <= 1 + 1e-12) << "vertex " << v << ": " << weight;
      if (i > 0) {
        ASSERT_LT(matrix.rows[v][i - 1].first, bone) << "vertex " << v;
      }
      sum += weight;
    }
    ASSERT_NEAR(sum, 1, 1e-9) << "vertex " << v;
  }
}

void expect_weights(const Character& character, int max_influences) {
  for (const Mesh& mesh : character.meshes) {
    ASSERT_EQ(mesh.weights.rows(), mesh.positions.size());
    ASSERT_LE(mesh.weights.max_influences(), max_influences);
    for (std::size_t v = 0; v < mesh.weights.rows(); ++v) {
      double sum = 0;
      for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
        ASSERT_TRUE(mesh.weights.weight[i] > 0 && mesh.weights.weight[i] <= 1);
        sum += static_cast<double>(mesh.weights.weight[i]);
      }
      ASSERT_NEAR(sum, 1, 1e-6) << "vertex " << v;
    }
  }
}

}  // namespace cutis::test
