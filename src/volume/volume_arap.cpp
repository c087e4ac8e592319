#include "volume/volume_arap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

/// The length l of the energies, as shares of the character's size: markers then hold their vertices to millimetres
/// against the cells, and bones are rods that bend by less than a thousandth.
constexpr double kMarkerLength = 0.25, kRodLength = 0.25;
/// Least weight of an edge, as a share of the mean.
constexpr double kLeastWeight = 0.02;
/// A missing marker keeps this much, so that the little system stays regular.
constexpr double kLeastConfidence = 1e-7;
constexpr int kArapRotationSteps = 3;
constexpr std::size_t kGrain = 256;

/// Equation 8: a sixth of the sum over tetrahedra of the opposite edge times the cotangent of its dihedral angle.
std::map<std::pair<std::uint32_t, std::uint32_t>, double> cotangents(const ControlMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> weights;
  constexpr std::size_t kPairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                        {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (const auto& k : kPairs) {
      const Vec3d &i = mesh.rest[t[k[0]]], &j = mesh.rest[t[k[1]]], &a = mesh.rest[t[k[2]]], &b = mesh.rest[t[k[3]]];
      // Faces abi and abj meet at the opposite edge ab.
      const Vec3d n1 = cross(b - a, i - a), n2 = cross(b - a, j - a);
      const double s = length(cross(n1, n2)), c = dot(n1, n2);
      const double w = s > 1e-30 ? distance(a, b) * c / s / 6 : 0;
      weights[{std::min(t[k[0]], t[k[1]]), std::max(t[k[0]], t[k[1]])}] += w;
    }
  return weights;
}

}  // namespace

VolumeArap::VolumeArap(const ControlMesh& mesh, double size, const ArapWeights& weights, const Context& context)
    : positions(mesh.rest), rotations(mesh.rest.size()), mesh_(mesh), solver_(0, {}) {
  const std::size_t n = mesh.rest.size();
  auto cotangent = cotangents(mesh);
  double mean = 0;
  for (const auto& [edge, w] : cotangent) mean += std::abs(w) / static_cast<double>(cotangent.size());
  // Spikes of almost flat tetrahedra would freeze them: no edge is ten times stiffer than usual.
  for (auto& [edge, w] : cotangent) {
    const double safe = std::clamp(w, kLeastWeight * mean, 10 * mean);
    if (safe != w) ++raised_weights_;
    w = safe;
  }
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(n);
  for (const auto& [edge, w] : cotangent) {
    rows[edge.first].emplace_back(edge.second, w);
    rows[edge.second].emplace_back(edge.first, w);
  }
  edge_sum_.assign(n, {});
  begin_.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [j, w] : rows[i]) {
      neighbour_.push_back(j);
      weight_.push_back(w);
      edge_.push_back(mesh.rest[i] - mesh.rest[j]);
      weighted_edge_.push_back(edge_.back() * w);
      edge_sum_[i] += weighted_edge_.back();
      rest_energy_scale_ += w * dot(edge_.back(), edge_.back());
    }
    begin_.push_back(static_cast<std::uint32_t>(neighbour_.size()));
  }

  cell_weight_ = weights.cells;
  marker_weight_ = weights.markers * kMarkerLength * size;
  std::vector<MatrixEntry> entries;
  for (const auto& [edge, w] : cotangent) {
    entries.push_back({edge.second, edge.first, -cell_weight_ * w});
    entries.push_back({edge.first, edge.first, cell_weight_ * w});
    entries.push_back({edge.second, edge.second, cell_weight_ * w});
  }
  for (const std::uint32_t v : mesh.marker_vertex) entries.push_back({v, v, marker_weight_});
  for (const SampleEdge& e : mesh.sample_edges) {
    const double l = distance(mesh.rest[e.a], mesh.rest[e.b]);
    const double w = weights.skeleton * kRodLength * kRodLength * size * size / l;
    rod_weight_.push_back(w);
    entries.push_back({std::max(e.a, e.b), std::min(e.a, e.b), -w});
    entries.push_back({e.a, e.a, w});
    entries.push_back({e.b, e.b, w});
  }
  // Nothing floats: vertices that neither cells nor rods tie to a marker would be free.
  for (std::uint32_t v = 0; v < n; ++v) entries.push_back({v, v, 1e-9 * marker_weight_});
  solver_ = PrefactoredSolver(n, entries, &context);
  if (!solver_.ok())
    throw Error(ErrorCode::bad_character, "control mesh", "its system cannot be factored; try another --resolution");
  rhs_.resize(3 * n);
  matrix_.resize(n);

  const std::size_t m = mesh.marker_vertex.size();
  columns_.assign(n * m, 0);
  for (std::size_t k = 0; k < m; ++k) columns_[mesh.marker_vertex[k] * m + k] = 1;
  if (m > 0) solver_.solve(columns_, m, context);
  targets_.assign(m, {});
  for (std::size_t k = 0; k < m; ++k) targets_[k] = mesh.rest[mesh.marker_vertex[k]];
  confidence_.assign(m, 1.0);
}

void VolumeArap::reset(std::span<const Vec3d> p, std::span<const Quatd> r) {
  positions.assign(p.begin(), p.end());
  rotations.assign(r.begin(), r.end());
}

void VolumeArap::set_targets(std::span<const Vec3d> targets, std::span<const double> confidence) {
  targets_.assign(targets.begin(), targets.end());
  bool same = true;
  for (std::size_t k = 0; k < confidence.size(); ++k) {
    const double c = std::clamp(confidence[k], kLeastConfidence, 1.0);
    same = same && c == confidence_[k];
    confidence_[k] = c;
  }
  if (same) return;
  reduced_.clear();
  for (std::size_t k = 0; k < confidence_.size(); ++k)
    if (confidence_[k] < 1) reduced_.push_back(k);
  // (A - U d U^T)^-1 = A^-1 + Z (1/d - U^T Z)^-1 Z^T,   Z = A^-1 U
  const std::size_t r = reduced_.size(), m = confidence_.size();
  std::vector<double> system(r * r);
  for (std::size_t a = 0; a < r; ++a)
    for (std::size_t b = 0; b < r; ++b) {
      system[a * r + b] = -columns_[mesh_.marker_vertex[reduced_[a]] * m + reduced_[b]];
      if (a == b) system[a * r + b] += 1 / (marker_weight_ * (1 - confidence_[reduced_[a]]));
    }
  small_.assign(r * r, 0);
  for (std::size_t a = 0; a < r; ++a) small_[a * r + a] = 1;
  // Gauss-Jordan with pivots: a few dozen rows at most.
  for (std::size_t c = 0; c < r; ++c) {
    std::size_t pivot = c;
    for (std::size_t a = c + 1; a < r; ++a)
      if (std::abs(system[a * r + c]) > std::abs(system[pivot * r + c])) pivot = a;
    for (std::size_t b = 0; b < r; ++b) {
      std::swap(system[c * r + b], system[pivot * r + b]);
      std::swap(small_[c * r + b], small_[pivot * r + b]);
    }
    const double d = system[c * r + c];
    if (d == 0) continue;
    for (std::size_t b = 0; b < r; ++b) system[c * r + b] /= d, small_[c * r + b] /= d;
    for (std::size_t a = 0; a < r; ++a) {
      const double f = system[a * r + c];
      if (a == c || f == 0) continue;
      for (std::size_t b = 0; b < r; ++b) {
        system[a * r + b] -= f * system[c * r + b];
        small_[a * r + b] -= f * small_[c * r + b];
      }
    }
  }
}

double VolumeArap::total_confidence() const {
  double sum = 0;
  for (const double c : confidence_) sum += c;
  return confidence_.empty() ? 0 : sum / static_cast<double>(confidence_.size());
}

void VolumeArap::local_step(const Context& context) {
  parallel_for(context, positions.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Mat3d s = {{Vec3d{}, Vec3d{}, Vec3d{}}};
      for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
        const Vec3d d = positions[i] - positions[neighbour_[k]];
        const Vec3d& e = weighted_edge_[k];
        s.col[0] += d * e.x;
        s.col[1] += d * e.y;
        s.col[2] += d * e.z;
      }
      rotations[i] = fit_rotation(s, rotations[i], kArapRotationSteps);
      matrix_[i] = to_matrix(rotations[i]);
    }
  });
}

void VolumeArap::global_step(std::span<const Vec3d> gamma, const Context& context) {
  const std::size_t n = positions.size();
  parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3d b = matrix_[i] * edge_sum_[i];
      for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) b += matrix_[neighbour_[k]] * weighted_edge_[k];
      b *= 0.5 * cell_weight_;
      b += positions[i] * (1e-9 * marker_weight_);
      for (int c = 0; c < 3; ++c) rhs_[3 * i + static_cast<std::size_t>(c)] = b[c];
    }
  });
  const auto add = [&](std::uint32_t v, const Vec3d& b) {
    for (int c = 0; c < 3; ++c) rhs_[3 * v + static_cast<std::size_t>(c)] += b[c];
  };
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    // A marker outside the mesh hangs on its vertex and turns with the cell.
    const std::uint32_t v = mesh_.marker_vertex[k];
    const Vec3d wanted = targets_[k] - matrix_[v] * mesh_.marker_offset[k];
    add(v, wanted * (marker_weight_ * confidence_[k]));
  }
  for (std::size_t e = 0; e < rod_weight_.size(); ++e) {
    add(mesh_.sample_edges[e].a, gamma[e] * rod_weight_[e]);
    add(mesh_.sample_edges[e].b, gamma[e] * -rod_weight_[e]);
  }
  solver_.solve(rhs_, 3, context);
  if (!reduced_.empty()) relax_missing(rhs_);
  for (std::size_t i = 0; i < n; ++i) positions[i] = {rhs_[3 * i], rhs_[3 * i + 1], rhs_[3 * i + 2]};
}

void VolumeArap::relax_missing(std::span<double> x) const {
  const std::size_t r = reduced_.size(), m = confidence_.size();
  std::vector<Vec3d> y(r), c(r);
  for (std::size_t a = 0; a < r; ++a) {
    const std::size_t v = mesh_.marker_vertex[reduced_[a]];
    y[a] = {x[3 * v], x[3 * v + 1], x[3 * v + 2]};
  }
  for (std::size_t a = 0; a < r; ++a)
    for (std::size_t b = 0; b < r; ++b) c[a] += y[b] * small_[a * r + b];
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (std::size_t a = 0; a < r; ++a) {
      const double z = columns_[i * m + reduced_[a]];
      x[3 * i] += z * c[a].x;
      x[3 * i + 1] += z * c[a].y;
      x[3 * i + 2] += z * c[a].z;
    }
}

double VolumeArap::relative_error() const {
  double sum = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Mat3d r = to_matrix(rotations[i]);
    for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
      const Vec3d d = positions[i] - positions[neighbour_[k]] - r * edge_[k];
      sum += weight_[k] * dot(d, d);
    }
  }
  return std::sqrt(sum / rest_energy_scale_);
}

}  // namespace cutis
