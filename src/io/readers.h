// One reader per format; load_character() picks by extension. Every reader throws Error naming file and place, and
// returns a character in scene space at the rest pose; validation is the caller's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/io.h"
#include "io/clip_motion.h"
#include "io/plain_mesh.h"

namespace cutis {

/// .glb and .gltf. Buffers and images beside the file are read, but never from outside its folder.
[[nodiscard]] Character read_gltf(const std::string& path, const Context& context, const ReadOptions& options);
/// The same from memory; `name` stands for the file in messages. External files are not read.
[[nodiscard]] Character read_gltf_memory(std::span<const std::byte> bytes, const std::string& name,
                                         const Context& context, const ReadOptions& options);

/// Of a glTF file with a humanoid map (VRM, VRM animation): the nodes that the map names as bones, with everything
/// above them, and the clips; no meshes. External files are not read.
[[nodiscard]] Character read_gltf_humanoid(std::span<const std::byte> bytes, const std::string& name,
                                           const Context& context);

/// Skeleton and clips of a file that may have no mesh at all, as motions are exported: joints of skins in their rest
/// frames, whether a mesh wears the skin or not; without skins, animated nodes and those below them where they are by
/// default; with everything above them. The clips may be none.
[[nodiscard]] ClipSource read_gltf_motion(const std::string& path, const Context& context);
[[nodiscard]] ClipSource read_gltf_motion_memory(std::span<const std::byte> bytes, const std::string& name,
                                                 const Context& context);
[[nodiscard]] ClipSource read_assimp_motion(const std::string& path, const Context& context);
[[nodiscard]] ClipSource read_assimp_motion_memory(std::string_view bytes, const std::string& name,
                                                   const Context& context);

[[nodiscard]] Character read_obj(const std::string& path, const Context& context, const ReadOptions& options);
[[nodiscard]] Character read_ply(const std::string& path, const Context& context, const ReadOptions& options);
[[nodiscard]] Character read_off(const std::string& path, const Context& context, const ReadOptions& options);
/// .fbx and .dae.
[[nodiscard]] Character read_assimp(const std::string& path, const Context& context, const ReadOptions& options);

/// As scans have them: points without faces, and places that are no finite numbers (left in).
[[nodiscard]] PlainMesh read_obj_scan(std::string_view text, const std::string& name, const Context& context);
[[nodiscard]] PlainMesh read_ply_scan(std::string_view bytes, const std::string& name, const Context& context);

/// From memory; `name` stands for the file in messages and gives the mesh its name.
[[nodiscard]] Character read_obj_memory(std::string_view text, const std::string& name, const Context& context);
[[nodiscard]] Character read_ply_memory(std::string_view bytes, const std::string& name, const Context& context);
[[nodiscard]] Character read_off_memory(std::string_view text, const std::string& name, const Context& context);
[[nodiscard]] PointCache read_pc2_memory(std::string_view bytes, const std::string& name);
/// The extension of `name` decides which format is expected.
[[nodiscard]] Character read_assimp_memory(std::string_view bytes, const std::string& name, const Context& context,
                                           const ReadOptions& options);

}  // namespace cutis
