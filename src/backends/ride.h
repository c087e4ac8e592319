// ALL VERTICES: what rides on the skin, once the skin is where it is.
#pragma once

#include <cstdint>
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

 private:
  void turn_skin(const Frame& frame, const Context& context);
  void carry(const BonePalette& palette, const Frame& frame, const Context& context);
  void keep_covered();
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
  std::vector<Vec3f> surface_;                 // per vertex of the surface, where skin touches
  TriangleBvh tree_;                           // around it
  std::vector<Vec3f> smooth_, smooth_normal_;  // all input vertices, by dual quaternions
  std::vector<Vec3f> riders_;
  std::vector<Quatf> rider_turn_;
  std::vector<float> rider_room_;
};

}  // namespace cutis
