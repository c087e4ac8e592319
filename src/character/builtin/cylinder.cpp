// Staggered rings of vertices around the axis; the caps are hexagonal discs, domed. All triangles are near equilateral.
#include <algorithm>
#include <cmath>
#include <vector>

#include "character/builtin/builtin.h"
#include "character/builtin/skeleton_builder.h"
#include "geometry/normals.h"

namespace cutis::builtin {
namespace {

constexpr double kRadius = 0.1, kLength = 0.8;
constexpr double kCapHeight = 0.5 * kRadius;
/// How fine it is: all numbers follow from the rings of its caps. About 60 times their square vertices in all.
struct Fineness {
  int cap_rings;
  [[nodiscard]] int sectors() const { return 6 * cap_rings; }
  [[nodiscard]] int rings() const {
    return (9 * cap_rings - 1) / 2 * 2 + 1;
  }  // odd: the first and the last are in step
};
/// Half the length over which the two bones blend.
constexpr double kBlend = 1.0 * kRadius;

double ring_angle(const Fineness& fine, int ring, int i) { return 2 * kPi * (i + 0.5 * (ring % 2)) / fine.sectors(); }

/// Domed disc of rings with 6, 12, 18 ... vertices inside an outermost ring that already exists.
/// `side` is +1 at the top, -1 at the bottom; `angle0` the angle of the outermost ring's first vertex.
void add_cap(Mesh& mesh, int cap_rings, std::uint32_t outer_begin, double angle0, double y, double side) {
  std::vector<std::uint32_t> begin(static_cast<std::size_t>(cap_rings) + 1);
  begin.back() = outer_begin;
  for (int k = cap_rings - 1; k >= 0; --k) {
    begin[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>(mesh.positions.size());
    // Rings at equal steps of the dome's angle.
    const double theta = kPi / 2 * k / cap_rings, r = kRadius * std::sin(theta), h = kCapHeight * std::cos(theta);
    for (int i = 0; i < std::max(1, 6 * k); ++i) {
      const double angle = angle0 + 2 * kPi * i / std::max(1, 6 * k);
      mesh.positions.push_back(static_cast<Vec3f>(Vec3d{r * std::cos(angle), y + side * h, -r * std::sin(angle)}));
    }
  }
  const auto at = [&](int k, int sector, int i) {
    const int n = std::max(1, 6 * k);
    return begin[static_cast<std::size_t>(k)] + static_cast<std::uint32_t>((sector * k + i) % n);
  };
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh.triangles.push_back(side > 0 ? Triangle{a, b, c} : Triangle{a, c, b});
  };
  for (int k = 1; k <= cap_rings; ++k) {
    for (int sector = 0; sector < 6; ++sector) {
      for (int i = 0; i < k; ++i) {
        add(at(k, sector, i), at(k, sector, i + 1), at(k - 1, sector, i));
        if (i + 1 < k) add(at(k - 1, sector, i), at(k, sector, i + 1), at(k - 1, sector, i + 1));
      }
    }
  }
}

Mesh make_mesh(const Fineness& fine) {
  const int rings = fine.rings(), sectors = fine.sectors();
  Mesh mesh;
  mesh.name = "cylinder";
  for (int r = 0; r < rings; ++r) {
    for (int i = 0; i < sectors; ++i) {
      const double angle = ring_angle(fine, r, i);
      mesh.positions.push_back(
          static_cast<Vec3f>(Vec3d{kRadius * std::cos(angle), kLength * r / (rings - 1), -kRadius * std::sin(angle)}));
    }
  }
  const auto at = [sectors](int r, int i) { return static_cast<std::uint32_t>(r * sectors + i % sectors); };
  for (int r = 0; r + 1 < rings; ++r) {
    for (int i = 0; i < sectors; ++i) {
      if (r % 2 == 0) {
        mesh.triangles.push_back({at(r, i), at(r, i + 1), at(r + 1, i)});
        mesh.triangles.push_back({at(r, i + 1), at(r + 1, i + 1), at(r + 1, i)});
      } else {
        mesh.triangles.push_back({at(r, i), at(r + 1, i + 1), at(r + 1, i)});
        mesh.triangles.push_back({at(r, i), at(r, i + 1), at(r + 1, i + 1)});
      }
    }
  }
  add_cap(mesh, fine.cap_rings, 0, ring_angle(fine, 0, 0), 0, -1);
  add_cap(mesh, fine.cap_rings, at(rings - 1, 0), ring_angle(fine, rings - 1, 0), kLength, 1);

  mesh.weights.row_begin.push_back(0);
  for (const Vec3f& p : mesh.positions) {
    const auto upper = static_cast<float>(ease(p.y, kLength / 2 - kBlend, kLength / 2 + kBlend));
    const std::uint32_t first = upper > 0.5F ? 1 : 0;
    const float larger = std::max(upper, 1 - upper);
    mesh.weights.joint.push_back(first);
    mesh.weights.weight.push_back(larger);
    if (larger < 1) {
      mesh.weights.joint.push_back(1 - first);
      mesh.weights.weight.push_back(1 - larger);
    }
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.had_normals = true;
  return mesh;
}

}  // namespace

Character make_cylinder(const Context&, int vertices) {
  const Fineness fine{std::max(3, static_cast<int>(std::lround(std::sqrt(vertices / 60.0))))};
  constexpr double kSeconds = 2;
  Character character;
  add_bone(character.skeleton, "lower", "", {0, 0, 0});
  add_bone(character.skeleton, "upper", "lower", {0, kLength / 2, 0});
  character.meshes.push_back(make_mesh(fine));
  character.clips.push_back(make_clip(character.skeleton, "bend", kSeconds, [](double time, PoseWriter& pose) {
    pose.turn("upper", axis_angle(Vec3d{0, 0, 1}, degrees(150) * there_and_back(time, kSeconds)));
  }));
  character.clips.push_back(make_clip(character.skeleton, "twist", kSeconds, [](double time, PoseWriter& pose) {
    pose.turn("upper", axis_angle(Vec3d{0, 1, 0}, degrees(180) * there_and_back(time, kSeconds)));
  }));
  return character;
}

}  // namespace cutis::builtin
