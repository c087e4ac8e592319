// Coordinates fall off with the distance: terms that are small beside the largest are dropped, and what the dropped
// ones would have added at rest is given back by scaling the kept phi to sum 1 and by a constant shift; the rest pose
// is reproduced exactly.
#include "volume/green.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

/// phi and psi (over a length) below this are dropped.
constexpr double kDropped = 2e-4;

/// The integral of Lipman's appendix for one edge of the triangle; p is the foot of the point on the face's plane.
double edge_integral(const Vec3d& p, const Vec3d& v1, const Vec3d& v2, const Vec3d& eta) {
  const Vec3d a = v2 - v1, b = p - v1, c = p - v2;
  const double la = length(a), lb = length(b), lc = length(c);
  if (la < 1e-14 || lb < 1e-14 || lc < 1e-14) return 0;
  const double alpha = std::acos(std::clamp(dot(a, b) / (la * lb), -1.0, 1.0));
  const double beta = std::acos(std::clamp(dot(-b, -c) / (lb * lc), -1.0, 1.0));
  const double lambda = lb * lb * std::sin(alpha) * std::sin(alpha);
  const Vec3d h = p - eta;
  const double cc = dot(h, h);
  const auto part = [&](double theta) {
    const double s = std::sin(theta), co = std::cos(theta);
    const double s2 = s * s;
    if (s2 < 1e-16) return 0.0;
    const double sign = s > 0 ? -0.5 : 0.5;
    const double root = std::sqrt(cc);
    const double at = cc > 1e-24 ? 2 * root * std::atan2(root * co, std::sqrt(lambda + s2 * cc)) : 0.0;
    const double q = 1 - co, w = 1 + co;
    const double inner = 1 - 2 * cc * co / (cc * w + lambda + std::sqrt(lambda * lambda + lambda * cc * s2));
    const double log_part =
        lambda > 1e-24 ? std::sqrt(lambda) * std::log(std::max(2 * std::sqrt(lambda) * s2 / (q * q) * inner, 1e-300))
                       : 0.0;
    return sign * (at + log_part);
  };
  return -std::abs(part(kPi - alpha) - part(kPi - alpha - beta) - std::sqrt(cc) * beta) / (4 * kPi);
}

struct FaceTerms {
  double psi = 0;
  double phi[3]{};
};

FaceTerms face_terms(const Vec3d& eta, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  FaceTerms terms;
  const Vec3d v[3] = {a - eta, b - eta, c - eta};
  const Vec3d n = normalized(cross(v[1] - v[0], v[2] - v[0]));
  const Vec3d p = n * dot(v[0], n);
  double s[3], integral[3], own[3];
  Vec3d q[3], across[3];
  for (int l = 0; l < 3; ++l) {
    const Vec3d &x = v[l], &y = v[(l + 1) % 3];
    s[l] = dot(cross(x - p, y - p), n) >= 0 ? 1 : -1;
    integral[l] = edge_integral(p, x, y, {});
    own[l] = edge_integral({}, y, x, {});
    q[l] = cross(y, x);
    across[l] = normalized(q[l]);
  }
  const double total = -std::abs(s[0] * integral[0] + s[1] * integral[1] + s[2] * integral[2]);
  terms.psi = -total;
  const Vec3d w = n * total + across[0] * own[0] + across[1] * own[1] + across[2] * own[2];
  // Farther in the plane than any length: no share.
  if (length(w) > 1e-10 * std::max({length(v[0]), length(v[1]), length(v[2])})) {
    for (int l = 0; l < 3; ++l) {
      const Vec3d& next = across[(l + 1) % 3];
      const double d = dot(next, v[l]);
      if (std::abs(d) > 1e-300) terms.phi[l] = dot(next, w) / d;
    }
  }
  return terms;
}

}  // namespace

GreenCoordinates::GreenCoordinates(const ControlMesh& mesh, std::span<const Vec3f> points, std::span<const char> skip,
                                   const Context& context)
    : mesh_(mesh), sources_(mesh.rest.size() + mesh.boundary.size()) {
  for (std::uint32_t i = 0; i < points.size(); ++i)
    if (!skip[i]) point_.push_back(i);
  const std::size_t n = mesh.rest.size(), faces = mesh.boundary.size();
  std::vector<std::vector<Term>> rows(point_.size());
  std::vector<Vec3d> normals(faces);
  for (std::size_t j = 0; j < faces; ++j) {
    const Triangle& f = mesh.boundary[j];
    normals[j] = normalized(cross(mesh.rest[f[1]] - mesh.rest[f[0]], mesh.rest[f[2]] - mesh.rest[f[0]]));
  }
  parallel_for(context, point_.size(), 32, [&](std::size_t begin, std::size_t end) {
    std::vector<double> phi(n), psi(faces);
    for (std::size_t k = begin; k < end; ++k) {
      const auto eta = static_cast<Vec3d>(points[point_[k]]);
      std::fill(phi.begin(), phi.end(), 0.0);
      for (std::size_t j = 0; j < faces; ++j) {
        const Triangle& f = mesh.boundary[j];
        const FaceTerms t = face_terms(eta, mesh.rest[f[0]], mesh.rest[f[1]], mesh.rest[f[2]]);
        psi[j] = t.psi;
        for (std::size_t c = 0; c < 3; ++c) phi[f[c]] += t.phi[c];
      }
      double kept = 0;
      std::vector<Term>& row = rows[k];
      for (std::uint32_t v = 0; v < n; ++v)
        if (std::abs(phi[v]) > kDropped) {
          row.push_back({v, static_cast<float>(phi[v])});
          kept += phi[v];
        }
      const double scale = 1 / (kept != 0 ? kept : 1);
      Vec3d at;
      for (Term& term : row) {
        term.weight = static_cast<float>(term.weight * scale);
        at += mesh.rest[term.index] * static_cast<double>(term.weight);
      }
      for (std::uint32_t j = 0; j < faces; ++j)
        if (psi[j] > kDropped * mesh.mean_edge) {
          row.push_back({static_cast<std::uint32_t>(n) + j, static_cast<float>(psi[j])});
          at += normals[j] * static_cast<double>(static_cast<float>(psi[j]));
        }
      // The remainder at rest goes to the nearest faces' normals in proportion: least squares on the kept psi.
      Mat3d gram{{Vec3d{1e-12, 0, 0}, Vec3d{0, 1e-12, 0}, Vec3d{0, 0, 1e-12}}};
      for (const Term& term : row)
        if (term.index >= n) {
          const Vec3d& m = normals[term.index - n];
          for (int c = 0; c < 3; ++c)
            gram.col[static_cast<std::size_t>(c)] += m * (m[c] * static_cast<double>(term.weight));
        }
      const Vec3d y = std::abs(determinant(gram)) > 1e-30 ? inverse(gram) * (eta - at) : Vec3d{};
      for (Term& term : row)
        if (term.index >= n) term.weight *= static_cast<float>(1 + dot(normals[term.index - n], y));
    }
  });
  begin_.push_back(0);
  for (const auto& row : rows) {
    terms_.insert(terms_.end(), row.begin(), row.end());
    begin_.push_back(static_cast<std::uint32_t>(terms_.size()));
  }
}

void GreenCoordinates::move(std::span<const Vec3f> positions, std::span<Vec3f> out, const Context& context) {
  const std::size_t n = mesh_.rest.size();
  std::copy(positions.begin(), positions.end(), sources_.begin());
  for (std::size_t j = 0; j < mesh_.boundary.size(); ++j) {
    const Triangle& f = mesh_.boundary[j];
    const Vec3d u0 = mesh_.rest[f[1]] - mesh_.rest[f[0]], v0 = mesh_.rest[f[2]] - mesh_.rest[f[0]];
    const auto u = static_cast<Vec3d>(positions[f[1]] - positions[f[0]]),
               v = static_cast<Vec3d>(positions[f[2]] - positions[f[0]]);
    const double area2 = length(cross(u0, v0));
    const double s =
        std::sqrt(std::max(0.0, dot(u, u) * dot(v0, v0) - 2 * dot(u, v) * dot(u0, v0) + dot(v, v) * dot(u0, u0))) /
        (std::sqrt(2.0) * std::max(area2, 1e-300));
    sources_[n + j] = static_cast<Vec3f>(normalized(cross(u, v)) * s);
  }
  parallel_for(context, point_.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Vec3f p;
      for (std::uint32_t t = begin_[k]; t < begin_[k + 1]; ++t) p += sources_[terms_[t].index] * terms_[t].weight;
      out[point_[k]] = p;
    }
  });
}

}  // namespace cutis
