#include "backends/cuda/track_rest.h"

#include <algorithm>

namespace cutis::cuda {

DeviceRest::DeviceRest(const Rig& rig, const TrackRest& rest) {
  const RigSurface& s = rig.surface;
  const auto send = [](auto& array, const auto& values, auto*& to) {
    array.assign(std::span(values.data(), values.size()));
    to = values.empty() ? nullptr : array.data();
  };
  RestArrays& a = arrays_;
  a.count = static_cast<std::uint32_t>(s.size());
  a.bones = static_cast<std::uint32_t>(rig.bones.size());
  a.triangle_count = static_cast<std::uint32_t>(s.triangles.size());
  a.input_count = static_cast<std::uint32_t>(rig.vertex_count());
  send(positions_, s.positions, a.positions);
  send(owner_, s.owner, a.owner);
  send(edge_, s.edge, a.edge);
  send(triangles_, s.triangles, a.triangles);
  send(ring_begin_, s.neighbours.begin, a.ring_begin);
  send(ring_, s.neighbours.items, a.ring);
  send(ring_weight_, s.neighbour_weight, a.ring_weight);
  send(edge_squared_, rest.edge_squared, a.edge_squared);
  send(turn_begin_, s.turn.begin, a.turn_begin);
  send(turn_bone_, s.turn.items, a.turn_bone);
  send(turn_weight_, s.turn_weight, a.turn_weight);
  send(own_, rest.own, a.own);
  send(slope_, rest.slope, a.slope);
  send(gap_, rest.gap, a.gap);
  send(hold_, rest.hold, a.hold);
  send(fine_, rest.fine, a.fine);
  send(stiffness_, rest.stiffness, a.stiffness);
  send(tracked_, rest.tracked, a.tracked);
  send(other_begin_, rest.others.begin, a.other_begin);
  send(other_bone_, rest.others.items, a.other_bone);
  send(other_value_, rest.other_value, a.other_value);
  send(core_lead_, rest.core_lead, a.core_lead);
  send(core_, rest.core, a.core);
  send(joined_, rest.joined, a.joined);
  send(fold_, rest.fold, a.fold);
  std::vector<float> radius;
  for (const RigField& field : rig.fields) radius.push_back(field.empty() ? 0.0F : field.grid.radius);
  send(radius_, radius, a.radius);
  send(corner_begin_, rest.corners.begin, a.corner_begin);
  send(corner_, rest.corners.items, a.corner);
  send(normals_, rest.normals, a.normals);
  send(welded_of_, s.welded_of, a.welded_of);
  send(input_normals_, rig.rest_normals, a.input_normals);
  std::vector<GridNode> nodes;
  node_begin_.push_back(0);
  for (const RigField& field : rig.fields) {
    nodes.insert(nodes.end(), field.nodes.begin(), field.nodes.end());
    node_begin_.push_back(nodes.size());
  }
  nodes_.assign(nodes);
}

std::shared_ptr<const DeviceRest> device_rest(const Rig& rig, const TrackRest& rest) {
  return rig.rest.get<DeviceRest>([&] { return DeviceRest(rig, rest); });
}

}  // namespace cutis::cuda
