// The search for the curve around one joint (Lu 2008, section 3.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "geometry/plane_section.h"
#include "weights/atlas_skeleton.h"

namespace cutis {

/// Where a joint's curve was found.
enum class CutPlace {
  at_joint,
  at_waist,       ///< a little up or down the bones, where the body is clearly narrower
  down_the_bone,  ///< at the joint there is none without another bone in it: further down there is
  nearest_curve,  ///< none encloses the joint: the nearest was taken
  missing,
};
[[nodiscard]] std::string_view to_string(CutPlace place);

/// A curve that would do.
struct CutCandidate {
  CutPlace place = CutPlace::missing;
  Plane plane;       ///< the normal points to the lower bone
  double tilt = 0;   ///< radians between the normal and the bisector of upper and lower bone
  double score = 0;  ///< its perimeter, plus what tilt and distance from the joint cost
  SectionCurve curve;
};

class CutSearch {
 public:
  /// All are kept by reference. `bone` has a parent.
  CutSearch(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton, const std::vector<Strut>& struts,
            const PlaneSections& sections, std::uint32_t bone);

  /// At the joint, or at a waist near it; if there is none, down the bone; if there is none either, the nearest curve.
  /// Best first; empty when no curve will do.
  [[nodiscard]] std::vector<CutCandidate> first_choice();
  /// When those will not do after all: down the bone, then the nearest curve.
  [[nodiscard]] std::vector<CutCandidate> second_choice();

 private:
  [[nodiscard]] Vec3d sideways() const;
  [[nodiscard]] bool shares_joint() const;
  [[nodiscard]] std::vector<CutCandidate> around(const Vec3d& point, CutPlace place);
  [[nodiscard]] std::optional<Vec3d> waist(double best);
  [[nodiscard]] std::vector<CutCandidate> down_the_bone();
  [[nodiscard]] std::vector<CutCandidate> nearest();
  [[nodiscard]] std::optional<CutCandidate> evaluate(const Vec3d& point, CutPlace place, const Vec3d& axis,
                                                     double angle, const std::vector<RayHit>& hits, double limit);
  template <class At>
  void refine(double angle, double score, const At& at, std::vector<CutCandidate>& found);
  [[nodiscard]] bool pierced(const SectionCurve& curve, const Plane& plane) const;
  [[nodiscard]] double cost(const Vec3d& point, double angle, double perimeter) const;

  const WeightProblem& problem_;
  const std::vector<AtlasBone>& skeleton_;
  const std::vector<Strut>& struts_;
  const PlaneSections& sections_;
  std::uint32_t bone_;
  Vec3d joint_, upper_, lower_, bisector_;
  std::vector<Vec3d> axes_;  // every family of planes turns about one of these
  std::vector<std::uint32_t> seen_;
  PlaneSections::Scratch scratch_;
};

}  // namespace cutis
