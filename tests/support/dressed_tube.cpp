#include "support/dressed_tube.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/math.h"
#include "geometry/normals.h"
#include "support/support.h"

namespace cutis::test {
namespace {

Mesh make_mesh(const char* name, const Surface& surface) {
  Mesh mesh;
  mesh.name = name;
  mesh.positions = surface.positions;
  mesh.triangles = surface.triangles;
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  return mesh;
}

void own(Mesh& mesh, std::uint32_t joint) {
  for (std::uint32_t v = 0; v <= mesh.positions.size(); ++v) mesh.weights.row_begin.push_back(v);
  mesh.weights.joint.assign(mesh.positions.size(), joint);
  mesh.weights.weight.assign(mesh.positions.size(), 1.0F);
}

}  // namespace

Character make_dressed_tube() {
  Character c = make_two_bone_tube();
  c.source = "dressed tube";

  constexpr int kRings = 21, kSectors = 12;
  Surface tube;
  for (int i = 0; i < kRings; ++i)
    for (int j = 0; j < kSectors; ++j) {
      const double phi = 2 * kPi * (j + 0.5) / kSectors, y = 0.3 + 1.4 * i / (kRings - 1);
      tube.positions.push_back(static_cast<Vec3f>(Vec3d{0.34 * std::cos(phi), y, 0.34 * std::sin(phi)}));
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * kSectors + j % kSectors); };
  for (int i = 0; i + 1 < kRings; ++i)
    for (int j = 0; j < kSectors; ++j) {
      tube.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      tube.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  Mesh sleeve = make_mesh("sleeve", tube);
  sleeve.weights.row_begin.push_back(0);
  for (const Vec3f& p : sleeve.positions) {
    const float t = std::clamp((p.y - 0.75F) / 0.5F, 0.0F, 1.0F), w = t * t * (3 - 2 * t);
    for (const auto& [joint, weight] :
         {std::pair{w > 0.5F ? 1U : 0U, std::max(w, 1 - w)}, std::pair{w > 0.5F ? 0U : 1U, std::min(w, 1 - w)}}) {
      if (!(weight > 0)) continue;
      sleeve.weights.joint.push_back(joint);
      sleeve.weights.weight.push_back(weight);
    }
    sleeve.weights.row_begin.push_back(static_cast<std::uint32_t>(sleeve.weights.joint.size()));
  }
  c.meshes.push_back(std::move(sleeve));

  Surface ball = make_sphere(0.1, 8, 10);
  for (Vec3f& p : ball.positions) p += Vec3f{0.1F, 1.6F, 0};
  c.meshes.push_back(make_mesh("eye", ball));
  own(c.meshes.back(), 1);

  Surface cards;
  for (int k = 0; k < 4; ++k) {  // about one line that stands 0.02 off the body, each turned a little more
    const auto first = static_cast<std::uint32_t>(cards.positions.size());
    const double lean = 0.15 * (k - 1.5);
    for (const double along : {-0.06, 0.0, 0.06})
      for (const double across : {-0.05, 0.05})
        cards.positions.push_back(static_cast<Vec3f>(
            Vec3d{0.33 + across * std::sin(lean), 1.86 + along, across * std::cos(lean) + 0.003 * k}));
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t a = first + 2 * i;
      cards.triangles.push_back({a, a + 2, a + 1});
      cards.triangles.push_back({a + 2, a + 3, a + 1});
    }
  }
  c.meshes.push_back(make_mesh("cards", cards));
  own(c.meshes.back(), 1);

  Surface cube = make_cube();
  for (Vec3f& p : cube.positions) p = (p - Vec3f{0.5F, 0.5F, 0.5F}) * 0.1F + Vec3f{0, 0.15F, 0.3F};
  c.meshes.push_back(make_mesh("buckle", cube));
  own(c.meshes.back(), 0);
  return c;
}

Character make_cut_tube(float by) {
  Character c = make_two_bone_tube();
  const Mesh whole = c.meshes[0];
  c.meshes.assign(2, {});
  std::mt19937 random(7);
  std::uniform_real_distribution<float> away(-by, by);
  for (std::size_t half = 0; half < 2; ++half) {
    Mesh& mesh = c.meshes[half];
    mesh.name = half == 0 ? "lower" : "upper";
    mesh.weights.row_begin.push_back(0);
    std::vector<std::uint32_t> number(whole.positions.size(), 0xffffffffU);
    for (const Triangle& t : whole.triangles) {
      float y = 0;
      for (const std::uint32_t v : t) y += whole.positions[v].y / 3;
      if ((y > 1) != (half == 1)) continue;
      for (const std::uint32_t v : t) {
        if (number[v] != 0xffffffffU) continue;
        number[v] = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.push_back(whole.positions[v] + Vec3f{away(random), away(random), away(random)});
        mesh.normals.push_back(whole.normals[v]);
        for (std::uint32_t k = whole.weights.row_begin[v]; k < whole.weights.row_begin[v + 1]; ++k) {
          mesh.weights.joint.push_back(whole.weights.joint[k]);
          mesh.weights.weight.push_back(whole.weights.weight[k]);
        }
        mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
      }
      mesh.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    }
  }
  return c;
}

void weigh_alike(Mesh& mesh, float upper) {
  mesh.weights = {};
  mesh.weights.row_begin.push_back(0);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const bool more = upper > 0.5F;
    for (const auto& [joint, weight] : {std::pair{more ? 1U : 0U, std::max(upper, 1 - upper)},
                                        std::pair{more ? 0U : 1U, std::min(upper, 1 - upper)}}) {
      mesh.weights.joint.push_back(joint);
      mesh.weights.weight.push_back(weight);
    }
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
}

}  // namespace cutis::test
