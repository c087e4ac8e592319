// Biovision hierarchy (BVH): a skeleton of offsets and a table of channel values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "character/skin_tree.h"
#include "cutis/context.h"
#include "cutis/types.h"

namespace cutis {

struct BvhChannel {
  int axis = 0;  ///< 0, 1, 2: x, y, z
  bool is_rotation = false;
};

/// Parents come before their children.
struct BvhJoint {
  std::string name;
  int parent = -1;
  Vec3d offset;                      ///< from the parent, in the file's unit
  std::vector<BvhChannel> channels;  ///< in the order in which they are applied, outermost first
  std::size_t first_channel = 0;     ///< within a frame
  std::vector<Vec3d> end_sites;      ///< offsets of End Sites
};

struct BvhMotion {
  std::string source;
  std::vector<BvhJoint> joints;
  std::size_t channels = 0;  ///< per frame
  std::size_t frames = 0;
  double frame_time = 0;       ///< seconds
  std::vector<double> values;  ///< frames x channels; degrees for rotations
  /// The offsets draw the body as it is in one of the frames, and nothing says that this is how it rests.
  bool rests_in_motion = false;
  /// Of the motion of a character: its joints as its file has them; empty: only names and offsets are known.
  std::vector<PlacedJoint> body;

  /// Joint frames in the file's world.
  struct Pose {
    std::vector<Vec3d> position;
    std::vector<Quatd> rotation;
  };
  [[nodiscard]] Pose pose(std::size_t frame) const;
  /// The skeleton as the offsets draw it, without any rotation.
  [[nodiscard]] Pose rest() const;
};

/// Throws Error with the line number.
[[nodiscard]] BvhMotion read_bvh(const std::string& path, const Context& context);
[[nodiscard]] BvhMotion read_bvh_memory(std::string_view text, const std::string& name, const Context& context);

}  // namespace cutis
