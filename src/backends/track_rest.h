// What tracking knows of the rest pose; made once for a rig.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/coarse_skin.h"
#include "backends/track_places.h"
#include "base/float4.h"
#include "cutis/context.h"
#include "cutis/types.h"
#include "rig/parts.h"
#include "rig/rig.h"

namespace cutis {

/// Another part's field at the vertices of a block, at rest.
struct TrackReach {
  TrackLanes<float> value, lead;  ///< TrackRest::other_value, core_lead; 0 where it does not reach
  std::uint32_t bone = 0;
};

/// Fields of other parts at the skin, at rest: long to find.
struct FieldsRest {
  static constexpr std::string_view kRestName = "fields";
  RigRows others;                  ///< TrackRest
  std::vector<float> other_value;  ///< TrackRest
  std::vector<float> core_lead;    ///< TrackRest
  std::vector<float> steepest;     ///< TrackRest

  void write(RestWriter& out) const;
  [[nodiscard]] bool read(RestReader& in, const Rig& rig);
};

/// What tracking knows of the rest pose.
struct TrackRest {
  static constexpr std::string_view kRestName = "tracking";
  struct FoldParts {
    std::uint32_t lower = 0, upper = 0;
  };
  std::vector<float> own;          ///< the own part's field at the vertex: the level that it keeps
  RigRows others;                  ///< other bones whose field reaches the vertex, rising
  std::vector<float> other_value;  ///< per item of others
  std::vector<char> tracked;       ///< the own field has a usable value and gradient
  std::vector<float> slope;        ///< of the own field on its surface, 1 / metres; the same for all of a part
  std::vector<float> gap;          ///< that contact keeps, metres
  std::vector<float> hold;  ///< of smooth skinning on free skin, against the neighbours' pull; not more than 1 counts
  /// 1 where edges are fine enough for smoothing over neighbours to be smoothing, 0 where they span the part.
  std::vector<float> fine;
  /// 0 to 1: coarse_parts() of its part, fading into the parts around; empty: nowhere.
  std::vector<float> coarse;
  CoarseSkin pieces;                ///< of the skin, in which edges span the parts
  std::vector<float> stiffness;     ///< 0 to 1 (1: follows its bone); empty: 0 everywhere
  std::vector<Vec3f> core;          ///< the point of the bone's axis that the vertex belongs to
  std::vector<float> core_lead;     ///< per item of others: by how much the other's field is the larger one there
  std::vector<char> joined;         ///< joined_parts()
  std::vector<FoldParts> folds;     ///< joined parts of which one hangs on the other
  std::vector<std::int32_t> fold;   ///< bones x bones: which of `folds`; -1: none
  std::vector<int> depth;           ///< per bone: of the skeleton above it
  std::vector<Vec3d> axis;          ///< per bone: its direction
  std::vector<char> flat;           ///< per bone: its skin is a flat sheet, which has no inside; its field says nothing
  std::vector<Box> parts;           ///< per bone: around its vertices
  std::vector<float> least_edge;    ///< per bone: the shortest local edge of its vertices
  std::vector<float> steepest;      ///< per bone: bound on the slope of its field, 1 / metres; muscles left out
  std::vector<float> edge_squared;  ///< per item of the surface's neighbours: of the edge's length
  std::vector<char> mates;          ///< bones x bones: the second turns skin of the first
  std::vector<char> reaches;        ///< bones x bones: the second's field reaches skin of the first
  RigRows corners;                  ///< triangles at each vertex, rising
  std::vector<Vec3f> normals;       ///< of the surface, weighted by area; 0 where there is none
  TrackPlaces places;               ///< in which order, and padded
  std::vector<std::uint32_t> tracked_lanes, rigid_lanes;  ///< per block: bits
  std::vector<Float4> core_at;                            ///< per place: core
  std::vector<Float4> kept;                               ///< per place: own, edge, hold, stiffness
  std::vector<std::uint32_t> reach_begin;                 ///< per block and one more: in `reach`
  std::vector<TrackReach> reach;                          ///< bones rise

  /// Of `bone` among the others of v, or -1.
  [[nodiscard]] std::ptrdiff_t place(std::size_t v, std::uint32_t bone) const {
    for (std::size_t i = others.begin[v]; i < others.begin[v + 1]; ++i)  // rows are short
      if (others.items[i] == bone) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }
  /// Follows its bone, unless contact holds it off.
  [[nodiscard]] bool is_rigid(std::size_t v) const { return !stiffness.empty() && stiffness[v] >= 0.999F; }
};
/// Made once, shared by all solvers of the rig.
[[nodiscard]] std::shared_ptr<const TrackRest> track_rest(const Rig& rig, const Context& context);
[[nodiscard]] TrackRest make_track_rest(const Rig& rig, const Context& context);

}  // namespace cutis
