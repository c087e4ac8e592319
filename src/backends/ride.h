// ALL VERTICES: what rides on the skin, once the skin is where it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/engine.h"
#include "cutis/context.h"
#include "cutis/frame.h"
#include "geometry/triangle_bvh.h"
#include "rig/rig.h"

namespace cutis {

class LayerRide {
 public:
  /// The rig must outlive this.
  explicit LayerRide(const Rig& rig);

  /// Sets positions and normals of all riders from those of the skin, its contact data where there are some, and the
  /// bones. Depends on nothing else: no state goes from frame to frame.
  void ride(const BonePalette& palette, Frame& frame, const Context& context);

  /// Riders of a shape that another deformer made (all input vertices): each stays over the skin as it is there, and
  /// goes along with what the frame's skin does beyond it; where cloth has little room it is laid on the skin anew.
  /// What follows a bone, or its own weights, is the shape's.
  void go_along(std::span<const Vec3f> shape, std::span<const Vec3f> shape_normals, Frame& frame,
                const Context& context);

 private:
  /// A point that a garment covers: from it to the garment, its normal, room and how far the garment rides there.
  struct Covered {
    Vec3f above, normal;
    float room = 1, share = 0;
  };

  void turn_skin(std::span<const Vec3f> positions, const Context& context);
  void carry(const BonePalette& palette, const Frame& frame, const Context& context);
  /// `most`: per cover, the height over it that is enough; empty: any.
  void keep_covered(std::span<const float> most);
  [[nodiscard]] Covered covered(const RigCover& cover) const;
  void press_under(Frame& frame);
  [[nodiscard]] Vec3f foot_in(std::span<const Vec3f> positions, std::size_t rider) const;
  [[nodiscard]] Vec3f rest_offset(std::size_t rider) const;
  void mean_turn(std::size_t rider);
  void write(const BonePalette& palette, Frame& frame, const Context& context) const;
  void make_room(const Frame& frame, const Context& context);
  [[nodiscard]] float first_facing(const Vec3f& p, const Vec3f& way) const;

  const Rig& rig_;
  // The vertices of the skin that hold riders or lie below them.
  std::vector<std::uint32_t> held_;
  std::vector<std::uint32_t> slot_;   // per vertex of the surface: its place in held_
  RigRows corners_;                   // per place: triangles at it
  std::vector<Vec3f> rest_normal_;    // per place, weighted by area
  std::vector<Vec3f> skin_, normal_;  // per place
  std::vector<Quatf> turn_;           // per place: how the skin around it has turned since rest
  std::vector<float> height_;         // per place: of the highest cloth over it
  std::vector<float> room_;           // per place: the part of its height that cloth can have there
  std::vector<float> way_;            // per place: along the skin from where it touches
  std::vector<std::uint32_t> ring_;
  std::vector<Vec3f> surface_;  // per vertex of the surface, where skin touches
  TriangleBvh tree_;            // around it
  std::vector<float> least_, depth_,
      deeper_;  // per vertex of the surface: how far it is pressed in, at least and so far
  std::vector<Vec3f> smooth_, smooth_normal_;  // all input vertices, by dual quaternions
  std::vector<Vec3f> riders_;
  std::vector<Quatf> rider_turn_;
  std::vector<float> rider_room_;
  std::vector<Quatf> shape_turn_;    // turn_ in the shape
  std::vector<Quatf> along_turn_;    // of riders, from the shape on
  std::vector<float> shape_height_;  // of garments over what they cover, in the shape
};

}  // namespace cutis
