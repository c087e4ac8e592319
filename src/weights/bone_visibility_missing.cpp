// In builds for the browser, which have no ray tracer: characters bring their weights.
#include "cutis/error.h"
#include "weights/bone_visibility.h"

namespace cutis {

struct BoneVisibility::Impl {};

BoneVisibility::BoneVisibility(const WeightProblem&) {
  throw Error(ErrorCode::bad_character, "weights",
              "the mesh has none, and they are not made in a browser; make them with `cutis weights` first");
}
BoneVisibility::~BoneVisibility() = default;
// No object is ever made.
bool BoneVisibility::sees(std::uint32_t, const Vec3d&) const { return false; }
double BoneVisibility::first_hit(const Vec3d&, const Vec3d&) const { return 0; }
const std::vector<double>& BoneVisibility::component_areas() const {
  static const std::vector<double> none;
  return none;
}

}  // namespace cutis
