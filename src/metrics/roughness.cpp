#include "metrics/roughness.h"

#include <cmath>
#include <limits>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {

std::vector<double> dihedral_angles(const PosedSurface& surface, const Topology& topology) {
  std::vector<Vec3d> normals(topology.triangles.size());
  for (const std::uint32_t t : surface.usable) {
    const auto& [a, b, c] = topology.triangles[t];
    normals[t] = normalized(area_vector(surface.positions[a], surface.positions[b], surface.positions[c]));
  }
  const auto has_area = [&](std::uint32_t t) { return dot(normals[t], normals[t]) > 0; };
  std::vector<double> angles(topology.edges.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t e = 0; e < angles.size(); ++e) {
    const Edge& edge = topology.edges[e];
    if (edge.faces != 2) continue;
    const auto faces = topology.edge_faces.row(e);
    if (!has_area(faces[0]) || !has_area(faces[1])) continue;
    const auto a = static_cast<Vec3d>(surface.positions[edge.a]), b = static_cast<Vec3d>(surface.positions[edge.b]);
    const Vec3d n = normals[faces[0]], m = edge.forward == 1 ? normals[faces[1]] : -normals[faces[1]];
    angles[e] = std::atan2(dot(normalized(b - a), cross(n, m)), dot(n, m)) * 180 / kPi;
  }
  return angles;
}

std::vector<float> dihedral_changes(std::span<const double> angles, std::span<const double> rest_angles) {
  std::vector<float> changes(angles.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t e = 0; e < changes.size(); ++e) {
    const double change = std::abs(angles[e] - rest_angles[e]);
    if (!std::isnan(change)) changes[e] = static_cast<float>(change > 180 ? 360 - change : change);
  }
  return changes;
}

std::optional<double> roughness(std::span<const float> changes, std::span<const double> rest_lengths,
                                std::span<const std::uint8_t> leave_out, const Topology& topology) {
  double sum = 0, weight = 0;
  for (std::size_t e = 0; e < changes.size(); ++e) {
    const Edge& edge = topology.edges[e];
    if (std::isnan(changes[e]) || !(rest_lengths[e] > 0) || leave_out[edge.a] || leave_out[edge.b]) continue;
    sum += rest_lengths[e] * changes[e] * changes[e];
    weight += rest_lengths[e];
  }
  if (!(weight > 0)) return std::nullopt;
  return std::sqrt(sum / weight);
}

std::vector<std::uint32_t> scarred_edges(std::span<const float> changes, std::span<const float> smooth, float angle,
                                         std::span<const std::uint8_t> leave_out, const Topology& topology) {
  std::vector<std::uint32_t> edges;
  for (std::uint32_t e = 0; e < changes.size(); ++e) {
    const Edge& edge = topology.edges[e];
    if (leave_out[edge.a] || leave_out[edge.b]) continue;
    // Where either is unknown the comparison is false.
    if (changes[e] > angle && smooth[e] < changes[e] / 2) edges.push_back(e);
  }
  return edges;
}

std::vector<float> vertex_roughness(std::span<const float> changes, const Topology& topology) {
  std::vector<float> mean(topology.vertex_count, 0);
  std::vector<std::uint32_t> edges(topology.vertex_count, 0);
  for (std::size_t e = 0; e < changes.size(); ++e) {
    if (std::isnan(changes[e])) continue;
    for (const std::uint32_t v : {topology.edges[e].a, topology.edges[e].b}) {
      mean[v] += changes[e];
      ++edges[v];
    }
  }
  for (std::size_t v = 0; v < mean.size(); ++v)
    if (edges[v] > 0) mean[v] /= static_cast<float>(edges[v]);
  return mean;
}

}  // namespace cutis
