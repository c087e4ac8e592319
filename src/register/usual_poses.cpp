#include "register/usual_poses.h"

#include <utility>

#include "base/math.h"
#include "volume/usual_body_poses.h"

namespace cutis {
namespace {

constexpr double kCurls[] = {0.35, 0.75, 1};  // of fingers, of their range

}  // namespace

std::vector<std::vector<Quatd>> usual_turns(const BodyModel& model) {
  const std::vector<Quatd> rest(model.bones());
  std::vector<std::vector<Quatd>> result{rest};
  const BodyRoles& roles = model.roles;
  if (std::vector<std::vector<Quatd>> poses = usual_body_turns(model.skeleton, roles, model.parent); !poses.empty()) {
    for (std::vector<Quatd>& turn : poses) result.push_back(std::move(turn));
    return result;
  }
  // Fingers, and whatever else has ranges.
  for (const double curl : kCurls) {
    std::vector<Quatd> turn = rest;
    bool any = false;
    for (std::size_t b = 0; b < model.bones(); ++b) {
      const int p = model.parent[b];
      Quatd relative;
      if (const auto& limit = model.limits.of(static_cast<int>(b));
          limit && model.roles.roles[b].part == Part::finger && limit->flexion.high < kPi) {
        relative = JointLimits::rotation(*limit, {curl * limit->flexion.high, 0, 0});
        any = true;
      }
      turn[b] = p < 0 ? Quatd{} : turn[slot(p)] * relative;
    }
    if (any) result.push_back(std::move(turn));
  }
  return result;
}

}  // namespace cutis
