#include "weights/weights_support.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/io.h"
#include "geometry/normals.h"

namespace cutis::test {

Character load_unweighted(const std::string& file) {
  return load_character((shared_data() / file).string(), Context(1), {.ignore_weights = true});
}

Skeleton two_bones_through(const Character& character) {
  const Box box = character.bounds();
  const Vec3d size = box.hi - box.lo;
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (size[k] > size[axis]) axis = k;
  Skeleton skeleton;
  for (int j = 0; j < 2; ++j) {
    Joint joint;
    joint.name = j == 0 ? "lower" : "upper";
    joint.parent = j - 1;
    joint.is_bone = true;
    Vec3d p = center(box);
    p[axis] = box.lo[axis] + size[axis] * (j == 0 ? 0.1 : 0.5);
    joint.world_from_rest.translation = p;
    joint.local.translation = j == 0 ? p : p - skeleton.joints[0].world_from_rest.translation;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

Character make_character(const Surface& surface, const std::string& name) {
  Character character;
  character.source = name;
  Mesh mesh;
  mesh.name = name;
  mesh.positions = surface.positions;
  mesh.triangles = surface.triangles;
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  character.meshes.push_back(std::move(mesh));
  return character;
}

void expect_good_weights(const Character& character, int most) {
  ASSERT_TRUE(character.has_weights());
  EXPECT_NO_THROW(validate(character));
  for (const Mesh& mesh : character.meshes) {
    ASSERT_EQ(mesh.weights.rows(), mesh.positions.size());
    EXPECT_LE(mesh.weights.max_influences(), most);
    for (std::size_t v = 0; v < mesh.weights.rows(); ++v) {
      const WeightRow row = weight_row(mesh.weights, v);
      double sum = 0;
      for (std::size_t i = 0; i < row.weights.size(); ++i) {
        ASSERT_GT(row.weights[i], 0.0F);
        ASSERT_LE(row.weights[i], 1.0F);
        if (i > 0) {
          ASSERT_LE(row.weights[i], row.weights[i - 1]) << "largest first";
        }
        ASSERT_TRUE(character.skeleton.joints[row.joints[i]].is_bone);
        sum += static_cast<double>(row.weights[i]);
      }
      ASSERT_NEAR(sum, 1, 1e-6);
    }
  }
  const WeldedCharacter welded = weld_character(character);
  const Weld by_place = weld(welded.input_positions);
  EXPECT_EQ(welded.positions.size(), by_place.first_of.size()) << "copies of a vertex have different weights";
}

WeightFallback fallback(const WeightReport& report, const std::string& what) {
  for (const WeightFallback& f : report.fallbacks)
    if (f.what.find(what) != std::string::npos) return f;
  return {};
}

std::string text_of(const WeightReport& report) {
  std::string text;
  for (const WeightFallback& f : report.fallbacks)
    text += f.what + " (" + std::to_string(f.count) + ": " + f.where + ")\n";
  return text;
}

double weight_at(const Mesh& mesh, std::size_t vertex, int joint) {
  const WeightRow row = weight_row(mesh.weights, vertex);
  for (std::size_t i = 0; i < row.joints.size(); ++i)
    if (row.joints[i] == static_cast<std::uint32_t>(joint)) return static_cast<double>(row.weights[i]);
  return 0;
}

}  // namespace cutis::test
