// Clip sampling as the glTF 2.0 specification defines it (appendix C: STEP, LINEAR with spherical interpolation of
// rotations along the shorter arc, CUBICSPLINE with tangents scaled by the key distance).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/character.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Room for four days at 30 frames a second; more is a slip, and would fill memory before anyone sees it.
constexpr double kMostTimes = 1e7;

int components(ChannelPath path) { return path == ChannelPath::rotation ? 4 : 3; }

struct Span {
  std::size_t key = 0;  // the key before the time
  double t = 0;         // where between key and key + 1, in [0,1]
  double length = 0;    // seconds between them
};

Span locate(const std::vector<float>& times, double time) {
  if (times.size() == 1 || !(time > times.front())) return {0, 0, 0};  // also a time that is no number
  if (time >= times.back()) return {times.size() - 1, 0, 0};
  const auto after = std::upper_bound(times.begin(), times.end(), time,
                                      [](double value, float key) { return value < static_cast<double>(key); });
  const auto key = static_cast<std::size_t>(after - times.begin()) - 1;
  const double length = static_cast<double>(times[key + 1]) - times[key];
  return {key, length > 0 ? (time - times[key]) / length : 0, length};
}

std::array<double, 4> evaluate(const Channel& channel, double time) {
  const int n = components(channel.path);
  const bool cubic = channel.interpolation == Interpolation::cubic_spline;
  const Span span = locate(channel.times, time);
  // Part 0, 1, 2 of a cubic key: in-tangent, value, out-tangent.
  const auto value = [&](std::size_t key, int part, int i) -> double {
    const std::size_t base = (cubic ? 3 * key + static_cast<std::size_t>(part) : key) * static_cast<std::size_t>(n);
    return channel.values[base + static_cast<std::size_t>(i)];
  };
  std::array<double, 4> result{0, 0, 0, 0};
  if (span.t == 0 || span.length == 0 || channel.interpolation == Interpolation::step) {
    for (int i = 0; i < n; ++i) result[static_cast<std::size_t>(i)] = value(span.key, 1, i);
    return result;
  }
  const double t = span.t;
  if (cubic) {
    const double t2 = t * t, t3 = t2 * t;
    for (int i = 0; i < n; ++i) {
      result[static_cast<std::size_t>(i)] =
          (2 * t3 - 3 * t2 + 1) * value(span.key, 1, i) + span.length * (t3 - 2 * t2 + t) * value(span.key, 2, i) +
          (-2 * t3 + 3 * t2) * value(span.key + 1, 1, i) + span.length * (t3 - t2) * value(span.key + 1, 0, i);
    }
    return result;
  }
  if (channel.path == ChannelPath::rotation) {
    double sum = 0;
    const auto at = [&](std::size_t key) {
      const Quatd q{value(key, 1, 0), value(key, 1, 1), value(key, 1, 2), value(key, 1, 3)};
      sum += q.x + q.y + q.z + q.w;
      return normalized(q);
    };
    const Quatd q = slerp(at(span.key), at(span.key + 1), t);
    if (!std::isfinite(sum)) return {sum, sum, sum, sum};
    return {q.x, q.y, q.z, q.w};
  }
  for (int i = 0; i < n; ++i)
    result[static_cast<std::size_t>(i)] = (1 - t) * value(span.key, 1, i) + t * value(span.key + 1, 1, i);
  return result;
}

// Clips are public data: one of another skeleton, or one that was edited, may not fit.
void check_channel(const Skeleton& skeleton, const Clip& clip, const Channel& channel) {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, fmt::format("clip '{}'", clip.name), sentence);
  };
  const std::size_t joints = skeleton.joints.size();
  if (channel.joint < 0 || static_cast<std::size_t>(channel.joint) >= joints)
    refuse(fmt::format("moves joint {}, but the skeleton has {}; use a clip of this skeleton", channel.joint, joints));
  const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
  const std::size_t numbers = channel.times.size() * parts * static_cast<std::size_t>(components(channel.path));
  if (channel.values.size() < numbers)
    refuse(fmt::format("has {} numbers for {} keys of joint {}; {} are needed", channel.values.size(),
                       channel.times.size(), channel.joint, numbers));
}

}  // namespace

Pose default_pose(const Skeleton& skeleton) {
  Pose pose;
  pose.local.reserve(skeleton.joints.size());
  for (const Joint& joint : skeleton.joints) pose.local.push_back(joint.local);
  return pose;
}

Pose sample(const Skeleton& skeleton, const Clip& clip, double time) {
  Pose pose = default_pose(skeleton);
  pose.time = time;
  for (const Channel& channel : clip.channels) {
    check_channel(skeleton, clip, channel);
    if (channel.times.empty()) continue;
    Trsd& local = pose.local[static_cast<std::size_t>(channel.joint)];
    const std::array<double, 4> v = evaluate(channel, time);
    switch (channel.path) {
      case ChannelPath::translation:
        local.translation = {v[0], v[1], v[2]};
        break;
      case ChannelPath::rotation:
        local.rotation = {v[0], v[1], v[2], v[3]};
        // What is no number stays none, so that it is noticed.
        if (std::isfinite(v[0] + v[1] + v[2] + v[3])) local.rotation = normalized(local.rotation);
        break;
      case ChannelPath::scale:
        local.scale = {v[0], v[1], v[2]};
        break;
    }
  }
  return pose;
}

std::vector<Affine3d> world_from_joint(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affine3d> world;
  world_from_joint(skeleton, pose, world);
  return world;
}

void world_from_joint(const Skeleton& skeleton, const Pose& pose, std::vector<Affine3d>& world) {
  if (pose.local.size() < skeleton.joints.size())
    throw Error(ErrorCode::bad_argument, "pose",
                fmt::format("has {} joints, but the skeleton has {}; start from default_pose()", pose.local.size(),
                            skeleton.joints.size()));
  world.resize(skeleton.joints.size());
  for (std::size_t j = 0; j < world.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    world[j] = to_affine(pose.local[j]);
    if (joint.local_residual) world[j] = world[j] * *joint.local_residual;
    if (joint.parent >= static_cast<int>(j))
      throw Error(ErrorCode::bad_character, fmt::format("bone '{}'", joint.name),
                  "comes before its parent; joints must be ordered from the root to the leaves");
    if (joint.parent >= 0) world[j] = world[static_cast<std::size_t>(joint.parent)] * world[j];
  }
}

std::vector<double> sample_times(const Clip& clip, int frames, double fps) {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_argument, fmt::format("clip '{}'", clip.name), sentence);
  };
  const double start = clip.start(), end = clip.end();
  if (!std::isfinite(start) || !std::isfinite(end)) refuse("has keys at times that are not finite numbers");
  const bool uses_rate = frames <= 0 || (frames > 1 && !(end > start));
  if (uses_rate && !(fps > 0 && std::isfinite(fps) && std::isfinite(1 / fps)))
    refuse(fmt::format("cannot be sampled {:g} times a second; the rate must be above 0 and finite", fps));
  // The last key counts when it falls on a frame but for rounding.
  const double count = frames > 0 ? frames : std::floor((end - start) * fps + 1e-6) + 1;
  if (!(count <= kMostTimes))
    refuse(fmt::format("would have {:g} frames; ask for at most {:g}, or for a lower rate", count, kMostTimes));
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  if (frames > 0) {
    // A clip without duration (one key, or none) is held for `frames` frames.
    const double step = frames == 1 ? 0 : end > start ? (end - start) / (frames - 1) : 1 / fps;
    for (int i = 0; i < frames; ++i) times.push_back(start + step * i);
    if (frames > 1 && end > start) times.back() = end;
    return times;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    times.push_back(std::min(end, start + static_cast<double>(i) / fps));
  return times;
}

}  // namespace cutis
