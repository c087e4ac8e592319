#include "contact/contact_rest.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "kernels/whole.h"
#include "rig/parts.h"

namespace cutis {
namespace {

// What takes long to find, for rig files.
struct ContactKept {
  static constexpr std::string_view kRestName = "contact intersections";
  std::vector<std::uint64_t> pairs;  // RestIntersections
  std::vector<char> endless;         // one item

  void write(RestWriter& out) const {
    out.list(pairs);
    out.list(endless);
  }
  [[nodiscard]] bool read(RestReader& in, const Rig& rig) {
    in.list(pairs);
    in.list(endless);
    const std::size_t triangles = rig.surface.triangles.size();
    return endless.size() == 1 &&
           std::ranges::all_of(pairs, [&](std::uint64_t k) { return (k >> 32U) < triangles && (k & ~0U) < triangles; });
  }
};

// The pose in which every bone is where it was bound.
Pose rest_pose(const Skeleton& skeleton) {
  Pose pose = default_pose(skeleton);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    Affine3d local = joint.world_from_rest;
    if (joint.parent >= 0) {
      const Affine3d& parent = skeleton.joints[static_cast<std::size_t>(joint.parent)].world_from_rest;
      if (!(std::abs(determinant(parent.linear)) > 0)) continue;
      local = inverse(parent) * local;
    }
    if (joint.local_residual) {
      if (!(std::abs(determinant(joint.local_residual->linear)) > 0)) continue;
      local = local * inverse(*joint.local_residual);
    }
    if (!is_finite(local)) continue;
    const Polar polar = polar_decompose(local.linear);
    pose.local[j] = {
        local.translation, polar.rotation, {polar.stretch.col[0].x, polar.stretch.col[1].y, polar.stretch.col[2].z}};
  }
  return pose;
}

struct SwellKept {
  static constexpr std::string_view kRestName = "swell normals";
  std::vector<Vec3d> smooth_normal;

  void write(RestWriter& out) const { out.list(smooth_normal); }
  [[nodiscard]] bool read(RestReader& in, const Rig& rig) {
    in.list(smooth_normal);
    return smooth_normal.size() == rig.surface.size() &&
           std::ranges::all_of(smooth_normal, [](const Vec3d& n) { return is_finite(n); });
  }
};

std::vector<std::uint32_t> parts_of(const Rig& rig) {
  std::vector<std::uint32_t> part = rig.surface.owner;
  for (std::uint32_t& p : part) p = std::min(p, static_cast<std::uint32_t>(rig.bones.size()));
  return part;
}

std::vector<char> rigid_with_rest(const Rig& rig) {
  std::vector<char> rigid = rigid_parts(rig);
  rigid.push_back(0);
  return rigid;
}

// Those of regions that touch nothing are not there.
std::vector<Triangle> touching_triangles(const RigSurface& surface) {
  std::vector<Triangle> triangles = surface.triangles;
  if (!surface.no_contact.empty())
    std::erase_if(triangles, [&](const Triangle& t) {
      return std::ranges::any_of(t, [&](std::uint32_t v) { return surface.no_contact[v] != 0; });
    });
  return triangles;
}

std::vector<float> radii_with_rest(const Rig& rig) {
  std::vector<float> radius = parts_rest(rig)->radius;
  radius.push_back(0);
  return radius;
}

}  // namespace

ContactRest::ContactRest(const Rig& rig, const Context& context)
    : part(parts_of(rig)),
      radius(radii_with_rest(rig)),
      rigid(rigid_with_rest(rig)),
      strain(rig.surface),
      pose(rest_pose(rig.skeleton)) {
  const std::vector<Triangle> triangles = touching_triangles(rig.surface);
  const ContactMesh mesh{rig.surface.positions, triangles, part, radius.size(), radius, rigid};
  const auto kept = rig.rest.get_kept<ContactKept>(rig, [&] {
    surface = std::make_shared<const ContactSurface>(mesh, context);
    const auto found = surface->rest_intersections();
    return ContactKept{{found.begin(), found.end()}, {static_cast<char>(surface->rest_report().endless)}};
  });
  if (!surface) {
    const RestIntersections known{kept->pairs, kept->endless[0] != 0};
    surface = std::make_shared<const ContactSurface>(mesh, context, &known);
  }
  context.check_cancelled();
  if (surface->triangles().size() != rig.surface.triangles.size())
    whole = build_topology(rig.surface.size(), rig.surface.triangles);
  const auto normals = rig.rest.get_kept<SwellKept>(rig, [&] {
    swell = std::make_shared<const SwellRest>(rig, topology(), part, radius, context);
    return SwellKept{swell->smooth_normal};
  });
  if (!swell) swell = std::make_shared<const SwellRest>(rig, topology(), part, radius, context, normals->smooth_normal);
  context.check_cancelled();
  unfold = std::make_shared<const UnfoldRest>(rig, topology());
  edge_length.reserve(topology().edges.size());
  for (const Edge& edge : topology().edges) edge_length.push_back(whole_edge(rig.surface, edge.a, edge.b));
  box.resize(radius.size());
  part_edge.assign(radius.size(), 0);
  std::vector<std::size_t> count(radius.size(), 0);
  Box all;
  for (std::size_t v = 0; v < rig.surface.size(); ++v) {
    const auto at = static_cast<Vec3d>(rig.surface.positions[v]);
    all.add(at);
    box[part[v]].add(at);
    part_edge[part[v]] += rig.surface.edge[v];
    ++count[part[v]];
  }
  for (std::size_t p = 0; p < count.size(); ++p)
    if (count[p] > 0) part_edge[p] /= static_cast<float>(count[p]);
  figure_size = all.empty() ? 0 : diagonal(all);
}

// Edges that are much shorter than those around them count as a quarter of those.
float whole_edge(const RigSurface& s, std::uint32_t v, std::uint32_t w) {
  return std::max(distance(s.positions[v], s.positions[w]), kShortEdge * std::min(s.edge[v], s.edge[w]));
}

std::shared_ptr<const ContactRest> contact_rest(const Rig& rig, const Context& context) {
  return rig.rest.get<ContactRest>([&] { return ContactRest(rig, context); });
}

}  // namespace cutis
