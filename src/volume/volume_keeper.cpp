#include "volume/volume_keeper.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

constexpr int kRounds = 5, kFade = 3;
/// No vertex moves by more than this share of its edges.
constexpr double kMost = 0.35;
/// Skin that is off by no more than this share of an edge (some 20 micrometres on a person) is where it should be.
constexpr double kEnough = 1e-3;

}  // namespace

VolumeKeeper::VolumeKeeper(const ControlMesh& mesh) : mesh_(mesh), place_(mesh.rest.size(), -1) {
  for (const int b : mesh.nearest_bone) parts_ = std::max(parts_, static_cast<std::size_t>(b) + 1);
  rest_.assign(parts_, 0);
  for (const Tetrahedron& t : mesh.tetrahedra) {
    // The part of most of its corners.
    int part = mesh.nearest_bone[t[0]];
    for (std::size_t k = 1; k < 4; ++k)
      if (std::count_if(t.begin(), t.end(), [&](std::uint32_t v) {
            return mesh.nearest_bone[v] == mesh.nearest_bone[t[k]];
          }) > std::count_if(t.begin(), t.end(), [&](std::uint32_t v) { return mesh.nearest_bone[v] == part; }))
        part = mesh.nearest_bone[t[k]];
    part_of_tet_.push_back(part);
    rest_[static_cast<std::size_t>(part)] +=
        six_volumes(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]);
  }
  for (const Triangle& f : mesh.boundary)
    for (const std::uint32_t v : f)
      if (place_[v] < 0) {
        place_[v] = static_cast<std::int64_t>(skin_.size());
        skin_.push_back(v);
      }
  std::vector<std::set<std::uint32_t>> around(skin_.size());
  for (const Triangle& f : mesh.boundary)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::uint32_t>(place_[f[k]]), b = static_cast<std::uint32_t>(place_[f[(k + 1) % 3]]);
      around[a].insert(b);
      around[b].insert(a);
    }
  for (std::size_t i = 0; i < skin_.size(); ++i) {
    double sum = 0;
    for (const std::uint32_t j : around[i]) sum += distance(mesh.rest[skin_[i]], mesh.rest[skin_[j]]);
    around_.emplace_back(around[i].begin(), around[i].end());
    reach_.push_back(kMost * sum / static_cast<double>(around[i].size()));
  }
  normal_.resize(skin_.size());
  shift_.resize(skin_.size());
  next_.resize(skin_.size());
  need_.resize(parts_);
  volume_.resize(parts_);
}

void VolumeKeeper::run(std::span<Vec3d> p) {
  std::vector<double> area(parts_);
  std::vector<double> moved(skin_.size(), 0);
  for (int round = 0; round < kRounds; ++round) {
    std::fill(volume_.begin(), volume_.end(), 0.0);
    std::fill(area.begin(), area.end(), 0.0);
    std::fill(normal_.begin(), normal_.end(), Vec3d{});
    for (std::size_t i = 0; i < mesh_.tetrahedra.size(); ++i) {
      const Tetrahedron& t = mesh_.tetrahedra[i];
      volume_[static_cast<std::size_t>(part_of_tet_[i])] += six_volumes(p[t[0]], p[t[1]], p[t[2]], p[t[3]]);
    }
    for (const Triangle& f : mesh_.boundary) {
      const Vec3d n = face_normal<double>(p, f);
      const double a = length(n) / 6;
      for (const std::uint32_t v : f) {
        normal_[static_cast<std::size_t>(place_[v])] += n;
        area[static_cast<std::size_t>(mesh_.nearest_bone[v])] += a;
      }
    }
    double most = 0;
    for (std::size_t part = 0; part < parts_; ++part) {
      need_[part] = area[part] > 0 ? (rest_[part] - volume_[part]) / 6 / area[part] : 0;
      most = std::max(most, std::abs(need_[part]));
    }
    if (most < kEnough * mesh_.mean_edge) return;
    for (std::size_t i = 0; i < skin_.size(); ++i)
      shift_[i] = need_[static_cast<std::size_t>(mesh_.nearest_bone[skin_[i]])];
    for (int fade = 0; fade < kFade; ++fade) {
      for (std::size_t i = 0; i < skin_.size(); ++i) {
        double sum = shift_[i];
        for (const std::uint32_t j : around_[i]) sum += shift_[j];
        next_[i] = sum / static_cast<double>(around_[i].size() + 1);
      }
      shift_.swap(next_);
    }
    for (std::size_t i = 0; i < skin_.size(); ++i) {
      const double wanted = std::clamp(moved[i] + shift_[i], -reach_[i], reach_[i]);
      p[skin_[i]] += normalized(normal_[i]) * (wanted - moved[i]);
      moved[i] = wanted;
    }
  }
}

}  // namespace cutis
