// The character as a model with few numbers: a place, a turn of every bone, one size, and of every bone how much longer
// and thicker it is. docs/algorithms/register.md, "The model".
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "volume/body_roles.h"
#include "volume/driven_skeleton.h"
#include "volume/joint_limits.h"

namespace cutis {

[[nodiscard]] inline std::size_t slot(int i) { return static_cast<std::size_t>(i); }

/// A point of the skin at rest.
struct ModelSample {
  struct Share {
    int bone = -1;
    double weight = 0;
    Vec3d offset;  ///< from the bone's joint, at rest
  };
  Vec3d position, normal;
  std::vector<Share> shares;  ///< weights sum to 1
};

/// Logarithms of stretches: of the skin along the bone, of it across the bone twice, of the way to the joints below.
using BoneShape = std::array<double, 4>;

struct ModelState {
  Vec3d root;                    ///< the first bone's joint
  std::vector<Quatd> turn;       ///< of each bone from rest, scene axes
  double size = 0;               ///< logarithm of the common factor
  std::vector<BoneShape> shape;  ///< of each bone
};

/// Where a state puts the bones: p -> place + map (p_rest - rest).
struct PlacedBones {
  std::vector<Vec3d> place;
  std::vector<Mat3d> map;      ///< turn times stretch
  std::vector<Mat3d> stretch;  ///< symmetric
  std::vector<Mat3d> reach;    ///< the same for the joints below
};

struct BodyModel {
  DrivenSkeleton skeleton;
  std::vector<int> parent;  ///< of each bone; roots beyond the first hang on it, at a distance that only `size` changes
  std::vector<std::vector<int>> children;
  std::vector<int> bone_of_joint;  ///< of every joint: its bone, or the one that carries it
  JointLimits limits;
  std::vector<double> usual_turn;  ///< of each bone beside its parent, from rest: standard deviation, radians
  BodyRoles roles;
  bool is_body = false;                     ///< with arms and legs
  double extent = 1;                        ///< diagonal of the character at rest
  std::vector<std::array<Vec3d, 3>> frame;  ///< of each bone: along it, and across it twice; at rest
  std::vector<int> mirror;                  ///< the bone of the other side, or -1
  std::vector<char> outer;                  ///< per vertex of all meshes: a scanner can see it
  std::vector<ModelSample> samples;         ///< evenly over the outer skin; every beginning of the list is even too
  std::vector<double> share;                ///< of each bone: of the skin that hangs on it and below
  std::vector<double> own_share;

  [[nodiscard]] std::size_t bones() const { return parent.size(); }
  [[nodiscard]] bool extra_root(int bone) const {
    return bone > 0 && skeleton.bones[static_cast<std::size_t>(bone)].parent < 0;
  }
};

/// Throws Error(bad_character) without bones or weights.
[[nodiscard]] BodyModel make_body_model(const Character& character, const Context& context);

[[nodiscard]] ModelState rest_state(const BodyModel& model);
[[nodiscard]] PlacedBones place_bones(const BodyModel& model, const ModelState& state);
[[nodiscard]] BonePose to_bone_pose(const BodyModel& model, const ModelState& state);  ///< lengths as the state's

[[nodiscard]] Vec3d place_of(const ModelSample& sample, const PlacedBones& bones);
[[nodiscard]] Vec3d normal_of(const ModelSample& sample, const ModelState& state);

/// Vertices at rest with no bone thicker than what carries it: a skin that meets itself about as little as the
/// character's own. Of all meshes.
[[nodiscard]] std::vector<Vec3f> thinner_skin(const Character& character, const BodyModel& model,
                                              const ModelState& state);

/// The character with that size, those lengths and thicknesses, at rest; clips' keys of places follow.
[[nodiscard]] Character reshaped(const Character& character, const BodyModel& model, const ModelState& state);

}  // namespace cutis
