// Why triangles of a deformed mesh intersect: which parts, and whether the pose itself is to blame.
//
//   Explainer explainer(character, bind(character, context));
//   for (const PairGroup& g : explainer.explain(pose, frame.positions, metrics.pairs)) …
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/rig_file.h"

namespace cutis {

enum class PairCause : std::uint8_t {
  same_part,     ///< a part folds onto itself
  joint,         ///< parts that hang on each other: a fold at their joint
  rest_overlap,  ///< parts that are no neighbours but reach into each other at rest already (armpit, groin)
  bone_inside,   ///< the pose drives the bone of one part into the other: no skin can be right
  contact,       ///< parts that touch, and could without intersecting
};
inline constexpr std::size_t kPairCauses = 5;
[[nodiscard]] std::string_view to_string(PairCause cause);

/// Intersecting pairs of triangles of the same two parts.
struct PairGroup {
  int joint_a = -1, joint_b = -1;  ///< whose parts; a <= b
  PairCause cause = PairCause::contact;
  std::size_t pairs = 0;
  /// Of these, pairs whose vertices all lie on their own side: only the triangles cross, constraints at vertices see
  /// nothing.
  std::size_t own_side = 0;
  /// bone_inside: how deep, metres, the axis of `inside` lies in the other part; else 0 and -1.
  double depth = 0;
  int inside = -1;
};

class Explainer {
 public:
  /// The rig must be the character's, with a skin (BindOptions::implicit_skin). Throws Error(bad_argument) otherwise.
  Explainer(const Character& character, std::shared_ptr<const Rig> rig);
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  /// `positions`: all vertices in the input's order. `pairs`: FrameMetrics::pairs of them. Groups with most pairs
  /// first.
  [[nodiscard]] std::vector<PairGroup> explain(const Pose& pose, std::span<const Vec3f> positions,
                                               std::span<const std::array<std::uint32_t, 2>> pairs) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
