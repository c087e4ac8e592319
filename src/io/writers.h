// One writer per format; make_animation_writer() picks by extension and has checked the header.
#pragma once

#include <memory>
#include <string>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

using WriterPtr = std::unique_ptr<AnimationWriter>;

[[nodiscard]] WriterPtr make_pc2_writer(const std::string& file, const AnimationHeader& header, const Context& context);
[[nodiscard]] WriterPtr make_mdd_writer(const std::string& file, const AnimationHeader& header, const Context& context);
[[nodiscard]] WriterPtr make_usda_writer(const std::string& file, const AnimationHeader& header,
                                         const Context& context);
[[nodiscard]] WriterPtr make_obj_writer(const std::string& file, const AnimationHeader& header, const Context& context);
[[nodiscard]] WriterPtr make_ply_writer(const std::string& file, const AnimationHeader& header, const Context& context);
[[nodiscard]] WriterPtr make_frames_writer(const std::string& file, const AnimationHeader& header,
                                           const Context& context);
[[nodiscard]] WriterPtr make_glb_writer(const std::string& file, const AnimationHeader& header, const Context& context);
/// Writes NAME.bin beside NAME.gltf.
[[nodiscard]] WriterPtr make_gltf_writer(const std::string& file, const AnimationHeader& header,
                                         const Context& context);

}  // namespace cutis
