// Joint limits as JSON: read over the usual ones, and written to be edited.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "volume/joint_limits.h"

namespace cutis {

JointLimits read_limits(const std::string& file, const Skeleton& skeleton, const DrivenSkeleton& driven) {
  return read_limits(file, human_limits(skeleton, driven), skeleton, driven);
}

JointLimits read_limits(const std::string& file, JointLimits limits, const Skeleton& skeleton,
                        const DrivenSkeleton& driven) {
  return limits_from_json(read_file(file), file, std::move(limits), skeleton, driven);
}

JointLimits limits_from_json(std::string_view text, const std::string& file, JointLimits limits,
                             const Skeleton& skeleton, const DrivenSkeleton& driven) {
  const auto fail = [&](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_file, place.empty() ? file : file + " › " + place, sentence);
  };
  if (const std::string fault = json_fault(text); !fault.empty()) fail("", "is not JSON: " + fault);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) fail("", "is not a JSON object {\"JOINT\": {\"flexion\": [low, high], ...}, ...}");
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    const auto& entry = item.value();
    const int joint = skeleton.find(name);
    const int bone = joint < 0 ? -1 : driven.bone_of_joint[static_cast<std::size_t>(joint)];
    if (bone < 0) fail(name, "is not a joint of the character");
    if (!entry.is_object()) fail(name, "is not an object of ranges");
    const DrivenSkeleton::Bone& b = driven.bones[static_cast<std::size_t>(bone)];
    JointLimit limit = limits.of(bone).value_or(JointLimit{});
    if (limit.along == Vec3d{}) {
      limit.along = normalized(b.end - b.rest, Vec3d{0, 1, 0});
      limit.hinge = any_perpendicular(limit.along);
      limit.flexion = limit.sideways = limit.twist = {};
    }
    const auto numbers = [&](const char* key, std::size_t count) {
      std::vector<double> values;
      const auto& list = entry[key];
      if (list.is_array() && list.size() == count)
        for (const auto& v : list)
          if (v.is_number()) values.push_back(v.get<double>());
      if (values.size() != count) fail(name + " › " + key, fmt::format("is not {} numbers", count));
      return values;
    };
    for (const auto& [key, value] : entry.items()) {
      if (key == "free") {
        if (value.is_boolean() && value.get<bool>()) limit.flexion = limit.sideways = limit.twist = {};
      } else if (key == "hinge") {
        const auto v = numbers("hinge", 3);
        const Vec3d hinge{v[0], v[1], v[2]};
        limit.hinge = normalized(hinge - limit.along * dot(hinge, limit.along), Vec3d{});
        if (limit.hinge == Vec3d{}) fail(name + " › hinge", "runs along the bone; it has to lie across it");
      } else if (key == "flexion" || key == "sideways" || key == "twist") {
        const auto v = numbers(key.c_str(), 2);
        if (!(v[0] <= v[1])) fail(name + " › " + key, "has its low end above its high end");
        (key == "flexion"    ? limit.flexion
         : key == "sideways" ? limit.sideways
                             : limit.twist) = {v[0] * kDegree, v[1] * kDegree};
      } else {
        fail(name, fmt::format("has '{}', which is none of flexion, sideways, twist, hinge, free", key));
      }
    }
    limits.set(bone, limit);
  }
  return limits;
}

std::string limits_to_json(const JointLimits& limits, const Skeleton& skeleton, const DrivenSkeleton& driven) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto rounded = [](double v) { return std::round(v / kDegree * 10) / 10; };
  for (std::size_t b = 0; b < driven.bones.size(); ++b) {
    const auto& limit = limits.of(static_cast<int>(b));
    if (!limit) continue;
    const auto range = [&](const AngleRange& r) { return nlohmann::ordered_json{rounded(r.low), rounded(r.high)}; };
    json[skeleton.joints[static_cast<std::size_t>(driven.bones[b].joint)].name] = {
        {"flexion", range(limit->flexion)},
        {"sideways", range(limit->sideways)},
        {"twist", range(limit->twist)},
        {"hinge", {limit->hinge.x, limit->hinge.y, limit->hinge.z}}};
  }
  return json.dump(2, ' ', false, decltype(json)::error_handler_t::replace) + "\n";
}

}  // namespace cutis
