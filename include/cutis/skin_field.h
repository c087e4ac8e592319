// The implicit skin of a rig in a pose: its composed field at points, in slices, and as a surface.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/rig_file.h"

namespace cutis {

struct SkinFieldSample {
  float value = 0;   ///< 0 outside all supports, 0.5 on the skin, towards 1 inside
  Vec3f gradient;    ///< inward
  int joint = -1;    ///< whose part is felt most; -1 outside all supports
  int other = -1;    ///< in a contact: the joint on the other side
  float across = 0;  ///< in a contact: by how much the own side is felt more; 0 on the contact surface
  int side = 0;      ///< in a contact: its number, positive on one side and negative on the other
};

/// How far a joint's bone points away from its parent's.
struct JointBend {
  double angle = 0;  ///< radians; 0: straight on
  Vec3d axis;        ///< unit, as it lies when the parent is at rest; 0 when the joint is straight
};

/// A rectangle in the scene.
struct SlicePlane {
  Vec3d center, right{1, 0, 0}, up{0, 1, 0};  ///< unit, at right angles
  double width = 1, height = 1;               ///< metres
};

/// The field over a rectangle. x and y are metres from its centre.
struct FieldSlice {
  struct Line {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  };
  int columns = 0, rows = 0;
  std::vector<float> values;   ///< row by row from the lower edge
  std::vector<Line> contacts;  ///< pieces of the contact surfaces
};

struct SkinSurface {
  std::vector<Vec3f> positions, normals;
  std::vector<Triangle> triangles;
  std::vector<int> joints;  ///< per vertex
};

/// At right angles to x (0), y (1) or z (2), as large as `bounds`.
[[nodiscard]] SlicePlane plane_across(const Box& bounds, int axis, double position);

class SkinField {
 public:
  /// At rest. Throws Error(bad_argument) when the rig has no implicit skin.
  explicit SkinField(std::shared_ptr<const Rig> rig);
  ~SkinField();
  SkinField(SkinField&&) noexcept;
  SkinField& operator=(SkinField&&) noexcept;

  void set_rest();
  void set_pose(const Pose& pose);
  /// From now on the field of this joint's part alone, before anything is composed; -1: the composed one again. Throws
  /// Error(bad_argument) when the joint moves no vertices.
  void isolate(int joint);

  /// As many samples as points.
  void evaluate(std::span<const Vec3f> points, std::span<SkinFieldSample> samples, const Context& context) const;
  /// Holds all supports.
  [[nodiscard]] Box bounds() const;

  /// Throws Error(bad_argument) that names joints with a part.
  [[nodiscard]] int joint(std::string_view name) const;
  [[nodiscard]] JointBend bend(int joint) const;
  /// Through the joint and along the bones that meet there, at right angles to `axis` (JointBend): the parent comes
  /// from the left, and what bends about the axis bends upwards. No axis: the plane that is seen from the front (or
  /// from above, for bones that point there).
  [[nodiscard]] SlicePlane plane_through(int joint, std::optional<Vec3d> axis) const;

  /// Per vertex of all meshes, in the input's order: how strongly the blend operator would act there, were it the
  /// joints' (Implicit, figure 25): 0 the union, 1 the whole blend. On the inner side of joints that are bent, and as
  /// regions of the preset have painted it; 0 where no other part of a joint is felt.
  [[nodiscard]] std::vector<float> blending_weights(const Context& context) const;

  [[nodiscard]] FieldSlice slice(const SlicePlane& plane, int columns, const Context& context) const;
  /// The surface where the field is `level`, from cubes of side `cell` (metres). Throws Error(bad_argument) when that
  /// would take more than 64 million of them.
  [[nodiscard]] SkinSurface surface(double cell, double level, const Context& context) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
