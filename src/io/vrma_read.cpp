#include "io/vrma_read.h"

#include "cutis/error.h"
#include "io/clip_motion.h"
#include "io/gltf_read_uri.h"
#include "io/readers.h"

namespace cutis {

BvhMotion read_vrma_memory(std::span<const std::byte> bytes, const std::string& name, const Context& context) {
  // The format says that nodes are in T-pose by default.
  const ClipSource source{read_gltf_humanoid(bytes, name, context), true, bytes.size()};
  if (source.body.clips.empty() || source.body.clips[0].channels.empty())
    throw Error(ErrorCode::bad_file, name, "has no animation of its humanoid nodes");
  return motion_of_clip(source, source.body.clips[0], context);
}

BvhMotion read_vrma(const std::string& path, const Context& context) {
  return read_vrma_memory(gltf::read_whole_file(path, path), path, context);
}

}  // namespace cutis
