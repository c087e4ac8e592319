// What a person may paint on the skin: stiff regions, targets that vertices slide to, muscles that swell. Parts of a
// Preset; Method::tracking follows all three. docs/algorithms/elasticity.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cutis/character.h"
#include "cutis/types.h"

namespace cutis {

struct RegionSphere {
  Vec3d center;  ///< scene space, rest pose
  double radius = 0;

  friend bool operator==(const RegionSphere&, const RegionSphere&) = default;
};

/// Skin that slides less than the rest, or not at all, or that touches nothing. Selected is what any of the lists
/// names; where regions overlap the last one holds.
struct SkinRegion {
  std::string name;
  std::vector<std::string> joints = {};      ///< their parts
  std::vector<std::string> meshes = {};      ///< whole meshes
  std::vector<std::uint32_t> vertices = {};  ///< of all meshes, in the input's order
  std::vector<RegionSphere> spheres = {};    ///< vertices inside
  std::string paint{};                       ///< a vertex colour and its channel, "COLOR_0.r": selected by its value
  double stiffness = 1;                      ///< 0: as skin is; 1: no relaxation, vertices follow their bone
  double fade = 0;                           ///< metres along the skin over which it fades out around the selection
  std::optional<double> blend = {};          ///< 0 to 1: weight of the blend operator, instead of its own; none: as is
  bool contact = true;                       ///< false: passes through other skin as if it were not there (hair, props)

  friend bool operator==(const SkinRegion&, const SkinRegion&) = default;
};

struct SkinTargetKey {
  double time = 0;             ///< Pose::time, seconds
  double weight = 0;           ///< 0: not there; 1: the vertex goes all the way
  std::optional<Vec3d> point;  ///< scene space, rest pose; none: where the vertex is at rest

  friend bool operator==(const SkinTargetKey&, const SkinTargetKey&) = default;
};

/// A vertex slides over the skin towards a point that a bone carries, as keys say over time (linear between them, held
/// before and after). Only along the skin: the surface stays where it is.
struct SkinTarget {
  std::string name;
  std::uint32_t vertex = 0;              ///< of all meshes, in the input's order
  std::string joint{};                   ///< carries the point; empty: that of the vertex's part
  double radius = 0;                     ///< metres along the skin: what is drawn along, less and less
  std::vector<SkinTargetKey> keys = {};  ///< times rising, at least one

  friend bool operator==(const SkinTarget&, const SkinTarget&) = default;
};

enum class MuscleForm {
  ellipsoid,  ///< its tips are the ends
  capsule,    ///< round ends around them
};
[[nodiscard]] std::string_view to_string(MuscleForm form);

/// A primitive in the field of a bone, smoothly united with it, whose thickness follows the angle of a joint.
struct Muscle {
  std::string name;
  std::string joint;  ///< carries it; must own skin
  MuscleForm form = MuscleForm::ellipsoid;
  Vec3d from, to;      ///< its ends; scene space, rest pose
  double radius = 0;   ///< metres, where its curve is 0
  std::string driver;  ///< joint
  /// Degrees between the driver's bone and its parent's bone (0: in line) -> inflation, by which the radius is larger
  /// (0.3: 30%), -0.9 to 4. Angles rise; linear between the points, constant outside.
  std::vector<std::pair<double, double>> curve = {};

  friend bool operator==(const Muscle&, const Muscle&) = default;
};

/// A biceps on each upper arm of a character whose joints have names of arms ("upper_arm_l", "mixamorig:LeftArm"), on
/// the side to which the elbow bends, at rest or in the clips (to the front where nothing bends it), as thick as the
/// arm asks for. Throws Error(bad_argument) when no arm is found or the arms have no skin.
[[nodiscard]] std::vector<Muscle> make_biceps(const Character& character);

}  // namespace cutis
