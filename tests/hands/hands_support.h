// Tracks with known answers.
#pragma once

#include <cmath>
#include <random>

#include "base/math.h"
#include "cutis/character.h"
#include "cutis/hands.h"

namespace cutis::test {

/// Normal noise on every centre, standard deviation in metres along each axis.
inline void add_noise(SphereTrack& track, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  for (auto& row : track.centers)
    for (auto& c : row)
      if (c) *c += Vec3d{normal(random), normal(random), normal(random)};
}

struct Distance {
  double mean = 0, largest = 0;
};

/// Of the bones' joints between two clips.
inline Distance joint_distance(const Character& character, const Clip& a, const Clip& b,
                               const std::vector<double>& times) {
  Distance d;
  std::size_t count = 0;
  for (const double t : times) {
    const auto x = world_from_joint(character.skeleton, sample(character.skeleton, a, t));
    const auto y = world_from_joint(character.skeleton, sample(character.skeleton, b, t));
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (!character.skeleton.joints[j].is_bone) continue;
      const double miss = distance(x[j].translation, y[j].translation);
      d.mean += miss;
      d.largest = std::max(d.largest, miss);
      ++count;
    }
  }
  d.mean /= static_cast<double>(count);
  return d;
}

}  // namespace cutis::test
