// Hands (or any skeleton) driven by tracked spheres: a pose from sphere centres, and a character fitted to the person
// who was tracked.
//
//   const SphereTrack track = load_sphere_track("hand.json");
//   const SphereMotion motion = pose_from_spheres(character, track, {}, context);   // motion.clip plays like any other
//
// Mathematics: docs/algorithms/implicit.md, "Hands from spheres".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"

namespace cutis {

/// A sphere that a tracker follows, and where it sits on the character.
struct TrackedSphere {
  std::string joint;          ///< that carries it
  std::optional<Vec3d> rest;  ///< centre at the rest pose, scene space; none: the joint itself
  double radius = 0;          ///< as tracked, metres; 0: not known
};

/// Metres, seconds, scene space.
struct SphereTrack {
  std::string name = "spheres";
  std::vector<TrackedSphere> spheres;
  std::vector<double> times;                               ///< rising
  std::vector<std::vector<std::optional<Vec3d>>> centers;  ///< per time, per sphere; none: not seen
};

/// {"name": "...", "unit": "m" (or "cm", "mm"), "fps": 30,
///  "spheres": ["joint", {"joint": "...", "rest": [x, y, z], "radius": r}, ...],
///  "frames": [[[x, y, z], null, ...], {"time": t, "centers": [...]}, ...]}
/// Throws Error(bad_file) that names the place.
[[nodiscard]] SphereTrack load_sphere_track(const std::string& file);
[[nodiscard]] SphereTrack sphere_track_from_json(std::string_view text, const std::string& place);
[[nodiscard]] std::string to_json(const SphereTrack& track);

/// What a perfect tracker would see of a clip: one sphere a bone, at its joint; with places given, those (joint, rest
/// and radius; the joints must be the character's).
[[nodiscard]] SphereTrack make_sphere_track(const Character& character, const Clip& clip,
                                            const std::vector<double>& times,
                                            const std::vector<TrackedSphere>& places = {});

/// What real trackers do to it.
struct SphereNoiseOptions {
  double noise = 0;     ///< of the centres, metres, standard deviation, along each axis
  double gaps = 0;      ///< share of the centres that are not seen, 0 to 0.9, in runs
  double length = 0.2;  ///< of those runs, seconds, in the mean
  int seed = 1;         ///< the same seed, the same bits
};
void disturb(SphereTrack& track, const SphereNoiseOptions& options);

struct SpherePoseOptions {
  double noise = 0;      ///< of the centres, metres, standard deviation; 0: 0.5% of the spheres' extent
  double swing = 1.05;   ///< how far joints usually turn from the default pose, radians
  double twist = 0.17;   ///< and about their own bone
  double outlier = 2.5;  ///< centres that miss by more than so many times the noise count less
  int iterations = 30;   ///< at most, each frame
};

struct SphereMotion {
  Clip clip;
  std::vector<double> miss;  ///< per frame: root mean square distance of the centres to their places, metres
  std::size_t missing = 0;   ///< centres that were not seen, all frames together
  std::size_t joints = 0;    ///< that the spheres turn
};

/// Poses with the character's own bone lengths, nearest to the centres. Spheres that are not seen are left out; joints
/// that no sphere turns keep their default pose. Every frame is fitted by itself. Throws Error when a sphere's joint is
/// not in the character, or when fewer than three spheres are ever seen together.
[[nodiscard]] SphereMotion pose_from_spheres(const Character& character, const SphereTrack& track,
                                             const SpherePoseOptions& options, const Context& context);

/// How a person's hand differs from the character.
struct SphereRegistration {
  struct Bone {
    std::string joint;      ///< the bone from its parent to it
    double length = 1;      ///< times the character's
    double thickness = 1;   ///< of the skin around the joint, times the character's
    bool measured = false;  ///< else as all bones together
  };
  double size = 1;                         ///< of all bones together
  std::vector<Bone> bones;                 ///< joints that spheres are at or below
  double miss_before = 0, miss_after = 0;  ///< root mean square distance of the centres to the fitted poses, metres
};

/// Bone lengths from the distances of neighbouring spheres, then by least squares over all poses at once; thickness
/// from the spheres' radii. Throws like pose_from_spheres().
[[nodiscard]] SphereRegistration register_spheres(const Character& character, const SphereTrack& track,
                                                  const SpherePoseOptions& options, const Context& context);

/// The character with those bone lengths and thicknesses; topology, weights and clips' rotations stay.
[[nodiscard]] Character fitted_to(const Character& character, const SphereRegistration& registration);

template <>
[[nodiscard]] std::span<const OptionRow<SpherePoseOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<SphereNoiseOptions>> option_rows();

}  // namespace cutis
