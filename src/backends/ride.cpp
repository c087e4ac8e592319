// The turn of the skin at a vertex: the one that takes its rest normal to its normal, then about the normal as far as
// the edges there have turned on average. Each vertex that holds a rider would carry it along by its own turn; they
// agree where the skin keeps its shape, and their mean is smooth where it does not.
#include "backends/ride.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"
#include "geometry/normals.h"
#include "geometry/visit_box.h"
#include "kernels/skin.h"

namespace cutis {
namespace {

constexpr std::size_t kRidersPerChunk = 512;
// Of the room between two skins that face each other: each side's cloth takes as much, so that a gap is left.
constexpr float kRoomShare = 0.4F;
// Skin that touches has facing skin within this many heights of the cloth around; and so much more of its own way is
// seen.
constexpr float kWedgeHeights = 6, kSeenHeights = 3;
// Where skin touches skin, in edges: between the two gaps that contact keeps (0.15 edges) both sides have room.
constexpr float kSqueezedEdges = 0.03F;
constexpr float kTaper = 0.4F;
constexpr int kTaperPasses = 4;
// Cloth over a hollow keeps at least this part of the skin's edges there.
constexpr float kLeastEdge = 0.35F;
// Cloth keeps at least this part of its height over every point that it covers; less where it goes with its own bones,
// and what does so altogether (armour) keeps its shape.
constexpr float kKeptHeight = 0.5F;
// A point that has slid from below its triangle by more than so many heights, or as much of an edge, is not covered by
// it.
constexpr float kSlid = 2.0F;
constexpr int kCoverPasses = 4;
// What armour keeps of its height at rest over skin that would come through it.
constexpr float kUnderArmour = 0.25F;
// What rides on the skin at least so far is cloth, which gives way to it.
constexpr float kCloth = 0.5F;
// Of how far a point may slide from below its triangle: from here on it is less and less its business.
constexpr float kNearlySlid = 0.7F;
// The skin around goes along over some rings.
constexpr int kPressPasses = 16;
constexpr float kAlong = 0.95F;

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
  room_.assign(held_.size(), 1);
  height_.assign(held_.size(), 0);
  for (std::size_t r = 0; r < l.size(); ++r)
    for (const std::uint32_t v : l.anchors.row(r))
      height_[slot_[v]] = std::max(height_[slot_[v]], distance(rig.rest_positions[l.first_of[r]], l.foot[r]));
  for (const RigCover& c : l.covers)
    if (c.below < s.size()) height_[slot_[c.below]] = std::max(height_[slot_[c.below]], c.height);
  way_.reserve(held_.size());
  least_.resize(s.size());
  depth_.resize(s.size());
  deeper_.resize(s.size());
  ring_.reserve(held_.size());
  surface_.assign(s.positions.begin(), s.positions.end());
  std::vector<std::uint32_t> all(s.triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  tree_ = TriangleBvh(s.positions, s.triangles, all);
  smooth_.resize(rig.vertex_count());
  smooth_normal_.resize(rig.vertex_count());
  riders_.resize(l.size());
  rider_turn_.resize(l.size());
  along_turn_.resize(l.size());
  rider_room_.assign(l.size(), 1);
}

void LayerRide::turn_skin(std::span<const Vec3f> positions, const Context& context) {
  const RigSurface& s = rig_.surface;
  const auto at = [&](std::uint32_t v) -> const Vec3f& { return positions[s.first_of[v]]; };
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

// Cloth at its rest height over a hollow would fold up, and run into the cloth and skin of the other side of a crease.
void LayerRide::make_room(const Frame& frame, const Context& context) {
  const RigSurface& s = rig_.surface;
  parallel_for(context, held_.size(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      room_[i] = 1;
      float steepest = 0;  // by how much edges get shorter, per height
      for (const std::uint32_t u : s.neighbours.row(held_[i])) {
        if (slot_[u] == RigLayers::kNone) continue;
        const Vec3f e = frame.positions[s.first_of[u]] - skin_[i];
        const Vec3f e0 = s.positions[u] - s.positions[held_[i]];
        const float squared = dot(e, e), squared0 = dot(e0, e0);
        if (!(squared > 0) || !(squared0 > 0)) continue;
        const float now = -dot(e, normal_[slot_[u]] - normal_[i]) / squared;
        const float rest = -dot(e0, rest_normal_[slot_[u]] - rest_normal_[i]) / squared0;
        steepest = std::max(steepest, now - std::max(0.0F, rest));
      }
      if (steepest * height_[i] > 1 - kLeastEdge) room_[i] = (1 - kLeastEdge) / (steepest * height_[i]);
    }
  });
  const auto touch_at = [&](std::uint32_t i) {
    return frame.contact.empty() ? 0.0F : frame.contact[s.first_of[held_[i]]].touch;
  };
  way_.assign(held_.size(), -1.0F);
  ring_.clear();
  for (std::uint32_t i = 0; i < held_.size(); ++i)
    if (touch_at(i) > 0 || room_[i] < 1) {
      way_[i] = 0;
      ring_.push_back(i);
    }
  if (ring_.empty()) return;
  for (std::size_t k = 0; k < ring_.size(); ++k) {
    const std::uint32_t i = ring_[k];
    for (const std::uint32_t u : s.neighbours.row(held_[i])) {
      const std::uint32_t j = slot_[u];
      if (j == RigLayers::kNone || way_[j] >= 0) continue;
      const float way = way_[i] + distance(s.positions[u], s.positions[held_[i]]);
      if (way > kWedgeHeights * height_[j]) continue;
      way_[j] = way;
      ring_.push_back(j);
    }
  }
  for (std::size_t v = 0; v < s.size(); ++v) surface_[v] = frame.positions[s.first_of[v]];
  for (const Vec3f& p : surface_)
    if (!is_finite(p)) return;
  tree_.refit(surface_, s.triangles);
  parallel_for(context, ring_.size(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t i = ring_[k];
      const float seen = kSeenHeights * height_[i];
      const float free = first_facing(skin_[i], normal_[i] * seen);
      if (free < 1) room_[i] = std::min(room_[i], kRoomShare * free * kSeenHeights);
      const float touch = touch_at(i);
      const float least = height_[i] > 0 ? std::min(1.0F, kSqueezedEdges * s.edge[held_[i]] / height_[i]) : 1.0F;
      room_[i] = std::min(room_[i], 1 + touch * (least - 1));
    }
  });
  // Cloth rises no faster than that from where it is squeezed.
  for (int pass = 0; pass < kTaperPasses; ++pass)
    for (const std::uint32_t i : ring_)
      for (const std::uint32_t u : s.neighbours.row(held_[i])) {
        const std::uint32_t j = slot_[u];
        if (j == RigLayers::kNone || !(height_[i] > 0)) continue;
        const float most = room_[j] * height_[j] + kTaper * distance(skin_[i], skin_[j]);
        room_[i] = std::min(room_[i], most / height_[i]);
      }
}

// How much of the way from p is free of skin that faces it; 1: all.
float LayerRide::first_facing(const Vec3f& p, const Vec3f& way) const {
  constexpr float kOwn = 1e-3F;  // of the way: the skin at its beginning
  const Vec3f q = p + way;
  const Boxf box{{std::min(p.x, q.x), std::min(p.y, q.y), std::min(p.z, q.z)},
                 {std::max(p.x, q.x), std::max(p.y, q.y), std::max(p.z, q.z)}};
  const std::span<const Triangle> triangles = rig_.surface.triangles;
  float first = 1;
  (void)visit_box(tree_, box, [&](std::uint32_t triangle) {
    const Triangle& t = triangles[triangle];
    const Vec3f a = surface_[t[0]], u = surface_[t[1]] - a, v = surface_[t[2]] - a;
    const Vec3f side = cross(way, v), from = p - a;
    const float facing = dot(u, side);  // -way . (u x v)
    if (!(facing > 0)) return true;
    const Vec3f across = cross(from, u);
    const float x = dot(from, side), y = dot(way, across), along = dot(v, across);
    if (x < 0 || y < 0 || x + y > facing || along < kOwn * facing || along >= first * facing) return true;
    first = along / facing;
    return true;
  });
  return first;
}

void LayerRide::carry(const BonePalette& palette, const Frame& frame, const Context& context) {
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
      const Vec3f base = foot_in(frame.positions, r), offset = rest_offset(r);
      mean_turn(r);
      const Vec3f rides = base + offset * rider_room_[r];
      if (is_finite(rides)) riders_[r] = lerp(smooth_[input], rides, l.share[r]);
    }
  });
}

// From its foot to a rider, as the skin around has turned since rest.
Vec3f LayerRide::rest_offset(std::size_t rider) const {
  const RigLayers& l = rig_.layers;
  const Vec3f over = rig_.rest_positions[l.first_of[rider]] - l.foot[rider];
  Vec3f offset;
  for (std::uint32_t i = l.anchors.begin[rider]; i < l.anchors.begin[rider + 1]; ++i)
    offset += rotate(turn_[slot_[l.anchors.items[i]]], over) * l.anchor_weight[i];
  // A mean of turned offsets is shorter than they are.
  const float height = length(over), mean = length(offset);
  return mean > 0 ? offset * (height / mean) : offset;
}

Vec3f LayerRide::foot_in(std::span<const Vec3f> positions, std::size_t rider) const {
  const RigSurface& s = rig_.surface;
  const Triangle& ground = rig_.layers.ground[rider];
  const Vec3f& at = rig_.layers.ground_at[rider];
  return positions[s.first_of[ground[0]]] * at.x + positions[s.first_of[ground[1]]] * at.y +
         positions[s.first_of[ground[2]]] * at.z;
}

// Of the anchors: their turn, and the room there.
void LayerRide::mean_turn(std::size_t rider) {
  const RigLayers& l = rig_.layers;
  Quatf turn{0, 0, 0, 0};
  float room = 0;
  for (std::uint32_t i = l.anchors.begin[rider]; i < l.anchors.begin[rider + 1]; ++i) {
    const std::uint32_t k = slot_[l.anchors.items[i]];
    const float w = l.anchor_weight[i];
    room += w * room_[k];
    const float sign = dot(turn, turn_[k]) < 0 ? -w : w;
    turn = {turn.x + sign * turn_[k].x, turn.y + sign * turn_[k].y, turn.z + sign * turn_[k].z,
            turn.w + sign * turn_[k].w};
  }
  rider_turn_[rider] = normalized(turn);
  rider_room_[rider] = room;
}

// One after the other, lower layers first: a point that stands out takes the triangle above it along, by the shortest
// way.
void LayerRide::keep_covered(std::span<const float> most) {
  const RigSurface& s = rig_.surface;
  const RigLayers& l = rig_.layers;
  for (int pass = 0; pass < kCoverPasses; ++pass)
    for (std::size_t i = 0; i < l.covers.size(); ++i) {
      const RigCover& c = l.covers[i];
      const Covered at = covered(c);
      if (!(at.share > 0)) continue;
      float wanted = kKeptHeight * at.share * at.room * c.height;
      if (!most.empty()) wanted = std::min(wanted, at.room * most[i]);
      const float height = dot(at.above, at.normal);
      if (!(height < wanted)) continue;
      const Vec3f aside = at.above - at.normal * height;
      const float edge = c.below < s.size() ? s.edge[c.below] : c.height;
      if (!(length(aside) <= std::max(kSlid * c.height, edge)) ||
          !(wanted - height <= kSlid * std::max(c.height, edge)))
        continue;
      float squares = 0;
      for (const float x : c.at) squares += x * x;
      const Triangle& t = l.triangles[c.triangle];
      for (std::size_t k = 0; k < 3; ++k) riders_[t[k]] += at.normal * ((wanted - height) * c.at[k] / squares);
    }
}

LayerRide::Covered LayerRide::covered(const RigCover& c) const {
  const RigSurface& s = rig_.surface;
  const RigLayers& l = rig_.layers;
  Covered at;
  Vec3f p;
  if (c.below < s.size()) {
    const std::uint32_t k = slot_[c.below];
    p = skin_[k];
    at.normal = normal_[k];
    at.room = room_[k];
  } else {
    const std::uint32_t rider = c.below - static_cast<std::uint32_t>(s.size());
    if (l.bone[rider] != RigLayers::kNone || !(l.share[rider] > 0)) return at;
    p = riders_[rider];
    at.normal = rotate(rider_turn_[rider], c.normal);
    at.room = rider_room_[rider];
  }
  const Triangle& t = l.triangles[c.triangle];
  for (std::size_t k = 0; k < 3; ++k) {
    at.above += riders_[t[k]] * c.at[k];
    at.share += l.share[t[k]] * c.at[k];
  }
  at.above -= p;
  return at;
}

// Armour keeps its shape, and does not give way: skin that comes through it, where contact presses it out or a joint
// bends below a plate, goes back under it. Nobody sees it there.
void LayerRide::press_under(Frame& frame) {
  const RigSurface& s = rig_.surface;
  std::ranges::fill(least_, 0.0F);
  bool any = false;
  for (const RigCover& c : rig_.layers.covers) {
    if (c.below >= s.size()) continue;
    const Covered at = covered(c);
    const float wanted = kUnderArmour * c.height, height = dot(at.above, at.normal);
    if (!(at.share < kCloth) || !(height < wanted)) continue;
    const float most = kSlid * std::max(c.height, s.edge[c.below]);
    const float off = std::max(length(at.above - at.normal * height) / most, (wanted - height) / c.height);
    const float stands = (1 - at.share / kCloth) * (1 - smooth_step(off, kNearlySlid, 1.0F));
    least_[c.below] = std::max(least_[c.below], stands * (wanted - height));
    any = true;
  }
  if (!any) return;
  // The skin around goes along: a membrane over what is pressed in.
  depth_ = least_;
  for (int pass = 0; pass < kPressPasses; ++pass) {
    for (std::size_t v = 0; v < s.size(); ++v) {
      const auto ring = s.neighbours.row(v);
      float sum = 0;
      for (const std::uint32_t w : ring) sum += depth_[w];
      deeper_[v] = ring.empty() ? least_[v] : std::max(least_[v], kAlong * sum / static_cast<float>(ring.size()));
    }
    depth_.swap(deeper_);
  }
  for (std::size_t i = 0; i < rig_.vertex_count(); ++i) {
    const std::uint32_t v = s.welded_of[i];
    if (v >= s.size() || !(depth_[v] > 0)) continue;
    const Vec3f normal = slot_[v] == RigLayers::kNone ? normalized(frame.normals[i]) : normal_[slot_[v]];
    const Vec3f pressed = frame.positions[i] - normal * depth_[v];
    if (is_finite(pressed)) frame.positions[i] = pressed;
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
  turn_skin(frame.positions, context);
  make_room(frame, context);
  carry(palette, frame, context);
  keep_covered({});
  press_under(frame);
  write(palette, frame, context);
}

void LayerRide::go_along(std::span<const Vec3f> shape, std::span<const Vec3f> shape_normals, Frame& frame,
                         const Context& context) {
  const RigLayers& l = rig_.layers;
  std::fill(room_.begin(), room_.end(), 1.0F);
  turn_skin(shape, context);
  shape_turn_ = turn_;
  for (std::size_t r = 0; r < l.size(); ++r) {
    riders_[r] = shape[l.first_of[r]];
    if (l.share[r] > 0) mean_turn(r);
  }
  shape_height_.resize(l.covers.size());
  for (std::size_t i = 0; i < l.covers.size(); ++i) {
    const Covered at = covered(l.covers[i]);
    shape_height_[i] = dot(at.above, at.normal);
  }

  turn_skin(frame.positions, context);
  make_room(frame, context);
  parallel_for(context, l.size(), kRidersPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      if (!(l.share[r] > 0)) continue;
      const Vec3f foot = foot_in(shape, r), over = riders_[r] - foot;
      const Quatf was = conjugate(rider_turn_[r]);
      Vec3f offset;
      for (std::uint32_t i = l.anchors.begin[r]; i < l.anchors.begin[r + 1]; ++i) {
        const std::uint32_t k = slot_[l.anchors.items[i]];
        offset += rotate(turn_[k] * conjugate(shape_turn_[k]), over) * l.anchor_weight[i];
      }
      mean_turn(r);
      const float height = length(over), mean = length(offset);
      if (mean > 0) offset *= height / mean;
      offset = lerp(rest_offset(r), offset, rider_room_[r]);
      const Vec3f way = foot_in(frame.positions, r) - foot + offset * rider_room_[r] - over;
      if (!is_finite(way)) continue;
      riders_[r] += way * l.share[r];
      along_turn_[r] = rider_turn_[r] * was;
    }
  });
  keep_covered(shape_height_);
  for (std::size_t i = 0; i < l.rider_of.size(); ++i) {
    const std::uint32_t r = l.rider_of[i];
    if (r == RigLayers::kNone) continue;
    frame.positions[i] = riders_[r];
    const Vec3f& n = shape_normals[i];
    frame.normals[i] = l.share[r] > 0 ? normalized(lerp(n, rotate(along_turn_[r], n), l.share[r]), n) : n;
  }
}

}  // namespace cutis
