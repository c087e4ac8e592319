#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/input_file.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/io.h"
#include "io/distance.h"
#include "io/readers.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCanRead = "reads .glb, .gltf, .vrm, .fbx, .dae, .obj, .ply, .off and builtin:NAME";

std::string lower_extension(const std::string& file) {
  std::string extension = fs::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// Asked only of files whose name does not tell.
bool has_gltf_magic(const std::string& file) {
  std::array<char, 4> magic{};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), &std::fclose);
  return in && std::fread(magic.data(), 1, magic.size(), in.get()) == magic.size() &&
         std::string_view(magic.data(), magic.size()) == "glTF";
}

Character read_by_extension(const std::string& file, const Context& context, const ReadOptions& options) {
  const std::string extension = lower_extension(file);
  if (extension == ".glb" || extension == ".gltf" || extension == ".vrm") return read_gltf(file, context, options);
  if (extension == ".obj") return read_obj(file, context, options);
  if (extension == ".ply") return read_ply(file, context, options);
  if (extension == ".off") return read_off(file, context, options);
  if (extension == ".fbx" || extension == ".dae") return read_assimp(file, context, options);
  if (has_gltf_magic(file)) return read_gltf(file, context, options);
  throw Error(ErrorCode::bad_argument, file,
              extension.empty() ? fmt::format("the file has no extension to tell its format by; cutis {}", kCanRead)
                                : fmt::format("files of type '{}' cannot be read; cutis {}", extension, kCanRead));
}

}  // namespace

Character load_character(const std::string& file, const Context& context, const ReadOptions& options) {
  constexpr std::string_view kBuiltin = "builtin:";
  context.check_cancelled();
  Character character;
  if (file.starts_with(kBuiltin)) {
    character = make_builtin(file.substr(kBuiltin.size()), context);
    if (options.ignore_weights)
      for (Mesh& mesh : character.meshes) mesh.weights = {};
  } else {
    (void)InputFile(file, file);  // whatever its name says: is there a file at all?
    character = read_by_extension(file, context, options);
  }
  context.check_cancelled();
  if (character.vertex_count() > most_vertices())
    throw Error(ErrorCode::bad_character, file,
                fmt::format("has {} vertices, and at most {} are let through; decimate it, or give more with "
                            "--max-vertices",
                            character.vertex_count(), most_vertices()));
  validate(character);
  check_distance(character, context);
  return character;
}

}  // namespace cutis
