// The model brought to a scan: closest points and damped Gauss-Newton in turn, from far to near.
// docs/algorithms/register.md, "Pose, lengths, thickness".
#pragma once

#include <span>
#include <vector>

#include "cutis/context.h"
#include "register/body_model.h"
#include "register/point_tree.h"

namespace cutis {

/// Surfaces whose normals differ more do not match: cosine.
inline constexpr double kAlike = 0.3;
/// Nearest points that are asked which way they face.
inline constexpr std::size_t kTried = 8;

/// The scan in metres. Points are spread evenly.
struct FitTarget {
  std::vector<Vec3d> points, normals;
  PointTree tree;
  double spacing = 0;
  bool one_sided = false;  ///< what faces away from all of it is no fault of a pose
};
[[nodiscard]] FitTarget make_target(std::vector<Vec3d> points, std::vector<Vec3d> normals, bool one_sided = false);

/// Which numbers vary.
struct FitScope {
  bool turns = true;  ///< of bones; else the model moves as one piece
  bool size = true;
  bool shape = false;      ///< lengths and thickness
  double least_share = 0;  ///< bones that carry less of the skin keep their angles
};

struct FitStage {
  FitScope scope;
  int rounds = 10;                ///< of closest points
  double far = 0.1, near = 0.02;  ///< how far off matches may be, in extents of the model: at first, in the end
  std::size_t samples = 600;      ///< of the model
  double tangential = 0.1;        ///< weight of distances along the surface beside those across it
};

/// Points that are known, beside what the surfaces say.
struct KnownPoint {
  ModelSample sample;
  Vec3d target;
};

/// Improves `state`.
void fit_model(const BodyModel& model, const FitTarget& target, std::span<const KnownPoint> known,
               const FitStage& stage, ModelState& state, const Context& context);

/// How badly a state explains a scan, in extents of the model: root mean square of distances both ways, cut off at
/// `far`, between surfaces that face the same way; the model's own counts half, as a scan may show a part alone.
[[nodiscard]] double misfit(const BodyModel& model, const FitTarget& target, const ModelState& state, double far,
                            std::size_t samples);

/// How far a state is from what is usual: joints beyond their ranges or far from rest, odd proportions. Without unit; a
/// number of squared standard deviations.
[[nodiscard]] double oddness(const BodyModel& model, const ModelState& state);

/// What decides between states: both, as in the fit itself.
[[nodiscard]] double badness(const BodyModel& model, const FitTarget& target, const ModelState& state, double far,
                             std::size_t samples);

/// The points as a marker fit takes them, and the state that it finds. `scale`: of the character beside the points.
[[nodiscard]] ModelState fit_to_points(const BodyModel& model, std::span<const KnownPoint> known,
                                       const ModelState& start, int iterations);

}  // namespace cutis
