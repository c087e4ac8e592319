// Exporters leave vertices without weights: loose ones, those of bones that were removed, numbers that are none.
// Viewers that follow the specification leave them behind at the origin; who made them wants them to go with the skin.
#include "io/unbound.h"

#include <limits>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "geometry/closest_point.h"

namespace cutis {
namespace {

bool is_bound(const Weights& weights, std::size_t v) { return weights.row_begin[v] < weights.row_begin[v + 1]; }

// The triangles of all meshes with weights at a corner, and whose vertices they are.
struct BoundSkin {
  struct Corner {
    const Weights* weights = nullptr;
    std::uint32_t row = 0;
  };
  std::vector<Vec3f> positions;
  std::vector<Corner> corners;  // per position
  std::vector<Triangle> triangles;

  explicit BoundSkin(std::span<cutis::Mesh* const> meshes) {
    for (const cutis::Mesh* mesh : meshes) {
      if (mesh->weights.empty()) continue;
      const auto first = static_cast<std::uint32_t>(positions.size());
      for (std::uint32_t v = 0; v < mesh->positions.size(); ++v) {
        positions.push_back(mesh->positions[v]);
        corners.push_back({&mesh->weights, v});
      }
      for (const Triangle& t : mesh->triangles)
        if (is_bound(mesh->weights, t[0]) || is_bound(mesh->weights, t[1]) || is_bound(mesh->weights, t[2]))
          triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
  }
};

}  // namespace

void bind_unbound(std::span<cutis::Mesh* const> meshes, const std::string& place, const Context& context) {
  std::size_t unbound = 0;
  std::string first;
  for (const cutis::Mesh* mesh : meshes)
    for (std::size_t v = 0; v < mesh->weights.rows(); ++v)
      if (!is_bound(mesh->weights, v) && unbound++ == 0) first = fmt::format("vertex {} of mesh '{}'", v, mesh->name);
  if (unbound == 0) return;

  const BoundSkin skin(meshes);
  if (skin.triangles.empty())
    throw Error(
        ErrorCode::bad_file, place,
        fmt::format("the weights of {} sum to 0, as all of them do; bind the skin to its bones, or make new weights",
                    first));
  std::vector<std::uint32_t> all(skin.triangles.size());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
  const TriangleBvh tree(skin.positions, skin.triangles, all);
  const ClosestPoint surface(tree, skin.positions, skin.triangles);
  const auto nearest_bound = [&](const Vec3f& at) {
    const auto here = static_cast<Vec3d>(at);
    double least = std::numeric_limits<double>::infinity();
    BoundSkin::Corner nearest;
    for (const std::uint32_t c : skin.triangles[surface.nearest(here).triangle]) {
      const double away = distance(here, static_cast<Vec3d>(skin.positions[c]));
      if (!is_bound(*skin.corners[c].weights, skin.corners[c].row) || !(away < least)) continue;
      least = away;
      nearest = skin.corners[c];
    }
    return nearest;
  };

  std::vector<Weights> bound(meshes.size());
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    if (meshes[m]->weights.empty()) continue;
    bound[m].row_begin.push_back(0);
    for (std::uint32_t v = 0; v < meshes[m]->weights.rows(); ++v) {
      if (v % 1024 == 0) context.check_cancelled();
      const bool own = is_bound(meshes[m]->weights, v);
      const auto [from, row] = own ? BoundSkin::Corner{&meshes[m]->weights, v} : nearest_bound(meshes[m]->positions[v]);
      for (std::uint32_t k = from->row_begin[row]; k < from->row_begin[row + 1]; ++k) {
        bound[m].joint.push_back(from->joint[k]);
        bound[m].weight.push_back(from->weight[k]);
      }
      bound[m].row_begin.push_back(static_cast<std::uint32_t>(bound[m].joint.size()));
    }
  }
  for (std::size_t m = 0; m < meshes.size(); ++m) meshes[m]->weights = std::move(bound[m]);
  context.warn(
      fmt::format("{}: {} vertices are bound to no bone (the first is {}) and go with the skin nearest to them", place,
                  unbound, first));
}

std::string attached_left_out(const std::string& file, std::size_t count) {
  return fmt::format(
      "{}: {} without a skin {} on bones and {} left out; --attached (ReadOptions::attached) takes {} along", file,
      count == 1 ? "a mesh" : fmt::format("{} meshes", count), count == 1 ? "hangs" : "hang", count == 1 ? "is" : "are",
      count == 1 ? "it" : "them");
}

Weights rigid_weights(std::size_t vertices, std::uint32_t joint) {
  Weights weights;
  weights.row_begin.resize(vertices + 1);
  for (std::size_t i = 0; i <= vertices; ++i) weights.row_begin[i] = static_cast<std::uint32_t>(i);
  weights.joint.assign(vertices, joint);
  weights.weight.assign(vertices, 1.0F);
  return weights;
}

}  // namespace cutis
