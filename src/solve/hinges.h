// Pairs of parts that bend against each other: the direction of the bend, and the operator between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/engine.h"
#include "cutis/compose.h"
#include "cutis/solve.h"
#include "rig/rig.h"

namespace cutis {

/// A hinge is a part and one above it in the skeleton that grow out of each other (`joined`, bones x bones), or, with a
/// blend, the two parts of a joint. The blend (Implicit §3.4.2) is opened by the angle between the bones.
class Hinges {
 public:
  Hinges(const Rig& rig, std::span<const char> joined, const ImplicitOptions& options);

  /// `rotations`: per bone, relative to rest.
  void update(const Rig& rig, std::span<const Quatd> rotations);

  std::vector<Hinge> hinges;
  std::vector<JointOperator> operators;  ///< per hinge
  std::vector<std::int16_t> of;          ///< matrix bones x bones: hinge, or -1

 private:
  void add(const Rig& rig, std::uint32_t lower, std::uint32_t upper, bool blends);

  Controller opening_;
  std::vector<std::uint32_t> lower_, upper_;  // per hinge: bones
};

}  // namespace cutis
