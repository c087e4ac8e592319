#include "contact/carry_on.h"

#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {

void carry_on(const RigSurface& surface, std::span<const Vec3f> skin, std::span<const Affine3d> from,
              std::span<const Affine3d> to, std::vector<Vec3f>& out, const Context& context) {
  out.assign(skin.begin(), skin.end());
  parallel_for(context, skin.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t own = surface.owner[v];
      if (own == RigSurface::kNoBone) continue;
      const auto rest = static_cast<Vec3d>(surface.positions[v]);
      const auto row = surface.turn.row(v);
      const float* weight = surface.turn_weight.data() + surface.turn.begin[v];
      Vec3d then, now;
      for (std::size_t k = 0; k < row.size(); ++k) {
        then += transform_point(from[row[k]], rest) * static_cast<double>(weight[k]);
        now += transform_point(to[row[k]], rest) * static_cast<double>(weight[k]);
      }
      if (row.empty()) {
        then = transform_point(from[own], rest);
        now = transform_point(to[own], rest);
      }
      if (std::abs(determinant(from[own].linear)) > 0)
        now += to[own].linear * (inverse(from[own].linear) * (static_cast<Vec3d>(skin[v]) - then));
      const auto there = static_cast<Vec3f>(now);
      if (is_finite(there)) out[v] = there;
    }
  });
}

}  // namespace cutis
