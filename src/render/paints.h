// What a character's meshes are painted with, ready to be looked up.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cutis/render.h"
#include "render/texture.h"

namespace cutis {

struct Paints::Impl {
  struct MeshPaint {
    MeshLook look;
    const Texture* texture = nullptr;
    bool see_through = false;  ///< some of it may be
    float cos = 1, sin = 0;    ///< of the rotation of its texture
  };
  std::vector<std::unique_ptr<Texture>> textures;
  std::vector<MeshPaint> meshes;
  std::vector<std::uint32_t> mesh_of_vertex;
  std::vector<std::array<float, 2>> uv;      ///< per vertex; of the set that its mesh's texture asks for
  std::vector<std::array<float, 4>> colors;  ///< per vertex; empty: white
  bool plain = true;

  /// Barycentrics of a point, and of those one step to its right and below it: how much of the texture it stands for.
  struct Place {
    std::array<double, 3> at, right, below;
  };
  [[nodiscard]] Texel sample(const Triangle& triangle, const Place& place) const;
  [[nodiscard]] const MeshPaint& paint_of(const Triangle& triangle) const {
    return meshes[mesh_of_vertex[triangle[0]]];
  }
  /// Of the triangle as a whole, 0 to 1.
  [[nodiscard]] float mean_alpha(const Triangle& triangle) const;
};

}  // namespace cutis
