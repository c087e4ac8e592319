// In builds for the browser: what needs a library that is not there says so.
#include "io/gltf_read_data.h"
#include "io/gltf_read_draco.h"
#include "io/gltf_read_fail.h"
#include "io/readers.h"

namespace cutis {
namespace {

[[noreturn]] void no_fbx(const std::string& name) {
  throw Error(ErrorCode::bad_file, name, "FBX and Collada are not read in a browser; save it as .glb first");
}

}  // namespace

Character read_assimp(const std::string& path, const Context&, const ReadOptions&) { no_fbx(path); }
Character read_assimp_memory(std::string_view, const std::string& name, const Context&, const ReadOptions&) {
  no_fbx(name);
}
ClipSource read_assimp_motion(const std::string& path, const Context&) { no_fbx(path); }
ClipSource read_assimp_motion_memory(std::string_view, const std::string& name, const Context&) { no_fbx(name); }

namespace gltf {

DracoMesh decode_draco(const DracoSource&, Data&, const std::string& place) {
  fail(place, "Draco compression is not read in a browser; save it without compression first");
}

std::vector<std::byte> decode_meshopt(const MeshoptView&, std::span<const std::byte>, const std::string& place) {
  fail(place, "meshopt compression is not read in a browser; save it without compression first");
}

}  // namespace gltf
}  // namespace cutis
