// Which triangle each sample of a picture sees.
//
// Triangles are scan converted in homogeneous coordinates (Olano and Greer 1997): in camera space a ray d meets the
// triangle v0 v1 v2 at barycentrics proportional to e_i = cross(v_j, v_k) . d, which are linear in the picture and
// need no clipping against the near plane. Two triangles that share an edge compute the same e with opposite signs,
// so there are no cracks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutis/context.h"
#include "cutis/types.h"
#include "render/camera.h"

namespace cutis {

/// Linear in the picture: x, y are slopes of the ray (x, y, -1).
struct EdgeFunction {
  double x = 0, y = 0, c = 0;
  [[nodiscard]] double at(double rx, double ry) const { return x * rx + (y * ry + c); }
};

struct ScreenTriangle {
  EdgeFunction edge[3];  ///< positive inside; divided by their sum they are the barycentrics
  EdgeFunction inverse_depth;
  double pixels[3] = {};  ///< distance from edge i in pixels, per unit of edge[i]
  double height[3] = {};  ///< from edge i to corner i, in pixels
  bool front = false;     ///< counter-clockwise as seen from the eye
};

inline constexpr std::uint32_t kNothing = 0xFFFFFFFFU;

/// Holes in triangles.
class CutOuts {
 public:
  virtual ~CutOuts() = default;
  [[nodiscard]] virtual bool may_have(std::uint32_t triangle) const = 0;
  /// Whether the triangle is there on the ray (rx, ry, -1), for sample number `sample` of its pixel.
  [[nodiscard]] virtual bool is_there(std::uint32_t triangle, const ScreenTriangle& screen, double rx, double ry,
                                      int sample) const = 0;
};

/// All triangles, sorted into square tiles of the picture.
class TriangleBins {
 public:
  static constexpr int kTile = 32;  // pixels

  TriangleBins(const View& view, std::span<const Vec3f> positions, std::span<const Triangle> triangles,
               const Context& context);

  [[nodiscard]] int tiles() const { return tiles_x_ * tiles_y_; }
  struct TileArea {
    int x0, y0, x1, y1;  ///< pixels, end excluded
  };
  [[nodiscard]] TileArea area(int tile) const;
  [[nodiscard]] const ScreenTriangle& screen(std::uint32_t triangle) const { return screen_[triangle]; }

  /// The triangle seen by each of the tile's samples, row by row (samples * (x1 - x0) per row). The nearest wins,
  /// of equals the first in the list.
  void visible(int tile, int samples, const CutOuts* holes, std::vector<std::uint32_t>& ids,
               std::vector<double>& depth) const;

 private:
  View view_;
  int tiles_x_ = 0, tiles_y_ = 0;
  std::vector<ScreenTriangle> screen_;
  struct Bounds {
    float x0, y0, x1, y1;  // pixels; empty when x0 > x1
  };
  std::vector<Bounds> bounds_;
  std::vector<std::uint32_t> bin_begin_, bin_;
};

}  // namespace cutis
