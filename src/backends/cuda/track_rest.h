// The rest pose on the device: once for a rig, shared by all its solvers.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/cuda/track_kernel.h"
#include "backends/track_rest.h"
#include "rig/rig.h"

namespace cutis::cuda {

class DeviceRest {
 public:
  static constexpr std::string_view kRestName = "tracking on the device";
  DeviceRest(const Rig& rig, const TrackRest& rest);

  [[nodiscard]] const RestArrays& arrays() const { return arrays_; }
  /// Of a bone's field; none: it has none.
  [[nodiscard]] const GridNode* nodes(std::size_t bone) const {
    return node_begin_[bone] == node_begin_[bone + 1] ? nullptr : nodes_.data() + node_begin_[bone];
  }

 private:
  RestArrays arrays_;
  std::vector<std::size_t> node_begin_;
  Array<GridNode> nodes_;
  Array<Vec3f> positions_, core_, normals_, input_normals_;
  Array<Triangle> triangles_;
  Array<std::uint32_t> owner_, ring_begin_, ring_, turn_begin_, turn_bone_, other_begin_, other_bone_, corner_begin_,
      corner_, welded_of_;
  Array<float> edge_, ring_weight_, edge_squared_, turn_weight_, own_, slope_, gap_, hold_, fine_, stiffness_,
      other_value_, core_lead_, radius_;
  Array<char> tracked_, joined_;
  Array<std::int32_t> fold_;
};

[[nodiscard]] std::shared_ptr<const DeviceRest> device_rest(const Rig& rig, const TrackRest& rest);

}  // namespace cutis::cuda
