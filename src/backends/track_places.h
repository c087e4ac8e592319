// The order in which tracking goes through vertices: by part, then along a curve that fills space, in blocks of
// sixteen.
//
// Vertices of a block share their part and most of what is near them, so that packs look up the same fields, and
// neighbours are close in memory. A part begins with a new block; places that are left over have no vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/float4.h"
#include "rig/rig.h"

namespace cutis {

/// A number of each place of a block.
template <class T>
struct alignas(64) TrackLanes {
  T v[16] = {};
};

/// A block of places of which vertices live.
struct TrackLive {
  std::uint32_t block = 0;
  std::uint32_t lanes = 0;  ///< bits: which of its places
};

struct TrackPlaces {
  static constexpr std::size_t kBlock = 16;  ///< a multiple of the lanes of every pack
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::vector<std::uint32_t> vertex;  ///< per place; kNone: no vertex
  std::vector<std::uint32_t> place;   ///< per vertex
  std::vector<std::uint32_t> order;   ///< vertices by place
  std::vector<std::uint32_t> owner;   ///< per block: bone
  std::vector<Float4> rest;           ///< per place: where its vertex is at rest; the last lane is 0
  // Neighbours, padded: every vertex of a block has as many rows as the one with the most. What is missing is the
  // vertex itself, with a weight of 0.
  std::vector<std::uint32_t> rows;                ///< per block and one more: its first row
  std::vector<TrackLanes<std::uint32_t>> link;    ///< per row: four times the neighbour's place
  std::vector<TrackLanes<float>> weight;          ///< per row
  std::vector<TrackLanes<float>> length_squared;  ///< per row: of the edge at rest; 1 where there is none
  std::vector<TrackLanes<float>> degree;          ///< per block: neighbours of each

  [[nodiscard]] std::size_t blocks() const { return vertex.size() / kBlock; }
};
[[nodiscard]] TrackPlaces make_track_places(const RigSurface& surface);

}  // namespace cutis
