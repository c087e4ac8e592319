#include "contact/unfold.h"

#include <algorithm>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/give_way.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 2048;
constexpr double kAround = 0.5;  // of a fold's smoothing, on the ring around it
constexpr int kPasses = 6;
constexpr double kNoWeight = 1e-3;  // of a weight

double cosine_between(std::span<const Vec3d> at, const Triangle& a, const Triangle& b) {
  return dot(normalized(face_normal<double>(at, a)), normalized(face_normal<double>(at, b)));
}

}  // namespace

UnfoldRest::UnfoldRest(const Rig& rig, const Topology& topology) {
  const RigSurface& s = rig.surface;
  std::vector<Vec3d> rest(s.size());
  for (std::size_t v = 0; v < s.size(); ++v) rest[v] = static_cast<Vec3d>(s.positions[v]);
  face_hinges.assign(s.triangles.size(), {-1, -1, -1});
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const auto sides = topology.edge_faces.row(e);
    if (sides.size() != 2) continue;
    const double cosine = cosine_between(rest, s.triangles[sides[0]], s.triangles[sides[1]]);
    for (const std::uint32_t f : sides)
      if (const auto free = std::ranges::find(face_hinges[f], -1); free != face_hinges[f].end())
        *free = static_cast<std::int32_t>(hinges.size());
    hinges.push_back({{sides[0], sides[1]}, static_cast<float>(cosine)});
  }
}

Unfold::Unfold(const Rig& rig, const Topology& topology, std::shared_ptr<const UnfoldRest> rest)
    : rig_(&rig), topology_(&topology), rest_(std::move(rest)) {}

void Unfold::smooth(std::span<const Vec3d> skin, std::span<Vec3d> shift, std::span<const double> touch, double rate,
                    const Context& context) {
  const RigSurface& s = rig_->surface;
  const std::size_t n = s.size();
  if (state_.weight.empty() && touch.empty()) return;
  at_.resize(n);
  next_.resize(n);
  parallel_for(context, n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) at_[v] = next_[v] = skin[v] + shift[v];
  });

  folded_.assign(n, 0);
  seen_.assign(rest_->hinges.size(), 0);
  active_.clear();
  const auto add = [&](std::uint32_t v, double weight) {
    if (folded_[v] == 0) active_.push_back(v);
    folded_[v] = std::max(folded_[v], weight);
  };
  const auto examine = [&](const UnfoldRest::Hinge& hinge) {
    const double cosine = cosine_between(at_, s.triangles[hinge.faces[0]], s.triangles[hinge.faces[1]]);
    const double weight = fold_weight(cosine, static_cast<double>(hinge.rest));
    if (!(weight > 0)) return;
    for (const std::uint32_t f : hinge.faces)
      for (const std::uint32_t v : s.triangles[f]) add(v, weight);
  };
  for (std::uint32_t v = 0; v < touch.size(); ++v) {
    if (!(touch[v] > 0)) continue;
    for (const std::uint32_t f : topology_->vertex_faces.row(v))
      for (const std::int32_t h : rest_->face_hinges[f]) {
        if (h < 0 || seen_[static_cast<std::size_t>(h)] != 0) continue;
        seen_[static_cast<std::size_t>(h)] = 1;
        examine(rest_->hinges[static_cast<std::size_t>(h)]);
      }
  }
  if (state_.weight.empty()) {
    if (active_.empty()) return;
    state_.weight.assign(n, 0);
    state_.follows.assign(n, 0);
  }
  for (std::size_t i = 0, count = active_.size(); i < count; ++i)
    for (const std::uint32_t w : s.neighbours.row(active_[i])) add(w, kAround * folded_[active_[i]]);

  active_.clear();
  const double release = release_of(rate);
  for (std::uint32_t v = 0; v < n; ++v) {
    double &follows = state_.follows[v], &weight = state_.weight[v];
    follow(follows, folded_[v], rate, release);
    follow(weight, follows, rate, release);
    if (folded_[v] == 0 && follows < kNoWeight && weight < kNoWeight) follows = weight = 0;
    if (weight > 0) active_.push_back(v);
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const std::uint32_t v : active_) {
      const auto ring = s.neighbours.row(v);
      next_[v] =
          smoothed_fold<double>(at_[v], at_.data(), ring.data(), s.neighbour_weight.data() + s.neighbours.begin[v],
                                ring.size(), state_.weight[v]);
    }
    at_.swap(next_);
  }
  for (const std::uint32_t v : active_)
    if (is_finite(at_[v])) shift[v] = at_[v] - skin[v];
}

}  // namespace cutis
