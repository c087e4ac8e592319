// The level set as triangles: the field on a lattice, marching tetrahedra, two Newton steps onto the surface.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"
#include "cutis/skin_field.h"
#include "geometry/isosurface.h"
#include "skin_field/skin_field_impl.h"

namespace cutis {
namespace {

constexpr double kMostCells = 64e6;
// The floor of a contact is exactly the skin's value: rounding must not make holes of it.
constexpr float kFloor = 1e-5F;

}  // namespace

SkinSurface SkinField::surface(double cell, double level, const Context& context) const {
  SkinSurface result;
  const Box box = bounds();
  if (box.empty()) return result;
  if (!(cell > 0) || !(level > 0 && level < 1))
    throw Error(ErrorCode::bad_argument, "surface", "needs cells of some size and a level between 0 and 1");
  GridAxes axes;
  const auto fill = [&](std::vector<double>& axis, double lo, double hi) {
    const double n = std::ceil((hi - lo) / cell) + 3;
    if (n > kMostCells) return n;
    for (int i = 0; i < static_cast<int>(n); ++i) axis.push_back(lo + (i - 1) * cell);
    return n;
  };
  const double cells =
      fill(axes.x, box.lo.x, box.hi.x) * fill(axes.y, box.lo.y, box.hi.y) * fill(axes.z, box.lo.z, box.hi.z);
  if (!(cells <= kMostCells))
    throw Error(ErrorCode::bad_argument, "surface",
                fmt::format("cells of {:g} m would be {:.3g} of them; take larger ones", cell, cells));
  const std::size_t nx = axes.x.size(), ny = axes.y.size(), nz = axes.z.size();
  std::vector<float> values(nx * ny * nz);
  parallel_for(context, ny * nz, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t i = 0; i < nx; ++i)
        values[row * nx + i] =
            static_cast<float>(level) - kFloor -
            impl_->eval(static_cast<Vec3f>(Vec3d{axes.x[i], axes.y[row % ny], axes.z[row / ny]})).value;
  });
  const SurfaceMesh mesh = extract_isosurface(values, axes);
  const std::size_t n = mesh.positions.size();
  result.triangles = mesh.triangles;
  result.positions.resize(n);
  result.normals.resize(n);
  result.joints.resize(n);
  parallel_for(context, n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3f p = static_cast<Vec3f>(mesh.positions[v]);
      SkinSample s = impl_->eval(p);
      for (int step = 0; step < 2; ++step) {
        const float slope2 = dot(s.gradient, s.gradient);
        Vec3f move = slope2 > 0 ? s.gradient * ((static_cast<float>(level) - s.value) / slope2) : Vec3f{};
        const float far = length(move), most = 0.25F * static_cast<float>(cell);
        if (!std::isfinite(far)) break;
        p += far > most ? move * (most / far) : move;
        s = impl_->eval(p);
      }
      result.positions[v] = p;
      result.normals[v] = -normalized(s.gradient, Vec3f{0, -1, 0});
      result.joints[v] = s.bone == SkinSample::kNoBone ? -1 : impl_->rig->bones[s.bone].joint;
    }
  });
  return result;
}

}  // namespace cutis
