#include "geometry/orient.h"

#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

// Volume over area^1.5 is 0.094 for a ball. Closed patches below the first are flat to rounding; open ones below the
// second (a bowl a tenth as deep as wide) have no inside worth the name.
constexpr double kFlatClosed = 1e-7, kFlatOpen = 0.01;

bool runs_forward(const Triangle& t, std::uint32_t a, std::uint32_t b) {
  return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
}

}  // namespace

Orientation find_orientation(std::span<const Vec3d> positions, const Topology& topology) {
  const std::size_t n = topology.triangles.size();
  Orientation result;
  result.turned.assign(n, 0);
  result.two_sided.assign(n, 0);
  result.patch.assign(n, Orientation::kNoPatch);
  std::vector<std::uint32_t> members;
  for (std::uint32_t seed = 0; seed < n; ++seed) {
    const Triangle& first = topology.triangles[seed];
    if (result.patch[seed] != Orientation::kNoPatch || first[0] == first[1] || first[1] == first[2] ||
        first[2] == first[0])
      continue;
    const auto number = static_cast<std::uint32_t>(result.patches.size());
    Orientation::Patch patch{.first_triangle = seed, .closed = true};
    members.assign(1, seed);
    result.patch[seed] = number;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t t = members[i];
      const Triangle& tri = topology.triangles[t];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = tri[k], b = tri[(k + 1) % 3];
        const auto edge = static_cast<std::size_t>(topology.find_edge(a, b));
        const auto faces = topology.edge_faces.row(edge);
        if (faces.size() != 2) {
          patch.closed = false;
          continue;
        }
        const std::uint32_t other = faces[0] == t ? faces[1] : faces[0];
        const bool same_way = runs_forward(topology.triangles[other], a, b);
        const std::uint8_t turned = result.turned[t] ^ static_cast<std::uint8_t>(same_way);
        if (result.patch[other] == Orientation::kNoPatch) {
          result.patch[other] = number;
          result.turned[other] = turned;
          members.push_back(other);
        } else if (result.turned[other] != turned) {
          patch.orientable = false;
        }
      }
    }

    double area = 0, volume = 0;
    std::size_t turned = 0;
    Vec3d middle;
    for (const std::uint32_t t : members) {
      const Triangle& tri = topology.triangles[t];
      const Vec3d a = positions[tri[0]], b = positions[tri[1]], c = positions[tri[2]];
      const double size = 0.5 * length(cross(b - a, c - a));
      area += size;
      middle += (a + b + c) * (size / 3);
      turned += result.turned[t];
    }
    if (area > 0) middle = middle / area;
    for (const std::uint32_t t : members) {
      const Triangle& tri = topology.triangles[t];
      const double v =
          dot(positions[tri[0]] - middle, cross(positions[tri[1]] - middle, positions[tri[2]] - middle)) / 6;
      volume += result.turned[t] != 0 ? -v : v;
    }
    const double roundness = area > 0 ? volume / (area * std::sqrt(area)) : 0;
    patch.two_sided = !patch.orientable || std::abs(roundness) <= (patch.closed ? kFlatClosed : kFlatOpen);
    const bool reverse = patch.two_sided ? 2 * turned > members.size() : roundness < 0;
    patch.triangles = members.size();
    patch.turned = reverse ? members.size() - turned : turned;
    for (const std::uint32_t t : members) {
      if (reverse) result.turned[t] ^= 1U;
      result.two_sided[t] = static_cast<std::uint8_t>(patch.two_sided);
    }
    result.patches.push_back(patch);
  }
  return result;
}

}  // namespace cutis
