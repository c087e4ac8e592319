// Scans made of posed characters: sampled, with noise, seen from one side, with a floor.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/math.h"
#include "cutis/character.h"
#include "cutis/scan.h"
#include "geometry/normals.h"
#include "register/skin_layer.h"

namespace cutis::test {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * kPi * uniform()); }

 private:
  std::uint64_t state_;
};

struct ScanMaking {
  std::size_t points = 6000;
  double noise = 0;        // metres
  bool one_sided = false;  // what faces +Z alone
  bool floor = false;      // a square under it
  bool wall = false;       // behind it, down to the floor
  bool table = false;      // beside it, no wider than half of it
  bool stool = false;      // a box beside it that does not touch it
  bool normals = false;
  double unit = 1;  // of the scan, metres
  bool z_up = false;
  std::uint64_t seed = 1;
};

inline Scan scan_of(const Character& character, const Pose& pose, const ScanMaking& making) {
  Chance chance(making.seed);
  const std::vector<Vec3f> skin = blend_skin(character, pose);
  std::vector<Triangle> triangles;
  std::uint32_t first = 0;
  for (const Mesh& mesh : character.meshes) {
    for (const Triangle& t : mesh.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    first += static_cast<std::uint32_t>(mesh.positions.size());
  }
  std::vector<double> until;
  double total = 0;
  Box box;
  for (const Vec3f& p : skin) box.add(static_cast<Vec3d>(p));
  for (const Triangle& t : triangles) until.push_back(total += length(area_vector(skin[t[0]], skin[t[1]], skin[t[2]])));
  Scan scan;
  scan.source = "scan";
  const auto add = [&](Vec3d p, Vec3d n) {
    p = (p + Vec3d{chance.normal(), chance.normal(), chance.normal()} * making.noise) / making.unit;
    if (making.z_up) p = {p.x, -p.z, p.y}, n = {n.x, -n.z, n.y};
    scan.positions.push_back(static_cast<Vec3f>(p));
    if (making.normals) scan.normals.push_back(static_cast<Vec3f>(n));
  };
  for (std::size_t i = 0; i < making.points; ++i) {
    const double at = total * chance.uniform();
    const auto t = static_cast<std::size_t>(std::upper_bound(until.begin(), until.end() - 1, at) - until.begin());
    double u = chance.uniform(), v = chance.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const auto a = static_cast<Vec3d>(skin[triangles[t][0]]), b = static_cast<Vec3d>(skin[triangles[t][1]]),
               c = static_cast<Vec3d>(skin[triangles[t][2]]);
    const Vec3d n = normalized(cross(b - a, c - a));
    if (making.one_sided && n.z < 0.1) continue;
    add(a + (b - a) * u + (c - a) * v, n);
  }
  if (making.floor) {
    const Vec3d middle = center(box);
    const double wide = diagonal(box);
    for (std::size_t i = 0; i < making.points / 2; ++i)
      add({middle.x + wide * (chance.uniform() - 0.5) * 2, box.lo.y, middle.z + wide * (chance.uniform() - 0.5) * 2},
          {0, 1, 0});
  }
  const double wide = diagonal(box);
  const Vec3d middle = center(box);
  if (making.wall)
    for (std::size_t i = 0; i < making.points / 3; ++i)
      add({middle.x + wide * (chance.uniform() - 0.5) * 1.5, box.lo.y + wide * 1.2 * chance.uniform(),
           box.lo.z - 0.1 * wide},
          {0, 0, 1});
  if (making.table)
    for (std::size_t i = 0; i < making.points / 4; ++i)
      add({middle.x + wide * (chance.uniform() - 0.5) * 0.6, box.lo.y + 0.4 * wide,
           box.hi.z + wide * (0.05 + 0.4 * chance.uniform())},
          {0, 1, 0});
  if (making.stool)
    for (std::size_t i = 0; i < making.points / 12; ++i) {
      // The top and four sides of a box.
      Vec3d p{chance.uniform() - 0.5, chance.uniform(), chance.uniform() - 0.5};
      const int face = static_cast<int>(chance.uniform() * 5);
      if (face == 0) p.y = 1;
      if (face == 1 || face == 2) p.x = face == 1 ? 0.5 : -0.5;
      if (face > 2) p.z = face == 3 ? 0.5 : -0.5;
      add({box.hi.x + wide * (0.15 + 0.2 * p.x), box.lo.y + 0.25 * wide * p.y, middle.z + 0.2 * wide * p.z}, {0, 1, 0});
    }
  return scan;
}

}  // namespace cutis::test
