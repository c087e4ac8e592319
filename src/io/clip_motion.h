// A clip of a skeleton as a motion for other bodies.
#pragma once

#include <cstddef>

#include "cutis/character.h"
#include "cutis/context.h"
#include "io/bvh_read.h"

namespace cutis {

/// A skeleton with clips, as a file of any kind of character gives it.
struct ClipSource {
  Character body;         ///< may have no meshes
  bool is_bound = false;  ///< a skin says how it rests; else its nodes are where the file leaves them
  std::size_t bytes = 0;  ///< that it was read from; a few bytes do not become hours of frames
};

/// The clip, sampled evenly, as a motion whose joints are called what a humanoid map calls them, or as in the file.
/// Frames of joints are turned so that all are parallel to the axes at rest, as in BVH. Throws Error.
[[nodiscard]] BvhMotion motion_of_clip(const ClipSource& source, const Clip& clip, const Context& context);

}  // namespace cutis
