// What the files of this room share.
#pragma once

#include "backends/posed_field.h"
#include "cutis/skin_field.h"
#include "rig/rig.h"

namespace cutis {

struct SkinField::Impl {
  std::shared_ptr<const Rig> rig;
  std::vector<Affine3d> motions;  // per bone
  PosedField field;
  std::optional<std::uint32_t> alone;  // bone whose part is seen by itself

  explicit Impl(std::shared_ptr<const Rig> r) : rig(std::move(r)), motions(rig->bones.size()), field(*rig) {}
  [[nodiscard]] SkinSample eval(const Vec3f& p) const {
    if (!alone) return field.eval(p);
    const FieldSample<float> found = field.eval_part(*alone, p);
    SkinSample sample;
    sample.value = found.value;
    sample.gradient = found.gradient;
    if (found.value > 0) sample.bone = *alone;
    return sample;
  }
  /// Bone of a joint, or -1.
  [[nodiscard]] int bone_of(int joint) const {
    for (std::size_t b = 0; b < rig->bones.size(); ++b)
      if (rig->bones[b].joint == joint) return static_cast<int>(b);
    return -1;
  }
};

}  // namespace cutis
