// Tracks made from clips, to try what real ones do: noise and gaps.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/option_rows.h"

namespace cutis {

SphereTrack make_sphere_track(const Character& character, const Clip& clip, const std::vector<double>& times,
                              const std::vector<TrackedSphere>& places) {
  SphereTrack track;
  track.name = clip.name;
  const Skeleton& skeleton = character.skeleton;
  std::vector<std::size_t> joints;
  std::vector<Vec3d> offsets;  // in the joint's frame
  for (std::size_t j = 0; j < skeleton.joints.size() && places.empty(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.is_bone || joint.alias_of >= 0) continue;
    joints.push_back(j);
    offsets.emplace_back();
    track.spheres.push_back({joint.name, std::nullopt, 0});
  }
  for (const TrackedSphere& place : places) {
    const int j = skeleton.find(place.joint);
    if (j < 0)
      throw Error(ErrorCode::bad_argument, fmt::format("sphere at '{}'", place.joint),
                  fmt::format("{} has no such joint; 'cutis info' lists them", character.source));
    joints.push_back(static_cast<std::size_t>(j));
    const Affine3d& rest = skeleton.joints[joints.back()].world_from_rest;
    offsets.push_back(place.rest ? transform_point(inverse(rest), *place.rest) : Vec3d{});
    track.spheres.push_back(place);
  }
  for (const double time : times) {
    const std::vector<Affine3d> world = world_from_joint(skeleton, sample(skeleton, clip, time));
    track.times.push_back(time);
    auto& row = track.centers.emplace_back();
    for (std::size_t i = 0; i < joints.size(); ++i) row.emplace_back(transform_point(world[joints[i]], offsets[i]));
  }
  return track;
}

void disturb(SphereTrack& track, const SphereNoiseOptions& options) {
  check_options(options, "spheres");
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  const auto normal = [&] {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * kPi * unit());
  };
  // Seen or not: a chain of two states whose runs have the length and the share that were asked for.
  std::vector<char> lost;
  for (std::size_t i = 0; i < track.spheres.size(); ++i) lost.push_back(unit() < options.gaps ? 1 : 0);
  for (std::size_t f = 0; f < track.times.size(); ++f) {
    const double step = f == 0 ? 0 : track.times[f] - track.times[f - 1];
    const double leave = std::min(1.0, step / options.length), enter = leave * options.gaps / (1 - options.gaps);
    for (std::size_t i = 0; i < track.spheres.size(); ++i) {
      if (f > 0) lost[i] = unit() < (lost[i] != 0 ? 1 - leave : enter) ? 1 : 0;
      const Vec3d off{normal(), normal(), normal()};
      std::optional<Vec3d>& center = track.centers[f][i];
      if (lost[i] != 0)
        center.reset();
      else if (center)
        *center += off * options.noise;
    }
  }
}

}  // namespace cutis
