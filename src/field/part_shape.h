// The shape of a part: an HRBF or a set of spheres, behind one question.
#pragma once

#include <span>
#include <variant>

#include "field/hrbf.h"
#include "field/spheres.h"

namespace cutis {

class PartShape {
 public:
  PartShape() = default;
  PartShape(Hrbf hrbf) : shape_(std::move(hrbf)) {}     // NOLINT: implicit on purpose
  PartShape(SphereSet set) : shape_(std::move(set)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool empty() const {
    return std::visit([](const auto& shape) { return shape.empty(); }, shape_);
  }
  [[nodiscard]] const Hrbf* hrbf() const { return std::get_if<Hrbf>(&shape_); }
  [[nodiscard]] const SphereSet* spheres() const { return std::get_if<SphereSet>(&shape_); }

  [[nodiscard]] DistanceSample eval(const Vec3d& p) const {
    return std::visit([&](const auto& shape) { return shape.eval(p); }, shape_);
  }
  /// Many points in float; `precise`: computed in double where float would lose digits.
  void eval(std::span<const Vec3f> points, std::span<float> values, std::span<Vec3f> gradients, bool precise) const {
    if (const Hrbf* h = hrbf(); h != nullptr)
      return precise && h->needs_double() ? h->eval_precise(points, values, gradients)
                                          : h->eval(points, values, gradients);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const DistanceSample d = eval(static_cast<Vec3d>(points[i]));
      values[i] = static_cast<float>(d.value);
      gradients[i] = static_cast<Vec3f>(d.gradient);
    }
  }

 private:
  std::variant<SphereSet, Hrbf> shape_;
};

}  // namespace cutis
