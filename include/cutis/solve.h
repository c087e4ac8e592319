// One character over time: poses in, deformed meshes out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/rig.h"

namespace cutis {

enum class Method { lbs, dqs };

[[nodiscard]] std::string_view to_string(Method method);
/// Throws Error(bad_argument) that lists the methods.
[[nodiscard]] Method method_from_string(std::string_view name);
[[nodiscard]] std::vector<std::string> method_names();

struct SolveOptions {
  Method method = Method::dqs;
};

struct FrameReport {
  double milliseconds = 0;
  std::size_t nonfinite = 0;  ///< vertices kept at their last good position because a number was not finite
};

/// All vertices of all meshes in the input's order; scene space.
struct Frame {
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;
  FrameReport report;
};

class Solver {
 public:
  Solver(std::shared_ptr<const Rig> rig, const SolveOptions& options, const Context& context);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Deforms the character to `pose`. The reference is valid until the next call. Never throws on poses of the
  /// right size, never returns a non-finite number.
  const Frame& solve(const Pose& pose);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
