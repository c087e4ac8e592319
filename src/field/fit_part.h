// One part's shape, fitted and checked.
//
// An HRBF of the sampled surface; held against surface points that it has not seen, against the bone, which
// must be inside, and searched for second sheets, holes and bulges within the support. A bad fit is repeated with more
// samples, then replaced by spheres. Nothing is ever thrown: the report says what became of the part and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "field/compact_support.h"
#include "field/lattice.h"
#include "field/part_patch.h"
#include "field/part_sampling.h"
#include "field/part_shape.h"
#include "field/sphere_fit.h"

namespace cutis {

enum class ShapeChoice : std::uint8_t { automatic, spheres };

struct FitOptions {
  ShapeChoice shape = ShapeChoice::automatic;
  HrbfKernel kernel = HrbfKernel::cubic;
  SamplingOptions sampling = {};
  SupportOptions support = {};
  SphereFitOptions spheres = {};
  SphereSet given = {};                   ///< not empty: the shape, checked and not fitted
  double residual_limit = 0.12;           ///< 95th percentile of the distance at unseen points, in support radii
  int refits = 2;                         ///< each with 1.6 times as many samples, and rounder caps
  double work = 1e9;                      ///< sum of (samples)^3 over the systems solved; the first is always solved
  std::function<void()> checkpoint = {};  ///< called between steps of the fit; what it throws comes through
};

enum class FitKind : std::uint8_t {
  none,  ///< no field: the part owns no vertices
  hrbf,
  spheres,
};

struct FitReport {
  std::string name;
  FitKind kind = FitKind::none;
  int attempts = 0;                       ///< samplings tried
  std::size_t points = 0;                 ///< the part's own vertices
  std::size_t samples = 0, caps = 0;      ///< of the accepted HRBF
  double work = 0;                        ///< sum of (samples)^3 over the systems solved, as in FitOptions
  bool stinted = false;                   ///< more would have been solved if the work had lasted
  std::size_t tucks = 0;                  ///< samples that keep the field inside the character and filled
  std::vector<SurfaceSample> fitted;      ///< what the accepted HRBF goes through: samples, caps, tucks
  HrbfReport hrbf;                        ///< of the accepted HRBF
  std::size_t checked = 0;                ///< unseen points that the distances below are taken at
  double median = 0, p95 = 0, worst = 0;  ///< distance of the 0.5 surface to them, metres (to first order)
  double radius = 0;                      ///< of the support, metres
  bool bone_inside = false;               ///< the bone runs inside the part's surface: its sign can be checked
  bool sign_ok = false;                   ///< the field is above 0.5 on it (or the bone is outside)
  std::size_t stray_pieces = 0;           ///< second sheets within the support
  std::size_t voids = 0;                  ///< holes inside
  double bulge = 0;                       ///< most that the 0.5 surface stands off the character, metres
  std::vector<std::string> remarks;       ///< why attempts were given up; what is unusual about the part
};

struct FittedPart {
  PartShape shape;
  CompactSupport support;
  OrientedBox box;  ///< x along the bone; holds the whole support
  FitReport report;
};

[[nodiscard]] FittedPart fit_part(const PartPatch& patch, const FitOptions& options = {});

/// A part with a given shape (hand-made spheres), checked against the patch in the same way; never replaced.
[[nodiscard]] FittedPart check_shape(const PartPatch& patch, PartShape shape, const FitOptions& options = {});

/// x along the bone, y and z along the principal directions of the points across it.
[[nodiscard]] Mat3d bone_axes(const PartPatch& patch);

}  // namespace cutis
