// Points with normals from a part's surface, spread evenly, and caps where it is open.
//
// Differs from the papers: the number of samples is met exactly; samples are kept away from
// the seams themselves instead of from the ends of the bone, which would strip wide parts (pelvis, chest, palm) whose
// surface lies beside or behind their bone; surface in crevices (mouth, nostrils, inside of the ear) gives none.
#pragma once

#include <string>
#include <vector>

#include "field/exposure.h"
#include "field/hrbf.h"
#include "field/part_patch.h"

namespace cutis {

struct SamplingOptions {
  int target = 50;            ///< samples on the surface, >= 4; no more than three for every point of the patch
  double per_point = 0.02;    ///< and this many more per vertex of the part
  int limit = 160;            ///< never more: the fit's time grows with the cube
  double seam_margin = 0.15;  ///< kept free beside a seam, in radii of the seam's loop
  bool domes = true;          ///< four more samples around each cap, on an ellipsoid through it and the seam
  double cap = 1;             ///< distance of a cap from the joint, in units of the seam's least distance to it
};

struct PartSamples {
  std::vector<SurfaceSample> samples;  ///< surface first, caps last
  std::size_t surface = 0, caps = 0;
  std::size_t hidden = 0;  ///< places passed over because they lie in a crevice
  double spacing = 0;      ///< no two surface samples are nearer than this, metres
};

/// `thickness` (metres, > 0): ends much narrower than this get no cap. The result depends on the arguments alone;
/// random numbers are seeded by the part's name.
[[nodiscard]] PartSamples sample_part(const PartPatch& patch, const Exposure& exposure, double thickness,
                                      const SamplingOptions& options = {});

/// Where a fit can be held against the surface: the part's own vertices and random points of its triangles that can be
/// seen from outside and lie out of the free strips at the seams; at most `limit` of either. None of the triangles'
/// points is a sample of sample_part().
[[nodiscard]] std::vector<SurfaceSample> check_points(const PartPatch& patch, const Exposure& exposure,
                                                      const SamplingOptions& options, std::size_t limit);

}  // namespace cutis
