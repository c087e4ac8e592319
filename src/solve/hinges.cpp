#include "solve/hinges.h"

#include <cmath>
#include <limits>

#include "base/tree.h"
#include "rig/parts.h"

namespace cutis {

Hinges::Hinges(const Rig& rig, std::span<const char> joined, const ImplicitOptions& options) {
  const auto bones = static_cast<std::uint32_t>(rig.bones.size());
  of.assign(std::size_t{bones} * bones, -1);
  if (options.blend) opening_ = controller_preset(options.controllers).opening;
  for (std::uint32_t b = 0; b < bones; ++b) {
    if (rig.fields[b].empty()) continue;
    const int nearest = parent_part(rig, b);
    for (std::uint32_t k = 0; k < bones; ++k) {
      const bool blends = options.blend && static_cast<int>(k) == nearest;
      if (blends || (joined[b * bones + k] != 0 && k != b && !rig.fields[k].empty() &&
                     hangs_on(rig.bones, static_cast<int>(b), static_cast<int>(k))))
        add(rig, b, k, blends);
    }
  }
}

void Hinges::add(const Rig& rig, std::uint32_t lower, std::uint32_t upper, bool blends) {
  if (hinges.size() >= static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max())) return;
  const std::size_t bones = rig.bones.size();
  of[lower * bones + upper] = of[upper * bones + lower] = static_cast<std::int16_t>(hinges.size());
  hinges.push_back({fold_between(rig.bones[lower], {}, {}), blends});
  operators.push_back({{OperatorForm::blend, {}}, 1});
  lower_.push_back(lower);
  upper_.push_back(upper);
}

void Hinges::update(const Rig& rig, std::span<const Quatd> rotations) {
  for (std::size_t h = 0; h < hinges.size(); ++h) {
    const RigBone& bone = rig.bones[lower_[h]];
    const Vec3d u = normalized(bone.rest_end - bone.rest_origin, {0, 1, 0});
    // Where the lower part's axis points, seen from the upper part at rest.
    const Vec3d bent = rotate(conjugate(rotations[upper_[h]]), rotate(rotations[lower_[h]], u));
    static_cast<Fold&>(hinges[h]) = fold_between(bone, rotations[lower_[h]], rotations[upper_[h]]);
    if (hinges[h].blends)
      operators[h].parameter = static_cast<float>(std::tan(opening_(std::atan2(length(cross(u, bent)), dot(u, bent)))));
  }
}

}  // namespace cutis
