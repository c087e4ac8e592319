#include "cutis/preset.h"

#include <algorithm>

namespace cutis {

const JointPreset& Preset::of(std::string_view joint) const {
  const auto it = std::ranges::find(joints, joint, [](const auto& entry) { return std::string_view(entry.first); });
  return it == joints.end() ? all : it->second;
}

}  // namespace cutis
