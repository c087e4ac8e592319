#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "character/builtin/builtin.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/readers.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCanRead = "reads .glb, .gltf, .fbx, .dae, .obj, .ply, .off and builtin:NAME";

std::string lower_extension(const std::string& file) {
  std::string extension = fs::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool has_gltf_magic(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), &std::fclose);
  std::array<char, 4> magic{};
  return in && std::fread(magic.data(), 1, magic.size(), in.get()) == magic.size() &&
         std::string_view(magic.data(), magic.size()) == "glTF";
}

void check_is_file(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found)
    throw Error(ErrorCode::io, file, "the file does not exist; check its name and folder");
  if (error) throw Error(ErrorCode::io, file, fmt::format("the file cannot be opened: {}", error.message()));
  if (fs::is_directory(status)) throw Error(ErrorCode::io, file, "this is a folder; name a file inside it");
  if (!fs::is_regular_file(status)) throw Error(ErrorCode::io, file, "this is not a regular file");
}

Character read_by_extension(const std::string& file, const Context& context, const ReadOptions& options) {
  const std::string extension = lower_extension(file);
  if (extension == ".glb" || extension == ".gltf") return read_gltf(file, context, options);
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
    check_is_file(file);
    character = read_by_extension(file, context, options);
  }
  context.check_cancelled();
  validate(character);
  return character;
}

}  // namespace cutis
