// The turn of the skin at a vertex: the one that takes its rest normal to its normal, then about the normal as far as the
// edges there have turned on average. Each vertex that holds a rider would carry it along by its own turn; they agree
// where the skin keeps its shape, and their mean is smooth where it does not.
#include "backends/ride.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "kernels/skin.h"

namespace cutis {
namespace {

constexpr std::size_t kRidersPerChunk = 512;
// Where skin touches skin there is room for cloth between the two gaps that contact keeps (0.15 edges): each side takes
// this many edges.
constexpr float kSqueezedEdges = 0.03F;
// Cloth keeps at least this part of its height over every point that it covers.
constexpr float kKeptHeight = 0.5F;
// A point that has slid from below its triangle by more than so many heights, or as much of an edge, is not covered by it.
constexpr float kSlid = 2.0F;
constexpr int kCoverPasses = 4;

}  // namespace

LayerRide::LayerRide(const Rig& rig) : rig_(rig) {
  const RigSurface& s = rig.surface;
  const RigLayers& l = rig.layers;
  std::vector<char> wanted(s.size(), 0);
  for (const std::uint32_t v : l.anchors.items) wanted[v] = 1;
  for (const RigCover& c : l.covers)
    if (c.below < s.size()) wanted[c.below] = 1;
  slot_.assign(s.size(), RigLayers::kNone);
  for (std::uint32_t v = 0; v < s.size(); ++v) {
    if (wanted[v] == 0) continue;
    slot_[v] = static_cast<std::uint32_t>(held_.size());
    held_.push_back(v);
  }
  std::vector<std::vector<std::uint32_t>> at(held_.size());
  for (std::uint32_t t = 0; t < s.triangles.size(); ++t)
    for (const std::uint32_t v : s.triangles[t])
      if (slot_[v] != RigLayers::kNone) at[slot_[v]].push_back(t);
  corners_.begin.assign(1, 0);
  for (const auto& row : at) {
    corners_.items.insert(corners_.items.end(), row.begin(), row.end());
    corners_.begin.push_back(static_cast<std::uint32_t>(corners_.items.size()));
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    Vec3f sum;
    for (const std::uint32_t t : corners_.row(i)) sum += face_normal<float>(s.positions, s.triangles[t]);
    rest_normal_.push_back(normalized(sum, s.normals[held_[i]]));
  }
  skin_.resize(held_.size());
  normal_.resize(held_.size());
  turn_.resize(held_.size());
  touch_.assign(held_.size(), 0);
  smooth_.resize(rig.vertex_count());
  smooth_normal_.resize(rig.vertex_count());
  riders_.resize(l.size());
  rider_turn_.resize(l.size());
  rider_squeeze_.assign(l.size(), 1);
}

float LayerRide::squeeze(float touch, float height, float edge) const {
  const float least = height > 0 ? std::min(1.0F, kSqueezedEdges * edge / height) : 1.0F;
  return 1 + touch * (least - 1);
}

void LayerRide::turn_skin(const Frame& frame, const Context& context) {
  const RigSurface& s = rig_.surface;
  const auto at = [&](std::uint32_t v) -> const Vec3f& { return frame.positions[s.first_of[v]]; };
  parallel_for(context, held_.size(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = held_[i];
      Vec3f sum;
      for (const std::uint32_t t : corners_.row(i)) {
        const Triangle& f = s.triangles[t];
        sum += cross(at(f[1]) - at(f[0]), at(f[2]) - at(f[0]));
      }
      skin_[i] = at(v);
      normal_[i] = normalized(sum);
      touch_[i] = frame.contact.empty() ? 0.0F : frame.contact[s.first_of[v]].touch;
      if (normal_[i] == Vec3f{}) normal_[i] = rest_normal_[i];
      const Quatf swing = rotation_between(rest_normal_[i], normal_[i]);
      float c = 0, w = 0;
      for (const std::uint32_t u : s.neighbours.row(v)) {
        const Vec3f was = rotate(swing, s.positions[u] - s.positions[v]), is = at(u) - at(v);
        c += dot(was, is) - dot(was, normal_[i]) * dot(is, normal_[i]);
        w += dot(normal_[i], cross(was, is));
      }
      const float angle = c != 0 || w != 0 ? std::atan2(w, c) : 0.0F;
      const Quatf turn = axis_angle(normal_[i], angle) * swing;
      turn_[i] = is_finite(Vec3f{turn.x, turn.y, turn.z}) ? turn : Quatf{};
    }
  });
}

void LayerRide::carry(const BonePalette& palette, const Frame& frame, const Context& context) {
  const RigSurface& s = rig_.surface;
  const RigLayers& l = rig_.layers;
  skin_dual_quaternion(rig_, palette, smooth_, smooth_normal_, context);
  parallel_for(context, l.size(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const std::uint32_t input = l.first_of[r];
      if (l.bone[r] != RigLayers::kNone) {
        riders_[r] = apply_point(palette.matrices[l.bone[r]], rig_.rest_positions[input]);
        continue;
      }
      riders_[r] = smooth_[input];
      if (!(l.share[r] > 0)) continue;
      const Vec3f& foot = l.foot[r];
      const Vec3f over = rig_.rest_positions[input] - foot;
      Vec3f base, offset;
      Quatf turn{0, 0, 0, 0};
      float touch = 0, edge = 0;
      for (std::uint32_t i = l.anchors.begin[r]; i < l.anchors.begin[r + 1]; ++i) {
        const std::uint32_t v = l.anchors.items[i], k = slot_[v];
        const float w = l.anchor_weight[i];
        base += (frame.positions[s.first_of[v]] + rotate(turn_[k], foot - s.positions[v])) * w;
        offset += rotate(turn_[k], over) * w;
        touch += w * touch_[k];
        edge += w * s.edge[v];
        const float sign = dot(turn, turn_[k]) < 0 ? -w : w;
        turn = {turn.x + sign * turn_[k].x, turn.y + sign * turn_[k].y, turn.z + sign * turn_[k].z,
                turn.w + sign * turn_[k].w};
      }
      rider_turn_[r] = normalized(turn);
      // A mean of turned offsets is shorter than they are.
      const float height = length(over), mean = length(offset);
      if (mean > 0) offset *= height / mean;
      rider_squeeze_[r] = squeeze(touch, height, edge);
      const Vec3f rides = base + offset * rider_squeeze_[r];
      if (is_finite(rides)) riders_[r] = lerp(smooth_[input], rides, l.share[r]);
    }
  });
}

// One after the other, lower layers first: a point that stands out takes the triangle above it along, by the shortest way.
void LayerRide::keep_covered() {
  const RigSurface& s = rig_.surface;
  const RigLayers& l = rig_.layers;
  for (int pass = 0; pass < kCoverPasses; ++pass)
    for (const RigCover& c : l.covers) {
      const bool skin = c.below < s.size();
      const std::uint32_t rider = skin ? 0 : c.below - static_cast<std::uint32_t>(s.size());
      Vec3f p, n;
      float squeezed = 1;
      if (skin) {
        const std::uint32_t k = slot_[c.below];
        p = skin_[k];
        n = normal_[k];
        squeezed = squeeze(touch_[k], c.height, s.edge[c.below]);
      } else {
        if (l.bone[rider] != RigLayers::kNone || !(l.share[rider] > 0)) continue;
        p = riders_[rider];
        n = rotate(rider_turn_[rider], c.normal);
        squeezed = rider_squeeze_[rider];
      }
      const Triangle& t = l.triangles[c.triangle];
      Vec3f above;
      float squares = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        above += riders_[t[k]] * c.at[k];
        squares += c.at[k] * c.at[k];
      }
      const float height = dot(above - p, n), wanted = kKeptHeight * squeezed * c.height;
      if (!(height < wanted)) continue;
      const Vec3f aside = above - p - n * height;
      const float edge = skin ? s.edge[c.below] : c.height;
      if (!(length(aside) <= std::max(kSlid * c.height, edge)) || !(wanted - height <= kSlid * std::max(c.height, edge)))
        continue;
      for (std::size_t k = 0; k < 3; ++k) riders_[t[k]] += n * ((wanted - height) * c.at[k] / squares);
    }
}

void LayerRide::write(const BonePalette& palette, Frame& frame, const Context& context) const {
  const RigLayers& l = rig_.layers;
  parallel_for(context, rig_.vertex_count(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t r = l.rider_of[i];
      if (r == RigLayers::kNone) continue;
      frame.positions[i] = riders_[r];
      if (l.bone[r] != RigLayers::kNone) {
        frame.normals[i] = apply_normal(palette.matrices[l.bone[r]], rig_.rest_normals[i]);
      } else {
        const Vec3f turned = l.share[r] > 0 ? rotate(rider_turn_[r], rig_.rest_normals[i]) : Vec3f{};
        frame.normals[i] = normalized(lerp(smooth_normal_[i], turned, l.share[r]), smooth_normal_[i]);
      }
    }
  });
}

void LayerRide::ride(const BonePalette& palette, Frame& frame, const Context& context) {
  turn_skin(frame, context);
  carry(palette, frame, context);
  keep_covered();
  write(palette, frame, context);
}

}  // namespace cutis
