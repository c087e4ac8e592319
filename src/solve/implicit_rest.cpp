// What the implicit skin measures once, at the rest pose: iso-values in the composed field, the parts that reach each
// vertex, lengths, and mean value coordinates.
#include <algorithm>
#include <cmath>

#include "base/parallel_for.h"
#include "kernels/mean_value.h"
#include "solve/implicit.h"

namespace cutis {
namespace {

// Parts count as overlapping at rest when one's field is this strong at a vertex of the other.
constexpr float kOverlap = 0.3F;
// Fields nearer than this to 0 or 1 are flat; a vertex there follows the initial guess, and half-way at the second.
constexpr float kNoReach = 0.01F, kFullReach = 0.06F;
// Two skins in contact stay this share of the local edge, and at most this share of the support radius, apart.
constexpr float kGapEdge = 0.2F, kGapRadius = 0.05F;
// |grad f| on the surface of a field of radius r, times r.
constexpr float kSurfaceSlope = 0.9375F;

float smoothstep(float x, float lo, float hi) {
  const float t = std::clamp((x - lo) / (hi - lo), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

bool is_ancestor(const Rig& rig, std::uint32_t above, std::uint32_t below) {
  for (int b = rig.bones[below].parent; b >= 0; b = rig.bones[static_cast<std::size_t>(b)].parent)
    if (static_cast<std::uint32_t>(b) == above) return true;
  return false;
}

// Signed weights of a vertex's ring; a border, a ring that does not go around once, or any negative weight: none.
void set_mean_value(const RigSurface& surface, std::uint32_t v, std::span<const std::uint32_t> corners,
                    std::span<float> weights) {
  std::fill(weights.begin(), weights.end(), 0.0F);
  const auto ring = surface.neighbours.row(v);
  const auto n = normalized(static_cast<Vec3d>(surface.normals[v]));
  const auto to = [&](std::uint32_t w) {
    const Vec3d d = static_cast<Vec3d>(surface.positions[w]) - static_cast<Vec3d>(surface.positions[v]);
    return d - n * dot(n, d);
  };
  std::vector<double> sum(ring.size(), 0.0);
  std::vector<int> leaving(ring.size(), 0), arriving(ring.size(), 0);
  double turned = 0;
  for (std::size_t c = 0; c + 1 < corners.size(); c += 2) {
    const Vec3d a = to(corners[c]), b = to(corners[c + 1]);
    const double t = half_angle_tangent(a, b, n);
    turned += 2 * std::atan(t);
    const auto add = [&](std::uint32_t w, const Vec3d& d, std::vector<int>& uses) {
      const auto j = static_cast<std::size_t>(std::find(ring.begin(), ring.end(), w) - ring.begin());
      sum[j] += length(d) > 0 ? t / length(d) : -1.0;  // a neighbour on top of the vertex: no weights
      ++uses[j];
    };
    add(corners[c], a, leaving);
    add(corners[c + 1], b, arriving);
  }
  double total = 0;
  for (std::size_t j = 0; j < ring.size(); ++j) {
    if (leaving[j] != 1 || arriving[j] != 1 || !(sum[j] > 0)) return;
    total += sum[j];
  }
  if (ring.empty() || !(std::abs(turned - 2 * kPi) < 1e-3) || !std::isfinite(total)) return;
  for (std::size_t j = 0; j < ring.size(); ++j) weights[j] = static_cast<float>(sum[j] / total);
}

}  // namespace

RigRows triangle_corners(const RigSurface& surface) {
  RigRows corners;
  corners.begin.assign(surface.size() + 1, 0);
  for (const Triangle& t : surface.triangles)
    for (const std::uint32_t v : t) corners.begin[v + 1] += 2;
  for (std::size_t v = 0; v < surface.size(); ++v) corners.begin[v + 1] += corners.begin[v];
  corners.items.resize(corners.begin.back());
  std::vector<std::uint32_t> next(corners.begin.begin(), corners.begin.end() - 1);
  for (const Triangle& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      corners.items[next[t[k]]++] = t[(k + 1) % 3];
      corners.items[next[t[k]]++] = t[(k + 2) % 3];
    }
  return corners;
}

ImplicitRest make_implicit_rest(const Rig& rig, const JointOperators& joints, const ImplicitOptions& options,
                                std::vector<PartPair>& overlap, const Context& context) {
  const RigSurface& surface = rig.surface;
  const std::size_t n = surface.size(), bones = rig.bones.size();
  std::vector<GridView> parts;
  for (const RigField& field : rig.fields) parts.push_back(field.empty() ? GridView{} : field.view());

  ImplicitRest rest;
  rest.iso.assign(n, 0);
  rest.own.assign(n, 0);
  rest.reach.assign(n, 0);
  rest.gap.assign(n, 0);
  rest.limits.resize(n);
  rest.near.begin.assign(1, 0);
  std::vector<char> overlaps(bones * bones, 0);
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint32_t own = surface.owner[v];
    if (own != RigSurface::kNoBone) {
      const Vec3f& p = surface.positions[v];
      std::vector<NearPart> near;
      for (std::uint32_t k = 0; k < bones; ++k) {
        if (k == own) continue;
        const float f = eval_part(parts[k], p).value;
        if (!(f > 0)) continue;
        rest.near.items.push_back(k);
        rest.near_value.push_back(f);
        near.push_back({static_cast<std::uint16_t>(k), joints.joint_of[own * bones + k], 0, 0, 1});
        if (f > kOverlap) overlaps[own * bones + k] = overlaps[k * bones + own] = 1;
      }
      rest.own[v] = eval_part(parts[own], p).value;
      const ResidualSample at =
          skin_residual({parts.data(), joints.operators.data(), near.data(), static_cast<int>(near.size()), own, 0, 0},
                        kNoContact, p);
      const float iso = options.contact == ContactModel::composed ? surface.iso[v] : at.value;
      rest.iso[v] = iso;
      rest.reach[v] = smoothstep(std::min(iso, 1 - iso), kNoReach, kFullReach);
      const float radius = parts[own].nodes == nullptr ? surface.edge[v] : parts[own].radius;
      rest.gap[v] = std::min(kGapEdge * surface.edge[v], kGapRadius * radius);
      ProjectLimits& limits = rest.limits[v];
      limits.step = std::min(0.25F * radius, 2 * surface.edge[v]);
      limits.move = 2 * radius;
      limits.damping = 0.1F * kSurfaceSlope / radius;
      limits.flat = 0.02F * kSurfaceSlope / radius;
      limits.turn_cosine = options.contact == ContactModel::composed ? static_cast<float>(std::cos(options.turn)) : -2;
    }
    rest.near.begin.push_back(static_cast<std::uint32_t>(rest.near.items.size()));
  }
  overlap.clear();
  for (std::uint32_t a = 0; a < bones; ++a)
    for (std::uint32_t b = a + 1; b < bones; ++b) {
      if (!overlaps[a * bones + b]) continue;
      const bool below = is_ancestor(rig, a, b);
      overlap.push_back({a, b, below ? b : a, below || is_ancestor(rig, b, a)});
    }

  const RigRows corners = triangle_corners(surface);
  rest.mean_value.assign(surface.neighbours.items.size(), 0);
  parallel_for(context, n, 256, [&](std::size_t begin, std::size_t end) {
    for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) {
      const std::uint32_t first = surface.neighbours.begin[v];
      set_mean_value(surface, v, corners.row(v),
                     {rest.mean_value.data() + first, surface.neighbours.begin[v + 1] - first});
    }
  });
  return rest;
}

}  // namespace cutis
