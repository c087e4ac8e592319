// Implicit models of limbs: tubes with anatomical cross-sections, blended only where the body joins them.
//
// All lengths in metres. Fields are negative inside and, near the surface, close to the distance to it.
#pragma once

#include <string>
#include <vector>

#include "base/math.h"

namespace cutis::builtin {

/// Origin, and three unit vectors at right angles: `along` the tube, `side`, `front`.
struct Frame {
  Vec3d origin, along, side, front;

  [[nodiscard]] Vec3d point(double t, double u, double v) const { return origin + along * t + side * u + front * v; }
  /// `along` and `front` made orthonormal, front yielding; side = front x along.
  static Frame from(const Vec3d& origin, const Vec3d& along, const Vec3d& front);
};

/// Cross-section of a tube at distance t from its origin: two half ellipses of common width that may differ in
/// depth, around a centre that may wander off the axis.
struct Section {
  double t = 0;
  double half_width = 0;       ///< along `side`
  double front = 0, back = 0;  ///< depths along +`front` and -`front`
  double offset_front = 0;     ///< of the centre
  double offset_side = 0;
};

/// The bone that owns a tube's skin from distance t on.
struct BoneStart {
  double t = 0;
  std::string bone;
  double tilt = 0;  ///< the border is at t + tilt * (distance to the front of the axis)
};

/// A limb: sections joined by cubic splines, with ellipsoidal caps at both ends.
struct Tube {
  std::string name;
  Frame frame;
  std::vector<Section> sections;      ///< increasing t, at least two
  double cap_begin = 0, cap_end = 0;  ///< lengths of the caps
  double boxiness = 0;                ///< of the cross-section: 0 ellipse, 1 rounded rectangle
  double edge = 0.01;                 ///< wanted edge length of the mesh
  /// Steps of weight smoothing over the mesh: the blend at a joint is about 2 edge lengths * sqrt(softness) wide.
  int softness = 12;
  std::vector<BoneStart> bones;  ///< first entry owns the begin
  /// How far the smooth union with the shape so far reaches.
  double blend = 0.01;
  /// Tubes of one non-zero group (fingers) blend with the shape before the group, but not with each other.
  int group = 0;
  /// Only for symmetric shapes: this tube also exists mirrored in x, and the two blend over this length.
  bool mirrored = false;
  double mirror_blend = 0.01;
  /// Cut away from the shape instead of added.
  bool carve = false;
};

/// A tube shaped as an ellipsoid around `frame.origin`.
[[nodiscard]] Tube ellipsoid(std::string name, const Frame& frame, double along, double side, double front);

/// Smooth union of tubes in their order.
class Shape {
 public:
  /// `symmetric`: the shape is mirrored in x = 0; tubes not `mirrored` are centred there.
  explicit Shape(bool symmetric) : symmetric_(symmetric) {}

  void add(Tube tube);

  /// A floor: everything below is cut off, with a rounding of `blend`.
  void set_floor(double y, double blend);

  [[nodiscard]] double value(const Vec3d& p) const;
  [[nodiscard]] Vec3d gradient(const Vec3d& p) const;
  /// Newton steps along the gradient; with `keep_x`, within the plane of constant x.
  [[nodiscard]] Vec3d project(Vec3d p, bool keep_x) const;
  /// Wanted edge length of the mesh at p.
  [[nodiscard]] double edge_length(const Vec3d& p) const;
  /// Of the tube whose surface is nearest to p: its bone there, and its softness.
  struct Owner {
    std::string bone;
    int softness = 0;
  };
  [[nodiscard]] Owner owner_at(const Vec3d& p) const;
  [[nodiscard]] bool symmetric() const { return symmetric_; }
  [[nodiscard]] Box bounds() const;

 private:
  struct Prepared {
    std::vector<Section> slope;  ///< derivatives of the sections by t
    Box local;                   ///< in (t, u, v), with room for blending
  };
  [[nodiscard]] double tube_value(std::size_t i, const Vec3d& p) const;
  [[nodiscard]] double sided_value(std::size_t i, const Vec3d& p) const;

  bool symmetric_;
  std::vector<Tube> tubes_;
  std::vector<Prepared> prepared_;
  double floor_ = -1e9, floor_blend_ = 0;
};

}  // namespace cutis::builtin
